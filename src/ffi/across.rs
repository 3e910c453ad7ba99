//! Regions of generated code that run on all processes of a job.
//!
//! # For every function
//! Thread safety: any thread that is no worker; the calls of one process run one after the other.

use std::ffi::{c_char, c_int, c_void};
use std::sync::atomic::AtomicI32;
use std::time::Instant;

use super::argument::{BeginsWithSize, Extended, extended};
use super::graph::{dimension, dvm_graph_t, read};
use super::guard::{guarded, running};
use super::region::{Shared, dvm_region_t};
use super::{Arg, dvm_retcode_t};
use crate::across::{
    self, AcrossCall, AfterServing, ArrayAt, EntryLoad, FlowEnds, Functions, GraphOfPhase, Keep, KnownRegion,
    Preference, ProgramPart, RegionFacts, StepBounds,
};
use crate::config::Config;
use crate::engine::{self, Call};
use crate::error::Error;
use crate::explain;
use crate::processing::image;
use crate::remote;
use crate::system::signals::WithoutHandlers;

/// What the function of a flow calls for each row of elements.
///
/// @param[in] visitor  as given to the function
/// @param[in] array    the array's number in the region
/// @param[in] first    the first element, counted from the array's first one
/// @param[in] count    how many elements follow each other
#[allow(non_camel_case_types)]
pub type dvm_across_visit_t = Option<unsafe extern "C" fn(visitor: *mut c_void, array: c_int, first: i64, count: i64)>;

/// A flow between the instances of a region: elements that one phase writes and another one reads. A box of instances has
/// the values of the phase's host loops and the coordinates of its band, from `first` up to, and without, `end`.
#[allow(non_camel_case_types)]
#[repr(C)]
pub struct dvm_across_flow_t {
    /// The phase that writes; -1: what was there before the region.
    pub from: c_int,
    /// The phase that reads; -1: what comes after the region.
    pub to: c_int,
    /// Visits the rows that instances of the first box write and instances of the second box read (after the region: all
    /// that the first box leaves behind; before it: all that the second box finds there).
    pub rows: Option<
        unsafe extern "C" fn(
            context: *mut c_void,
            from_first: *const i64,
            from_end: *const i64,
            to_first: *const i64,
            to_end: *const i64,
            visit: dvm_across_visit_t,
            visitor: *mut c_void,
        ),
    >,
}

/// The tiles of a phase are no box: blocks of them may be different amounts of work.
pub const DVM_ACROSS_NO_BOX: c_int = 1;

/// Values go from a tile to near ones only, along the first coordinate that tiles are dealt out along.
pub const DVM_ACROSS_NEAR: c_int = 2;

/// How the tiles of a phase are best dealt out.
#[allow(non_camel_case_types)]
#[repr(C)]
pub struct dvm_across_phase_t {
    /// The number of coordinates in `places`.
    pub places_count: c_int,
    /// Coordinates of the band, the best to deal along first.
    pub places: *const c_int,
    /// DVM_ACROSS_NO_BOX, DVM_ACROSS_NEAR, or both.
    pub flags: c_int,
}

/// The program's text names the array itself, at file scope, not a pointer to it.
pub const DVM_ACROSS_NAMED: c_int = 1;

/// Where process 0 alone runs main, the array may stay on the processes after the region, until main touches it.
pub const DVM_ACROSS_KEEP: c_int = 2;

/// The same until the loop of regions ends that this thread runs (dvm_across_loop), unless DVM_KEEP=0.
pub const DVM_ACROSS_KEEP_IN_LOOP: c_int = 4;

/// An array of a region.
#[allow(non_camel_case_types)]
#[repr(C)]
pub struct dvm_across_array_t {
    /// Its first element.
    pub base: *mut c_void,
    /// The bytes of an element.
    pub element: usize,
    /// The first byte that the region touches, counted from the base.
    pub begin: i64,
    /// One beyond the last one.
    pub end: i64,
    /// Any of DVM_ACROSS_NAMED, DVM_ACROSS_KEEP and DVM_ACROSS_KEEP_IN_LOOP, or 0.
    pub named: c_int,
}

