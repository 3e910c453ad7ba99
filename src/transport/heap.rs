//! Memory in files that peers map for reading: data that lie here are used where they lie. A heap grows by segments,
//! each a file of its own; a segment takes memory only where it was written.

use std::io;
use std::os::fd::OwnedFd;
use std::ptr::NonNull;
use std::sync::Arc;

use super::contract::{RemoteAddress, SharedBlock};
use super::extents::Extents;
use super::shared::Mapping;
use crate::sync::lock::Mutex;

/// The bytes of the first segment; each further one has twice as many, up to `LARGEST`, or as many as are asked for.
const FIRST: u64 = 64 << 20;
const LARGEST: u64 = 1 << 30;

/// Blocks are whole pages: what one block's owner writes is never in a page of another one's.
const PAGE: u64 = 4096;

struct Segment {
    file: OwnedFd,
    mapping: Arc<Mapping>,
    free: Extents,
}

/// A process's memory that its peers can map.
pub(crate) struct Heap(Mutex<Vec<Segment>>);

/// A block of a heap: its owner's until it is dropped.
pub(crate) struct HeapBlock {
    heap: Arc<Heap>,
    mapping: Arc<Mapping>,
    segment: u32,
    offset: u64,
    room: u64,
    bytes: usize,
}

/// A segment as its peers are told of it.
pub(crate) struct Announcement {
    pub file: OwnedFd,
    pub bytes: u64,
    /// Where it lies in the process that has it.
    pub base: u64,
}

impl Heap {
    pub(crate) fn new() -> Heap {
        Heap(Mutex::new(Vec::new()))
    }

    /// A block of so many bytes, which are zero or old; `None` when there is no memory.
    pub(crate) fn allocate(self: &Arc<Heap>, bytes: usize) -> Option<HeapBlock> {
        let room = (bytes.max(1) as u64).checked_next_multiple_of(PAGE)?;
        let mut segments = self.0.lock();
        let found = segments.iter_mut().enumerate().find_map(|(at, segment)| Some((at, segment.free.take(room)?)));
        let (at, offset) = if let Some(found) = found {
            found
        } else {
            let segment = Heap::segment(room, segments.len()).ok()?;
            segments.push(segment);
            (segments.len() - 1, segments.last_mut()?.free.take(room)?)
        };
        let mapping = Arc::clone(&segments[at].mapping);
        Some(HeapBlock { heap: Arc::clone(self), mapping, segment: u32::try_from(at).ok()?, offset, room, bytes })
    }

    fn segment(room: u64, before: usize) -> io::Result<Segment> {
        let usual = FIRST << before.min(10);
        let bytes = usual.min(LARGEST).max(room);
        let (file, mapping) = Mapping::create(usize::try_from(bytes).map_err(io::Error::other)?)?;
        crate::system::descriptors::forbid_writing(&file);
        Ok(Segment { file, mapping: Arc::new(mapping), free: Extents::new(bytes) })
    }

    pub(crate) fn segments(&self) -> usize {
        self.0.lock().len()
    }

    /// What peers are told of the segment with this number.
    pub(crate) fn announcement(&self, number: usize) -> io::Result<Option<Announcement>> {
        let segments = self.0.lock();
        let Some(segment) = segments.get(number) else { return Ok(None) };
        let base = segment.mapping.part(0, 0).map_or(0, |part| part.as_ptr().addr() as u64);
        Ok(Some(Announcement { file: segment.file.try_clone()?, bytes: segment.mapping.bytes() as u64, base }))
    }
}

impl SharedBlock for HeapBlock {
    fn address(&self) -> RemoteAddress {
        RemoteAddress::Heap { segment: self.segment, offset: self.offset }
    }

    fn memory(&self) -> NonNull<[u8]> {
        self.mapping.part(self.offset, self.bytes).expect("a block lies in its segment")
    }
}

impl Drop for HeapBlock {
    fn drop(&mut self) {
        self.heap.0.lock()[self.segment as usize].free.give(self.offset, self.room);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_are_reused_and_large_ones_get_a_segment() {
        let heap = Arc::new(Heap::new());
        let first = heap.allocate(100_000).unwrap();
        let place = first.address();
        drop(first);
        let second = heap.allocate(100_000).unwrap();
        assert_eq!(second.address(), place);
        assert_eq!(second.memory().len(), 100_000);
        let large = heap.allocate(100 << 20).unwrap();
        assert_eq!(large.address(), RemoteAddress::Heap { segment: 1, offset: 0 });
        assert_eq!(heap.segments(), 2);
        let told = heap.announcement(1).unwrap().unwrap();
        assert_eq!(told.base, large.memory().cast::<u8>().as_ptr().addr() as u64);
        let seen = Mapping::new(&told.file, told.bytes as usize, false).unwrap();
        assert!(Mapping::new(&told.file, told.bytes as usize, true).is_err(), "peers only read");
        assert_eq!(seen.load(0), 0);
        assert!(heap.allocate(usize::MAX).is_none());
    }
}
