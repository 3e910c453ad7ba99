//! Output whose lines begin with the index of their process.

use std::io::{ErrorKind, Read, Write};
use std::os::fd::{AsRawFd, RawFd};

/// Longer lines are cut, so that a process that writes none does not fill the memory.
const LONGEST: usize = 1 << 16;

/// One stream of one process.
pub struct Labelled {
    label: String,
    from: Box<dyn Source>,
    is_error: bool,
    /// A line without its end.
    begun: Vec<u8>,
}

/// A pipe.
pub trait Source: Read + AsRawFd {}
impl<S: Read + AsRawFd> Source for S {}

impl Labelled {
    pub fn new(process: usize, from: impl Source + 'static, is_error: bool) -> Labelled {
        Labelled { label: format!("[{process}] "), from: Box::new(from), is_error, begun: Vec::new() }
    }

    pub fn descriptor(&self) -> RawFd {
        self.from.as_raw_fd()
    }

    /// Passes on what is there. False: nothing comes any more, or nobody reads it.
    pub fn pass_on(&mut self) -> bool {
        let mut bytes = [0; 4096];
        match self.from.read(&mut bytes) {
            Ok(0) => {
                self.end();
                false
            }
            Ok(read) => {
                let mut text = Vec::new();
                for line in bytes[..read].split_inclusive(|&byte| byte == b'\n') {
                    self.begun.extend_from_slice(line);
                    if self.begun.ends_with(b"\n") || self.begun.len() > LONGEST {
                        text.extend(self.line());
                    }
                }
                self.write(&text)
            }
            Err(error) => error.kind() == ErrorKind::Interrupted,
        }
    }

    /// A line with its label and its end.
    fn line(&mut self) -> Vec<u8> {
        let mut line = self.label.clone().into_bytes();
        line.append(&mut self.begun);
        if line.last() != Some(&b'\n') {
            line.push(b'\n');
        }
        line
    }

    /// Writes the line that has no end.
    pub fn end(&mut self) {
        if !self.begun.is_empty() {
            let line = self.line();
            self.write(&line);
        }
    }

    fn write(&self, text: &[u8]) -> bool {
        fn all(mut into: impl Write, text: &[u8]) -> bool {
            into.write_all(text).and_then(|()| into.flush()).is_ok()
        }
        if self.is_error { all(std::io::stderr(), text) } else { all(std::io::stdout(), text) }
    }
}