/// A number in a region's context.
#[allow(non_camel_case_types)]
#[repr(C)]
pub struct dvm_across_member_t {
    /// Where it begins.
    pub at: usize,
    /// Its bytes.
    pub bytes: usize,
}

/// A region that can run on several processes: constant, in static memory.
#[allow(non_camel_case_types)]
#[repr(C)]
pub struct dvm_across_t {
    /// `sizeof(dvm_across_t)`: later versions append fields.
    pub size: usize,
    /// Name for messages.
    pub name: *const c_char,
    /// The numbers of flows, phases and arrays.
    pub flows_count: c_int,
    /// See `flows_count`.
    pub phases_count: c_int,
    /// See `flows_count`.
    pub arrays_count: c_int,
    /// The flows.
    pub flows: *const dvm_across_flow_t,
    /// The phases.
    pub phases: *const dvm_across_phase_t,
    /// Runs the loops around the region's graphs, and gives each of them to dvm_across_sizes and dvm_across_graph, with
    /// the same `call`. It is called twice, and runs equal graphs both times; the first time only to learn them.
    pub body: Option<unsafe extern "C" fn(context: *mut c_void, call: *mut c_void) -> c_int>,
    /// The bytes of the context; with what follows only for regions that processes can serve, else 0.
    pub context: usize,
    /// The number of entries in `members`.
    pub members_count: c_int,
    /// The numbers in the context: all that it needs but pointers to arrays.
    pub members: *const dvm_across_member_t,
    /// In a process that serves: has the context's pointers, and those at file scope, lead to these bases, one for each
    /// array; instead, writes into the list where an array is that is named.
    pub places: Option<unsafe extern "C" fn(context: *mut c_void, bases: *mut *mut c_void)>,
    /// How many steps a tile runs ahead of the processes that it sends to; 0: DVM_REGION_STEPS.
    pub buffers: c_int,
    /// How many steps a message leaves before its reader's, less than `buffers`; -1: at once.
    pub ahead: c_int,
    /// Of a region without the clause `across`, which runs on all processes only where that pays: libdvm writes 1 there when
    /// processes serve, and 0 if they cannot serve it. NULL: the region has the clause.
    pub offered: *mut c_int,
    /// Of such a region: about the number of iterations.
    pub work: Option<unsafe extern "C" fn(context: *const c_void) -> i64>,
    /// Of such a region: the record of what is learnt of it.
    pub record: *mut dvm_region_t,
}

// SAFETY: the first field is a `usize`.
#[allow(unsafe_code)]
unsafe impl BeginsWithSize for dvm_across_t {}
// SAFETY: pointers, numbers and functions that may be NULL.
#[allow(unsafe_code)]
unsafe impl Extended for dvm_across_t {}

/// The bytes of earlier versions of `dvm_across_t`, which end before `buffers` and before `offered`.
const SIZES: [usize; 3] = [
    std::mem::offset_of!(dvm_across_t, buffers),
    std::mem::offset_of!(dvm_across_t, offered),
    size_of::<dvm_across_t>(),
];

/// @brief Tell whether regions with the clause `across` run on several processes: in a job of several, unless DVM_ACROSS=0.
///
/// @param[out] across  1 if they do, else 0. 2: they do, this process alone runs main, and DVM_RECOVER=1 has it outlive the
///                     others: the caller keeps what the region overwrites, and runs it again if dvm_across_run fails
/// @retval DVM_SUCCESS       across is written
/// @retval DVM_ERR_ARGUMENT  across is NULL
///
/// Thread safety: any thread, any time; before dvm_init the answer is 0. Source: added to the report's interface.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn dvm_across_begins(across: Arg<*mut c_int>) -> dvm_retcode_t {
    guarded("dvm_across_begins", || {
        let place = across.result("across")?;
        let call = engine::enter().ok().filter(|call| across::is_across(call) || across::foretells(call));
        let outlives = |call: &Call| across::part() == ProgramPart::Leads && call.engine().config().recover();
        place.write(call.map_or(0, |call| 1 + c_int::from(outlives(&call))));
        Ok(())
    })
}

