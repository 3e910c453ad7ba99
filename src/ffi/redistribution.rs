//! Redistributions: from a distribution of an array to another, every element exactly once.
//!
//! # For every function
//! Thread safety: any thread, any task, any time.

use std::ffi::c_int;
use std::sync::Arc;

use super::argument::BeginsWithSize;
use super::distribution::{DISTRIBUTIONS, dvm_distribution_t};
use super::guard::{guarded, making, non_negative, running};
use super::{Arg, DataId, dvm_retcode_t};
use crate::engine::{self, Call};
use crate::error::{Error, dvm_retcode_t as Code};
use crate::memory;
use crate::redistribution::{self, Arrays, FarPlan, Handles, Layout, Redistribution, plan_with_others};

/// A planned redistribution, by handle.
#[allow(non_camel_case_types)]
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct dvm_redistribution_t {
    /// A number that is never given twice; 0 is never given.
    pub number: u64,
}
super::handle!(dvm_redistribution_t);

/// Spread the sending over replicas so that the largest load of a source memory is least; without it, as few strided
/// copies as possible.
pub const DVM_REDISTRIBUTION_BALANCE: c_int = 1;

/// The memories lie in several processes, and all processes of the job make the plan together.
pub const DVM_REDISTRIBUTION_COLLECTIVE: c_int = 2;

/// All plans, by handle.
static PLANS: Handles<Redistribution, dvm_redistribution_t> = Handles::new("redistribution plan");

/// The costs of a redistribution, and lower bounds for them.
#[allow(non_camel_case_types)]
#[repr(C)]
pub struct dvm_redistribution_figures_t {
    /// `sizeof(dvm_redistribution_figures_t)`, set by the caller: later versions append fields.
    pub size: usize,
    /// The memories of the source distribution.
    pub source_memories: i64,
    /// The memories of the target distribution.
    pub target_memories: i64,
    /// Elements copied: the places of the target whose element the source has, which is also the least possible.
    pub elements: i64,
    /// The same in bytes.
    pub bytes: i64,
    /// Places of the target whose element the source does not have; they stay as they are.
    pub missing: i64,
    /// Pairs of memories that exchange something.
    pub messages: i64,
    /// The bytes of the largest of them.
    pub largest_message: i64,
    /// Strided copies (dvm_redistribution_descriptor); at least as many as messages.
    pub descriptors: i64,
    /// The bytes that the busiest source memory sends.
    pub largest_load: i64,
    /// The least possible value of it when the plan was balanced, else 0.
    pub least_load: i64,
}

// SAFETY: `size` is the first field.
unsafe impl BeginsWithSize for dvm_redistribution_figures_t {}

/// @brief Plan the redistribution from a distribution of an array to another: once, for any number of rounds.
///
/// Without DVM_REDISTRIBUTION_COLLECTIVE all memories are the calling process's, also in a job of several. With it the
/// memories belong to the processes that dvm_distribution_set_processes or dvm_distribution_set_grid has named, and the
/// call is collective: all processes of the job make it, in the same order, with equal distributions and flags, and each
/// waits for all. If one of them fails, or gives something else, the call fails in all.
///
/// @param[in]  source  the distribution that the elements come from
/// @param[in]  target  the distribution that they are wanted in
/// @param[in]  flags   0, or a sum of DVM_REDISTRIBUTION_BALANCE and DVM_REDISTRIBUTION_COLLECTIVE
/// @param[out] plan    the handle of the new plan
/// @retval DVM_SUCCESS          plan is written
/// @retval DVM_ERR_ARGUMENT     plan is NULL, flags are unknown, the distributions have different numbers of
///                              dimensions, a count exceeds 2^62, a memory belongs to a process that does not exist or,
///                              without DVM_REDISTRIBUTION_COLLECTIVE, to another one; or, collective, another process
///                              has made another plan
/// @retval DVM_ERR_ID           a distribution is unknown or has been freed
/// @retval DVM_ERR_UNSUPPORTED  the plan has more strided copies than fit in memory
/// @retval DVM_ERR_STATE        collective: the processes of a distribution's memories were not named, or another process
///                              could not make the plan
/// @retval DVM_ERR_IN_TASK      collective, and called in a task
/// @retval DVM_ERR_PEER_LOST    collective, and a process that has memories is lost
/// @retval DVM_ERR_NOT_INITIALIZED  collective, and libdvm is not running
///
/// Source: added; the second paper, section V.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn dvm_redistribution_plan(
    source: dvm_distribution_t,
    target: dvm_distribution_t,
    flags: c_int,
    plan: Arg<*mut dvm_redistribution_t>,
) -> dvm_retcode_t {
    making("dvm_redistribution_plan", &PLANS, (plan, "plan"), || {
        if flags & DVM_REDISTRIBUTION_COLLECTIVE == 0 {
            let (source, target, balance) = planned(source, target, flags)?;
            own_memories(&source)?;
            own_memories(&target)?;
            return Redistribution::plan(&source, &target, balance);
        }
        let call = engine::enter()?;
        if call.inside_task() {
            redistribution::decline(&call);
            return Err(Error::new(
                Code::DVM_ERR_IN_TASK,
                "a task cannot wait for the other processes to make the plan",
            ));
        }
        plan_with_others(&call, || planned(source, target, flags))
    })
}

