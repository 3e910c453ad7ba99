//! Copies of shared objects in memory files: made of what is loaded here, or of pieces that have come.
//!
//! A copy that has come is sealed, so that it stays what was checked; nothing of it is loaded before that.

use std::fs::File;
use std::os::fd::AsRawFd;
use std::os::unix::fs::FileExt;
use std::path::Path;

use sha2::{Digest, Sha256};

use super::build_id::{BuildId, FileDigest, Short, holds};
use super::elf::{ElfBytes, ElfMachine, ElfObject};
use super::loaded::{PROGRAM, with_objects};
use super::segments::CodeSegment;
use crate::protocol::shipping::{MOST_CODE_BYTES, ObjectBytes};
use crate::system::descriptors::{executable_memory_file, seal};
use crate::wire::DIGEST_BYTES;

/// So much is read at a time.
const PART: usize = 1 << 18;

/// A copy of a shared object.
#[derive(Debug)]
pub(crate) struct CodeCopy {
    file: File,
    bytes: u64,
    /// Why a piece could not be kept.
    defect: Option<String>,
}

impl ElfBytes for File {
    fn read(&self, at: u64, into: &mut [u8]) -> bool {
        self.read_exact_at(into, at).is_ok()
    }
}

impl CodeCopy {
    /// A copy of so many bytes, of which none has come.
    pub(crate) fn new(bytes: u64) -> Result<CodeCopy, String> {
        let file = executable_memory_file().and_then(|file| {
            let file = File::from(file);
            file.set_len(bytes).map(|()| file)
        });
        let file = file.map_err(|error| format!("there is no memory for a copy of it: {error}"))?;
        Ok(CodeCopy { file, bytes, defect: None })
    }

    /// Keeps what has come.
    pub(crate) fn write(&mut self, at: u64, bytes: &[u8]) {
        if let Err(error) = self.file.write_all_at(bytes, at) {
            self.defect.get_or_insert_with(|| format!("there is no memory for a copy of it: {error}"));
        }
    }

    /// A part of it.
    pub(crate) fn part(&self, at: u64, bytes: u64) -> std::io::Result<Vec<u8>> {
        let mut part = vec![0; bytes as usize];
        self.file.read_exact_at(&mut part, at)?;
        Ok(part)
    }

    /// Its SHA-256, and what it would be called without a build-id of its own.
    fn digests(&self) -> std::io::Result<([u8; DIGEST_BYTES], BuildId)> {
        let (mut digest, mut name, mut at) = (Sha256::new(), FileDigest::new(), 0);
        let mut part = vec![0; PART];
        while at < self.bytes {
            let length = (self.bytes - at).min(PART as u64) as usize;
            self.file.read_exact_at(&mut part[..length], at)?;
            digest.update(&part[..length]);
            name.add(&part[..length]);
            at += length as u64;
        }
        Ok((digest.finalize().into(), name.build_id()))
    }

    /// Checks that it is what was announced under this build-id: a shared object for this machine. It stays so.
    ///
    /// # Errors
    /// What is wrong with it.
    pub(crate) fn check(&self, name: &[u8], bytes: ObjectBytes) -> Result<(), String> {
        if let Some(defect) = &self.defect {
            return Err(defect.clone());
        }
        let unreadable = |error: std::io::Error| format!("its copy cannot be read: {error}");
        seal(&self.file).map_err(|error| format!("its copy cannot be sealed: {error}"))?;
        let (digest, of_file) = self.digests().map_err(unreadable)?;
        if digest != bytes.digest {
            let [told, found] = [bytes.digest, digest].map(|digest| Short(&digest).to_string());
            return Err(format!("its SHA-256 is {found}..., and {told}... was announced"));
        }
        self.is_object(name, of_file).map(drop)
    }

    /// What it says of itself, if it is the object of this name.
    fn is_object(&self, name: &[u8], of_file: BuildId) -> Result<ElfObject, String> {
        let own = File::open(PROGRAM).ok().and_then(|program| ElfMachine::of(&program));
        let own = own.ok_or("this process cannot read what machine it runs on")?;
        let object = ElfObject::read(&self.file, own)?;
        let found = if BuildId::is_of_file(name) { Some(of_file) } else { object.build_id };
        if found.is_none_or(|found| *found != *name) {
            let found = found.map_or("none".to_owned(), |id| Short(&id).to_string());
            return Err(format!("its build-id is {found}..., and {}... was announced", Short(name)));
        }
        Ok(object)
    }

