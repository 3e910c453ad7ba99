//! Limits of the work on one file. Counts decide first, so that every machine gives the same answer; the processor time
//! and memory of the working processes are the last resort.

use std::io::{Read, Result};
use std::process::{ChildStdin, Command, ExitStatus, Stdio};
use std::time::Duration;

/// Processor time for the analysis of a region. Not wall-clock time: a busy machine must not refuse what an idle one
/// accepts.
pub const REGION: Duration = Duration::from_secs(10);
/// Processor time for reading a file, and for work on a file without regions.
pub const FILE: Duration = Duration::from_secs(15);
/// Processor time for each region of a file, on average.
pub const SHARE: Duration = Duration::from_secs(5);
/// Processor seconds for clang's preprocessor.
pub const PREPROCESSOR: u64 = 4;
/// Processor seconds for clang's parser.
pub const PARSER: u64 = 7;
/// Address space, in KiB, of a process that works alone: 2 GB.
pub const MEMORY: u64 = 2 << 20;
/// Address space, in KiB, of each of the two processes that read a file together: clang and ours.
pub const READING: u64 = MEMORY / 2;

/// Stack, in KiB, that the program reserves for deep expressions, in addition to `READING`.
pub const STACK: u64 = 1 << 20;

/// Bytes of a file after the preprocessor.
pub const TEXT: usize = 64 << 20;
/// Bytes of clang's syntax tree.
pub const TREE: usize = 192 << 20;
/// Bytes kept of a compiler's messages.
pub const MESSAGES: usize = 1 << 20;
/// Bytes of a compiler's answer to a question about its settings.
pub const ANSWER: usize = 16 << 20;
/// Processor seconds for such an answer.
pub const QUESTION: u64 = 3;
/// Maximum number of regions in a file.
pub const REGIONS: usize = 1000;
/// Maximum number of syntax tree nodes in a region: about 1,000 lines.
pub const NODES: usize = 20_000;
/// Maximum nesting of syntax tree nodes in a region.
pub const DEPTH: usize = 500;
/// Maximum of syntax tree nodes, macros and words visited in a file with its headers; each region visits all of them.
pub const VISITS: usize = 50_000_000;

/// A command limited to `seconds` of processor time and `kibibytes` of memory. Tighter limits of the system stay.
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
    /// Exit status.
    pub status: ExitStatus,
    /// Standard output; `None` if it exceeds the limit.
    pub output: Option<Vec<u8>>,
    /// The first bytes of standard error.
    pub messages: Vec<u8>,
}

/// Runs a command until it ends or writes more than `bytes`; `feed` writes its standard input.
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

/// The whole output, if it has at most `most` bytes.
fn whole(mut output: impl Read, most: usize) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    output.by_ref().take(most as u64 + 1).read_to_end(&mut bytes).ok()?;
    (bytes.len() <= most).then_some(bytes)
}

/// Reads an output to its end and returns its first bytes.
fn first(mut output: impl Read) -> Vec<u8> {
    let mut bytes = Vec::new();
    let _ = output.by_ref().take(MESSAGES as u64).read_to_end(&mut bytes);
    let _ = std::io::copy(&mut output, &mut std::io::sink());
    bytes
}
