//! Arrays that are kept on the processes, in process 0: which ones there are, and what happens when main touches them.

use std::collections::BTreeSet;
use std::fs;
use std::ops::{Deref, DerefMut};
use std::sync::atomic::{AtomicI32, Ordering};
use std::sync::{Arc, OnceLock};

use super::bystanders;
use super::call::{Turn, has_turn, no_job, turn, turn_at_once};
use super::call_arrays::CallArrays;
use super::closed_pages::ClosedPages;
use super::exchange::failed_elsewhere;
use super::guarded_pages::{self, ClosedMemory};
use super::kept::{Access, Extent, Touch};
use super::memory_ranges::{MappedFile, MemoryRange, MemoryRanges, not_dumped};
use super::served::{GivenArray, Keep};
use super::spans::Spans;
use crate::config::Config;
use crate::engine::{AcrossEvent, Call, RemoteScheduler, before_end, enter};
use crate::error::Error;
use crate::id::ProcessId;
use crate::memory::own_heap;
use crate::sync::lock::{Mutex, MutexGuard};
use crate::system;
use crate::system::signals::SignalSet;
use crate::wire::{AcrossBody, KEPT_SPANS, KeptEvent, ServedExtent};

/// Arrays of fewer pages are not kept: they fit a few messages.
const LEAST_PAGES: i64 = 4;

/// Most bytes that are brought at once.
const PIECE: i64 = 4 << 20;

/// The bytes that are opened where a tile touches a closed page.
const FOR_TILES: i64 = 64 << 10;

/// A kept array as process 0 knows it.
struct Guarded {
    extent: Extent,
    /// It is an array at file scope, which every process has at a place of its own.
    named: bool,
    window: (i64, i64),
    /// The files of whose mappings it has parts, if it may be unmapped.
    files: BTreeSet<MappedFile>,
    /// Of the ranges of pages that are watched.
    slot: usize,
    closed: ClosedPages,
    /// A region runs across that uses it.
    in_call: bool,
    /// It is kept until a loop of regions ends.
    in_loop: bool,
    /// Pages that tiles of process 0 have touched though they were closed to main.
    used: Spans,
    /// Pages whose memory was given back, and that nobody has touched since.
    given_back: Spans,
    /// Some of these that have [`mark`].
    marked: Vec<i64>,
}

/// Most pages of an extent that have a mark: each is looked at before a region.
const MARKS: usize = 2;

/// What stands in a closed page of which this process has no value. Memory that the program maps there later has other bytes;
/// what lies beside the marked pages is told by [`not_dumped`], which takes longer and is asked if something is missing.
fn mark(page: i64) -> [u8; 40] {
    let mut bytes = *b"libdvm: another process has this........";
    bytes[32..].copy_from_slice(&page.to_le_bytes());
    bytes
}

#[derive(Default)]
struct Store {
    all: Vec<Guarded>,
    made: u32,
    memory: Option<ClosedMemory>,
}

static STORE: Mutex<Store> = Mutex::new(Store { all: Vec::new(), made: 0, memory: None });

/// The thread that has the store; 0: none.
static HAS_STORE: AtomicI32 = AtomicI32::new(0);

