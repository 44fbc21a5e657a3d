//! Lists of a client's jobs, and what reading them costs.

use chrono::Utc;
use domain::job::Status;
use domain::listing::{Filter, Listing, Position};
use domain::{ClientId, JobId};
use serde_json::json;
use store::clients::KeyHash;
use store::jobs::{self, Ending, Listed, Page};

use crate::fixture::{Fixture, add_client};

async fn page(fixture: &Fixture, filter: &Filter, limit: u32, after: Option<Position>) -> Page {
    let listed = jobs::list(fixture.db(), fixture.key, filter, limit, after).await.unwrap();
    let Listed::Page(page) = listed else { unreachable!("{listed:?}") };
    page
}

async fn ids(fixture: &Fixture, query: &str) -> Vec<JobId> {
    let listing = Listing::parse(query).unwrap();
    page(fixture, &listing.filter, listing.limit, None).await.jobs.iter().map(|job| job.id).collect()
}

fn last(page: &Page) -> Option<Position> {
    page.jobs.last().map(|job| Position { created_at: job.created_at, id: job.id })
}

#[tokio::test]
async fn pages_hold_every_job_once_and_newest_first() {
    let fixture = Fixture::new().await;
    // One transaction: all are made at one moment, and only the id tells them apart.
    fixture.client.batch_execute("begin").await.unwrap();
    for _ in 0..5 {
        fixture.job(|_| ()).await;
    }
    fixture.client.batch_execute("commit").await.unwrap();
    fixture.job(|_| ()).await;
    let whole = page(&fixture, &Filter::default(), 100, None).await;
    assert_eq!((whole.jobs.len(), whole.more), (6, false));
    assert!(whole.jobs.is_sorted_by(|a, b| (a.created_at, a.id) > (b.created_at, b.id)));
    let (mut read, mut after) = (Vec::new(), None);
    loop {
        let piece = page(&fixture, &Filter::default(), 2, after).await;
        after = last(&piece);
        read.extend(piece.jobs);
        if !piece.more {
            break;
        }
    }
    assert_eq!(read, whole.jobs);
}

#[tokio::test]
async fn each_filter_finds_what_it_names_and_all_of_them_together() {
    let fixture = Fixture::new().await;
    let plain = fixture.job(|_| ()).await.id;
    let other = fixture
        .job(|body| {
            *body = json!({
                "kind": "image", "input": {"prompt": "a dog"},
                "chain": [{"provider": "bfl", "model": "flux"}, {"provider": "fal", "model": "fal-ai/flux"}],
                "project": "spring", "metadata": {"order": "17", "é": ""},
            });
        })
        .await
        .id;
    jobs::finish(fixture.db(), plain, &Ending::Cancelled, Utc::now(), "{}").await.unwrap();
    for (query, found) in [
        ("", vec![other, plain]),
        ("status=cancelled", vec![plain]),
        ("status=queued", vec![other]),
        ("kind=image", vec![other]),
        ("provider=fal", vec![other, plain]),
        ("provider=bfl", vec![other]),
        ("model=fal-ai/veo3.1", vec![plain]),
        ("provider=fal&model=fal-ai/flux", vec![other]),
        // Both are there, but of two entries.
        ("provider=bfl&model=fal-ai/flux", vec![]),
        ("project=spring", vec![other]),
        ("project=summer", vec![]),
        ("metadata[order]=17", vec![other]),
        ("metadata[order]=18", vec![]),
        ("metadata[%C3%A9]=", vec![other]),
        ("metadata[order]=17&metadata[%C3%A9]=x", vec![]),
        ("created_from=2020-01-01T00:00:00Z&created_before=2099-01-01T00:00:00Z", vec![other, plain]),
        ("created_before=2020-01-01T00:00:00Z", vec![]),
        ("kind=image&status=queued&provider=bfl&model=flux&project=spring&metadata[order]=17", vec![other]),
        ("kind=image&status=cancelled", vec![]),
    ] {
        assert_eq!(ids(&fixture, query).await, found, "{query}");
    }
}

#[tokio::test]
async fn a_client_sees_its_own_jobs_only() {
    let fixture = Fixture::new().await;
    let mine = fixture.job(|_| ()).await.id;
    let stranger = KeyHash::new([2; 32]);
    let id: ClientId = add_client(fixture.db(), stranger).await;
    for query in ["", "kind=video", "status=queued", "provider=fal"] {
        let filter = Listing::parse(query).unwrap().filter;
        let theirs = jobs::list(fixture.db(), stranger, &filter, 10, None).await.unwrap();
        assert_eq!(theirs, Listed::Page(Page { client: id, jobs: vec![], more: false }), "{query}");
        assert_eq!(ids(&fixture, query).await, [mine], "{query}");
    }
    let nobody = jobs::list(fixture.db(), KeyHash::new([9; 32]), &Filter::default(), 10, None).await.unwrap();
    assert_eq!(nobody, Listed::Unauthenticated);
}

