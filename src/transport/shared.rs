//! Memory that other processes have mapped as well: words that anybody may change at any time, so atomics.
#![allow(unsafe_code, reason = "mapped files")]

use std::io;
use std::os::fd::{AsRawFd, OwnedFd};
use std::ptr::{self, NonNull};
use std::sync::atomic::{AtomicU64, Ordering};

use crate::system::descriptors;

/// A memory file, mapped until this value is dropped.
#[derive(Debug)]
pub(crate) struct Mapping {
    address: NonNull<u8>,
    bytes: usize,
    writable: bool,
}

// SAFETY: the mapping belongs to the value; its words are atomics.
unsafe impl Send for Mapping {}
// SAFETY: as above.
unsafe impl Sync for Mapping {}

impl Mapping {
    /// Maps all of a file that has so many bytes and cannot get shorter.
    pub(crate) fn new(file: &OwnedFd, bytes: usize, writable: bool) -> io::Result<Mapping> {
        if bytes == 0 || !descriptors::is_memory_file(file, bytes as u64) {
            return Err(io::Error::new(
                io::ErrorKind::InvalidData,
                "not a sealed memory file of the length that was told",
            ));
        }
        let protection = libc::PROT_READ | if writable { libc::PROT_WRITE } else { 0 };
        // SAFETY: a new mapping at an address of the kernel's choice.
        let address = unsafe { libc::mmap(ptr::null_mut(), bytes, protection, libc::MAP_SHARED, file.as_raw_fd(), 0) };
        match NonNull::new(address.cast()) {
            Some(address) if address.as_ptr() != libc::MAP_FAILED.cast() => Ok(Mapping { address, bytes, writable }),
            _ => Err(io::Error::last_os_error()),
        }
    }

    /// A new file of so many bytes, mapped for writing.
    pub(crate) fn create(bytes: usize) -> io::Result<(OwnedFd, Mapping)> {
        let file = descriptors::memory_file(bytes as u64)?;
        let mapping = Mapping::new(&file, bytes, true)?;
        Ok((file, mapping))
    }

    /// All words of a mapping for writing.
    pub(crate) fn words(&self) -> &[AtomicU64] {
        assert!(self.writable, "who has the words may store to them");
        self.any_words()
    }

    /// One word of any mapping, as it is now.
    pub(crate) fn load(&self, word: usize) -> u64 {
        self.any_words()[word].load(Ordering::Relaxed)
    }

    fn any_words(&self) -> &[AtomicU64] {
        // SAFETY: the mapping has so many words while the value lives: the file cannot get shorter. Every bit pattern is
        // a word; other processes change them as atomics do, by whole words, or break their own rules, not the memory.
        unsafe { std::slice::from_raw_parts(self.address.as_ptr().cast(), self.bytes / 8) }
    }

    /// The address of so many bytes from there on, if they lie inside.
    pub(crate) fn part(&self, offset: u64, bytes: usize) -> Option<NonNull<[u8]>> {
        let from = usize::try_from(offset).ok()?;
        let inside = from.checked_add(bytes).is_some_and(|end| end <= self.bytes);
        let address = NonNull::new(self.address.as_ptr().wrapping_add(from))?;
        inside.then(|| NonNull::slice_from_raw_parts(address, bytes))
    }

    pub(crate) fn bytes(&self) -> usize {
        self.bytes
    }
}

impl Drop for Mapping {
    fn drop(&mut self) {
        // SAFETY: mapped by `new`, and nobody has a reference into it any more.
        unsafe { libc::munmap(self.address.as_ptr().cast(), self.bytes) };
    }
}
