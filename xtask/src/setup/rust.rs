//! The Rust target that Workers are built for.

use std::path::Path;
use std::process::Command;

use crate::command::output;
use crate::failure::{Failure, Outcome};
use crate::progress::Step;

const TARGET: &str = "wasm32-unknown-unknown";
const INSTALL_RUST: &str = "install Rust with rustup (https://rustup.rs), then run this again";

/// Adds the wasm target to the toolchain in use unless its standard library is there.
pub(crate) fn ensure_wasm_target() -> Outcome {
    if has_target()? {
        return Ok(());
    }
    let step = Step::start(format!("adding the Rust target {TARGET}"));
    let added = output(Command::new("rustup").args(["target", "add", TARGET]), INSTALL_RUST);
    match added {
        Ok(_) if has_target()? => {
            step.done();
            Ok(())
        }
        Ok(_) => Err(Failure::new(
            format!("rustup added {TARGET} to another toolchain than the one that `rustc` runs"),
            "put ~/.cargo/bin first on PATH, then run this again",
        )),
        Err(failure) => Err(Failure::new(
            format!("the Rust target {TARGET} is missing and could not be added ({})", failure.what()),
            format!(
                "check the network and run `rustup target add {TARGET}`, or install the target as your system does"
            ),
        )),
    }
}

fn has_target() -> Outcome<bool> {
    let libraries =
        output(Command::new("rustc").args(["--print", "target-libdir", "--target", TARGET]), INSTALL_RUST)?;
    Ok(Path::new(&libraries).is_dir())
}
