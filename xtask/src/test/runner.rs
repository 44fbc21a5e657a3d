//! Runs a test runner in the open and keeps its closing lines.

use std::fmt;
use std::io::Write;
use std::process::Stdio;

use tokio::io::{AsyncBufReadExt as _, BufReader};

use crate::failure::{OrFail, Outcome};

/// What the runners said at their ends.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Report {
    closing: Vec<String>,
    passed: u64,
    failed: u64,
    /// Their names, as cargo's runner says them.
    failed_tests: Vec<String>,
    /// A runner ended badly, whatever it counted: it did not compile, or was killed.
    broken: bool,
}

/// Runs `command` and copies its output to `out`. A failed test is a report, not a failure of this function.
pub(crate) async fn run(command: std::process::Command, out: &mut impl Write) -> Outcome<Report> {
    let mut command = tokio::process::Command::from(command);
    // A group of its own: Ctrl-C reaches us, and we end it.
    command.stdin(Stdio::null()).stdout(Stdio::piped()).process_group(0);
    let advice = "run `cargo xtask setup`, then this again";
    let mut child = command.spawn().or_fail("cannot start a test runner", advice)?;
    let mut report = Report::default();
    if let Some(stdout) = child.stdout.take() {
        let mut lines = BufReader::new(stdout);
        let mut line = Vec::new();
        while lines
            .read_until(b'\n', &mut line)
            .await
            .or_fail("cannot read a test runner's output", advice)?
            > 0
        {
            // A closed terminal is not the tests' failure.
            let _ = out.write_all(&line);
            report.read(String::from_utf8_lossy(&line).trim_end());
            line.clear();
        }
    }
    let status = child.wait().await.or_fail("cannot wait for a test runner", advice)?;
    report.broken = !status.success();
    Ok(report)
}

impl Report {
    /// Whether nothing failed.
    pub(crate) fn succeeded(&self) -> bool {
        !self.broken && self.failed == 0
    }

    /// Tests that passed.
    pub(crate) fn passed(&self) -> u64 {
        self.passed
    }

    /// Names of tests that failed, as far as cargo's runner ran them.
    pub(crate) fn failed_tests(&self) -> &[String] {
        &self.failed_tests
    }

    /// Adds what another runner said.
    pub(super) fn add(&mut self, other: Self) {
        self.closing.extend(other.closing);
        self.passed += other.passed;
        self.failed += other.failed;
        self.failed_tests.extend(other.failed_tests);
        self.broken |= other.broken;
    }

    /// Takes a line if it is a closing one, or names a test that failed: cargo's `test result: …`, node's `# pass N` or `ℹ pass N`.
    fn read(&mut self, line: &str) {
        if let Some(result) = line.strip_prefix("test result: ") {
            let count = |word: &str| {
                let part = result.split(['.', ';']).find_map(|part| part.trim().strip_suffix(word));
                part.and_then(|number| number.trim().parse::<u64>().ok()).unwrap_or_default()
            };
            let (passed, failed) = (count("passed"), count("failed"));
            self.passed += passed;
            self.failed += failed;
            // A crate without tests has nothing to say.
            if passed + failed > 0 {
                self.closing.push(line.to_owned());
            }
        } else if let Some(name) = failed_test(line) {
            self.failed_tests.push(name.to_owned());
        } else if let Some((word, count)) = node_count(line) {
            match word {
                "pass" => self.passed += count,
                "fail" | "cancelled" => self.failed += count,
                _ => return,
            }
            self.closing.push(line.to_owned());
        }
    }
}

/// Of `test a::name ... FAILED`.
fn failed_test(line: &str) -> Option<&str> {
    line.strip_prefix("test ")?.strip_suffix(" ... FAILED")
}

fn node_count(line: &str) -> Option<(&str, u64)> {
    let (word, count) = line.strip_prefix("# ").or_else(|| line.strip_prefix("ℹ "))?.split_once(' ')?;
    Some((word, count.parse().ok()?))
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for line in &self.closing {
            writeln!(f, "{line}")?;
        }
        write!(f, "total: {} passed, {} failed", self.passed, self.failed)
    }
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use super::{Report, run};

    async fn report_of(script: &str) -> Report {
        let mut shell = Command::new("sh");
        shell.args(["-c", script]);
        run(shell, &mut Vec::new()).await.unwrap()
    }

    #[tokio::test]
    async fn closing_lines_of_both_runners_are_counted() {
        let cargo =
            "test result: ok. 12 passed; 0 failed; 1 ignored; 0 measured; 3 filtered out; finished in 0.01s";
        let empty =
            "test result: ok. 0 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s";
        let mut report = report_of(&format!("echo; echo '{cargo}'; echo '{empty}'")).await;
        report.add(report_of("echo '# tests 5'; echo '# pass 5'; echo 'ℹ fail 0'").await);
        assert!(report.succeeded());
        assert_eq!(report.to_string(), format!("{cargo}\n# pass 5\nℹ fail 0\ntotal: 17 passed, 0 failed"));
    }

    #[tokio::test]
    async fn a_failed_test_and_a_runner_that_breaks_are_both_noticed() {
        let failed = report_of(
            "echo 'test a::one ... FAILED'; echo 'test result: FAILED. 1 passed; 2 failed; 0 ignored'",
        )
        .await;
        assert!(!failed.succeeded() && failed.failed == 2, "{failed:?}");
        assert_eq!(failed.failed_tests(), ["a::one"]);
        assert!(!report_of("exit 101").await.succeeded());
    }
}