/// @brief Run a region on all processes of the job. All processes call it together, with equal arrays and parameters.
///
/// Each process runs the tiles that are dealt out to it. What they write and tiles of others read is sent to these, and
/// at the end everything that the region leaves behind is in the arrays of all processes.
///
/// @param[in]  region   the region
/// @param[in]  context  the first argument of its functions
/// @param[in]  arrays   its arrays, as many as the region says
/// @param[in]  digest   a digest of all parameters: if the processes give different ones, nothing runs
/// @param[in]  willing  zero: this process cannot run the region as tiles; then nothing runs, in no process
/// @param[out] ran      1: the region has run. 0: nothing has run, in no process; a region without the clause (`offered`) runs
///                      only where that pays
/// @retval DVM_SUCCESS              ran is written
/// @retval DVM_ERR_ARGUMENT         region, its functions, arrays or ran is NULL, or its size is not that of this version
/// @retval DVM_ERR_TASK             a tile failed, here or elsewhere: the arrays are half done
/// @retval DVM_ERR_PEER_LOST        a process is lost: the arrays are half done
/// @retval DVM_ERR_STATE            the process is in no job of several, or the processes do not run equal graphs
/// @retval DVM_ERR_IN_TASK          called inside a task or a tile
/// @retval DVM_ERR_NOT_INITIALIZED  libdvm is not running
///
/// Source: added to the report's interface.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn dvm_across_run(
    region: Arg<*const dvm_across_t>,
    context: Arg<*mut c_void>,
    arrays: Arg<*const dvm_across_array_t>,
    digest: u64,
    willing: c_int,
    ran: Arg<*mut c_int>,
) -> dvm_retcode_t {
    guarded("dvm_across_run", || {
        // From the first region that keeps arrays, until nothing of libdvm is in use; at later ones handlers wait already.
        let _quiet = keeps(&region, &arrays).then(WithoutHandlers::begin);
        let call = &engine::enter()?;
        outside_tasks(call)?;
        let table = region.address().addr();
        let place = ran.result("ran")?;
        let said = read_region(&region)?;
        let Table { name, preferences, flows, body, arrays: count, bounds } = Table::read(&said)?;
        let arrays = arrays.list(count, "arrays")?;
        let given = |array: &dvm_across_array_t| across::GivenArray {
            base: array.base,
            element: array.element,
            touched: (array.begin, array.end),
            named: array.named & DVM_ACROSS_NAMED != 0,
            keep: keep(call, array),
        };
        let served: Vec<_> = arrays.iter().map(given).collect();
        let foretells = across::foretells(call);
        let offered = match if foretells { None } else { offer(call, &said, &context)? } {
            Some((mut load, alone)) => {
                load.bytes = arrays.iter().map(|array| (array.end - array.begin).max(0).unsigned_abs()).sum();
                if willing == 0 || !across::goes_across(call, table, &name, load, alone) {
                    across::bring_back(call, &served)?;
                    place.write(0);
                    return Ok(());
                }
                Some((load, Instant::now()))
            }
            None => None,
        };
        let at = |array: &dvm_across_array_t| ArrayAt { base: array.base.cast(), element: array.element, fixed: false };
        let arrays = arrays.iter().map(at).collect();
        let context = context.pointer();
        // SAFETY: the documentation of `dvm_across_t` demands functions for this context and these arrays that any worker
        // may call, until this call returns.
        let functions = unsafe { Functions::new(context, body, flows, arrays) };
        let facts = RegionFacts { name: &name, preferences, digest, willing: willing != 0, bounds };
        let has_run = if foretells {
            across::foretell(call, facts, functions)
        } else if across::part() == ProgramPart::Leads {
            // SAFETY: the documentation demands a context of this region.
            unsafe { across::lead(call, facts, functions, (table, context, &served)) }
        } else {
            across::run(call, facts, functions)
        };
        let has_run = has_run?;
        if let Some((load, begun)) = offered {
            across::went_across(table, load, has_run.then(|| begun.elapsed()));
        }
        place.write(c_int::from(has_run));
        Ok(())
    })
}