/// The store, held.
struct Held(MutexGuard<'static, Store>);

impl Held {
    fn store() -> Held {
        let guard = STORE.lock();
        HAS_STORE.store(system::thread_number(), Ordering::Relaxed);
        Held(guard)
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        HAS_STORE.store(0, Ordering::Relaxed);
    }
}

impl Deref for Held {
    type Target = Store;
    fn deref(&self) -> &Store {
        &self.0
    }
}

impl DerefMut for Held {
    fn deref_mut(&mut self) -> &mut Store {
        &mut self.0
    }
}

/// Process 0 and the others, for requests about kept arrays. The calling thread has the turn.
struct Peers {
    job: Arc<dyn RemoteScheduler>,
    processes: u32,
}

impl Peers {
    fn of(call: &Call) -> Result<Peers, Error> {
        let job = call.job().ok_or_else(no_job)?;
        Ok(Peers { job: Arc::clone(&job.scheduler), processes: job.processes as u32 })
    }

    fn goes_by_mpi(&self) -> bool {
        self.job.across().goes_by_mpi()
    }

    /// Tells all what happens to an extent; gives the number of the call.
    fn tell(&self, extent: u32, event: KeptEvent, spans: &[(i64, i64)]) -> u32 {
        let number = self.job.across().next_call();
        let spans: Vec<(u64, u64)> = spans.iter().map(|(first, end)| (*first as u64, *end as u64)).collect();
        for to in 1..self.processes {
            let body = AcrossBody::Kept { extent, event, spans: spans.clone() };
            self.job.across().tell(number, ProcessId::from_index(to), body);
        }
        number
    }

    /// Waits for so many bytes of each of these processes.
    fn bytes(&self, number: u32, sources: &[(u32, usize)]) -> Result<Vec<Vec<u8>>, Error> {
        let mut all: Vec<Vec<u8>> = sources.iter().map(|_| Vec::new()).collect();
        while sources.iter().zip(&all).any(|((_, wanted), have)| have.len() < *wanted) {
            for event in self.job.across().wait_and_take(number) {
                match event {
                    AcrossEvent::Lost(error) => return Err(error),
                    AcrossEvent::Said(from, AcrossBody::Failed { code, text }) => {
                        return Err(failed_elsewhere(from, code, &text));
                    }
                    AcrossEvent::Said(from, AcrossBody::Entering { bytes, .. }) => {
                        let from = from.index() as u32;
                        if let Some(at) = sources.iter().position(|(source, _)| *source == from) {
                            all[at].extend_from_slice(&bytes);
                        }
                    }
                    AcrossEvent::Said(..) => {}
                }
            }
        }
        Ok(all)
    }
}

/// Spans in pieces of at most [`PIECE`] bytes and [`KEPT_SPANS`] spans.
fn pieces(spans: &Spans) -> Vec<Spans> {
    let short = spans.list().iter().flat_map(|&(first, end)| {
        (first..end).step_by(PIECE as usize).map(move |from| (from, (from + PIECE).min(end)))
    });
    let (mut all, mut piece, mut bytes) = (Vec::new(), Vec::new(), 0);
    for span in short {
        if piece.len() == KEPT_SPANS || bytes + span.1 - span.0 > PIECE {
            all.push(Spans::of(std::mem::take(&mut piece)));
            bytes = 0;
        }
        bytes += span.1 - span.0;
        piece.push(span);
    }
    if !piece.is_empty() {
        all.push(Spans::of(piece));
    }
    all
}

impl Store {
    /// Has process 0 get these places of an extent, whose pages stay closed to main meanwhile.
    fn bring(&mut self, peers: &Peers, at: usize, places: &Spans) -> Result<(), Error> {
        let id = self.all[at].extent.id;
        for piece in pieces(&places.common(&self.all[at].extent.elsewhere())) {
            let sources = self.all[at].extent.sources(0, &piece)?;
            let number = peers.tell(id, KeptEvent::Bring, piece.list());
            let wanted: Vec<(u32, usize)> = sources.iter().map(|(source, spans)| (*source, bytes(spans))).collect();
            let come = peers.bytes(number, &wanted)?;
            for ((_, spans), bytes) in sources.iter().zip(come) {
                self.fill(spans, &bytes)?;
            }
            self.all[at].extent.received(0, &piece);
        }
        Ok(())
    }

    fn fill(&mut self, spans: &Spans, mut bytes: &[u8]) -> Result<(), Error> {
        let failed = |why: std::io::Error| Error::state(format!("a kept array cannot be brought back: {why}"));
        if self.memory.is_none() {
            self.memory = Some(ClosedMemory::open().map_err(failed)?);
        }
        for (first, end) in spans.list() {
            let count = ((end - first) as usize).min(bytes.len());
            let (own, rest) = bytes.split_at(count);
            if let Some(memory) = &self.memory {
                memory.write(*first, own).map_err(failed)?;
            }
            bytes = rest;
        }
        Ok(())
    }

    /// Brings an extent back, and keeps it no longer.
    fn release(&mut self, peers: &Peers, at: usize) -> Result<(), Error> {
        let elsewhere = self.all[at].extent.elsewhere();
        self.bring(peers, at, &elsewhere)?;
        self.open(at)?;
        self.forget(peers, at);
        Ok(())
    }

    fn forget(&mut self, peers: &Peers, at: usize) {
        let gone = self.all.remove(at);
        guarded_pages::set_range(gone.slot, None);
        peers.tell(gone.extent.id, KeptEvent::Forget, &[]);
    }

    /// Lets everybody access all pages of an extent.
    fn open(&mut self, at: usize) -> Result<(), Error> {
        let guarded = &mut self.all[at];
        if let Some(pages) = guarded.extent.pages().filter(|_| !guarded.closed.is_empty()) {
            guarded_pages::allow(pages, None)?;
        }
        guarded.closed = ClosedPages::default();
        Ok(())
    }

    /// Lets the tiles of a call access the pages of an extent that those of earlier calls have accessed. Other pages are
    /// opened where they touch them.
    fn open_for_tiles(&mut self, at: usize) -> Result<(), Error> {
        let guarded = &mut self.all[at];
        guarded.given_back = guarded.given_back.without(&guarded.used);
        let open = guarded.closed.without(&guarded.used);
        guarded.closed.set(open)
    }

    /// Closes the pages of an extent that main may not access at once.
    fn close(&mut self, at: usize) -> Result<(), Error> {
        let guarded = &mut self.all[at];
        guarded_pages::set_range(guarded.slot, guarded.extent.pages());
        guarded.closed.set(ClosedPages::of(&guarded.extent.protection()))?;
        let empty = guarded.extent.empty_pages();
        empty.without(&guarded.given_back).list().iter().for_each(|pages| guarded_pages::discard(*pages));
        let given_back = std::mem::replace(&mut guarded.given_back, empty);
        self.mark(at, &given_back)
    }

    /// Marks some pages of an extent whose memory is given back; those that `untouched` holds may have their mark still.
    fn mark(&mut self, at: usize, untouched: &Spans) -> Result<(), Error> {
        let guarded = &self.all[at];
        let all = guarded.given_back.list();
        let places: Vec<i64> = all.iter().step_by(all.len().div_ceil(MARKS).max(1)).map(|pages| pages.0).collect();
        let is_new = |place: &i64| !(guarded.marked.contains(place) && untouched.contains(*place));
        for place in places.iter().copied().filter(is_new).collect::<Vec<_>>() {
            self.fill(&Spans::one(place, place + mark(place).len() as i64), &mark(place))?;
        }
        self.all[at].marked = places;
        Ok(())
    }

    /// Where memory of others lies now that was an extent's: a mark is not there.
    fn replaced(&self, at: usize, maps: &MemoryRanges) -> Spans {
        let guarded = &self.all[at];
        let is_other = |place: &&i64| {
            guarded.given_back.contains(**place)
                && self
                    .memory
                    .as_ref()
                    .and_then(|memory| memory.read(**place).ok())
                    .is_some_and(|found| found != mark(**place))
        };
        Spans::of(guarded.marked.iter().filter(is_other).filter_map(|place| maps.around(*place)).collect())
    }

    /// Gives up extents of whose memory the program has given some back since. What it still has is brought back.
    fn give_up_unmapped(&mut self, peers: &Peers) -> Result<(), Error> {
        let unnamed = || self.all.iter().filter(|guarded| !guarded.named);
        let asked: Vec<(i64, i64)> = unnamed().filter_map(|guarded| guarded.extent.pages()).collect();
        if asked.is_empty() {
            return Ok(());
        }
        let maps = MemoryRanges::over(&asked);
        let mut own = None;
        for at in (0..self.all.len()).rev() {
            let closed = self.all[at].closed.list();
            let still = |&(pages, access): &((i64, i64), Access)| {
                let rights = if access == Access::Nothing { *b"---p" } else { *b"r--p" };
                maps.with_rights(pages, rights, &self.all[at].files)
            };
            let replaced = self.replaced(at, &maps);
            let still: Vec<Spans> = closed.iter().map(still).map(|still| still.without(&replaced)).collect();
            let whole = closed.iter().zip(&still).all(|((pages, _), still)| *still == Spans::one(pages.0, pages.1))
                && self.all[at].has_open_pages(&maps);
            if self.all[at].named || whole {
                continue;
            }
            // Other memory may lie at the place of a part, with the same rights and beside the marks.
            let own = own.get_or_insert_with(not_dumped);
            for pages in &still {
                let pages = &own.as_ref().map_or_else(|| pages.clone(), |own| pages.common(own));
                self.bring(peers, at, pages)?;
                pages.list().iter().try_for_each(|pages| guarded_pages::allow(*pages, None))?;
            }
            self.forget(peers, at);
        }
        Ok(())
    }
}

impl Guarded {
    /// Whether the pages that main may use as it likes are still memory of its own: it may have unmapped those as well.
    fn has_open_pages(&self, maps: &MemoryRanges) -> bool {
        let Some((first, end)) = self.extent.pages() else { return true };
        let open = Spans::one(first, end).without(&self.closed.nothing).without(&self.closed.read);
        open.list().iter().all(|pages| maps.with_rights(*pages, *b"rw-p", &self.files) == Spans::one(pages.0, pages.1))
    }
}

fn bytes(spans: &Spans) -> usize {
    spans.list().iter().map(|(first, end)| (end - first) as usize).sum()
}

/// Why this program's arrays cannot be kept.
fn refusal(call: &Call) -> Option<&'static str> {
    /// Looked for once: the C library allocates a text when it finds nothing.
    static WATCHED: OnceLock<bool> = OnceLock::new();
    let names = [c"__asan_init", c"__tsan_init", c"__msan_init"];
    let watched = *WATCHED.get_or_init(|| names.iter().any(|name| system::symbol(name).is_some()));
    if call.engine().config().recover() {
        Some("DVM_RECOVER=1 keeps them in process 0")
    } else if watched {
        Some("a sanitizer watches the memory")
    } else {
        None
    }
}

