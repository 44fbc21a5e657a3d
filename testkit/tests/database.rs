//! A schema for each test, and the migrations that make it.

use std::error::Error;
use std::path::{Path, PathBuf};

use futures::future;
use testkit::database;
use testkit::migrate::{self, Migration, State};
use tokio_postgres::{Client, NoTls};

type Outcome<T = ()> = Result<T, Box<dyn Error + Send + Sync>>;

fn migration(version: i32, name: &str, sql: &str) -> Migration {
    Migration { version, name: name.to_owned(), sql: sql.to_owned() }
}

fn first_two() -> [Migration; 2] {
    [
        migration(1, "things", "create table things (n int primary key); insert into things values (1);"),
        migration(2, "more", "insert into things values (2);"),
    ]
}

/// A server of its own with two clients on it: an empty database, as a deployer has one.
async fn empty() -> Outcome<(testkit::postgres::Server, Client, Client)> {
    let server = testkit::postgres::start(testkit::postgres::Options::default()).await?;
    let (one, other) = (connect(&server.url()).await?, connect(&server.url()).await?);
    Ok((server, one, other))
}

async fn connect(url: &str) -> Outcome<Client> {
    let (client, connection) = tokio_postgres::connect(url, NoTls).await?;
    tokio::spawn(connection);
    Ok(client)
}

async fn count(client: &Client, sql: &str) -> Outcome<i64> {
    Ok(client.query_one(sql, &[]).await?.try_get(0)?)
}

#[tokio::test]
async fn each_test_has_a_schema_of_its_own_which_is_dropped_afterwards() -> Outcome {
    let (one, other) = (database::fresh().await?, database::fresh().await?);
    let client = one.client().await?;
    client.batch_execute("create table mine (n int); insert into mine values (1)").await?;
    assert_eq!(
        count(&one.client().await?, "select count(*) from mine").await?,
        1,
        "every client is in the schema"
    );
    assert!(count(&other.client().await?, "select count(*) from mine").await.is_err());

    let migrations = migrate::read(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../migrations"))?;
    let states = migrate::status(&mut other.client().await?, &migrations).await?;
    assert!(states.iter().all(|state| *state == State::Applied), "the repository's migrations are in it");

    let schema: String = client.query_one("select current_schema()::text", &[]).await?.try_get(0)?;
    // Also with a transaction left open, as by a test that failed in the middle.
    client.batch_execute("begin; lock table mine").await?;
    drop(one);
    let left = "select count(*) from pg_namespace where nspname = $1";
    let left: i64 = other.client().await?.query_one(left, &[&schema]).await?.try_get(0)?;
    assert_eq!(left, 0);
    Ok(())
}

#[tokio::test]
async fn what_is_missing_is_applied_once_and_in_order() -> Outcome {
    let (_server, mut client, _) = empty().await?;
    let migrations = first_two();
    assert_eq!(migrate::status(&mut client, &migrations).await?, [State::Pending, State::Pending]);
    assert_eq!(migrate::up(&mut client, &migrations[..1]).await?, ["0001_things"]);
    assert_eq!(migrate::status(&mut client, &migrations).await?, [State::Applied, State::Pending]);
    assert_eq!(migrate::up(&mut client, &migrations).await?, ["0002_more"]);
    assert!(migrate::up(&mut client, &migrations).await?.is_empty());
    assert_eq!(count(&client, "select count(*) from things").await?, 2);
    Ok(())
}

#[tokio::test]
async fn an_edited_or_unknown_migration_is_refused_by_name() -> Outcome {
    let (_server, mut client, _) = empty().await?;
    let mut migrations = first_two();
    migrate::up(&mut client, &migrations).await?;
    migrations[0].sql.push_str("-- a remark");
    let edited = migrate::up(&mut client, &migrations).await.err().ok_or("applied")?;
    assert!(edited.to_string().contains("0001_things was edited"), "{edited}");
    let unknown = migrate::up(&mut client, &first_two()[..1]).await.err().ok_or("applied")?;
    assert!(unknown.to_string().contains("0002_more"), "{unknown}");
    Ok(())
}

#[tokio::test]
async fn a_migration_that_fails_leaves_nothing_of_itself() -> Outcome {
    let (_server, mut client, _) = empty().await?;
    let [good, _] = first_two();
    let bad = migration(2, "bad", "insert into things values (2); insert into things values (1);");
    let failed = migrate::up(&mut client, &[good.clone(), bad]).await.err().ok_or("applied")?;
    assert!(failed.to_string().starts_with("0002_bad: "), "{failed}");
    assert_eq!(count(&client, "select count(*) from things").await?, 1);
    assert_eq!(migrate::status(&mut client, &[good]).await?, [State::Applied]);
    Ok(())
}

#[tokio::test]
async fn two_at_once_apply_everything_once() -> Outcome {
    let (_server, mut one, mut other) = empty().await?;
    let migrations: Vec<Migration> = (1..=20)
        .map(|version| migration(version, "step", &format!("create table step_{version} (n int)")))
        .collect();
    let (left, right) =
        future::join(migrate::up(&mut one, &migrations), migrate::up(&mut other, &migrations)).await;
    assert_eq!(left?.len() + right?.len(), 20);
    Ok(())
}

#[test]
fn files_are_read_in_the_order_of_their_numbers() -> Outcome {
    let folder =
        PathBuf::from("/var/tmp").join(format!("testkit-migrations-{}", uuid::Uuid::now_v7().simple()));
    std::fs::create_dir_all(&folder)?;
    for name in ["0010_later.sql", "0002_sooner.sql", "README.md"] {
        std::fs::write(folder.join(name), "select 1")?;
    }
    let labels: Vec<String> = migrate::read(&folder)?.iter().map(Migration::label).collect();
    assert_eq!(labels, ["0002_sooner", "0010_later"]);
    std::fs::write(folder.join("0010_again.sql"), "")?;
    assert!(migrate::read(&folder).is_err());
    std::fs::remove_file(folder.join("0010_again.sql"))?;
    std::fs::write(folder.join("nameless.sql"), "")?;
    assert!(migrate::read(&folder).is_err());
    std::fs::remove_dir_all(folder)?;
    Ok(())
}