/// Checks the arguments of a plan; its distributions, and whether it is balanced.
fn planned(
    source: dvm_distribution_t,
    target: dvm_distribution_t,
    flags: c_int,
) -> Result<(Arc<Layout>, Arc<Layout>, bool), Error> {
    if flags & !(DVM_REDISTRIBUTION_BALANCE | DVM_REDISTRIBUTION_COLLECTIVE) != 0 {
        return Err(Error::argument(format!(
            "`flags` is {flags}: the flags are DVM_REDISTRIBUTION_BALANCE and DVM_REDISTRIBUTION_COLLECTIVE"
        )));
    }
    Ok((DISTRIBUTIONS.get(source)?, DISTRIBUTIONS.get(target)?, flags & DVM_REDISTRIBUTION_BALANCE != 0))
}

/// Refuses memories of other processes.
fn own_memories(layout: &Layout) -> Result<(), Error> {
    let me = engine::enter().map_or(0, |call| call.process().0);
    match layout.holders().and_then(|holders| holders.iter().find(|&&holder| u64::from(holder) != me)) {
        Some(holder) => Err(Error::argument(format!(
            "a memory belongs to process {holder}, this is process {me}: give DVM_REDISTRIBUTION_COLLECTIVE in all \
             processes"
        ))),
        None => Ok(()),
    }
}

/// @brief What a planned redistribution costs for elements of some size.
///
/// @param[in]     plan     the plan
/// @param[in]     element  the bytes of an element, 1 to 64
/// @param[in,out] figures  on entry its size is set, on success all else
/// @retval DVM_SUCCESS       figures is written
/// @retval DVM_ERR_ARGUMENT  figures is NULL, its size is not that of this version, element is out of range, or the
///                           bytes exceed 2^63
/// @retval DVM_ERR_ID        the plan is unknown or has been freed
///
/// Source: added.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn dvm_redistribution_figures(
    plan: dvm_redistribution_t,
    element: usize,
    figures: Arg<*mut dvm_redistribution_figures_t>,
) -> dvm_retcode_t {
    guarded("dvm_redistribution_figures", || {
        memory::check()?;
        let figures = figures.result("figures")?;
        let size = figures.size();
        if size != size_of::<dvm_redistribution_figures_t>() {
            return Err(Error::argument(format!(
                "`figures->size` is {size}: set it to sizeof(dvm_redistribution_figures_t), {} bytes in this version",
                size_of::<dvm_redistribution_figures_t>()
            )));
        }
        if !(1..=64).contains(&element) {
            return Err(Error::argument(format!("`element` is {element}: an element has 1 to 64 bytes")));
        }
        let plan = PLANS.get(plan)?;
        let f = &plan.figures;
        let bytes = |elements: i64| {
            elements.checked_mul(element as i64).ok_or_else(|| Error::argument("the bytes exceed 2^63"))
        };
        let found = dvm_redistribution_figures_t {
            size,
            source_memories: plan.source_sizes.len() as i64,
            target_memories: plan.target_sizes.len() as i64,
            elements: f.min_transfers,
            bytes: bytes(f.min_transfers)?,
            missing: f.missing_locations,
            messages: f.messages,
            largest_message: bytes(f.largest_message)?,
            descriptors: plan.copies.list.len() as i64,
            largest_load: bytes(f.max_load)?,
            least_load: bytes(f.least_max_load.unwrap_or(0))?,
        };
        figures.write(found);
        Ok(())
    })
}