/// Whether a region is to keep arrays: in process 0 of a program that it alone runs.
fn keeps(region: &Arg<*const dvm_across_t>, arrays: &Arg<*const dvm_across_array_t>) -> bool {
    let count = || read_region(region).map(|region| count(region.arrays_count));
    let is_kept = |array: &dvm_across_array_t| {
        array.named & DVM_ACROSS_KEEP != 0 || (array.named & DVM_ACROSS_KEEP_IN_LOOP != 0 && across::in_loop())
    };
    across::part() == ProgramPart::Leads
        && count().and_then(|count| arrays.list(count, "arrays")).is_ok_and(|arrays| arrays.iter().any(is_kept))
}

fn keep(call: &Call, array: &dvm_across_array_t) -> Keep {
    if array.named & DVM_ACROSS_KEEP != 0 {
        Keep::Always
    } else if array.named & DVM_ACROSS_KEEP_IN_LOOP != 0 && call.engine().config().keep() && across::runs_loop(call) {
        Keep::InLoop
    } else {
        Keep::No
    }
}

/// @brief Tell that a loop of regions begins or has ended: for generated code.
///
/// Meanwhile this thread runs regions, and nothing else that uses their arrays. Where process 0 alone runs main, arrays with
/// DVM_ACROSS_KEEP_IN_LOOP stay on the processes from one region to the next. When the loop has ended, process 0 has them.
///
/// @param[in] begins  1: it begins. 0: it has ended, and its arrays come back
/// @retval DVM_SUCCESS        all is where it belongs
/// @retval DVM_ERR_PEER_LOST  a process is lost that had some of it: the arrays are half done
/// @retval DVM_ERR_STATE      the system refuses to open or to fill their memory: the arrays are half done
///
/// Thread safety: any thread, any time. Source: added to the report's interface.
#[unsafe(no_mangle)]
pub extern "C" fn dvm_across_loop(begins: c_int) -> dvm_retcode_t {
    guarded("dvm_across_loop", || {
        if begins != 0 {
            across::loop_begins();
            return Ok(());
        }
        across::loop_ended(|| engine::enter().ok())
    })
}

/// What an entry of a region without the clause `across` has to do, and the nanoseconds that it takes in this process, if
/// that was measured. Nothing: the region has the clause.
fn offer(
    call: &Call,
    region: &dvm_across_t,
    context: &Arg<*mut c_void>,
) -> Result<Option<(EntryLoad, Option<u64>)>, Error> {
    let Some(work) = region.work.filter(|_| !region.offered.is_null()) else { return Ok(None) };
    // SAFETY: the documentation of `dvm_across_t` demands a function for this context.
    let work = unsafe { work(context.address().cast()) };
    // SAFETY: C has passed the region: the record is NULL, or one that lasts.
    let record = unsafe { Arg::<*mut dvm_region_t, Shared>::new(region.record) };
    let alone = record.get("region->record")?.least_time(work)?;
    let processes = call.job().map_or(1, |job| job.processes) as u32;
    let workers = u32::try_from(call.engine().workers()).unwrap_or(u32::MAX);
    Ok(Some((EntryLoad { work: work.max(0).unsigned_abs(), bytes: 0, processes, workers }, alone)))
}