    /// The objects that it needs, if it can be read.
    pub(crate) fn needed(&self) -> Vec<String> {
        let own = ElfMachine::of(&self.file);
        own.and_then(|own| ElfObject::read(&self.file, own).ok()).map_or_else(Vec::new, |object| object.needed)
    }

    /// A copy of the object of this name that is loaded here, if its file is what was loaded.
    ///
    /// # Errors
    /// Why there is none.
    pub(crate) fn of_loaded(name: &[u8]) -> Result<(CodeCopy, ObjectBytes), String> {
        let Some((path, code)) = loaded(name) else { return Err("it is not loaded there any more".into()) };
        let unreadable = |error: std::io::Error| format!("its file cannot be read there: {error}");
        let file = File::open(&path).map_err(unreadable)?;
        let total = file.metadata().map_err(unreadable)?.len();
        if total == 0 || total > MOST_CODE_BYTES {
            return Err(format!("it has {total} bytes, and at most {MOST_CODE_BYTES} are shipped"));
        }
        let mut copy = CodeCopy::new(total)?;
        let mut part = vec![0; PART];
        for at in (0..total).step_by(PART) {
            let length = (total - at).min(PART as u64) as usize;
            file.read_exact_at(&mut part[..length], at).map_err(unreadable)?;
            copy.write(at, &part[..length]);
        }
        if let Some(defect) = copy.defect {
            return Err(defect);
        }
        let _ = seal(&copy.file);
        let (digest, of_file) = copy.digests().map_err(unreadable)?;
        copy.is_object(name, of_file).map_err(|why| format!("its file was exchanged there: {why}"))?;
        // A build-id that somebody has given may be that of two builds.
        if holds(&copy.file, &code) != Some(true) {
            return Err("its file was exchanged there after it was loaded".into());
        }
        Ok((copy, ObjectBytes { total, digest }))
    }

    /// Its place among the files of the process, which no other file has as long as it is open.
    pub(crate) fn path(&self) -> String {
        format!("/proc/self/fd/{}", self.file.as_raw_fd())
    }

    /// Puts a copy of it into a folder of this user's, under its own name: debuggers find it there.
    ///
    /// # Errors
    /// Why that cannot be.
    pub(crate) fn put_into(&self, folder: &Path, name: &str) -> std::io::Result<std::path::PathBuf> {
        use std::os::unix::fs::{DirBuilderExt, MetadataExt};
        std::fs::DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
        let found = std::fs::metadata(folder)?;
        if found.uid() != crate::system::descriptors::user() || found.mode() & 0o022 != 0 {
            return Err(std::io::Error::other("others can write there"));
        }
        let place = folder.join(name);
        let new = folder.join(format!(".{name}.{}", std::process::id()));
        let mut from = File::open(self.path())?;
        std::io::copy(&mut from, &mut File::create(&new)?)?;
        let linked = std::fs::hard_link(&new, &place);
        std::fs::remove_file(&new)?;
        match linked {
            Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {
                if !self.is_equal(&File::open(&place)?)? {
                    return Err(std::io::Error::other(format!("another file is {}", place.display())));
                }
            }
            other => other?,
        }
        Ok(place)
    }

    /// Whether a file has the same bytes.
    fn is_equal(&self, file: &File) -> std::io::Result<bool> {
        if file.metadata()?.len() != self.bytes {
            return Ok(false);
        }
        for at in (0..self.bytes).step_by(PART) {
            let length = (self.bytes - at).min(PART as u64);
            let mut part = vec![0; length as usize];
            file.read_exact_at(&mut part, at)?;
            if part != self.part(at, length)? {
                return Ok(false);
            }
        }
        Ok(true)
    }
}

/// The file of a shared object that is loaded here, and a part of its code.
fn loaded(name: &[u8]) -> Option<(String, CodeSegment)> {
    with_objects(|objects| {
        let found = objects.iter_mut().filter(|object| !object.program && object.may_be(name));
        for object in found {
            if object.build_id().is_some_and(|own| *own == *name) {
                return Some((object.path.clone(), object.code.first()?.clone()));
            }
        }
        None
    })
}