/// @brief The elements that one memory sends another.
///
/// @param[in]  plan      the plan
/// @param[in]  source    the number of the source memory, from 0
/// @param[in]  target    the number of the target memory, from 0
/// @param[out] elements  their number
/// @retval DVM_SUCCESS       elements is written
/// @retval DVM_ERR_ARGUMENT  elements is NULL, or there is no such memory
/// @retval DVM_ERR_ID        the plan is unknown or has been freed
///
/// Source: added.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn dvm_redistribution_message(
    plan: dvm_redistribution_t,
    source: i64,
    target: i64,
    elements: Arg<*mut i64>,
) -> dvm_retcode_t {
    guarded("dvm_redistribution_message", || {
        memory::check()?;
        let elements = elements.result("elements")?;
        let plan = PLANS.get(plan)?;
        let memory = |memory: i64, sizes: &[i64], side: &str| {
            usize::try_from(memory).ok().filter(|&m| m < sizes.len()).map(|m| m as u32).ok_or_else(|| {
                Error::argument(format!("{side} memory {memory} is none of the {} of the plan", sizes.len()))
            })
        };
        let source = memory(source, &plan.source_sizes, "source")?;
        let target = memory(target, &plan.target_sizes, "target")?;
        elements.write(plan.message(source, target));
        Ok(())
    })
}

/// @brief One strided copy of a plan, as numbers.
///
/// They are: source memory, target memory, place of the first element in the source, in the target, the number of
/// levels, and for each level its count, source stride and target stride, in elements, the smallest target stride
/// first.
///
/// @param[in]  plan        the plan
/// @param[in]  index       which one, from 0 to the figures' descriptors - 1; they are sorted by the place in the
///                         target
/// @param[out] descriptor  the numbers; what it does not need is not written
/// @param[in]  count       the length of descriptor: 5 + 3 for each level
/// @retval DVM_SUCCESS       descriptor is written
/// @retval DVM_ERR_ARGUMENT  descriptor is NULL, count is negative, or there is no such descriptor
/// @retval DVM_ERR_SIZE      descriptor is too short; dvm_last_error says how long it has to be
/// @retval DVM_ERR_ID        the plan is unknown or has been freed
///
/// Source: added.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn dvm_redistribution_descriptor(
    plan: dvm_redistribution_t,
    index: i64,
    descriptor: Arg<*mut i64>,
    count: c_int,
) -> dvm_retcode_t {
    guarded("dvm_redistribution_descriptor", || {
        memory::check()?;
        descriptor.require("descriptor")?;
        let room = non_negative(count, "count")?;
        let plan = PLANS.get(plan)?;
        let copies = &plan.copies;
        let copy = usize::try_from(index).ok().and_then(|k| copies.list.get(k)).ok_or_else(|| {
            Error::argument(format!("descriptor {index} is none of the {} of the plan", copies.list.len()))
        })?;
        let levels = &copies.shapes[copy.shape as usize];
        let mut numbers =
            vec![i64::from(copy.source), i64::from(copy.target), copy.source_at, copy.target_at, levels.len() as i64];
        for l in levels {
            numbers.extend([l.count, l.source, l.target]);
        }
        if numbers.len() > room {
            let text = format!("`count` is {room}: this descriptor has {} numbers", numbers.len());
            return Err(Error::new(Code::DVM_ERR_SIZE, text));
        }
        descriptor.write_all(&numbers, "descriptor")
    })
}