/// @brief Make a region known before main begins: for constructors of generated code.
///
/// In a program of one process whose regions run on all (dvm_across_serve), the processes that serve know the regions
/// by this. All processes call it for the same regions in the same order.
///
/// @param[in] region  the region: its `context`, `members` and `places` are there; NULL: one that processes cannot serve, so
///                    that process 0 runs it
/// @retval DVM_SUCCESS       the region is known
/// @retval DVM_ERR_ARGUMENT  one of the region's functions is NULL, or its size is not that of this version
///
/// Thread safety: any thread, any time, before main. Source: added to the report's interface.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn dvm_across_known(region: Arg<*const dvm_across_t>) -> dvm_retcode_t {
    guarded("dvm_across_known", || {
        if region.is_null() {
            across::add_unserved();
            return Ok(());
        }
        let table = region.address().addr();
        let region = read_region(&region)?;
        let Table { name, preferences, flows, body, arrays, bounds } = Table::read(&region)?;
        let places = region.places.ok_or_else(|| Error::argument("`region->places` is NULL"))?;
        // SAFETY: C has passed the region: the address is NULL, or that of so many entries.
        let members = unsafe { Arg::new(region.members) };
        let members = members.list(count(region.members_count), "region->members")?;
        let member = |member: &dvm_across_member_t| across::ContextMember { at: member.at, bytes: member.bytes };
        // SAFETY: the documentation of `dvm_across_t` demands NULL, or a number in static memory that libdvm may write.
        let offered = (!region.offered.is_null()).then(|| unsafe { AtomicI32::from_ptr(region.offered) });
        across::add(KnownRegion {
            offered,
            table,
            name,
            preferences,
            flows,
            body,
            arrays,
            context: region.context,
            members: members.iter().map(member).collect(),
            places,
            bounds,
        });
        Ok(())
    })
}

/// @brief Serve the regions of a program of one process, before main begins: for constructors of generated code.
///
/// Where several processes were started, the program uses no MPI and has regions with the clause `across`, or regions that
/// were compiled with `dvmcc --across` and neither it nor its libraries mention MPI or dvm_init, process 0 alone runs main,
/// and the call returns there. The others do not return: they take part in its regions and end with it. If
/// process 0 calls dvm_init in main, the program is one for all processes: they return, too, and run main.
/// Where one process was started, with DVM_ACROSS=0, or when called from a shared library, the call does nothing.
///
/// @param[in] caller  a function of the program
/// @retval DVM_SUCCESS  the process runs main
///
/// Thread safety: any thread, any time, before main. Source: added to the report's interface.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn dvm_across_serve(caller: Option<unsafe extern "C" fn()>) -> dvm_retcode_t {
    guarded("dvm_across_serve", || {
        let place = caller.and_then(|caller| image::locate(caller as usize));
        let (asked, offered) = (across::any(), across::any_offered());
        if place.is_none_or(|place| !place.program) || !(asked || offered) || engine::running() {
            return Ok(());
        }
        let mut offers = offered;
        let allows = |config: &Config| {
            if let Some(why) = offered.then(across::objection).flatten() {
                config.note(|| format!("regions without the clause `across` run where main runs them: {why}"));
                offers = false;
            }
            asked || offers
        };
        if !remote::init_program(allows)? {
            // The regions of a process that is alone come here only where libdvm runs.
            return if asked && Config::load()?.forecast().is_some() { engine::start_implicit() } else { Ok(()) };
        }
        explain::begin()?;
        let call = engine::enter()?;
        if call.process().0 == 0 {
            across::set_part(ProgramPart::Leads);
            if offers {
                across::offer();
            }
            return Ok(());
        }
        across::set_part(ProgramPart::Serves);
        let served = across::serve(&call);
        drop(call);
        let served = match served {
            Ok(AfterServing::RunMain) => return Ok(()),
            Ok(AfterServing::End) => Ok(()),
            Err(error) => Err(error),
        };
        let ended = engine::end_of_service();
        explain::end();
        engine::end_process(served.and(ended))
    })
}

