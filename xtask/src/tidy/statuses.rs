//! A CHECK constraint that lists words lists those of the domain.

use std::collections::{BTreeMap, BTreeSet};

use domain::attempt::{CostSource, ErrorClass, State};
use domain::generation::Kind;
use domain::job::Status;
use domain::style_run::{Action, State as RunState};

use super::Finding;
use super::tree::Tree;

const FOLDER: &str = "migrations/";

/// A column whose words the domain defines.
struct Column {
    table: &'static str,
    name: &'static str,
    words: Vec<&'static str>,
}

pub(super) fn check(tree: &Tree) -> Vec<Finding> {
    let column = |table, name, words| Column { table, name, words };
    compare(
        tree,
        &[
            column("jobs", "status", Status::ALL.map(Status::as_str).to_vec()),
            column("jobs", "kind", Kind::ALL.map(Kind::as_str).to_vec()),
            column("style_runs", "state", RunState::ALL.map(RunState::as_str).to_vec()),
            column("style_decisions", "action", Action::ALL.map(Action::as_str).to_vec()),
            column("attempts", "state", State::ALL.map(State::as_str).to_vec()),
            column("attempts", "error_class", ErrorClass::ALL.map(ErrorClass::as_str).to_vec()),
            column("attempts", "cost_source", CostSource::ALL.map(CostSource::as_str).to_vec()),
        ],
    )
}

fn compare(tree: &Tree, columns: &[Column]) -> Vec<Finding> {
    let mut checks = BTreeMap::new();
    for file in tree.ending_with(".sql").filter(|file| file.starts_with(FOLDER)) {
        // Files are numbered: a later constraint replaces an earlier one.
        checks.extend(tree.read(file).map(|sql| checks_in(file, &sql)).unwrap_or_default());
    }
    let mut findings = Vec::new();
    for Column { table, name: column, words } in columns {
        let wanted: BTreeSet<String> = words.iter().map(|word| (*word).to_owned()).collect();
        match checks.get(&((*table).to_owned(), (*column).to_owned())) {
            Some((file, found)) if *found != wanted => findings.push(Finding::new(
                file,
                format!("{table}.{column} allows {}, the domain has {}", listed(found), listed(&wanted)),
            )),
            None => {
                let what = format!(
                    "no CHECK ({column} in (…)) for the table {table}: the database must hold the set"
                );
                findings.push(Finding::new(FOLDER, what));
            }
            Some(_) => {}
        }
    }
    findings
}

fn listed(words: &BTreeSet<String>) -> String {
    words.iter().map(String::as_str).collect::<Vec<_>>().join(", ")
}

type Checks = BTreeMap<(String, String), (String, BTreeSet<String>)>;

/// Every `check (<column> in ('a', 'b'))` of a migration, with or without `<column> is null or`, by the table whose
/// `create` or `alter` stands last before it. Other conditions may name a part of the words and are no lists of them.
fn checks_in(file: &str, sql: &str) -> Checks {
    let mut checks = BTreeMap::new();
    let mut table = String::new();
    let words = tokens(sql);
    for (at, word) in words.iter().enumerate() {
        let after = |offset: usize| words.get(at + offset).map(String::as_str);
        match word.as_str() {
            "table" => {
                let skipped = words
                    .iter()
                    .skip(at + 1)
                    .find(|next| !matches!(next.as_str(), "if" | "not" | "exists" | "only"));
                table = skipped
                    .map(|name| name.rsplit('.').next().unwrap_or(name).to_owned())
                    .unwrap_or_default();
            }
            "in" if after(1) == Some("(") && opens_check(words.get(..at).unwrap_or_default()) => {
                let list = words.iter().skip(at + 2).take_while(|word| *word != ")");
                let set = list.filter_map(|word| word.strip_prefix('\'')).map(str::to_owned).collect();
                if let Some(column) = at.checked_sub(1).and_then(|before| words.get(before)) {
                    checks.insert((table.clone(), column.clone()), (file.to_owned(), set));
                }
            }
            _ => {}
        }
    }
    checks
}

