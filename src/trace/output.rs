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
    file: Mutex<Opened>,
}

/// How far the file is.
#[derive(Debug)]
enum Opened {
    /// It is made when it is needed.
    NotYet,
    Open(File),
    /// It was written for the last time, or is somebody else's.
    Done,
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
        let output = Output { variable, what, path: path.to_owned(), file: Mutex::new(Opened::NotYet) };
        let file = output.create()?;
        *output.file.lock() = Opened::Open(file);
        Ok(output)
    }

    /// The file of one process of several, beside that of process 0. It is opened only when it is written.
    pub(super) fn beside(variable: &'static str, what: &'static str, path: &Path, process: u32) -> Output {
        let mut path = path.as_os_str().to_owned();
        path.push(format!(".{process}"));
        Output::unopened(variable, what, path.into())
    }

    /// A file that is opened only when it is written.
    pub(super) fn unopened(variable: &'static str, what: &'static str, path: PathBuf) -> Output {
        Output { variable, what, path, file: Mutex::new(Opened::NotYet) }
    }

    fn create(&self) -> Result<File, Error> {
        File::create(&self.path).map_err(|why| self.unwritable(&why))
    }

    /// Gives the file away, empty: nothing is written here any more.
    pub(super) fn take(&self) -> Result<Option<File>, Error> {
        let file = match std::mem::replace(&mut *self.file.lock(), Opened::Done) {
            Opened::NotYet => self.create()?,
            Opened::Open(file) => file,
            Opened::Done => return Ok(None),
        };
        empty(&file).map_err(|why| self.unwritable(&why))?;
        Ok(Some(file))
    }

    /// What the file would hold is in another one: nothing is written here any more, and what was written goes.
    pub(super) fn give_up(&self) {
        if let Opened::Open(_) = std::mem::replace(&mut *self.file.lock(), Opened::Done) {
            let _ = std::fs::remove_file(&self.path);
        }
    }

    /// Has the file written, unless that was done at the end. The lock is held meanwhile: who comes second comes after.
    pub(super) fn write(
        &self,
        moment: Moment,
        write: impl FnOnce(&mut BufWriter<&File>) -> std::io::Result<()>,
    ) -> Result<(), Error> {
        let mut kept = self.file.lock();
        if matches!(*kept, Opened::NotYet) {
            *kept = Opened::Open(self.create()?);
        }
        let Opened::Open(file) = &*kept else { return Ok(()) };
        let again = is_file(file);
        if !again && moment == Moment::Meanwhile {
            return Ok(());
        }
        let mut out = BufWriter::new(file);
        let written = empty(file).and_then(|()| write(&mut out)).and_then(|()| out.flush());
        drop(out);
        if !again || moment == Moment::End {
            *kept = Opened::Done;
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

fn is_file(file: &File) -> bool {
    file.metadata().is_ok_and(|about| about.is_file())
}

/// Empties what can be written anew.
fn empty(mut file: &File) -> std::io::Result<()> {
    if is_file(file) { file.rewind().and_then(|()| file.set_len(0)) } else { Ok(()) }
}
