//! `demo style-run`: a look for a film in two rounds, decided on the review page by its link alone.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;
use std::process::Command;
use std::time::{Duration, Instant};

use http::header::{AUTHORIZATION, HeaderName, LOCATION};
use serde_json::{Value, json};

use super::api::{ledger, number, text};
use super::webhook::{self, Delivery};
use crate::command::logged;
use crate::failure::{Failure, OrFail, Outcome};
use crate::http::{Answer, Call};
use crate::paths::Repo;
use crate::progress::Step;
use crate::setup::{self, Chromium};
use crate::stack::StackFile;

/// Two rounds of containers' starts and simulated runs take seconds.
const PATIENCE: Duration = Duration::from_mins(4);
const PAUSE: Duration = Duration::from_millis(200);
const HOOK: &str = "style-run";
const LOGS: &str = "read target/dev-demo/logs/";
/// What the receiver is to be told, in any order of arrival.
const EVENTS: [&str; 5] = [
    "style_run.approved",
    "style_run.decided",
    "style_run.decided",
    "style_run.review_requested",
    "style_run.review_requested",
];

/// What did not hold; empty when all is well.
type Unmet = Vec<String>;

/// Runs it on a fresh stack. Fails when a step could not be taken.
pub(super) async fn run(repo: &Repo, stack: &StackFile) -> Outcome<Unmet> {
    let mut demo = Demo { repo, stack, unmet: Vec::new() };
    demo.play().await?;
    Ok(demo.unmet)
}

struct Demo<'a> {
    repo: &'a Repo,
    stack: &'a StackFile,
    unmet: Unmet,
}

/// The page that a review link leads to.
struct Page {
    link: String,
    html: String,
}

