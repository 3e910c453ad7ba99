//! The files that a trace is written to: opened at the start, so that a bad path is told then, and written once or,
//! while the run goes on, anew.

use std::fs::File;
use std::io::{BufWriter, Seek as _, Write};
use std::path::{Path, PathBuf};

use crate::error::{Error, dvm_retcode_t};
use crate::sync::lock::Mutex;

/// A file that is written at the end.
#[derive(Debug)]
pub(super) struct Output {
    /// The variable that asked for it, and what it holds, for messages.
    variable: &'static str,
    what: &'static str,
    path: PathBuf,
    /// `None` once it was written for the last time.
    file: Mutex<Option<File>>,
}

/// When a file is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Moment {
    /// In between: the run goes on.
    Meanwhile,
    /// The process is about to end, but may not.
    Death,
    /// At the end of the run: nothing is written any more.
    End,
}

impl Output {
    pub(super) fn open(variable: &'static str, what: &'static str, path: &Path) -> Result<Output, Error> {
        let output = Output { variable, what, path: path.to_owned(), file: Mutex::new(None) };
        let file = File::create(path).map_err(|why| output.unwritable(&why))?;
        *output.file.lock() = Some(file);
        Ok(output)
    }

    /// Has the file written, unless that was done at the end. The lock is held meanwhile: who comes second comes after.
    pub(super) fn write(
        &self,
        moment: Moment,
        write: impl FnOnce(&mut BufWriter<&File>) -> std::io::Result<()>,
    ) -> Result<(), Error> {
        let mut kept = self.file.lock();
        let Some(mut file) = kept.as_ref() else { return Ok(()) };
        let again = file.metadata().is_ok_and(|about| about.is_file());
        if !again && moment == Moment::Meanwhile {
            return Ok(());
        }
        let anew = if again { file.rewind().and_then(|()| file.set_len(0)) } else { Ok(()) };
        let mut out = BufWriter::new(file);
        let written = anew.and_then(|()| write(&mut out)).and_then(|()| out.flush());
        drop(out);
        if !again || moment == Moment::End {
            *kept = None;
        }
        written.map_err(|why| self.unwritable(&why))
    }

    pub(super) fn unwritable(&self, why: &std::io::Error) -> Error {
        let message = format!(
            "cannot write the {} to \"{}\": {why}: set the environment variable {} to a file that can be written",
            self.what,
            self.path.display(),
            self.variable
        );
        Error::new(dvm_retcode_t::DVM_ERR_ARGUMENT, message)
    }
}
