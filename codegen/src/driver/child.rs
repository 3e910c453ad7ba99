//! The last resort against analyses that do not end: the back end runs in a process of its own, which is ended when it
//! takes too long, too much memory, or dies. Limits of operations come first and decide in all but rare cases, so that
//! what is generated does not depend on the machine's speed.

use super::{Replacement, back_end};
use crate::Stage;
use crate::model::Region;
use std::cell::RefCell;
use std::io::{Read, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

/// The command line argument by which a program is started as the back end.
pub const ARGUMENT: &str = "--dvm-analysis";

/// Of processor time, so that a busy machine refuses nothing that an idle one accepts.
const REGION: Duration = Duration::from_secs(10);
const FILE: Duration = Duration::from_secs(15);
/// A process that gets less than a quarter of a processor is ended all the same.
const SHARE: u32 = 4;
const LOOK: Duration = Duration::from_millis(50);
/// Of address space, in the units of `ulimit -v`: 2 GB, and the stack that `with_room` reserves.
const KIBIBYTES: u64 = 3 << 20;

/// What a back end answers: C text, or a reason and a remedy.
type Answer = Result<Replacement, (String, String)>;

/// A back end in a process of its own.
pub struct Guarded {
    stage: Option<Stage>,
    state: RefCell<State>,
}

#[derive(Default)]
struct State {
    worker: Option<Worker>,
    file: String,
    spent: Duration,
}

struct Worker {
    child: Child,
    input: ChildStdin,
    answers: Receiver<Option<Answer>>,
}

impl Drop for Worker {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Guarded {
    /// The back end, or one that prints a stage instead.
    pub fn new(stage: Option<Stage>) -> Guarded {
        Guarded { stage, state: RefCell::default() }
    }

    /// Generates the text for a region, or says why that is not possible.
    pub fn generate(&self, region: &Region, original: &str) -> Answer {
        let mut state = self.state.borrow_mut();
        if state.file != region.file {
            *state = State { file: region.file.clone(), ..State::default() };
        }
        let left = FILE.saturating_sub(state.spent).min(REGION);
        if left.is_zero() {
            return Err(too_long("the file's regions take more than 15 s to analyse together"));
        }
        if state.worker.is_none() {
            match start() {
                Some(worker) => state.worker = Some(worker),
                // Without a process the limits of operations have to do.
                None => return work(self.stage, region, original),
            }
        }
        let (answer, spent) =
            state.worker.as_mut().map_or((None, left), |worker| worker.ask(self.stage, region, original, left));
        state.spent += spent;
        if let Some(answer) = answer {
            return answer;
        }
        state.worker = None;
        Err(if spent >= left {
            too_long("the analysis takes more than 10 s (or the file's regions more than 15 s)")
        } else {
            too_long("the analysis needs more than 2 GB, or failed")
        })
    }
}

fn too_long(reason: &str) -> (String, String) {
    (
        reason.to_owned(),
        "split the region, e.g. at its outermost loops, or give it fewer statements and loops".to_owned(),
    )
}

/// What is done for a region, in whichever process.
fn work(stage: Option<Stage>, region: &Region, original: &str) -> Answer {
    match stage {
        None => back_end(region, original),
        Some(stage) => crate::stage::print(region, stage, original)
            .map(|text| Replacement { file_scope: text, call: String::new() })
            .map_err(|e| (e.reason, e.remedy)),
    }
}

/// Starts this program as the back end, with little memory.
fn start() -> Option<Worker> {
    let program = std::env::current_exe().ok()?;
    let limited = format!("ulimit -v {KIBIBYTES} 2>/dev/null; ulimit -c 0 2>/dev/null; exec \"$0\" {ARGUMENT}");
    let mut child = Command::new("/bin/sh")
        .args(["-c", &limited])
        .arg(program)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .ok()?;
    let input = child.stdin.take()?;
    let mut output = child.stdout.take()?;
    let (sender, answers) = channel();
    // The thread ends with the process, whose end closes the pipe.
    std::thread::spawn(move || {
        loop {
            let answer = read_answer(&mut output);
            let last = answer.is_none();
            if sender.send(answer).is_err() || last {
                return;
            }
        }
    });
    Some(Worker { child, input, answers })
}

impl Worker {
    /// The answer for a region, nothing when the process did not answer in time, or died; and the time that it took.
    fn ask(
        &mut self,
        stage: Option<Stage>,
        region: &Region,
        original: &str,
        left: Duration,
    ) -> (Option<Answer>, Duration) {
        let (begin, before) = (Instant::now(), self.used().unwrap_or_default());
        let stage = stage.map_or_else(String::new, |stage| stage.word().to_owned());
        let asked =
            [&stage, &region.to_string(), original].iter().try_for_each(|text| write_text(&mut self.input, text));
        if asked.is_none() || self.input.flush().is_err() {
            return (None, Duration::ZERO);
        }
        loop {
            let answer = self.answers.recv_timeout(LOOK);
            let waited = begin.elapsed();
            let spent = self.used().map_or(waited, |used| used.saturating_sub(before).max(waited / SHARE));
            match answer {
                Ok(answer) => return (answer, spent),
                Err(RecvTimeoutError::Disconnected) => return (None, spent),
                Err(RecvTimeoutError::Timeout) if spent >= left => return (None, spent),
                Err(RecvTimeoutError::Timeout) => {}
            }
        }
    }

    /// Processor time of the process: `utime` and `stime` of proc(5), in hundredths of a second; nothing where there is
    /// no such file.
    fn used(&self) -> Option<Duration> {
        let text = std::fs::read_to_string(format!("/proc/{}/stat", self.child.id())).ok()?;
        let mut fields = text.rsplit_once(')')?.1.split_whitespace().skip(11);
        let mut ticks = || fields.next()?.parse::<u64>().ok();
        Some(Duration::from_millis(10 * (ticks()? + ticks()?)))
    }
}

/// Answers regions until nobody asks: what a program does that was started with [`ARGUMENT`].
pub fn serve() -> Result<i32, String> {
    let (mut input, mut output) = (std::io::stdin().lock(), std::io::stdout().lock());
    while let Some(stage) = read_text(&mut input) {
        let (Some(model), Some(original)) = (read_text(&mut input), read_text(&mut input)) else { break };
        let answer = match model.parse::<Region>() {
            Ok(region) => work(stage.parse().ok(), &region, &original),
            Err(error) => {
                Err((format!("the model is not understood: {error}"), "report this region as a defect".into()))
            }
        };
        let (word, first, second) = match &answer {
            Ok(replacement) => ("yes", &replacement.file_scope, &replacement.call),
            Err((reason, remedy)) => ("no", reason, remedy),
        };
        let written = [word, first, second].iter().try_for_each(|text| write_text(&mut output, text));
        if written.is_none() || output.flush().is_err() {
            break;
        }
    }
    Ok(0)
}

fn read_answer(from: &mut impl Read) -> Option<Answer> {
    let (word, first, second) = (read_text(from)?, read_text(from)?, read_text(from)?);
    Some(match word.as_str() {
        "yes" => Ok(Replacement { file_scope: first, call: second }),
        _ => Err((first, second)),
    })
}

/// A text with its length before it.
fn write_text(to: &mut impl Write, text: &str) -> Option<()> {
    to.write_all(&(text.len() as u64).to_le_bytes()).ok()?;
    to.write_all(text.as_bytes()).ok()
}

fn read_text(from: &mut impl Read) -> Option<String> {
    let mut length = [0; 8];
    from.read_exact(&mut length).ok()?;
    let mut bytes = Vec::new();
    let length = u64::from_le_bytes(length);
    from.take(length).read_to_end(&mut bytes).ok()?;
    if bytes.len() as u64 == length { String::from_utf8(bytes).ok() } else { None }
}
