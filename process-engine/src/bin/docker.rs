//! `process-engine docker` as a program of its own, for those who name a docker by a path and nothing else.

use std::process::ExitCode;

fn main() -> ExitCode {
    process_engine::docker::run(std::env::args_os().skip(1))
}
