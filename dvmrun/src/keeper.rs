//! The keeper: a process of dvmrun's own that ends what the job has started when dvmrun is killed and cannot. The
//! processes themselves die with dvmrun; what they have started would not.

use std::fs::File;
use std::io::{self, Read, Write};
use std::os::fd::OwnedFd;
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Stdio};

use crate::system;

/// How dvmrun calls itself for this.
pub const ARGUMENT: &str = "--keep-job";

/// The keeper as dvmrun sees it. It ends with it.
pub struct Keeper {
    /// The numbers of processes that lead groups, each as four bytes; 0: there is nothing to be ended any more.
    input: File,
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
        Ok(Keeper { input: OwnedFd::from(input).into(), process })
    }

    /// What a new process writes its number to before it begins its program: nothing runs that is not kept.
    ///
    /// # Errors
    /// The system's.
    pub fn register(&self) -> io::Result<File> {
        self.input.try_clone()
    }

    /// There is nothing to be ended any more.
    pub fn dismiss(mut self) {
        let _ = self.input.write_all(&0_u32.to_le_bytes());
        drop(self.input);
        let _ = self.process.wait();
    }
}

/// What the keeper does: reads until the end, which comes with dvmrun's, and then ends what it was not dismissed from.
pub fn keep() {
    let mut leaders = Vec::new();
    let mut number = [0; 4];
    while io::stdin().lock().read_exact(&mut number).is_ok() {
        match u32::from_le_bytes(number) {
            0 => return,
            leader => leaders.push(leader),
        }
    }
    for leader in leaders {
        system::signal_group(leader, libc::SIGKILL);
    }
}