impl Demo<'_> {
    async fn play(&mut self) -> Outcome {
        let created = self.create().await?;
        let id = text(&created, "/id").to_owned();
        eprintln!("✓ POST /v1/style-runs: {id}");
        let run = self.until(&id, "awaiting_review", 1).await?;
        let page = self.open(&run).await?;
        self.candidates(&page, 1).await?;
        self.screenshots(&page, "round-1")?;

        let revise = page.form(
            "action=revise&reviewer=Director&notes=warmer+light%2C+less+rain&mark-1=4&note-1=this+light",
        );
        let (first, again) = tokio::join!(self.decide(&page, &revise), self.decide(&page, &revise));
        let (first, again) = (first?, again?);
        eprintln!("✓ revise, sent twice: {} and {}", first.status, again.status);
        self.expect("both clicks lead back to the page", first.status == 303 && again.status == 303);
        self.expect("to nowhere else", first.headers.get(LOCATION).is_some());

        let run = self.until(&id, "awaiting_review", 2).await?;
        self.expect("the decision stands as it was sent", {
            let decision = run.pointer("/rounds/0/decision").cloned().unwrap_or_default();
            text(&decision, "/reviewer") == "Director"
                && text(&decision, "/notes") == "warmer light, less rain"
        });
        let page = self.open(&run).await?;
        self.candidates(&page, 2).await?;
        self.expect(
            "the page shows the round before",
            page.html.contains("Director asked for another round"),
        );
        self.screenshots(&page, "round-2")?;

        let tampered = Page { link: format!("{}0", page.link), html: page.html.clone() };
        let approve = page.form("action=approve&reviewer=Director&pick=1");
        let refused = self.decide(&tampered, &approve).await?.status;
        eprintln!("✓ a tampered link: {refused}");
        self.expect("a tampered link is refused", refused == 403);
        let approved = self.decide(&page, &approve).await?.status;
        eprintln!("✓ approve: {approved}");
        self.expect("the approval is taken", approved == 303);
        let late = self.decide(&page, &page.form("action=reject&reviewer=Editor")).await?.status;
        self.expect("who comes late is told so", late == 409 || late == 412);
        let run = self.until(&id, "approved", 2).await?;
        self.screenshots(&page, "approved")?;

        self.webhooks(&id).await?;
        let books = ledger(self.stack).await?;
        let accepted = number(&books, "/accepted");
        eprintln!(
            "✓ the provider accepted {accepted} calls; the run's cost: {}",
            run.get("cost").cloned().unwrap_or_default()
        );
        self.expect("each candidate was paid once", accepted == 4);
        Ok(())
    }

    fn expect(&mut self, what: &str, holds: bool) {
        if !holds {
            self.unmet.push(what.to_owned());
        }
    }

    async fn create(&self) -> Outcome<Value> {
        let body = json!({
            "brief": "A street at night, in the rain. Sodium lamps before LEDs: warm pools of light, all else falls away.",
            "template": {"kind": "image",
                "input": {"prompt": "a street at night, in the rain", "seed": 7, "aspect_ratio": "16:9"},
                "chain": [{"provider": "fal", "model": "fal-ai/flux-pro/v1.1"}]},
            "variations": [{}, {"seed": 40}],
            "max_rounds": 2,
            "project": "Rain, a short film",
            "callback_url": format!("{}/hooks/{HOOK}", self.stack.receiver),
        });
        let call = Call::post(format!("{}/v1/style-runs", self.stack.api), &body);
        let call = call.header(HeaderName::from_static("idempotency-key"), "demo-style-run");
        self.authorised(call).send().await?.json()
    }

    fn authorised(&self, call: Call) -> Call {
        call.header(AUTHORIZATION, format!("Bearer {}", self.stack.client_key))
    }

    /// Polls until the run is there; prints each state once.
    async fn until(&self, id: &str, state: &str, round: u64) -> Outcome<Value> {
        let (begin, mut last) = (Instant::now(), String::new());
        while begin.elapsed() < PATIENCE {
            let run =
                self.authorised(Call::get(format!("{}/v1/style-runs/{id}", self.stack.api))).send().await?;
            let run = run.json()?;
            let (found, at) = (text(&run, "/state"), number(&run, "/round"));
            if found != last {
                eprintln!("  round {at}: {found}");
                found.clone_into(&mut last);
            }
            if found == state && at == round {
                return Ok(run);
            }
            tokio::time::sleep(PAUSE).await;
        }
        Err(Failure::new(
            format!("the run was not {state} within {} s, but {last}", PATIENCE.as_secs()),
            LOGS,
        ))
    }

    async fn open(&self, run: &Value) -> Outcome<Page> {
        let link = text(run, "/review/url").to_owned();
        let answer = Call::get(&link).send().await?;
        if answer.status != 200 {
            return Err(Failure::new(
                format!("the review link was answered {}: {}", answer.status, answer.excerpt()),
                LOGS,
            ));
        }
        eprintln!("✓ the review page: {link}");
        Ok(Page { html: String::from_utf8_lossy(&answer.body).into_owned(), link })
    }

    /// The page shows two pictures, and they are there.
    async fn candidates(&mut self, page: &Page, round: u32) -> Outcome {
        for candidate in 0..2 {
            let picture = Call::get(format!("{}/media/{round}/{candidate}/0", page.link)).send().await?;
            let shown = page.html.contains(&format!("/media/{round}/{candidate}/0"));
            self.expect(
                "the page shows both pictures",
                shown && picture.status == 200 && !picture.body.is_empty(),
            );
        }
        Ok(())
    }

    async fn decide(&self, page: &Page, form: &str) -> Outcome<Answer> {
        Call::form(format!("{}/decisions", page.link), form).send().await
    }

    /// One of a desktop and one of a phone, where there is a Chromium.
    fn screenshots(&mut self, page: &Page, name: &str) -> Outcome {
        if setup::chromium(self.repo)? == Chromium::Missing {
            return Ok(());
        }
        for (device, size) in [("desktop", "1440,1300"), ("phone", "500,1400")] {
            let path = self.screenshot(page, &format!("{name}-{device}"), size)?;
            let taken = fs::metadata(&path).is_ok_and(|file| file.len() > 0);
            eprintln!("✓ {}", self.repo.shown(&path));
            self.expect("a screenshot is kept", taken);
        }
        Ok(())
    }

    fn screenshot(&self, page: &Page, name: &str, size: &str) -> Outcome<PathBuf> {
        let folder = self.repo.target().join("demo");
        let advice = "check the permissions of the target folder";
        fs::create_dir_all(&folder).or_fail(format!("cannot create {}", folder.display()), advice)?;
        let path = folder.join(format!("style-run-{name}.png"));
        let profile = self.repo.notes().join("chromium");
        let mut chromium = Command::new("chromium");
        chromium.args([
            "--headless=new",
            "--no-sandbox",
            "--disable-gpu",
            "--disable-quic",
            "--no-first-run",
        ]);
        chromium.args(["--disable-background-networking", "--disable-component-update", "--disable-sync"]);
        chromium.args(["--hide-scrollbars", "--virtual-time-budget=3000", &format!("--window-size={size}")]);
        chromium.arg(format!("--user-data-dir={}", profile.display()));
        chromium.arg(format!("--screenshot={}", path.display())).arg(&page.link);
        logged(self.repo, "chromium", &mut chromium, "run `chromium --version`")?;
        Ok(path)
    }

    /// All events, each with a good signature.
    async fn webhooks(&mut self, run: &str) -> Outcome {
        let step = Step::start("waiting for the webhooks");
        let begin = Instant::now();
        let url = format!("{}/_receiver/deliveries?name={HOOK}", self.stack.receiver);
        while begin.elapsed() < PATIENCE {
            let all = Call::get(&url).send().await?.json()?.get("deliveries").cloned().unwrap_or_default();
            let all: Vec<Delivery> =
                serde_json::from_value(all).or_fail("the receiver's list cannot be read", LOGS)?;
            // At least once: a repeat has the id of the first.
            let all: BTreeMap<&str, &Delivery> = all
                .iter()
                .filter(|one| text(&one.json(), "/data/id") == run)
                .map(|one| (one.header("webhook-id"), one))
                .collect();
            if all.len() >= EVENTS.len() {
                let mut told: Vec<String> =
                    all.values().map(|one| text(&one.json(), "/type").to_owned()).collect();
                told.sort_unstable();
                step.done_with(&told.join(", "));
                self.expect("each event is told once", told == EVENTS);
                let good = all.values().all(|one| webhook::verify(one, &self.stack.webhook_secret));
                self.expect("every webhook's signature is ours", good);
                let asks = all
                    .values()
                    .map(|one| one.json())
                    .filter(|one| text(one, "/type") == "style_run.review_requested");
                let linked = asks.into_iter().all(|one| text(&one, "/data/review_url").contains("/review/"));
                self.expect("who is asked for a review gets the link", linked);
                return Ok(());
            }
            tokio::time::sleep(PAUSE).await;
        }
        Err(Failure::new(format!("not all webhooks came within {} s", PATIENCE.as_secs()), LOGS))
    }
}

impl Page {
    /// The page's form as a browser sends it, with its hidden fields.
    fn form(&self, fields: &str) -> String {
        format!("key={}&version={}&{fields}", self.hidden("key"), self.hidden("version"))
    }

    fn hidden(&self, name: &str) -> &str {
        let field = self.html.split_once(&format!("name=\"{name}\" value=\"")).map(|(_, rest)| rest);
        field.and_then(|rest| rest.split_once('"')).map(|(value, _)| value).unwrap_or_default()
    }
}
