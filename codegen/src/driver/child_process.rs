//! A process of this program that answers requests, and is killed if an answer takes too long.

use crate::limits;
use std::io::{Read, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

/// The command line argument that starts a program as a child process.
pub const ARGUMENT: &str = "--dvm-analysis";

/// At least the elapsed time divided by this number counts as processor time, so that a blocked process is killed, too.
const ELAPSED_PER_PROCESSOR_TIME: u32 = 8;

/// The time between two checks of the child's processor time.
const CHECK_INTERVAL: Duration = Duration::from_millis(20);

/// The parts of a request or an answer.
pub type Parts = Vec<Vec<u8>>;

/// A running child process.
pub struct ChildProcess {
    child: Child,
    input: Option<ChildStdin>,
    answers: Receiver<Option<Parts>>,
}

impl Drop for ChildProcess {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl ChildProcess {
    /// Starts a program as a child process with `time` of a processor, and `memory` KiB in addition to the stack.
    pub fn start(program: &Path, time: Duration, memory: u64) -> Option<ChildProcess> {
        let mut child = limits::held(program.to_str()?, time.as_secs() + 1, memory + limits::STACK)
            .arg(ARGUMENT)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .ok()?;
        let input = child.stdin.take();
        let mut output = child.stdout.take()?;
        let (sender, answers) = channel();
        // The thread ends with the process, whose end closes the pipe.
        std::thread::spawn(move || {
            loop {
                let answer = receive(&mut output);
                let last = answer.is_none();
                if sender.send(answer).is_err() || last {
                    return;
                }
            }
        });
        Some(ChildProcess { child, input, answers })
    }

    /// The answer to a request, `None` if the process died or was too slow; and the time it took.
    pub fn ask(&mut self, request: Parts, left: Duration) -> (Option<Parts>, Duration) {
        let (begin, before) = (Instant::now(), self.used().unwrap_or_default());
        let Some(mut input) = self.input.take() else { return (None, Duration::ZERO) };
        // A process that does not read must not block this one; the thread ends with the process.
        let sending = std::thread::spawn(move || send(&mut input, &request).map(|()| input));
        loop {
            let answer = self.answers.recv_timeout(CHECK_INTERVAL);
            let waited = begin.elapsed();
            let spent =
                self.used().map_or(waited, |used| used.saturating_sub(before).max(waited / ELAPSED_PER_PROCESSOR_TIME));
            match answer {
                Ok(Some(answer)) => {
                    self.input = sending.join().ok().flatten();
                    return (Some(answer), spent);
                }
                Ok(None) | Err(RecvTimeoutError::Disconnected) => return (None, spent),
                Err(RecvTimeoutError::Timeout) if spent >= left => return (None, spent),
                Err(RecvTimeoutError::Timeout) => {}
            }
        }
    }

    /// Processor time of the process and its waited-for children: `utime` to `cstime` of proc(5), in hundredths of a
    /// second; `None` without such a file.
    fn used(&self) -> Option<Duration> {
        let text = std::fs::read_to_string(format!("/proc/{}/stat", self.child.id())).ok()?;
        let fields = text.rsplit_once(')')?.1.split_whitespace().skip(11).take(4);
        let ticks = fields.map(|field| field.parse::<u64>().ok()).sum::<Option<u64>>()?;
        Some(Duration::from_millis(10 * ticks))
    }
}

/// Answers requests until the input ends.
pub fn serve(mut answer: impl FnMut(Parts) -> Parts) {
    let (mut input, mut output) = (std::io::stdin().lock(), std::io::stdout().lock());
    while let Some(request) = receive(&mut input) {
        if send(&mut output, &answer(request)).is_none() {
            return;
        }
    }
}

/// Sends the number of parts, then each part after its length.
fn send(to: &mut impl Write, parts: &[Vec<u8>]) -> Option<()> {
    let mut number = |value: usize| to.write_all(&(value as u64).to_le_bytes()).ok();
    number(parts.len())?;
    for part in parts {
        to.write_all(&(part.len() as u64).to_le_bytes()).ok()?;
        to.write_all(part).ok()?;
    }
    to.flush().ok()
}

fn receive(from: &mut impl Read) -> Option<Parts> {
    let mut parts = Vec::new();
    for _ in 0..number(from)? {
        let length = number(from)?;
        let mut bytes = Vec::new();
        from.take(length).read_to_end(&mut bytes).ok()?;
        if bytes.len() as u64 != length {
            return None;
        }
        parts.push(bytes);
    }
    Some(parts)
}

fn number(from: &mut impl Read) -> Option<u64> {
    let mut bytes = [0; 8];
    from.read_exact(&mut bytes).ok()?;
    Some(u64::from_le_bytes(bytes))
}