#[tokio::test]
async fn a_page_of_long_requests_is_cut_and_says_so() {
    let fixture = Fixture::new().await;
    for _ in 0..8 {
        fixture.job(|body| body["chain"][0]["options"] = json!({"notes": "x".repeat(200_000)})).await;
    }
    let piece = page(&fixture, &Filter::default(), 8, None).await;
    assert_eq!((piece.jobs.len(), piece.more), (5, true));
    let rest = page(&fixture, &Filter::default(), 8, last(&piece)).await;
    assert_eq!((rest.jobs.len(), rest.more), (3, false));
}

/// Rows that a statement read, by scans of whole tables and by index.
async fn reads(fixture: &Fixture) -> (i64, i64) {
    let sql = "select coalesce(sum(seq_scan), 0)::bigint, coalesce(sum(idx_tup_fetch), 0)::bigint
        from pg_stat_xact_user_tables
        where schemaname = current_schema() and relname in ('jobs', 'job_labels')";
    let row = fixture.client.query_one(sql, &[]).await.unwrap();
    (row.get(0), row.get(1))
}

/// A table of 40,000 jobs of one client, every hundredth of them rare in each respect.
async fn grown() -> Fixture {
    let fixture = Fixture::new().await;
    let common = fixture.job(|body| body["metadata"] = json!({"size": "common"})).await.id;
    let rare = fixture
        .job(|body| {
            body["kind"] = json!("image");
            body["chain"] = json!([{"provider": "bfl", "model": "flux"}]);
            body["project"] = json!("rare");
            body["metadata"] = json!({"size": "rare"});
        })
        .await
        .id;
    jobs::finish(fixture.db(), common, &Ending::Cancelled, Utc::now(), "{}").await.unwrap();
    let columns =
        "client_id, request_hash, hash_version, kind, spec, callback_url, metadata, project, status,
        finished_at, max_paid_calls, deadline_at";
    let grow = format!(
        "create temp table copies as
            select gen_random_uuid() as id, case when n % 100 = 0 then '{rare}'::uuid else '{common}'::uuid end as of,
                now() - n * interval '1 second' as created_at
            from generate_series(1, 40000) n;
        insert into jobs (id, idempotency_key, created_at, {columns})
            select c.id, c.id::text, c.created_at, j.{} from copies c join jobs j on j.id = c.of;
        insert into job_labels (client_id, label, created_at, job_id)
            select l.client_id, l.label, c.created_at, c.id from copies c join job_labels l on l.job_id = c.of;
        drop table copies;
        analyze jobs, job_labels, client_keys;",
        columns.replace(", ", ", j.").replace(",\n        ", ", j.")
    );
    fixture.client.batch_execute(&grow).await.unwrap();
    fixture
}

#[tokio::test]
async fn a_deep_page_reads_what_the_first_one_reads_and_no_table_is_scanned() {
    let fixture = grown().await;
    for query in [
        "",
        "status=cancelled",
        "status=queued",
        "kind=image",
        "kind=video",
        "provider=bfl",
        "model=flux",
        "provider=fal&model=fal-ai/veo3.1",
        "project=rare",
        "metadata[size]=rare",
        "metadata[size]=common",
        "created_before=2099-01-01T00:00:00Z",
    ] {
        let filter = Listing::parse(query).unwrap().filter;
        let sql = "select created_at, id from jobs where created_at < now() - interval '8 hours'
            order by created_at desc limit 1";
        let row = fixture.client.query_one(sql, &[]).await.unwrap();
        let deep = Position { created_at: row.get(0), id: JobId::new(row.get(1)) };
        for after in [None, Some(deep)] {
            fixture.client.batch_execute("begin").await.unwrap();
            let (scans_before, rows_before) = reads(&fixture).await;
            let page = page(&fixture, &filter, 20, after).await;
            let (scans, rows) = reads(&fixture).await;
            fixture.client.batch_execute("rollback").await.unwrap();
            assert_eq!(page.jobs.len(), 20, "{query} {after:?}");
            assert!(page.jobs.iter().all(|job| job.status != Status::Failed));
            assert_eq!(scans - scans_before, 0, "{query} {after:?}");
            // 21 entries of an index and the jobs behind them; a few more where an entry leads to a dead row.
            assert!(rows - rows_before <= 60, "{query} {after:?}: {} rows", rows - rows_before);
        }
    }
}
