//! Where the bytes of large data lie while other processes of this host are to read them there.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use super::middling_blocks;
use crate::memory::{MemorySource, NewMemory};
use crate::sync::lock::Mutex;

/// Data with more bytes lie there; smaller ones in the pool's blocks.
const LARGEST_ELSEWHERE: usize = middling_blocks::LARGEST;

static THERE: AtomicBool = AtomicBool::new(false);
static SOURCE: Mutex<Option<Arc<dyn MemorySource>>> = Mutex::new(None);

/// New data lie in memory of this source from now on; `None`: in memory of the C allocator.
pub(crate) fn share_memory(source: Option<Arc<dyn MemorySource>>) {
    let mut known = SOURCE.lock();
    THERE.store(source.is_some(), Ordering::Release);
    *known = source;
}

/// Such memory, if there is any.
#[inline]
pub(super) fn allocate(size: usize) -> Option<NewMemory> {
    if size <= LARGEST_ELSEWHERE || !THERE.load(Ordering::Acquire) {
        return None;
    }
    let source = SOURCE.lock().clone()?;
    source.allocate(size)
}
