//! The docker command line, as far as `wrangler dev` runs it.
//!
//! Nothing is built and nothing is pulled: an image is a program the engine was told about. What can be checked
//! is checked, so that a missing image shows up when `wrangler` prepares it and not when a container is started.

use std::env;
use std::ffi::OsString;
use std::io::{self, Write as _};
use std::process::ExitCode;

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::Value;

use crate::client::{CallError, Client, InvalidHost};
use crate::template::{TemplateError, render};

/// Runs one command; `arguments` without the program's name. Errors go to stderr, with exit code 1.
pub fn run(arguments: impl IntoIterator<Item = OsString>) -> ExitCode {
    let arguments: Vec<String> =
        arguments.into_iter().map(|argument| argument.to_string_lossy().into_owned()).collect();
    match execute(&arguments) {
        Ok(output) => {
            let _ = io::stdout().write_all(output.as_bytes());
            ExitCode::SUCCESS
        }
        Err(error) => {
            let _ = writeln!(io::stderr(), "process-engine docker: {error}");
            ExitCode::FAILURE
        }
    }
}

#[derive(Debug, thiserror::Error)]
enum DockerError {
    #[error(
        "{0:?} is not among the commands a process engine knows: info, version, build, pull, tag, image inspect, inspect"
    )]
    UnknownCommand(String),
    #[error("{0} lacks its value")]
    MissingValue(String),
    #[error("expected one {0}")]
    MissingOperand(&'static str),
    #[error("no engine is named: set DOCKER_HOST=unix:///path/of/its/socket, or pass --host")]
    NoHost,
    #[error(transparent)]
    InvalidHost(#[from] InvalidHost),
    #[error("{0}; start one with `process-engine serve --socket …`")]
    Call(#[from] CallError),
    #[error("{0}")]
    Refused(String),
    #[error(transparent)]
    Template(#[from] TemplateError),
    #[error("cannot read the Dockerfile from stdin: {0}")]
    Stdin(io::Error),
}

fn execute(arguments: &[String]) -> Result<String, DockerError> {
    let command = Command::parse(arguments)?;
    let words: Vec<&str> = command.words.iter().map(String::as_str).collect();
    match words.as_slice() {
        ["info"] => command.show(&command.engine()?.fetch("/info")?),
        ["version"] => command.show(&command.engine()?.fetch("/version")?),
        ["build", ..] => build(&command),
        // Of the egress sidecar this is true in a way: the engine is that image.
        ["pull", image] => {
            Ok(format!("{image}: nothing is pulled, programs of this machine stand for images\n"))
        }
        ["tag", _, target] => command.engine()?.know(target).map(|_| String::new()),
        ["image", "inspect", image] => {
            let found = command.engine()?.know(image)?;
            command.show_one_of_many(found)
        }
        ["inspect", container] => {
            let found = command.engine()?.fetch(&format!("/containers/{}/json", encode(container)))?;
            command.show_one_of_many(found)
        }
        words => Err(DockerError::UnknownCommand(words.join(" "))),
    }
}

/// `build … -t TAG -f - CONTEXT`: takes the Dockerfile, and makes sure that a program stands for the tag.
fn build(command: &Command) -> Result<String, DockerError> {
    // Read to its end, or whoever writes it gets a broken pipe.
    if command.option("-f").or(command.option("--file")) == Some("-") {
        io::copy(&mut io::stdin(), &mut io::sink()).map_err(DockerError::Stdin)?;
    }
    let tag =
        command.option("-t").or(command.option("--tag")).ok_or(DockerError::MissingOperand("-t TAG"))?;
    let image = command.engine()?.know(tag)?;
    let program = render("{{.Id}}", &image)?;
    Ok(format!("{tag}: nothing is built, {program} stands for it\n"))
}

/// A command line, sorted: words in their order, and options with their values.
struct Command {
    words: Vec<String>,
    options: Vec<(String, String)>,
}

/// Options of these commands that stand alone; every other takes the next argument as its value, unless it has one
/// behind `=`.
const SWITCHES: [&str; 7] = ["--load", "--push", "--no-cache", "--pull", "--quiet", "-q", "--rm"];

impl Command {
    fn parse(arguments: &[String]) -> Result<Self, DockerError> {
        let (mut words, mut options) = (Vec::new(), Vec::new());
        let mut arguments = arguments.iter();
        while let Some(argument) = arguments.next() {
            if !argument.starts_with('-') || argument == "-" {
                words.push(argument.clone());
            } else if SWITCHES.contains(&argument.as_str()) {
                options.push((argument.clone(), String::new()));
            } else if let Some((name, value)) = argument.split_once('=') {
                options.push((name.to_owned(), value.to_owned()));
            } else {
                let value = arguments.next().ok_or_else(|| DockerError::MissingValue(argument.clone()))?;
                options.push((argument.clone(), value.clone()));
            }
        }
        Ok(Self { words, options })
    }

    fn option(&self, name: &str) -> Option<&str> {
        self.options.iter().find(|(option, _)| option == name).map(|(_, value)| value.as_str())
    }

    /// The engine named by `--host` or, as `wrangler` has it, the environment.
    fn engine(&self) -> Result<Engine, DockerError> {
        let named = self.option("--host").or(self.option("-H")).map(str::to_owned);
        let host = named
            .or_else(|| env::var("WRANGLER_DOCKER_HOST").ok())
            .or_else(|| env::var("DOCKER_HOST").ok())
            .ok_or(DockerError::NoHost)?;
        Ok(Engine(host.parse()?))
    }

    fn format(&self) -> Option<&str> {
        self.option("--format").or(self.option("-f"))
    }

    fn show(&self, value: &Value) -> Result<String, DockerError> {
        match self.format() {
            Some(template) => Ok(format!("{}\n", render(template, value)?)),
            None => Ok(format!("{value:#}\n")),
        }
    }

    /// Without a format, docker shows a list even of one.
    fn show_one_of_many(&self, value: Value) -> Result<String, DockerError> {
        match self.format() {
            Some(_) => self.show(&value),
            None => self.show(&Value::Array(vec![value])),
        }
    }
}

struct Engine(Client);

impl Engine {
    fn fetch(&self, path: &str) -> Result<Value, DockerError> {
        let answer = self.0.call("GET", path)?;
        if answer.status == 200 {
            return Ok(answer.body);
        }
        let message = answer.body.get("message").and_then(Value::as_str).unwrap_or_default();
        Err(DockerError::Refused(format!("the engine answered {}: {message}", answer.status)))
    }

    /// The image `reference`, if a program stands for it.
    fn know(&self, reference: &str) -> Result<Value, DockerError> {
        self.fetch(&format!("/images/{}/json", encode(reference)))
    }
}

/// Readable where that is harmless.
const ESCAPED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'_').remove(b'.');

fn encode(text: &str) -> String {
    utf8_percent_encode(text, ESCAPED).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(line: &str) -> Command {
        Command::parse(&line.split(' ').map(str::to_owned).collect::<Vec<_>>()).unwrap()
    }

    #[test]
    fn the_build_of_wrangler_is_sorted() {
        let command = parse(
            "build --load -t a/b:1 --platform linux/amd64 --provenance=false --build-arg A=B -f - /context",
        );
        assert_eq!(command.words, ["build", "/context"]);
        assert_eq!(command.option("-t"), Some("a/b:1"));
        assert_eq!(command.option("--provenance"), Some("false"));
        assert_eq!(command.option("-f"), Some("-"));
    }

    #[test]
    fn global_options_come_first() {
        let command = parse("--host unix:///run/e.sock info --format {{.Name}}");
        assert_eq!(command.words, ["info"]);
        assert_eq!(command.engine().unwrap().0, "unix:///run/e.sock".parse().unwrap());
    }

    #[test]
    fn an_option_at_the_end_lacks_its_value() {
        let arguments = ["info".to_owned(), "--format".to_owned()];
        assert!(
            matches!(Command::parse(&arguments), Err(DockerError::MissingValue(option)) if option == "--format")
        );
    }
}