/// Why nothing can be kept in this call.
fn hindrance() -> Option<&'static str> {
    if SignalSet::blocked().has(libc::SIGSEGV) {
        // A tile that touches a closed page would end the program.
        Some("the calling thread blocks SIGSEGV")
    } else if !bystanders::none() {
        Some("another thread of the program may use it meanwhile")
    } else {
        None
    }
}

/// The arrays of a call of process 0, and what those that serve are to know of them. Main does not run until
/// [`close`].
pub(super) fn open(
    call: &Call,
    _turn: &Turn,
    name: &str,
    arrays: &[GivenArray],
) -> Result<(CallArrays, Vec<Option<ServedExtent>>), Error> {
    let store = &mut *Held::store();
    let elements = || arrays.iter().map(|array| array.element);
    let mut told = vec![None; arrays.len()];
    if arrays.iter().all(|array| array.keep == Keep::No) && store.all.is_empty() {
        return Ok((CallArrays::plain(elements()), told));
    }
    let peers = Peers::of(call)?;
    store.give_up_unmapped(&peers)?;
    // While tiles run, pages are open to the whole process of which it has only some bytes.
    let hindrance = hindrance();
    if hindrance.is_some() {
        (0..store.all.len()).rev().try_for_each(|at| store.release(&peers, at))?;
    }
    if !store.all.is_empty() {
        // The program may have set a handler of its own since.
        guarded_pages::watch(touched)?;
    }
    let mut maps = None;
    let mut used: Vec<Option<u32>> = Vec::new();
    for array in arrays {
        used.push(store.extent_of((call, hindrance), &peers, name, array, &mut maps)?);
    }
    // One array may have had the extent of another one given up.
    for (array, used) in arrays.iter().zip(&mut used) {
        *used = used.filter(|id| store.all.iter().any(|guarded| guarded.extent.id == *id));
        if used.is_none() && store.overlapping(array).next().is_some() {
            *used = store.overlapping(array).next().map(|at| store.all[at].extent.id);
        }
    }
    let pair = |(first, end): (i64, i64)| (first as u64, end as u64);
    for ((array, id), told) in arrays.iter().zip(&used).zip(&mut told) {
        let Some(guarded) = id.and_then(|id| store.all.iter().find(|guarded| guarded.extent.id == id)) else {
            continue;
        };
        let (span, window) = (pair(guarded.extent.span), pair(guarded.window));
        *told = Some(ServedExtent {
            id: guarded.extent.id,
            keep: array.keep != Keep::No,
            base: array.base.addr() as u64,
            span,
            window,
        });
    }
    for at in 0..store.all.len() {
        if used.contains(&Some(store.all[at].extent.id)) {
            store.open_for_tiles(at)?;
            store.all[at].in_call = true;
            store.all[at].extent.begin();
        }
    }
    let extent = |id| store.all.iter().map(|guarded| &guarded.extent).find(|extent| extent.id == id).cloned();
    Ok((CallArrays::with_kept(elements(), &told, extent)?, told))
}

