//! A headless Chromium that tests drive through its pipe (the protocol of its developer tools).

use std::fs::File;
use std::io::{BufRead as _, BufReader, Write as _};
use std::os::fd::{AsRawFd as _, FromRawFd as _, OwnedFd};
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

/// A browser that says nothing for so long is ended, and the test fails.
const SECONDS: &str = "120";

/// What the program is called, the first that is there is taken.
const NAMES: [&str; 4] = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];

pub struct Browser {
    child: Child,
    to: File,
    from: BufReader<File>,
    last: u64,
    session: Option<String>,
    /// Events that were told meanwhile.
    pub events: Vec<Value>,
}

/// The browser of this machine; where there is none, says what is left out.
pub fn program(what: &str) -> Option<&'static str> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let found = NAMES.into_iter().find(|name| std::env::split_paths(&path).any(|at| at.join(name).is_file()));
    if found.is_none() {
        left_out(what, "apt-get install chromium");
    }
    found
}

/// Says what is left out, and what would have it run: past the test harness, which shows nothing of a test that passes, in a
/// line of its own, which `make check` shows.
pub fn left_out(what: &str, remedy: &str) {
    let line = format!("\nleft out: cargo test report: {what} ({remedy})\n");
    std::io::stderr().write_all(line.as_bytes()).expect("standard error is open");
}

fn pipe() -> (OwnedFd, OwnedFd) {
    let mut ends = [0; 2];
    assert_eq!(unsafe { libc::pipe2(ends.as_mut_ptr(), libc::O_CLOEXEC) }, 0);
    unsafe { (OwnedFd::from_raw_fd(ends[0]), OwnedFd::from_raw_fd(ends[1])) }
}

impl Browser {
    /// Starts the browser with a profile in `folder`, and opens a page.
    pub fn start(program: &str, folder: &Path) -> Browser {
        let ((to_read, to_write), (from_read, from_write)) = (pipe(), pipe());
        let (input, output) = (to_read.as_raw_fd(), from_write.as_raw_fd());
        let mut command = Command::new("timeout");
        command
            .args([SECONDS, program, "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"])
            .args(["--remote-debugging-pipe", "--no-first-run", "--window-size=1280,900"])
            .arg(format!("--user-data-dir={}", folder.join("browser").display()))
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        // The browser reads commands from 3 and writes to 4; either may be the number of another end now.
        let place = move || unsafe {
            let (input, output) = (libc::fcntl(input, libc::F_DUPFD, 10), libc::fcntl(output, libc::F_DUPFD, 10));
            if libc::dup2(input, 3) < 0 || libc::dup2(output, 4) < 0 {
                return Err(std::io::Error::last_os_error());
            }
            libc::close(input);
            libc::close(output);
            Ok(())
        };
        let child = unsafe { command.pre_exec(place) }.spawn().unwrap();
        drop((to_read, from_write));
        let (to, from) = (File::from(to_write), BufReader::new(File::from(from_read)));
        let mut browser = Browser { child, to, from, last: 0, session: None, events: Vec::new() };
        let target = browser.call("Target.createTarget", &json!({"url": "about:blank"}));
        let attached = browser.call("Target.attachToTarget", &json!({"targetId": target["targetId"], "flatten": true}));
        browser.session = attached["sessionId"].as_str().map(str::to_owned);
        for domain in ["Page", "Runtime", "Log", "Network"] {
            browser.call(&format!("{domain}.enable"), &json!({}));
        }
        browser
    }

    /// The result of a command.
    pub fn call(&mut self, method: &str, parameters: &Value) -> Value {
        self.last += 1;
        let mut message = json!({"id": self.last, "method": method, "params": parameters});
        if let Some(session) = &self.session {
            message["sessionId"] = json!(session);
        }
        write!(self.to, "{message}\0").unwrap();
        loop {
            let mut bytes = Vec::new();
            self.from.read_until(0, &mut bytes).unwrap();
            assert!(!bytes.is_empty(), "the browser ended during {method}");
            bytes.pop();
            let mut answer: Value = serde_json::from_slice(&bytes).unwrap();
            if answer["id"] == self.last {
                assert!(answer["error"].is_null(), "{method}: {answer}");
                return answer["result"].take();
            }
            self.events.push(answer);
        }
    }

