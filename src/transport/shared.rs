//! Memory that other processes have mapped as well: words that anybody may change at any time, so atomics.
#![allow(unsafe_code, reason = "mapped files")]

use std::io;
use std::os::fd::{AsRawFd, OwnedFd};
use std::ptr::{self, NonNull};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::memory::KeptMemory;
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

    /// The distance of so many bytes at this address from the beginning, if they lie inside.
    pub(crate) fn offset_of(&self, memory: NonNull<[u8]>) -> Option<u64> {
        let offset = memory.cast::<u8>().addr().get().checked_sub(self.address.addr().get())?;
        self.part(offset as u64, memory.len())?;
        Some(offset as u64)
    }

    /// Gives memory back to the system, from the owner of these bytes: they are zero from then on. False: they stay.
    pub(crate) fn clear(&self, offset: u64, bytes: usize) -> bool {
        let Some(part) = self.part(offset, bytes).filter(|_| self.writable) else { return false };
        // SAFETY: whole pages inside the mapping. Who reads them sees words that change, as always here.
        unsafe { libc::madvise(part.as_ptr().cast(), bytes, libc::MADV_REMOVE) == 0 }
    }
}

/// Some bytes of a mapping, which they keep: for reading.
pub(crate) struct MappedPart {
    _mapping: Arc<Mapping>,
    memory: NonNull<[u8]>,
}

// SAFETY: an address inside the mapping, which any thread may read.
unsafe impl Send for MappedPart {}
// SAFETY: as above.
unsafe impl Sync for MappedPart {}

impl MappedPart {
    /// So many bytes from there on, if they lie inside.
    pub(crate) fn new(mapping: Arc<Mapping>, offset: u64, bytes: usize) -> Option<MappedPart> {
        let memory = mapping.part(offset, bytes)?;
        Some(MappedPart { _mapping: mapping, memory })
    }
}

// SAFETY: the mapping stays as long as the value, and its file cannot get shorter. Whether a peer leaves the bytes as they
// are is the peer's affair, as all that it sends.
unsafe impl KeptMemory for MappedPart {
    fn memory(&self) -> NonNull<[u8]> {
        self.memory
    }

    fn is_writable(&self) -> bool {
        false
    }
}

impl Drop for Mapping {
    fn drop(&mut self) {
        // SAFETY: mapped by `new`, and nobody has a reference into it any more.
        unsafe { libc::munmap(self.address.as_ptr().cast(), self.bytes) };
    }
}