/// The call is over: with the extents as they are now, if the region has run.
pub(super) fn close(call: &Call, _turn: &Turn, after: Option<Vec<Extent>>) -> Result<(), Error> {
    let store = &mut *Held::store();
    store.all.iter_mut().for_each(|guarded| guarded.in_call = false);
    for extent in after.into_iter().flatten() {
        if let Some(guarded) = store.all.iter_mut().find(|guarded| guarded.extent.id == extent.id) {
            guarded.extent = extent;
        }
    }
    for at in (0..store.all.len()).rev() {
        if store.close(at).is_err() {
            store.release(&Peers::of(call)?, at)?;
        }
    }
    Ok(())
}

impl Store {
    /// Which extents the bytes of an array lie in.
    fn overlapping(&self, array: &GivenArray) -> impl Iterator<Item = usize> + '_ {
        let (first, end) = array.places();
        let all = self.all.iter().enumerate();
        all.filter(move |(_, guarded)| guarded.extent.span.0 < end && first < guarded.extent.span.1).map(|(at, _)| at)
    }

    /// The extent of an array, which grows to have all of it; maybe a new one. Extents that it lies across are given up.
    fn extent_of(
        &mut self,
        (call, hindrance): (&Call, Option<&'static str>),
        peers: &Peers,
        name: &str,
        array: &GivenArray,
        maps: &mut Option<MemoryRanges>,
    ) -> Result<Option<u32>, Error> {
        let (first, end) = array.places();
        if first >= end {
            return Ok(None);
        }
        let over: Vec<usize> = self.overlapping(array).collect();
        if let [at] = over[..] {
            let guarded = &self.all[at];
            let grown = (guarded.extent.span.0.min(first), guarded.extent.span.1.max(end));
            let others = self.all.iter().enumerate().filter(|(other, _)| *other != at);
            let alone = others.map(|(_, other)| other.extent.span).all(|span| span.0 >= grown.1 || grown.0 >= span.1);
            let fits = guarded.window.0 <= first && end <= guarded.window.1 && (guarded.named || !array.named);
            let new = Spans::one(grown.0, grown.1).without(&Spans::one(guarded.extent.span.0, guarded.extent.span.1));
            let writable = new.list().iter().all(|span| ordinary(peers, maps, *span));
            if alone && fits && writable {
                if grown != guarded.extent.span {
                    self.open(at)?;
                    let files = new.list().iter().flat_map(|span| maps.iter().flat_map(|maps| maps.files(*span)));
                    self.all[at].files.extend(files);
                    self.all[at].extent.grow(grown);
                }
                self.all[at].in_loop &= array.keep != Keep::Always;
                return Ok(Some(self.all[at].extent.id));
            }
        }
        for at in over.into_iter().rev() {
            self.release(peers, at)?;
            *maps = None;
        }
        if array.keep == Keep::No {
            return Ok(None);
        }
        let page = system::page() as i64;
        let why = refusal(call).or(hindrance).or_else(|| {
            if end - first < LEAST_PAGES * page {
                Some("it is small")
            } else if !ordinary(peers, maps, (first, end)) {
                Some("it lies on a stack, in memory that is shared or cannot be written, or beside an MPI in the heap")
            } else if guarded_pages::watch(touched).is_err() {
                Some("accesses of the program to it cannot be watched")
            } else if own_heap::turn_to().is_err() {
                Some("there are no addresses for a heap of libdvm's own")
            } else {
                None
            }
        });
        let used: Vec<usize> = self.all.iter().map(|guarded| guarded.slot).collect();
        let slot = (0..guarded_pages::MOST).find(|slot| !used.contains(slot));
        let (None, Some(slot)) = (why, slot) else {
            let why = why.unwrap_or("too many arrays are kept");
            call.engine()
                .config()
                .note(|| format!("region '{name}': an array of {} bytes is not kept: {why}", end - first));
            return Ok(None);
        };
        before_end(release_all);
        let around = (end - first).max(1 << 20);
        let down = |place: i64| place.div_euclid(page) * page;
        let window = (down((first - around).max(page)), down(end + around) + page);
        let id = self.made;
        self.made += 1;
        let extent = Extent::new(id, (first, end), peers.processes, page);
        self.all.push(Guarded {
            extent,
            named: array.named,
            window,
            files: maps.iter().flat_map(|maps| maps.files((first, end))).collect(),
            slot,
            closed: ClosedPages::default(),
            in_call: false,
            in_loop: array.keep == Keep::InLoop,
            used: Spans::default(),
            given_back: Spans::default(),
            marked: Vec::new(),
        });
        Ok(Some(id))
    }
}