    /// The value of an expression in the page.
    pub fn value(&mut self, expression: &str) -> Value {
        let mut result = self.call("Runtime.evaluate", &json!({"expression": expression, "returnByValue": true}));
        assert!(result["exceptionDetails"].is_null(), "{expression}: {result}");
        result["result"]["value"].take()
    }

    /// The text of an expression in the page.
    pub fn text(&mut self, expression: &str) -> String {
        self.value(expression).as_str().unwrap_or_else(|| panic!("{expression} is no text")).to_owned()
    }

    /// Waits until an expression is true.
    pub fn wait(&mut self, expression: &str) {
        let end = Instant::now() + Duration::from_mins(1);
        while self.value(expression) != Value::Bool(true) {
            assert!(Instant::now() < end, "never: {expression}; {:?}", self.complaints());
            std::thread::sleep(Duration::from_millis(10));
        }
    }

    /// Opens a report, and waits until it is drawn; how many milliseconds that took.
    pub fn open(&mut self, path: &Path) -> f64 {
        self.call("Page.navigate", &json!({"url": format!("file://{}", path.display())}));
        self.wait("document.documentElement?.dataset.ready !== undefined");
        self.text("document.documentElement.dataset.ready").parse().unwrap()
    }

    /// Presses a key, and waits until the page has been drawn again.
    pub fn press(&mut self, key: &str) {
        let text = if key.len() == 1 { json!(key) } else { Value::Null };
        let mut down = json!({"type": "keyDown", "key": key});
        if key == "Tab" {
            down["windowsVirtualKeyCode"] = json!(9);
        }
        if text.is_string() {
            down["text"] = text;
        }
        self.call("Input.dispatchKeyEvent", &down);
        self.call("Input.dispatchKeyEvent", &json!({"type": "keyUp", "key": key}));
        let drawn = "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(1))))";
        self.call("Runtime.evaluate", &json!({"expression": drawn, "awaitPromise": true}));
    }

    /// Writes a picture of the whole page.
    pub fn picture(&mut self, path: &Path) {
        let data = self.call("Page.captureScreenshot", &json!({"captureBeyondViewport": true}))["data"].take();
        std::fs::write(path, decoded(data.as_str().unwrap())).unwrap();
    }

    /// Errors and warnings of the page, and what it asked the network for.
    pub fn complaints(&self) -> Vec<&Value> {
        let complains = |event: &&Value| {
            let parameters = &event["params"];
            let url = parameters["request"]["url"].as_str().unwrap_or_default();
            match event["method"].as_str() {
                Some("Runtime.exceptionThrown") => true,
                Some("Runtime.consoleAPICalled") => {
                    ["error", "warning", "assert"].iter().any(|t| parameters["type"] == *t)
                }
                Some("Log.entryAdded") => {
                    ["error", "warning"].iter().any(|level| parameters["entry"]["level"] == *level)
                }
                Some("Network.requestWillBeSent") => !url.starts_with("file:") && !url.starts_with("data:"),
                _ => false,
            }
        };
        self.events.iter().filter(complains).collect()
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        // `timeout` ends the browser with itself.
        unsafe { libc::kill(self.child.id().cast_signed(), libc::SIGTERM) };
        let _ = self.child.wait();
    }
}

/// The bytes of a text in base 64.
fn decoded(text: &str) -> Vec<u8> {
    let value = |letter: u8| match letter {
        b'A'..=b'Z' => letter - b'A',
        b'a'..=b'z' => letter - b'a' + 26,
        b'0'..=b'9' => letter - b'0' + 52,
        b'+' => 62,
        _ => 63,
    };
    let letters: Vec<u8> = text.bytes().filter(|letter| *letter != b'=').collect();
    let mut bytes = Vec::new();
    for group in letters.chunks(4) {
        let bits =
            group.iter().fold(0_u32, |bits, &letter| bits << 6 | u32::from(value(letter))) << (6 * (4 - group.len()));
        bytes.extend(&bits.to_be_bytes()[1..group.len()]);
    }
    bytes
}

#[test]
fn base_64_is_decoded() {
    for (text, bytes) in [("", ""), ("Zg==", "f"), ("Zm8=", "fo"), ("Zm9v", "foo"), ("Zm9vYg==", "foob")] {
        assert_eq!(decoded(text), bytes.as_bytes());
    }
    assert_eq!(decoded("+/+/"), [0xfb, 0xff, 0xbf]);
}
