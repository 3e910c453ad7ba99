//! What is typed at a terminal, for process 0: its group is not the terminal's, so that it cannot read there itself.
//! Any other input it simply has.

use std::io::{ErrorKind, IsTerminal, Read, Write, stdin};
use std::os::fd::{AsRawFd, RawFd};
use std::process::ChildStdin;

use crate::system;

/// From the terminal to a pipe.
pub struct StdinRelay {
    into: ChildStdin,
    /// What was read and not written.
    held: Vec<u8>,
}

impl StdinRelay {
    /// Whether one is needed.
    pub fn is_needed() -> bool {
        stdin().is_terminal()
    }

    pub fn new(into: ChildStdin) -> StdinRelay {
        system::set_nonblocking(into.as_raw_fd());
        StdinRelay { into, held: Vec::new() }
    }

    /// What to wait for, and whether that is to write.
    pub fn watched(&self) -> Option<(RawFd, bool)> {
        if !self.held.is_empty() {
            return Some((self.into.as_raw_fd(), true));
        }
        let terminal = stdin().as_raw_fd();
        system::has_terminal(terminal).then_some((terminal, false))
    }

    /// Goes on. False: nothing comes any more, or nobody reads it.
    pub fn pass_on(&mut self) -> bool {
        if self.held.is_empty() {
            let mut bytes = [0; 4096];
            // By the descriptor: the standard library's buffer would hide bytes from `poll`.
            match std::fs::File::open("/dev/stdin").and_then(|mut terminal| terminal.read(&mut bytes)) {
                Ok(0) => return false,
                Ok(read) => self.held.extend_from_slice(&bytes[..read]),
                Err(error) => return error.kind() == ErrorKind::Interrupted,
            }
        }
        match self.into.write(&self.held) {
            Ok(written) => drop(self.held.drain(..written)),
            Err(error) => return [ErrorKind::WouldBlock, ErrorKind::Interrupted].contains(&error.kind()),
        }
        true
    }
}