/// @brief Redistribute some arrays; returns when all elements are where the target wants them.
///
/// All arrays have the plan's shape; their elements may have different sizes. Memories are data, named by their
/// number in the distribution; the id {0, 0} denotes a memory that holds nothing. Sources that are promises are
/// waited for. A target is either published already (registered or allocated), and is written in place: nobody else
/// may read or write it meanwhile; or a promise without a producer, which is published by this call: what is missing
/// in it is 0, or, when it carries a datum on (dvm_data_next), what that datum held. No reference of the caller is
/// used up.
///
/// With a plan over processes (DVM_REDISTRIBUTION_COLLECTIVE) each process that has a memory makes the call, and gives the
/// data of its own memories and {0, 0} for those of others; the k-th call of a process with a plan is one round with the
/// k-th calls of the others. All give the same number of arrays and sizes of elements. In a process it returns when all
/// elements have come that this process wants, and nobody reads its memories any more. When it fails in a process, it
/// fails in those that exchange elements with that one; their targets may then hold some elements of both kinds.
///
/// @param[in] plan     the plan
/// @param[in] arrays   the number of arrays, 0 or more
/// @param[in] element  for each array the bytes of an element, 1 to 64
/// @param[in] source   for each array the ids of all source memories
/// @param[in] target   for each array the ids of all target memories
/// @retval DVM_SUCCESS              all elements are there
/// @retval DVM_ERR_ARGUMENT         a pointer is NULL with arrays above 0, arrays is negative, an element size is out
///                                  of range, or a target shares memory with a source or another target
/// @retval DVM_ERR_SIZE             a datum is smaller than what lies in it
/// @retval DVM_ERR_ID               the plan or a datum is unknown or has been freed
/// @retval DVM_ERR_NO_REFERENCE     all references of a datum are taken by tasks that are already scheduled
/// @retval DVM_ERR_STATE            a target is a promise that has a producer, is carried on by a task, or is a
///                                  source, too
/// @retval DVM_ERR_POISONED         a source will never have a value; no target was written, promises are poisoned
/// @retval DVM_ERR_IN_TASK          called in a task: use dvm_redistribute_start
/// @retval DVM_ERR_MEMORY           no memory for the bookkeeping
/// @retval DVM_ERR_PEER_LOST        over processes: a process is lost that has memories of the plan: no call with this plan
///                                  works any more
/// @retval DVM_ERR_NOT_INITIALIZED  libdvm is not running
///
/// Over processes also the error of another process that this one exchanges elements with, DVM_ERR_ARGUMENT if it gives
/// other arrays, DVM_ERR_ID if it has freed the plan, and DVM_ERR_STATE if the plan was made before dvm_finalize.
///
/// Thread safety: any thread that is no worker, several at once on different targets. Source: added; the second
/// paper.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn dvm_redistribute(
    plan: dvm_redistribution_t,
    arrays: c_int,
    element: Arg<*const usize>,
    source: Arg<*mut DataId>,
    target: Arg<*mut DataId>,
) -> dvm_retcode_t {
    running("dvm_redistribute", |call| {
        let (in_task, text) =
            (call.inside_task(), "a task cannot wait for a redistribution: use dvm_redistribute_start");
        let started = with_arrays(call, plan, arrays, (&element, &source, &target), |plan, arrays| {
            if in_task {
                return Err(Unstarted(Error::new(Code::DVM_ERR_IN_TASK, text)));
            }
            Ok(redistribution::start(call, plan, arrays))
        });
        // In a task this is what is wrong first, whatever else is.
        let ending = started.map_err(|error| if in_task { Error::new(Code::DVM_ERR_IN_TASK, text) } else { error })?;
        let _sleeps = call.sleeps();
        ending.drive(call);
        ending.wait()
    })
}

