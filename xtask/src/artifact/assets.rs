//! The API Worker's static files: its own, the API's description, and files of pinned npm packages. No CDN.

use std::fs;
use std::path::Path;

use crate::failure::{OrFail, Outcome};
use crate::paths::Repo;

/// Where `wrangler.toml` (`assets.directory`) looks.
const FOLDER: &str = "target/assets";
/// Copied whole, by its own layout.
const OWN: &str = "api-worker/assets";
/// From where to where below [`FOLDER`].
const COPIES: [(&str, &str); 6] = [
    ("docs/openapi.json", "openapi.json"),
    ("node_modules/swagger-ui-dist/swagger-ui.css", "assets/swagger-ui/swagger-ui.css"),
    ("node_modules/swagger-ui-dist/swagger-ui-bundle.js", "assets/swagger-ui/swagger-ui-bundle.js"),
    ("node_modules/swagger-ui-dist/favicon-32x32.png", "assets/swagger-ui/favicon-32x32.png"),
    ("node_modules/swagger-ui-dist/LICENSE", "assets/swagger-ui/LICENSE"),
    ("node_modules/htmx.org/dist/htmx.min.js", "assets/review/htmx.min.js"),
];

const ADVICE: &str =
    "run `cargo xtask setup`, check the permissions of the target folder, then run this again";

/// Puts every file in its place. One that is there already is left alone, so that a running session reloads nothing.
pub(super) fn collect(repo: &Repo) -> Outcome {
    let folder = repo.join(FOLDER);
    copy_below(&repo.join(OWN), &folder)?;
    COPIES.iter().try_for_each(|(from, to)| copy(&repo.join(from), &folder.join(to)))
}

fn copy_below(from: &Path, to: &Path) -> Outcome {
    for entry in fs::read_dir(from).or_fail(format!("cannot list {}", from.display()), ADVICE)? {
        let entry = entry.or_fail(format!("cannot list {}", from.display()), ADVICE)?;
        let (from, to) = (entry.path(), to.join(entry.file_name()));
        if from.is_dir() { copy_below(&from, &to)? } else { copy(&from, &to)? }
    }
    Ok(())
}

fn copy(from: &Path, to: &Path) -> Outcome {
    let wanted = fs::read(from).or_fail(format!("cannot read {}", from.display()), ADVICE)?;
    if fs::read(to).is_ok_and(|found| found == wanted) {
        return Ok(());
    }
    if let Some(folder) = to.parent() {
        fs::create_dir_all(folder).or_fail(format!("cannot create {}", folder.display()), ADVICE)?;
    }
    fs::write(to, wanted).or_fail(format!("cannot write {}", to.display()), ADVICE)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::{COPIES, collect};
    use crate::paths::Repo;
    use crate::scratch::Scratch;

    #[test]
    fn own_files_and_those_of_packages_are_collected_and_a_missing_one_is_told() {
        let tree = Scratch::new();
        let repo = Repo::at(tree.path(), tree.path());
        tree.write("api-worker/assets/assets/own.css", "own");
        for (from, _) in COPIES {
            tree.write(from, from);
        }
        collect(&repo).unwrap();
        let read = |path: &str| fs::read_to_string(tree.path().join("target/assets").join(path)).unwrap();
        assert_eq!(read("assets/own.css"), "own");
        assert_eq!(read("openapi.json"), "docs/openapi.json");

        tree.write("docs/openapi.json", "newer");
        collect(&repo).unwrap();
        assert_eq!(read("openapi.json"), "newer");

        fs::remove_file(tree.path().join(COPIES[1].0)).unwrap();
        assert!(collect(&repo).unwrap_err().to_string().contains("swagger-ui.css"));
    }
}