/// What a region's table says.
struct Table {
    name: String,
    preferences: Vec<Preference>,
    flows: Vec<(FlowEnds, across::FlowRows)>,
    body: across::Body,
    /// Their number.
    arrays: usize,
    /// What `buffers` and `ahead` say.
    bounds: Option<StepBounds>,
}

/// The region's table, of this version or an earlier one.
fn read_region(region: &Arg<*const dvm_across_t>) -> Result<dvm_across_t, Error> {
    extended(region, &SIZES, "region")?.map_err(|size| {
        let own = size_of::<dvm_across_t>();
        Error::argument(format!("`region->size` is {size}, this version knows {own} bytes"))
    })
}

fn count(count: c_int) -> usize {
    usize::try_from(count).unwrap_or(0)
}

impl Table {
    fn read(region: &dvm_across_t) -> Result<Table, Error> {
        // SAFETY: C has passed the region: each address is NULL, or that of so many entries, or of a text.
        let (flows, phases, name) =
            unsafe { (Arg::new(region.flows), Arg::new(region.phases), Arg::<*const c_char>::new(region.name)) };
        let flows = flows.list(count(region.flows_count), "region->flows")?;
        let flows = flows.iter().map(flow).collect::<Result<_, Error>>()?;
        let phases = phases.list(count(region.phases_count), "region->phases")?;
        let preferences = phases.iter().map(preference).collect::<Result<_, Error>>()?;
        let body = region.body.ok_or_else(|| Error::argument("`region->body` is NULL"))?;
        let name = if name.is_null() { "region".into() } else { name.bytes("region->name")?.to_string_lossy() };
        let steps = u64::try_from(region.buffers).ok().filter(|steps| *steps > 0);
        let bounds = steps.map(|steps| StepBounds::with_ahead(steps, u64::try_from(region.ahead).ok()));
        let arrays = count(region.arrays_count);
        Ok(Table { name: name.into_owned(), preferences, flows, body, arrays, bounds })
    }
}

fn flow(flow: &dvm_across_flow_t) -> Result<(FlowEnds, across::FlowRows), Error> {
    let rows = flow.rows.ok_or_else(|| Error::argument("a flow of the region has no function"))?;
    // SAFETY: the two types differ only in that the visitor of ours is never NULL, and have the same representation.
    #[allow(clippy::missing_transmute_annotations, reason = "the first type is that of the field")]
    let rows = unsafe { std::mem::transmute::<_, across::FlowRows>(rows) };
    let ends = FlowEnds { from: usize::try_from(flow.from).ok(), to: usize::try_from(flow.to).ok() };
    if ends.from.is_none() && ends.to.is_none() {
        return Err(Error::argument("a flow of the region has no phase"));
    }
    Ok((ends, rows))
}

fn preference(phase: &dvm_across_phase_t) -> Result<Preference, Error> {
    // SAFETY: C has passed the phase: NULL, or the address of so many numbers.
    let places: Arg<*const c_int> = unsafe { Arg::new(phase.places) };
    let places = places.list(count(phase.places_count), "places")?;
    let coordinates = places.iter().filter_map(|k| usize::try_from(*k).ok()).collect();
    if phase.flags & !(DVM_ACROSS_NO_BOX | DVM_ACROSS_NEAR) != 0 {
        return Err(Error::argument(format!(
            "a phase of the region has flags {:#x}, which are not known",
            phase.flags
        )));
    }
    let has = |flag: c_int| phase.flags & flag != 0;
    Ok(Preference { coordinates, cyclic: has(DVM_ACROSS_NO_BOX), near: has(DVM_ACROSS_NEAR) })
}

