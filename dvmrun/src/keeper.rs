//! The keeper: a process of dvmrun's own that ends what the job has started when dvmrun is killed and cannot. The
//! processes themselves die with dvmrun; what they have started would not.

use std::io::{self, BufRead, Write};
use std::os::unix::process::CommandExt;
use std::process::{Child, ChildStdin, Command, Stdio};

use crate::system;

/// How dvmrun calls itself for this.
pub const ARGUMENT: &str = "--keep-job";

/// The keeper as dvmrun sees it. It ends with it.
pub struct Keeper {
    input: ChildStdin,
    process: Child,
}

impl Keeper {
    /// Starts it, out of the reach of the terminal's signals.
    ///
    /// # Errors
    /// The system's.
    pub fn start() -> io::Result<Keeper> {
        let mut command = Command::new("/proc/self/exe");
        command.arg(ARGUMENT).stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null()).process_group(0);
        let mut process = command.spawn()?;
        let input = process.stdin.take().expect("a pipe was asked for");
        Ok(Keeper { input, process })
    }

    /// Puts the leader of a group into its care.
    ///
    /// # Errors
    /// The keeper is gone.
    pub fn add(&mut self, leader: u32) -> io::Result<()> {
        writeln!(self.input, "{leader}")
    }

    /// There is nothing to be ended any more.
    pub fn dismiss(mut self) {
        let _ = writeln!(self.input, "over");
        drop(self.input);
        let _ = self.process.wait();
    }
}

/// What the keeper does: reads until the end, which comes with dvmrun's, and then ends what it was not dismissed from.
pub fn keep() {
    let mut leaders = Vec::new();
    for line in io::stdin().lock().lines().map_while(Result::ok) {
        match line.parse() {
            Ok(leader) => leaders.push(leader),
            Err(_) => return,
        }
    }
    for leader in leaders {
        system::signal_group(leader, libc::SIGKILL);
    }
}
