//! What one file may take. Counts decide first, so that the answer is the same on every machine; processor time and
//! memory of the processes that do the work are the last resort.

use std::io::{Read, Result};
use std::process::{ChildStdin, Command, ExitStatus, Stdio};
use std::time::Duration;

/// Processor time for the analysis of a region. Not time by the clock, so that a busy machine refuses nothing that an
/// idle one accepts.
pub const REGION: Duration = Duration::from_secs(10);
/// Processor time for a file: reading it, and all its regions.
pub const FILE: Duration = Duration::from_secs(15);
/// Processor seconds for clang's preprocessor.
pub const PREPROCESSOR: u64 = 4;
/// Processor seconds for clang's parser.
pub const PARSER: u64 = 7;
/// Address space of a process that works alone, in KiB: 2 GB.
pub const MEMORY: u64 = 2 << 20;
/// The same for each of the two processes that read a file together, clang and ours.
pub const READING: u64 = MEMORY / 2;

/// KiB of the stack that the program reserves for deep expressions, beside that.
pub const STACK: u64 = 1 << 20;

/// Bytes of a file after the preprocessor.
pub const TEXT: usize = 64 << 20;
/// Bytes of clang's syntax tree.
pub const TREE: usize = 192 << 20;
/// Bytes that are kept of a compiler's messages.
pub const MESSAGES: usize = 1 << 20;
/// Bytes of a compiler's answer to a question.
pub const ANSWER: usize = 16 << 20;
/// Processor seconds for such an answer.
pub const QUESTION: u64 = 3;
/// Regions of a file.
pub const REGIONS: usize = 1000;
/// Nodes of the syntax tree in a region: about 1,000 lines.
pub const NODES: usize = 20_000;
/// Nodes of the syntax tree inside each other, in a region.
pub const DEPTH: usize = 500;
/// Nodes of the syntax tree, macros and words of a file with its headers that its regions look at: each looks at all.
pub const VISITS: usize = 50_000_000;

/// A command that the system ends after some seconds of processor time, and denies memory beyond some KiB. Where the
/// system has tighter limits, they stay.
pub fn held(program: &str, seconds: u64, kibibytes: u64) -> Command {
    let script = format!(
        "ulimit -c 0 2>/dev/null; ulimit -v {kibibytes} 2>/dev/null; ulimit -t {seconds} 2>/dev/null; exec \"$0\" \"$@\""
    );
    let mut command = Command::new("/bin/sh");
    command.args(["-c", &script]).arg(program);
    command
}

/// What a command wrote.
pub struct Written {
    /// How it ended.
    pub status: ExitStatus,
    /// Its standard output; nothing when there was more of it than is allowed.
    pub output: Option<Vec<u8>>,
    /// The first bytes of its messages.
    pub messages: Vec<u8>,
}

/// Runs a command until it ends or has written more than some bytes; `feed` gives it its standard input.
pub fn run(command: &mut Command, bytes: usize, feed: impl FnOnce(Option<ChildStdin>) + Send) -> Result<Written> {
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn()?;
    let (input, output, errors) = (child.stdin.take(), child.stdout.take(), child.stderr.take());
    let (output, messages) = std::thread::scope(|scope| {
        scope.spawn(move || feed(input));
        let messages = scope.spawn(move || errors.map(first).unwrap_or_default());
        let output = output.and_then(|output| whole(output, bytes));
        if output.is_none() {
            let _ = child.kill();
        }
        (output, messages.join().unwrap_or_default())
    });
    Ok(Written { status: child.wait()?, output, messages })
}

/// All of an output that has no more than some bytes.
fn whole(mut output: impl Read, most: usize) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    output.by_ref().take(most as u64 + 1).read_to_end(&mut bytes).ok()?;
    (bytes.len() <= most).then_some(bytes)
}

/// The first bytes of an output that is read to its end.
fn first(mut output: impl Read) -> Vec<u8> {
    let mut bytes = Vec::new();
    let _ = output.by_ref().take(MESSAGES as u64).read_to_end(&mut bytes);
    let _ = std::io::copy(&mut output, &mut std::io::sink());
    bytes
}
