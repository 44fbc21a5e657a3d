//! A Worker crate to wasm and its shim, with local tools only: `worker-build` would download them.

use std::fs::{self, File};
use std::io::Write as _;
use std::path::Path;
use std::process::Command;

use flate2::Compression;
use flate2::write::GzEncoder;
use serde::{Deserialize, Serialize};

use super::{Part, fingerprint};
use crate::command::{logged, output};
use crate::failure::{OrFail, Outcome};
use crate::paths::Repo;
use crate::pins;
use crate::progress::Step;

/// What the last build was made of and how large it became.
#[derive(Serialize, Deserialize)]
struct Built {
    fingerprint: String,
    wasm_bytes: u64,
    gzip_bytes: u64,
}

/// Builds `part` into `<crate>/build/` unless its sources are those of the last build. Two builds at once take turns.
pub(crate) fn build(repo: &Repo, part: Part) -> Outcome {
    let package = part.package();
    let notes = repo.notes().join("build");
    let advice = "check the permissions of the target folder";
    fs::create_dir_all(&notes).or_fail(format!("cannot create {}", notes.display()), advice)?;
    let lock = File::create(notes.join(format!("{package}.lock"))).or_fail("cannot create a lock", advice)?;
    lock.lock().or_fail("cannot lock", advice)?;

    let note = notes.join(format!("{package}.json"));
    let compiler = output(Command::new("rustc").arg("-vV"), "install Rust with rustup (https://rustup.rs)")?;
    let tools = format!("worker-build {} {compiler}", pins::WORKER_BUILD);
    let fingerprint = fingerprint::of_crate(repo.root(), package, &tools)?;
    let wasm = repo.join(package).join("build/index_bg.wasm");
    if let Some(built) = last_build(&note).filter(|built| built.fingerprint == fingerprint && wasm.is_file())
    {
        eprintln!("✓ {package} is built: {}", sizes(&built));
        return Ok(());
    }
    let step = Step::start(format!("building {package} (wasm)"));
    worker_build(repo, package)?;
    let (wasm_bytes, gzip_bytes) = measure(&wasm)?;
    let built = Built { fingerprint, wasm_bytes, gzip_bytes };
    let text = serde_json::to_string(&built).or_fail("cannot write a build note", advice)?;
    fs::write(&note, text).or_fail(format!("cannot write {}", note.display()), advice)?;
    step.done_with(&sizes(&built));
    Ok(())
}

fn worker_build(repo: &Repo, package: &str) -> Outcome {
    let mut command = Command::new(repo.tool("worker-build"));
    command
        .arg("--release")
        .current_dir(repo.join(package))
        .env("PATH", repo.node_path()?)
        .env("WASM_BINDGEN_BIN", repo.tool("wasm-bindgen"))
        .env("WASM_OPT_BIN", repo.node_program("wasm-opt"))
        .env("ESBUILD_BIN", repo.node_program("esbuild"));
    // `cargo xtask` sets these for our own package; a nested cargo must not take them for its own.
    for name in ["CARGO_MANIFEST_DIR", "CARGO_MANIFEST_PATH", "CARGO_PKG_NAME", "CARGO_PKG_VERSION"] {
        command.env_remove(name);
    }
    logged(
        repo,
        &format!("build-{package}"),
        &mut command,
        "mend the crate (the log has the compiler's words), then run this again",
    )
}

fn last_build(note: &Path) -> Option<Built> {
    serde_json::from_slice(&fs::read(note).ok()?).ok()
}

/// The size of a file, plain and as gzip makes it at its best.
fn measure(wasm: &Path) -> Outcome<(u64, u64)> {
    let advice = "run the build again; if it stays, read its log";
    let bytes = fs::read(wasm).or_fail(format!("cannot read {}", wasm.display()), advice)?;
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(&bytes).or_fail("cannot compress", advice)?;
    let packed = encoder.finish().or_fail("cannot compress", advice)?;
    let length = |bytes: &[u8]| u64::try_from(bytes.len()).unwrap_or(u64::MAX);
    Ok((length(&bytes), length(&packed)))
}

fn sizes(built: &Built) -> String {
    format!("{} KiB of wasm, {} KiB gzip", built.wasm_bytes.div_ceil(1024), built.gzip_bytes.div_ceil(1024))
}

#[cfg(test)]
mod tests {
    use super::{Built, sizes};

    #[test]
    fn sizes_are_shown_in_whole_kibibytes() {
        let built = Built { fingerprint: String::new(), wasm_bytes: 616_000, gzip_bytes: 1 };
        assert_eq!(sizes(&built), "602 KiB of wasm, 1 KiB gzip");
    }
}