/// Whether memory is the program's own, can be read and written, and is no stack of a thread. Beside an MPI
/// it is no part of the heap either: what the program frees there its library may be given, in the middle of a message.
fn ordinary(peers: &Peers, maps: &mut Option<MemoryRanges>, span: (i64, i64)) -> bool {
    let heap = !peers.goes_by_mpi();
    let maps = maps.get_or_insert_with(MemoryRanges::read);
    let here = 0_u8;
    let mut stacks = bystanders::other_stacks();
    stacks.push((&raw const here).addr() as i64);
    let is_stack = |map: &MemoryRange| stacks.iter().any(|place| (map.first..map.end).contains(place));
    maps.all(span, |map| map.rights == *b"rw-p" && (heap || !map.is_heap) && !is_stack(map))
}

/// Brings back everything that is kept: process 0 ends libdvm.
fn release_all(call: &Call) -> Result<(), Error> {
    release_those(call, |_| true)
}

/// Brings back what is kept until a loop of regions ends.
pub(super) fn end_loop(call: &Call) -> Result<(), Error> {
    release_those(call, |guarded| guarded.in_loop)
}

/// Whether something is kept until a loop of regions ends.
pub(super) fn keeps_for_loops() -> bool {
    Held::store().all.iter().any(|guarded| guarded.in_loop)
}

