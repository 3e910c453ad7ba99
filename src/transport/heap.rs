//! Memory in files that peers map for reading: data that lie here are used where they lie. A heap grows by segments,
//! each a file of its own; a segment takes memory only where it was written.
#![allow(unsafe_code, reason = "vouches for the memory that it hands out")]

use std::io;
use std::os::fd::OwnedFd;
use std::ptr::NonNull;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use super::contract::RemoteAddress;
use super::extents::{Extents, Ranges};
use super::shared::Mapping;
use crate::memory::KeptMemory;
use crate::sync::lock::Mutex;
use crate::system::descriptors;

/// The bytes of the first segment; each further one has twice as many, up to `LARGEST`, or as many as are asked for.
const FIRST: u64 = 64 << 20;
const LARGEST: u64 = 1 << 30;

/// The most segments: more of a peer's count as nonsense.
pub(super) const MOST_SEGMENTS: usize = 1 << 16;

/// Blocks are whole pages: what one block's owner writes is never in a page of another one's.
pub(crate) const PAGE: u64 = 4096;

/// Memory that is free goes back to the system from so many bytes on, as from the C allocator.
const GIVEN_BACK: u64 = 32 << 20;

struct Segment {
    /// As peers get it: for reading.
    file: OwnedFd,
    mapping: Arc<Mapping>,
    free: Extents,
    /// What has never been written, or was given back to the system since.
    zero: Ranges,
    /// The bytes of its blocks.
    used: u64,
}

/// A process's memory that its peers can map.
pub(crate) struct Heap {
    segments: Mutex<Vec<Segment>>,
    /// Blocks that are dropped stay as they are.
    keeps_all: AtomicBool,
}

/// A block of a heap: its owner's until it is dropped.
pub(crate) struct HeapBlock {
    heap: Arc<Heap>,
    mapping: Arc<Mapping>,
    segment: usize,
    offset: u64,
    room: u64,
    bytes: usize,
    is_zero: bool,
}

/// A segment as its peers are told of it.
pub(crate) struct Announcement {
    pub file: OwnedFd,
    pub bytes: u64,
    /// Where it lies in the process that has it.
    pub base: u64,
}

impl Segment {
    fn new(room: u64, before: usize) -> io::Result<Segment> {
        let usual = FIRST << before.min(10);
        let bytes = usual.min(LARGEST).max(room);
        let (file, mapping) = Mapping::create(usize::try_from(bytes).map_err(io::Error::other)?)?;
        // Without /proc the file is sealed instead, after which the system takes no memory back.
        let file = descriptors::for_reading(&file).unwrap_or_else(|_| {
            descriptors::forbid_writing(&file);
            file
        });
        let (free, zero) = (Extents::new(bytes), Ranges::new(bytes));
        Ok(Segment { file, mapping: Arc::new(mapping), free, zero, used: 0 })
    }

    /// Takes a block; where it begins, and whether it is zero.
    fn take(&mut self, room: u64) -> Option<(u64, bool)> {
        let offset = self.free.take(room)?;
        self.used += room;
        Some((offset, self.zero.remove(offset, offset + room)))
    }

    fn give(&mut self, offset: u64, room: u64) {
        self.free.give(offset, room);
        self.used -= room;
        if room >= GIVEN_BACK {
            self.clear(offset, room);
        } else if self.used == 0 && self.mapping.bytes() as u64 - self.zero.bytes() >= GIVEN_BACK {
            self.clear(0, self.mapping.bytes() as u64);
        }
    }

    fn clear(&mut self, offset: u64, room: u64) {
        if self.mapping.clear(offset, room as usize) {
            self.zero.add(offset, offset + room);
        }
    }
}

impl Heap {
    pub(crate) fn new() -> Heap {
        Heap { segments: Mutex::new(Vec::new()), keeps_all: AtomicBool::new(false) }
    }

    /// A block of so many bytes; `None` when there is no memory.
    pub(crate) fn allocate(self: &Arc<Heap>, bytes: usize) -> Option<HeapBlock> {
        let room = (bytes.max(1) as u64).checked_next_multiple_of(PAGE)?;
        let mut segments = self.segments.lock();
        let found = segments.iter_mut().enumerate().find_map(|(at, segment)| Some((at, segment.take(room)?)));
        let (segment, (offset, is_zero)) = if let Some(found) = found {
            found
        } else if segments.len() < MOST_SEGMENTS {
            let segment = Segment::new(room, segments.len()).ok()?;
            segments.push(segment);
            (segments.len() - 1, segments.last_mut()?.take(room)?)
        } else {
            return None;
        };
        let mapping = Arc::clone(&segments[segment].mapping);
        Some(HeapBlock { heap: Arc::clone(self), mapping, segment, offset, room, bytes, is_zero })
    }

    /// Where this memory lies, if it is in a block.
    pub(crate) fn find(&self, memory: NonNull<[u8]>) -> Option<RemoteAddress> {
        let segments = self.segments.lock();
        segments.iter().enumerate().find_map(|(segment, known)| {
            let offset = known.mapping.offset_of(memory)?;
            Some(RemoteAddress::Heap { segment: segment as u32, offset })
        })
    }

