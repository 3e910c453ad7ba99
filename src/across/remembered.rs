//! Calls of regions that all processes have run, as each of them remembers them: an equal one needs no meeting, and what is
//! equal in it is not computed again. Process 0 decides whether a call is an old one; who has forgotten it makes its part anew.

use std::collections::VecDeque;
use std::sync::Arc;

use super::call_arrays::{CallArrays, EntryRows};
use super::kept::Extent;
use super::plan::{DealtGraphs, Graph};
use crate::wire::{ServedArray, ServedCall};

/// Most regions with their arrays; a time loop has a few.
const MOST_REGIONS: usize = 32;

/// Most calls of each: by values, and by where kept arrays are.
const MOST_PARTS: usize = 4;

/// Most graphs and rows of a part: more of them take more memory than it is worth.
const MOST_OF_PART: usize = 1 << 14;

/// What a process has to do in a call.
pub(super) struct CallPart {
    pub(super) dealt: Arc<DealtGraphs>,
    /// As its tiles find them.
    pub(super) arrays: CallArrays,
    pub(super) entry: EntryRows,
    /// The kept memory after it.
    pub(super) after: Vec<Extent>,
}

/// What decides about a part, and the part.
struct RememberedPart {
    digest: u64,
    values: Vec<u8>,
    sizes: Vec<i64>,
    before: CallArrays,
    part: Arc<CallPart>,
}

/// A region with its arrays.
struct RememberedRegion<S> {
    region: u32,
    program: u64,
    arrays: Vec<ServedArray>,
    served: Option<S>,
    parts: VecDeque<RememberedPart>,
}

/// The last calls. `S`: what the process has made for a region.
pub(super) struct RememberedCalls<S>(VecDeque<RememberedRegion<S>>);

impl<S> Default for RememberedCalls<S> {
    fn default() -> Self {
        Self::new()
    }
}

impl<S> RememberedCalls<S> {
    pub(super) const fn new() -> Self {
        RememberedCalls(VecDeque::new())
    }

    fn region(&self, call: &ServedCall<Vec<u8>>) -> Option<usize> {
        let same = |known: &RememberedRegion<S>| {
            (known.region, known.program) == (call.region, call.program) && known.arrays == call.arrays
        };
        self.0.iter().position(same)
    }

    /// Whether all processes have run the region with these arrays.
    pub(super) fn has(&self, call: &ServedCall<Vec<u8>>) -> bool {
        self.region(call).is_some()
    }

    /// What this process had to do in an equal call.
    pub(super) fn part(&self, call: &ServedCall<Vec<u8>>, sizes: &[i64], before: &CallArrays) -> Option<Arc<CallPart>> {
        let same = |known: &&RememberedPart| {
            known.digest == call.digest
                && known.values == call.values
                && known.sizes == sizes
                && known.before == *before
        };
        let known = self.0[self.region(call)?].parts.iter().find(same)?;
        Some(Arc::clone(&known.part))
    }

    /// What the process has made for the region with these arrays.
    pub(super) fn take_served(&mut self, call: &ServedCall<Vec<u8>>) -> Option<S> {
        let at = self.region(call)?;
        self.0[at].served.take()
    }

    /// All processes have run a call.
    pub(super) fn add(
        &mut self,
        call: ServedCall<Vec<u8>>,
        sizes: Vec<i64>,
        before: CallArrays,
        part: Arc<CallPart>,
        served: Option<S>,
    ) {
        let at = self.region(&call);
        let ServedCall { region, program, digest, values, arrays, .. } = call;
        let old = at.and_then(|at| self.0.remove(at));
        let mut known =
            old.unwrap_or(RememberedRegion { region, program, arrays, served: None, parts: VecDeque::new() });
        known.served = served;
        let is_new = !known.parts.iter().any(|known| Arc::ptr_eq(&known.part, &part));
        if is_new && part.size() <= MOST_OF_PART {
            known.parts.truncate(MOST_PARTS - 1);
            known.parts.push_front(RememberedPart { digest, values, sizes, before, part });
        }
        self.0.truncate(MOST_REGIONS - 1);
        self.0.push_front(known);
    }
}

impl CallPart {
    /// Graphs, rows and spans.
    fn size(&self) -> usize {
        let rows = self.entry.sends.iter().chain(&self.entry.waits).map(|(_, rows)| rows.list().len());
        let spans = self.after.iter().chain(&self.arrays.extents).map(Extent::spans);
        self.dealt.graphs.iter().map(Graph::size).chain(rows).chain(spans).sum()
    }
}