/// Brings back what process 0 is to have of these arrays: their region runs there.
///
/// # Errors
/// A process that has some of it is lost.
pub(crate) fn bring_back(call: &Call, arrays: &[GivenArray]) -> Result<(), Error> {
    let touch = |guarded: &Guarded| {
        let (first, end) = guarded.extent.span;
        arrays.iter().map(GivenArray::places).any(|places| first < places.1 && places.0 < end)
    };
    release_those(call, touch)
}

fn release_those(call: &Call, chosen: impl Fn(&Guarded) -> bool) -> Result<(), Error> {
    own_heap::give_back();
    let _turn = turn();
    let store = &mut *Held::store();
    if store.all.is_empty() {
        return Ok(());
    }
    let peers = Peers::of(call)?;
    store.give_up_unmapped(&peers)?;
    (0..store.all.len()).rev().try_for_each(|at| {
        let released = chosen(&store.all[at]);
        if released { store.release(&peers, at) } else { Ok(()) }
    })
}

/// A thread of the program touches a page that is not open to it. False: it must not go on.
fn touched(address: i64, thread: i32) -> bool {
    if HAS_STORE.load(Ordering::Relaxed) == thread {
        Config::warn("libdvm itself touches an array that is kept on several processes: this is a defect of libdvm");
        return false;
    }
    let turn = turn_at_once().or_else(|| if is_worker(thread) || has_turn(thread) { None } else { Some(turn()) });
    let told = if let Some(_turn) = turn {
        enter().and_then(|call| Held::store().allow(&call, address))
    } else {
        Held::store().allow_tile(address)
    };
    if let Err(why) = &told {
        Config::warn(&format!(
            "the program touches an array that is kept on several processes, which cannot be brought back: {}",
            why.message()
        ));
    }
    told.is_ok()
}

