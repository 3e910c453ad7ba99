//! The regions that are known before main begins, and what this process is in its program.

use std::ffi::c_void;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicI32, AtomicU8, Ordering};

use rustc_hash::FxHasher;
use std::hash::{Hash, Hasher};

use super::functions::{Body, FlowRows};
use super::layout::Preference;
use super::plan::FlowEnds;
use super::window::StepBounds;
use crate::processing::image;
use crate::sync::lock::Mutex;

/// A flow of a region's table.
pub(crate) type FlowOfTable = (FlowEnds, FlowRows);

/// Sets the pointers of a region's context and at file scope to the bases of its arrays, or replaces a base by the address
/// of an array that is known by its name.
pub(crate) type PlaceArrays = unsafe extern "C" fn(context: *mut c_void, bases: *mut *mut c_void);

/// A number in a region's context.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ContextMember {
    /// Where it begins.
    pub(crate) at: usize,
    pub(crate) bytes: usize,
}

/// A region as the table in its program describes it.
pub(crate) struct KnownRegion {
    /// Where the table is.
    pub(crate) table: usize,
    pub(crate) name: String,
    pub(crate) preferences: Vec<Preference>,
    pub(crate) flows: Vec<FlowOfTable>,
    pub(crate) body: Body,
    pub(crate) arrays: usize,
    /// The bytes of the context.
    pub(crate) context: usize,
    /// The numbers in it.
    pub(crate) members: Vec<ContextMember>,
    /// Tells where the arrays are.
    pub(crate) places: PlaceArrays,
    /// What its text says of the window.
    pub(crate) bounds: Option<StepBounds>,
    /// Of a region without the clause `across`: where its program is told that processes serve.
    pub(crate) offered: Option<&'static AtomicI32>,
}

static KNOWN: Mutex<Vec<Arc<KnownRegion>>> = Mutex::new(Vec::new());

static UNSERVED: AtomicBool = AtomicBool::new(false);

/// Others have served this process.
static LED: AtomicBool = AtomicBool::new(false);

/// What this process is in its program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum ProgramPart {
    /// All processes run main, or there is one.
    Equal,
    /// It alone runs main; the others serve.
    Leads,
    /// It leads, and runs regions alone since one has failed on all.
    Alone,
    /// It serves, or has served and comes to dvm_init.
    Serves,
}

static PART: AtomicU8 = AtomicU8::new(ProgramPart::Equal as u8);

/// Makes a region known. All processes of a program make the same ones known in the same order before main.
pub(crate) fn add(region: KnownRegion) {
    KNOWN.lock().push(Arc::new(region));
}

/// The others serve this process from now on.
pub(super) fn note_led() {
    LED.store(true, Ordering::Relaxed);
}

/// Whether the others have served this process.
pub(super) fn has_led() -> bool {
    LED.load(Ordering::Relaxed)
}

/// There is a region that processes cannot serve.
pub(crate) fn add_unserved() {
    UNSERVED.store(true, Ordering::Relaxed);
}

/// Whether there is any region with the clause `across`.
pub(crate) fn any() -> bool {
    UNSERVED.load(Ordering::Relaxed) || KNOWN.lock().iter().any(|region| region.offered.is_none())
}

/// Whether there is any region without it that may run on all processes.
pub(crate) fn any_offered() -> bool {
    KNOWN.lock().iter().any(|region| region.offered.is_some())
}

/// Tells all such regions that processes serve.
pub(crate) fn offer() {
    KNOWN.lock().iter().filter_map(|region| region.offered).for_each(|offered| offered.store(1, Ordering::Relaxed));
}

/// Tells one that it cannot be served.
pub(super) fn withdraw(table: usize) {
    if let Some(offered) = by_table(table).and_then(|(_, region)| region.offered) {
        offered.store(0, Ordering::Relaxed);
    }
}

/// The region with this number.
pub(super) fn by_number(number: u32) -> Option<Arc<KnownRegion>> {
    KNOWN.lock().get(number as usize).cloned()
}

/// The region with this table, and its number.
pub(super) fn by_table(table: usize) -> Option<(u32, Arc<KnownRegion>)> {
    let known = KNOWN.lock();
    let at = known.iter().position(|region| region.table == table)?;
    Some((at as u32, Arc::clone(&known[at])))
}

pub(crate) fn part() -> ProgramPart {
    match PART.load(Ordering::Acquire) {
        part if part == ProgramPart::Leads as u8 => ProgramPart::Leads,
        part if part == ProgramPart::Alone as u8 => ProgramPart::Alone,
        part if part == ProgramPart::Serves as u8 => ProgramPart::Serves,
        _ => ProgramPart::Equal,
    }
}

pub(crate) fn set_part(part: ProgramPart) {
    PART.store(part as u8, Ordering::Release);
}

impl KnownRegion {
    /// A digest of the program and of what is known of the region: a process with another one must not serve it.
    pub(super) fn program(&self) -> u64 {
        let mut hasher = FxHasher::default();
        let build = image::program().1;
        build.as_deref().unwrap_or_default().hash(&mut hasher);
        (&self.name, self.flows.len(), self.preferences.len(), self.arrays, self.context).hash(&mut hasher);
        self.members.iter().for_each(|member| (member.at, member.bytes).hash(&mut hasher));
        hasher.finish()
    }
}