/// Whether `before` ends with `check (<column>` or `check (<column> is null or <column>`.
fn opens_check(before: &[String]) -> bool {
    let last: Vec<&str> = before.iter().rev().take(7).map(String::as_str).collect();
    match last.as_slice() {
        [_, "(", "check", ..] => true,
        [column, "or", "null", "is", again, "(", "check"] => column == again,
        _ => false,
    }
}

/// Lower-cased words, single punctuation marks, and string literals with a leading `'` only. Comments are left out.
fn tokens(sql: &str) -> Vec<String> {
    let code: Vec<&str> = sql.lines().map(|line| line.split("--").next().unwrap_or(line)).collect();
    let mut tokens = Vec::new();
    for (index, piece) in code.join("\n").split('\'').enumerate() {
        if index % 2 == 1 {
            tokens.push(format!("'{piece}"));
            continue;
        }
        let mut word = String::new();
        for c in piece.chars() {
            if c.is_alphanumeric() || matches!(c, '_' | '.') {
                word.extend(c.to_lowercase());
                continue;
            }
            tokens.extend(Some(std::mem::take(&mut word)).filter(|word| !word.is_empty()));
            tokens.extend(Some(c.to_string()).filter(|_| !c.is_whitespace()));
        }
        tokens.extend(Some(word).filter(|word| !word.is_empty()));
    }
    tokens
}

#[cfg(test)]
mod tests {
    use super::super::tree::Tree;
    use super::{Column, compare};
    use crate::scratch::Scratch;

    fn findings(files: &[(&str, &str)]) -> Vec<String> {
        let folder = Scratch::new();
        for (name, sql) in files {
            folder.write(&format!("migrations/{name}"), sql);
        }
        let columns = [
            Column { table: "jobs", name: "status", words: vec!["queued", "done"] },
            Column { table: "jobs", name: "kind", words: vec!["image"] },
        ];
        compare(&Tree::of_folder(folder.path()), &columns).iter().map(ToString::to_string).collect()
    }

    const KIND: &str = "alter table jobs add check (kind is null or kind in ('image'));";

    #[test]
    fn the_same_words_are_in_order_however_they_are_written() {
        let inline = "create table jobs (\n  status text not null -- in ('x')\n    check (status in ('done', 'queued'))\n);";
        let named = "CREATE TABLE IF NOT EXISTS public.jobs (status text, constraint s CHECK (status IN ('queued','done')));";
        for sql in [inline, named] {
            assert_eq!(
                findings(&[("0001_jobs.sql", sql), ("0002_kind.sql", KIND)]),
                Vec::<String>::new(),
                "{sql}"
            );
        }
    }

    #[test]
    fn other_words_a_missing_constraint_and_another_table_are_found() {
        let other = "create table jobs (status text check (status in ('queued', 'gone')), kind text check (kind in ('video')));";
        assert_eq!(
            findings(&[("0001_jobs.sql", other)]),
            [
                "migrations/0001_jobs.sql: jobs.status allows gone, queued, the domain has done, queued",
                "migrations/0001_jobs.sql: jobs.kind allows video, the domain has image",
            ]
        );
        let elsewhere = "create table tasks (status text check (status in ('queued', 'done')));";
        assert_eq!(findings(&[("0001_tasks.sql", elsewhere), ("0002_kind.sql", KIND)]).len(), 1);
        assert_eq!(findings(&[]).len(), 2);
    }

    #[test]
    fn a_condition_over_some_of_the_words_is_no_list_of_them() {
        let sql = "create table jobs (status text check (status in ('done', 'queued')), check ((status in ('done')) = (ended is not null)),
            check (status not in ('done') or x is null)); create index i on jobs (id) where status in ('queued');";
        assert_eq!(findings(&[("0001_jobs.sql", sql), ("0002_kind.sql", KIND)]), Vec::<String>::new());
    }

    #[test]
    fn a_later_migration_replaces_the_set() {
        let first = ("0001_jobs.sql", "create table jobs (status text check (status in ('queued')));");
        let second =
            ("0002_done.sql", "alter table jobs add constraint s check (status in ('queued', 'done'));");
        assert_eq!(findings(&[first, second, ("0003_kind.sql", KIND)]), Vec::<String>::new());
    }
}
