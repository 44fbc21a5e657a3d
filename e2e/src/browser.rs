use std::path::{Path, PathBuf};
use std::process::Stdio;

use serde_json::{Value, json};
use thirtyfour::{By, ChromeCapabilities, ChromiumLikeCapabilities, WebDriver, WebElement};
use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::process::{Child, Command};
use tokio::sync::{Mutex, MutexGuard};

use crate::eventually;
use crate::wait::fail;

/// What the browser is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Device {
    Desktop,
    /// Small, and with fingers.
    Phone,
    DesktopWithoutScript,
}

/// Scenarios take turns with the browser: a Chromium wants a processor to itself. Hold it while one is open.
pub async fn turn() -> MutexGuard<'static, ()> {
    static TURN: Mutex<()> = Mutex::const_new(());
    TURN.lock().await
}

/// A Chromium of its own, with an empty profile, driven through its `chromedriver`.
pub struct Browser {
    page: WebDriver,
    driver: Driver,
}

/// A program of its own group: what it started ends with it, also when a scenario fails.
struct Driver {
    process: Child,
    profile: PathBuf,
}

impl Drop for Driver {
    fn drop(&mut self) {
        if let Some(group) = self.process.id() {
            // It is gone already when the browser was closed.
            let _ = std::process::Command::new("kill").args(["-KILL", "--", &format!("-{group}")]).status();
        }
        let _ = std::fs::remove_dir_all(&self.profile);
    }
}

impl Browser {
    /// # Panics
    /// When Chromium or its driver does not start; `cargo xtask test` says what to install.
    pub async fn open(device: Device) -> Self {
        let profile = std::env::temp_dir().join(crate::marker("afc-browser"));
        let mut command = Command::new("chromedriver");
        command.arg("--port=0").stdin(Stdio::null()).stdout(Stdio::piped()).process_group(0);
        let mut process = command.spawn().unwrap_or_else(|error| fail(&format!("chromedriver: {error}")));
        let output = process.stdout.take().unwrap_or_else(|| fail("chromedriver says nothing"));
        let driver = Driver { process, profile };
        let mut lines = BufReader::new(output).lines();
        let port = loop {
            let line = lines.next_line().await.ok().flatten();
            let line = line.unwrap_or_else(|| fail("chromedriver ended before it named its port"));
            if let Some((_, port)) = line.rsplit_once("successfully on port ") {
                break port.trim_end_matches('.').to_owned();
            }
        };
        let page = WebDriver::new(format!("http://127.0.0.1:{port}"), capabilities(device, &driver.profile));
        let page = page.await.unwrap_or_else(|error| fail(&format!("Chromium: {error}")));
        Self { page, driver }
    }

    /// Ends it; a scenario that fails ends it by being dropped.
    pub async fn close(self) {
        let Self { page, driver } = self;
        let _ = page.quit().await;
        drop(driver);
    }

    pub const fn page(&self) -> &WebDriver {
        &self.page
    }

    /// # Panics
    /// When the page cannot be had.
    pub async fn go(&self, url: &str) {
        self.page.goto(url).await.unwrap_or_else(|error| fail(&format!("{url}: {error}")));
    }

    /// The one element that `css` finds, once it is there.
    pub async fn find(&self, css: &str) -> WebElement {
        eventually(&format!("{css} on the page"), async || self.page.find(By::Css(css)).await.ok()).await
    }

    /// How many elements `css` finds now.
    pub async fn count(&self, css: &str) -> usize {
        self.page.find_all(By::Css(css)).await.map_or(0, |all| all.len())
    }

    /// Waits until the page's main text has `text`.
    pub async fn reads(&self, text: &str) {
        eventually(&format!("{text:?} on the page"), async || {
            let main = self.page.find(By::Css("main")).await.ok()?;
            main.text().await.ok()?.contains(text).then_some(())
        })
        .await;
    }

    /// # Panics
    /// When the element cannot be clicked.
    pub async fn click(&self, css: &str) {
        let element = self.find(css).await;
        let _ = element.scroll_into_view().await;
        element.click().await.unwrap_or_else(|error| fail(&format!("a click on {css}: {error}")));
    }

    /// # Panics
    /// When nothing can be written there.
    pub async fn write(&self, css: &str, text: &str) {
        let typed = self.find(css).await.send_keys(text).await;
        typed.unwrap_or_else(|error| fail(&format!("typing into {css}: {error}")));
    }

    /// # Panics
    /// When the script fails.
    pub async fn run(&self, script: &str) -> Value {
        let ran = self.page.execute(script, Vec::new()).await;
        ran.unwrap_or_else(|error| fail(&format!("{script}: {error}"))).json().clone()
    }

    /// Keeps what is seen of the page as a picture.
    ///
    /// # Panics
    /// When it cannot be taken or written.
    pub async fn keep(&self, name: &str) -> PathBuf {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../target/review-page");
        let path = folder.join(format!("{name}.png"));
        let taken = self.page.screenshot_as_png().await;
        let picture = taken.unwrap_or_else(|error| fail(&format!("no screenshot: {error}")));
        let written = std::fs::create_dir_all(&folder).and_then(|()| std::fs::write(&path, picture));
        written.unwrap_or_else(|error| fail(&format!("{}: {error}", path.display())));
        path
    }

    /// What axe-core finds wrong by WCAG 2.2 A and AA: rule, and where.
    ///
    /// # Panics
    /// When it cannot be asked; `cargo xtask setup` installs it.
    pub async fn accessibility(&self) -> Vec<Value> {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../node_modules/axe-core/axe.min.js");
        let axe = std::fs::read_to_string(&path);
        let axe = axe.unwrap_or_else(|error| fail(&format!("{}: {error}", path.display())));
        self.run(&axe).await;
        let ask = "const done = arguments[0];
            axe.run(document, {runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa']}).then(
                (found) => done(found.violations.map((one) => [one.id, one.nodes.map((node) => node.html)])),
                (error) => done([['axe', String(error)]]),
            );";
        let answer = self.page.execute_async(ask, Vec::new()).await;
        let answer = answer.unwrap_or_else(|error| fail(&format!("axe: {error}")));
        answer.json().as_array().cloned().unwrap_or_else(|| fail("axe found neither something nor nothing"))
    }
}

fn capabilities(device: Device, profile: &Path) -> ChromeCapabilities {
    let mut wanted = ChromeCapabilities::new();
    let profile = format!("--user-data-dir={}", profile.display());
    let arguments = [
        "--headless=new",
        "--no-sandbox",
        "--disable-gpu",
        "--disable-quic",
        "--no-first-run",
        "--disable-background-networking",
        "--disable-component-update",
        "--disable-sync",
        "--window-size=1440,1000",
        "--lang=en-GB",
        &profile,
    ];
    let mut set = arguments.iter().try_for_each(|argument| wanted.add_arg(argument));
    set = set.and_then(|()| match device {
        Device::Desktop => Ok(()),
        Device::Phone => {
            let metrics =
                json!({"width": 390, "height": 844, "pixelRatio": 2.0, "touch": true, "mobile": true});
            wanted.add_experimental_option("mobileEmulation", json!({"deviceMetrics": metrics}))
        }
        Device::DesktopWithoutScript => {
            let prefs = json!({"profile.managed_default_content_settings.javascript": 2});
            wanted.add_experimental_option("prefs", prefs)
        }
    });
    set.unwrap_or_else(|error| fail(&format!("capabilities: {error}")));
    wanted
}