    /// What peers may read stays as it is from now on.
    pub(crate) fn keep_all(&self) {
        self.keeps_all.store(true, Ordering::Relaxed);
    }

    pub(crate) fn segments(&self) -> usize {
        self.segments.lock().len()
    }

    /// What peers are told of the segment with this number.
    pub(crate) fn announcement(&self, number: usize) -> io::Result<Option<Announcement>> {
        let segments = self.segments.lock();
        let Some(segment) = segments.get(number) else { return Ok(None) };
        let base = segment.mapping.part(0, 0).map_or(0, |part| part.as_ptr().addr() as u64);
        Ok(Some(Announcement { file: segment.file.try_clone()?, bytes: segment.mapping.bytes() as u64, base }))
    }
}

impl HeapBlock {
    /// Whether its bytes are zero until somebody writes.
    pub(crate) fn is_zero(&self) -> bool {
        self.is_zero
    }
}

// SAFETY: a part of the segment's mapping, which the block keeps; the heap gives it to one block at a time.
unsafe impl KeptMemory for HeapBlock {
    fn memory(&self) -> NonNull<[u8]> {
        self.mapping.part(self.offset, self.bytes).expect("a block lies in its segment")
    }

    fn is_writable(&self) -> bool {
        true
    }
}

impl Drop for HeapBlock {
    fn drop(&mut self) {
        if !self.heap.keeps_all.load(Ordering::Relaxed) {
            self.heap.segments.lock()[self.segment].give(self.offset, self.room);
        }
    }
}

/// The bytes of kept memory, which nobody else writes.
#[cfg(test)]
pub(super) fn bytes(kept: &mut dyn KeptMemory) -> &mut [u8] {
    // SAFETY: the tests write what is writable only.
    unsafe { kept.memory().as_mut() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_are_reused_and_large_ones_get_a_segment() {
        let heap = Arc::new(Heap::new());
        let first = heap.allocate(100_000).unwrap();
        let place = heap.find(first.memory());
        drop(first);
        let second = heap.allocate(100_000).unwrap();
        assert_eq!(heap.find(second.memory()), place);
        assert_eq!(second.memory().len(), 100_000);
        let large = heap.allocate(100 << 20).unwrap();
        assert_eq!(heap.find(large.memory()), Some(RemoteAddress::Heap { segment: 1, offset: 0 }));
        assert_eq!(heap.find(NonNull::from(&[0_u8; 8][..])), None);
        assert_eq!(heap.segments(), 2);
        let told = heap.announcement(1).unwrap().unwrap();
        assert_eq!(told.base, large.memory().cast::<u8>().as_ptr().addr() as u64);
        let seen = Mapping::new(&told.file, told.bytes as usize, false).unwrap();
        assert!(Mapping::new(&told.file, told.bytes as usize, true).is_err(), "peers only read");
        assert_eq!(seen.load(0), 0);
        assert!(heap.allocate(usize::MAX).is_none());
    }

    #[test]
    fn blocks_that_are_said_to_be_zero_are() {
        let heap = Arc::new(Heap::new());
        let mut random = testkit::Random::new(7);
        let mut blocks: Vec<HeapBlock> = Vec::new();
        let (mut zero, mut others) = (0, 0);
        for _ in 0..400 {
            if random.chance(50) && !blocks.is_empty() {
                drop(blocks.swap_remove(random.below(blocks.len())));
                continue;
            }
            let size = if random.chance(10) { GIVEN_BACK as usize } else { 70_000 + random.below(1 << 20) };
            let mut block = heap.allocate(size).unwrap();
            if block.is_zero() {
                zero += 1;
                assert!(bytes(&mut block).iter().all(|byte| *byte == 0));
            } else {
                others += 1;
            }
            let last = size - 1;
            let written = bytes(&mut block);
            (written[0], written[last]) = (1, 1);
            blocks.push(block);
        }
        assert!(zero > 20 && others > 20, "{zero} {others}");
        let heap = Arc::new(Heap::new());
        let mut blocks: Vec<HeapBlock> = (0..50).map(|_| heap.allocate(1 << 20).unwrap()).collect();
        for block in &mut blocks {
            bytes(block).fill(1);
        }
        drop(blocks);
        let mut again = heap.allocate(FIRST as usize).unwrap();
        assert!(again.is_zero(), "an empty segment gives its memory back");
        assert!(heap.segments() == 1 && bytes(&mut again).iter().all(|byte| *byte == 0));
    }

    #[test]
    fn what_is_to_be_kept_is_not_used_again() {
        let heap = Arc::new(Heap::new());
        let first = heap.allocate(100_000).unwrap();
        let place = heap.find(first.memory());
        heap.keep_all();
        drop(first);
        assert_ne!(heap.find(heap.allocate(100_000).unwrap().memory()), place);
    }
}