/// A region on several processes waits for others: no task may.
fn outside_tasks(call: &Call) -> Result<(), Error> {
    if call.inside_task() {
        return Err(Error::new(dvm_retcode_t::DVM_ERR_IN_TASK, "a task cannot run a region on several processes"));
    }
    Ok(())
}

fn call_of<'a>(call: Arg<*mut c_void>) -> Result<&'a AcrossCall, Error> {
    // SAFETY: the documentation demands the address that the region's body was given, from inside the body.
    unsafe { AcrossCall::of(call.pointer()) }.ok_or_else(|| Error::argument("`call` is NULL"))
}

/// @brief Agree on the sizes of the next graph's tiles: those of process 0. Called by the body of a region.
///
/// @param[in]     call       as the body was given it
/// @param[in]     count      the number of coordinates
/// @param[in,out] sizes      the sizes that this process would take; then those that all take
/// @retval DVM_SUCCESS              sizes is written
/// @retval DVM_ERR_ARGUMENT         call or sizes is NULL, or count is out of range
/// @retval DVM_ERR_STATE            the processes do not run equal graphs
/// @retval DVM_ERR_IN_TASK          called inside a task or a tile
/// @retval DVM_ERR_NOT_INITIALIZED  libdvm is not running
///
/// Source: added to the report's interface.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn dvm_across_sizes(call: Arg<*mut c_void>, count: c_int, sizes: Arg<*mut i64>) -> dvm_retcode_t {
    running("dvm_across_sizes", |engine| {
        outside_tasks(engine)?;
        let chosen = sizes.list(dimension(count)?, "sizes")?;
        let agreed = call_of(call)?.sizes(chosen)?;
        sizes.write_all(&agreed, "sizes")
    })
}

/// @brief Give a graph to a call of a region: learns it the first time that the body runs, then runs this process's tiles of
/// it, until all processes have run theirs. Called by the body of a region.
///
/// @param[in] call         as the body was given it
/// @param[in] graph        the graph, by `carried`: its lower ends are 0
/// @param[in] phase        the number of its phase
/// @param[in] hosts_count  the number of the phase's host loops
/// @param[in] hosts        their values
/// @param[in] first        coordinates of the band where tile 0 begins, as many as the graph's dimension
/// @param[in] step         sizes of a tile
/// @retval DVM_SUCCESS              the graph is learnt, or has run
/// @retval DVM_ERR_ARGUMENT         as for dvm_graph_run; or a list is missing, or the graph tells its own edges
/// @retval DVM_ERR_TASK             a tile failed, here or elsewhere
/// @retval DVM_ERR_PEER_LOST        a process is lost
/// @retval DVM_ERR_STATE            the processes do not run equal graphs
/// @retval DVM_ERR_IN_TASK          called inside a task or a tile
/// @retval DVM_ERR_NOT_INITIALIZED  libdvm is not running
///
/// Source: added to the report's interface.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn dvm_across_graph(
    call: Arg<*mut c_void>,
    graph: Arg<*const dvm_graph_t>,
    phase: c_int,
    hosts_count: c_int,
    hosts: Arg<*const i64>,
    first: Arg<*const i64>,
    step: Arg<*const i64>,
) -> dvm_retcode_t {
    running("dvm_across_graph", |engine| {
        outside_tasks(engine)?;
        let parts = read(&graph)?;
        if parts.callbacks.tells_edges() {
            return Err(Error::argument("a graph of several processes has its edges by `carried`"));
        }
        let dimension = parts.space.dimension();
        let given = GraphOfPhase {
            phase: usize::try_from(phase).map_err(|_| Error::argument("the phase is negative"))?,
            hosts: hosts.list(usize::try_from(hosts_count).unwrap_or(0), "hosts")?.to_vec(),
            first: first.list(dimension, "first")?.to_vec(),
            step: step.list(dimension, "step")?.to_vec(),
            parts,
        };
        call_of(call)?.graph(engine, given)
    })
}