/// Whether this thread of the process is a worker of libdvm.
fn is_worker(thread: i32) -> bool {
    let name = fs::read_to_string(format!("/proc/self/task/{thread}/comm")).unwrap_or_default();
    name.strip_prefix("dvm-").is_some_and(|rest| rest.starts_with(|first: char| first.is_ascii_digit()))
}

impl Store {
    fn allow(&mut self, call: &Call, address: i64) -> Result<(), Error> {
        let peers = Peers::of(call)?;
        // What is brought around the place must not lie where nothing is any more.
        self.give_up_unmapped(&peers)?;
        let Some(at) = self.at(address) else { return Ok(()) };
        let pages = match self.all[at].extent.touched(address) {
            // Another thread has come first.
            None => return Ok(()),
            Some(Touch::Reads(pages)) => {
                self.bring(&peers, at, &pages)?;
                pages
            }
            Some(Touch::Writes(pages)) => {
                let guarded = &mut self.all[at];
                guarded.extent.main_wrote(&pages);
                peers.tell(guarded.extent.id, KeptEvent::Wrote, pages.list());
                pages
            }
        };
        let guarded = &mut self.all[at];
        guarded.given_back = guarded.given_back.without(&pages);
        guarded.closed.set(ClosedPages::of(&guarded.extent.protection()))
    }

    /// A thread that runs a call touches a page that is closed to main. Where the call uses the array, a tile does, and what it
    /// needs has come.
    ///
    /// # Errors
    /// The call does not use it.
    fn allow_tile(&mut self, address: i64) -> Result<(), Error> {
        let Some(at) = self.at(address) else { return Ok(()) };
        let guarded = &mut self.all[at];
        if !guarded.in_call {
            return Err(Error::state(
                "a task does, or the program's allocator, while a region runs that does not use it",
            ));
        }
        let around = guarded.extent.around(address, FOR_TILES);
        guarded.used = guarded.used.union(&around);
        guarded.given_back = guarded.given_back.without(&around);
        let open = guarded.closed.without(&around);
        guarded.closed.set(open)
    }

    /// The extent that has this address on a page of its own.
    fn at(&self, address: i64) -> Option<usize> {
        let inside =
            |guarded: &Guarded| guarded.extent.pages().is_some_and(|(first, end)| (first..end).contains(&address));
        self.all.iter().position(inside)
    }
}