/// @brief Start a redistribution, which goes on beside the program.
///
/// As dvm_redistribute otherwise; it may be called in a task. It is one task of the machine: it takes no worker
/// before its sources are published, dvm_wait waits for it, and what it publishes can be read by other tasks.
///
/// @param[in]  plan     the plan
/// @param[in]  arrays   the number of arrays, 0 or more
/// @param[in]  element  for each array the bytes of an element, 1 to 64
/// @param[in]  source   for each array the ids of all source memories
/// @param[in]  target   for each array the ids of all target memories
/// @param[out] done     the id of a datum of 0 bytes with one reference: published when all elements are there,
///                      poisoned when a source is. Wait for it with dvm_data_get, schedule tasks on it, or relax it
/// @retval DVM_SUCCESS              done is written
/// @retval DVM_ERR_ARGUMENT         done is NULL, or as in dvm_redistribute
/// @retval DVM_ERR_SIZE             a datum is smaller than what lies in it
/// @retval DVM_ERR_ID               the plan or a datum is unknown or has been freed
/// @retval DVM_ERR_NO_REFERENCE     all references of a datum are taken by tasks that are already scheduled
/// @retval DVM_ERR_STATE            a target is a promise that has a producer, is carried on by a task, or is a
///                                  source, too
/// @retval DVM_ERR_MEMORY           no memory for the bookkeeping
/// @retval DVM_ERR_NOT_INITIALIZED  libdvm is not running
///
/// Thread safety: any thread, any task, several at once on different targets. Source: added; the second paper.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn dvm_redistribute_start(
    plan: dvm_redistribution_t,
    arrays: c_int,
    element: Arg<*const usize>,
    source: Arg<*mut DataId>,
    target: Arg<*mut DataId>,
    done: Arg<*mut DataId>,
) -> dvm_retcode_t {
    running("dvm_redistribute_start", |call| {
        with_arrays(call, plan, arrays, (&element, &source, &target), |plan, arrays| {
            let done = done.result("done")?;
            Ok(redistribution::start_with_datum(call, plan, arrays).map(|id| done.write(id.raw())))
        })
    })
}

/// A round that was refused before it began.
struct Unstarted(Error);

impl From<Error> for Unstarted {
    fn from(error: Error) -> Self {
        Unstarted(error)
    }
}

/// Starts a round with the arrays that C passes. If that is refused, other processes are told.
fn with_arrays<R>(
    call: &Call,
    plan: dvm_redistribution_t,
    arrays: c_int,
    (element, source, target): (&Arg<*const usize>, &Arg<*mut DataId>, &Arg<*mut DataId>),
    start: impl FnOnce(&Arc<Redistribution>, &Arrays) -> Result<Result<R, Error>, Unstarted>,
) -> Result<R, Error> {
    let plan = PLANS.get(plan)?;
    let started = || {
        memory::check()?;
        let arrays = non_negative(arrays, "arrays")?;
        let arrays = Arrays {
            elements: element.list(arrays, "element")?,
            source: source.data(arrays * plan.source_sizes.len(), "source")?,
            target: target.data(arrays * plan.target_sizes.len(), "target")?,
        };
        start(&plan, &arrays)
    };
    started().map_err(|Unstarted(why)| {
        redistribution::abstain(call, &plan, &why);
        why
    })?
}

/// @brief What other processes have sent this one in the rounds of a plan so far.
///
/// @param[in]  plan      the plan
/// @param[out] messages  the messages: in each round one of each process that has elements for this one
/// @param[out] bytes     the bytes of the elements in them
/// @retval DVM_SUCCESS       messages and bytes are written; both are 0 for a plan inside a process
/// @retval DVM_ERR_ARGUMENT  messages or bytes is NULL
/// @retval DVM_ERR_ID        the plan is unknown or has been freed
///
/// Source: added.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn dvm_redistribution_received(
    plan: dvm_redistribution_t,
    messages: Arg<*mut u64>,
    bytes: Arg<*mut u64>,
) -> dvm_retcode_t {
    guarded("dvm_redistribution_received", || {
        let (messages, bytes) = (messages.result("messages")?, bytes.result("bytes")?);
        let taken = PLANS.get(plan)?.far.as_ref().map_or((0, 0), FarPlan::taken);
        messages.write(taken.0);
        bytes.write(taken.1);
        Ok(())
    })
}

/// @brief Free a plan. Redistributions under way end as if it were there.
///
/// Not collective: rounds of it that other processes begin afterwards fail there.
///
/// @param[in] plan  the plan
/// @retval DVM_SUCCESS  its handle is stale now
/// @retval DVM_ERR_ID   the plan is unknown or has been freed
///
/// Source: added.
#[unsafe(no_mangle)]
pub extern "C" fn dvm_redistribution_free(plan: dvm_redistribution_t) -> dvm_retcode_t {
    guarded("dvm_redistribution_free", || {
        let plan = PLANS.remove(plan)?;
        if let (Some(far), Ok(call)) = (&plan.far, engine::enter()) {
            far.free(&call);
        }
        Ok(())
    })
}
