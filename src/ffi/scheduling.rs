//! Scheduling: a processing and its data, brought together at a processing unit.
//!
//! # For every function
//! Thread safety: any thread, any task.
//! DVM_ERR_NOT_INITIALIZED: libdvm is not running.

use std::ffi::c_int;
use std::mem::MaybeUninit;

use super::{Arg, ConstProcIdArg, ConstRankArg, DataId, DataIdArg, ProcIdArg, RankArg, dvm_retcode_t, guard};
use crate::engine::{Call, MadeArguments};
use crate::error::Error;
use crate::id::DatumId;
use crate::memory;
use crate::processing::{ArgumentAccess, Found, Signature};

/// The number of variadic arguments that arrive in registers: those after `rank` and `function`.
#[cfg(target_arch = "x86_64")]
const IN_REGISTERS: usize = 4;
#[cfg(target_arch = "aarch64")]
const IN_REGISTERS: usize = 6;
#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
compile_error!("dvm_sched_onto knows where variadic arguments lie on x86-64 and AArch64 Linux only");

/// @brief Run a processing on its data, on the processing unit with this rank.
///
/// The task takes one reference of each of its inputs now and drops it when it has ended. It runs after all of its
/// inputs are published; each processing unit takes its ready tasks in the order in which they became ready. The
/// runtime never moves it. Scheduling never blocks. A task that reads a poisoned datum is accepted and ends as
/// cancelled.
///
/// The rank may be one of another process: the task is sent there at once, and what it reads is brought there before it
/// begins. Of data of other homes the task takes references of the calling process, or home is asked. If there is none, or
/// the datum does not exist, or a process that runs the task has no code for it (DVM_ERR_SYMBOL), or it is lost, the task
/// that was accepted fails: its outputs are poisoned and the next dvm_wait tells it. A task that other processes take part
/// in has at most 21,000 arguments.
///
/// @param[in] rank      a rank, all DVM_MAX_RANK_DEPTH components
/// @param[in] function  the processing
/// @param[in] ...       exactly as many dvm_data_id_t as the processing has arguments
/// @retval DVM_SUCCESS              the task is scheduled
/// @retval DVM_ERR_ARGUMENT         rank, function or an id is NULL
/// @retval DVM_ERR_RANK             no processing unit has this rank
/// @retval DVM_ERR_PROCESSING       the processing is unknown or unregistered
/// @retval DVM_ERR_ID               a datum is unknown or has been freed
/// @retval DVM_ERR_NO_REFERENCE     all references of an input are taken
/// @retval DVM_ERR_STATE            an output is published, has a producer, or is an input as well; or it carries on a
///                                  datum (dvm_data_next) that is no input
/// @retval DVM_ERR_POISONED         an output was poisoned
/// @retval DVM_ERR_MEMORY           no memory for the task
/// @retval DVM_ERR_PEER_LOST        the process of the rank, or the home of a datum, is lost
///
/// Source: report, section 4.2.4, scheduling.
#[cfg(cbindgen)]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn dvm_sched_onto(rank: RankArg, function: ProcIdArg, args: ...) -> dvm_retcode_t {}

/// The entry of the variadic function: puts the arguments that came in registers into memory and hands their place,
/// and the place of those that came on the stack, to [`onto_impl`]. Stable Rust cannot define a variadic function.
/// cbindgen:ignore
#[cfg(not(cbindgen))]
#[unsafe(naked)]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn dvm_sched_onto() {
    #[cfg(target_arch = "x86_64")]
    core::arch::naked_asm!(
        ".cfi_startproc",
        "sub rsp, 40",
        ".cfi_adjust_cfa_offset 40",
        "mov [rsp], rdx",
        "mov [rsp+8], rcx",
        "mov [rsp+16], r8",
        "mov [rsp+24], r9",
        "mov rdx, rsp",
        "lea rcx, [rsp+48]",
        "call {entry}",
        "add rsp, 40",
        ".cfi_adjust_cfa_offset -40",
        "ret",
        ".cfi_endproc",
        entry = sym onto_impl,
    );
    #[cfg(target_arch = "aarch64")]
    core::arch::naked_asm!(
        ".cfi_startproc",
        "stp x29, x30, [sp, #-64]!",
        ".cfi_def_cfa_offset 64",
        ".cfi_offset 29, -64",
        ".cfi_offset 30, -56",
        "mov x29, sp",
        "stp x2, x3, [sp, #16]",
        "stp x4, x5, [sp, #32]",
        "stp x6, x7, [sp, #48]",
        "add x2, sp, #16",
        "add x3, sp, #64",
        "bl {entry}",
        "ldp x29, x30, [sp], #64",
        ".cfi_def_cfa_offset 0",
        ".cfi_restore 29",
        ".cfi_restore 30",
        "ret",
        ".cfi_endproc",
        entry = sym onto_impl,
    );
}

/// `dvm_sched_onto` behind its entry: argument `i` lies in `registers` while these last, then on the `stack`.
unsafe extern "C" fn onto_impl(
    rank: RankArg,
    function: ProcIdArg,
    registers: *const DataIdArg<'_>,
    stack: *const DataIdArg,
) -> dvm_retcode_t {
    guard::running("dvm_sched_onto", |call| {
        let home = call.home_of(rank.get("rank")?)?;
        let function = function.processing("function")?;
        let found = call.find(function)?;
        let count = found.signature.arguments();
        let argument = |place: usize| {
            // SAFETY: the caller passed `count` arguments, and the entry passes the addresses where the calling
            // convention puts them.
            unsafe {
                if place < IN_REGISTERS { registers.add(place).read() } else { stack.add(place - IN_REGISTERS).read() }
            }
        };
        let id = |place: usize| argument(place).datum("a datum's id");
        if let Some(given) = found.signature.given {
            let mut ids = Vec::new();
            memory::room_for(&mut ids, count)?;
            for place in 0..count {
                ids.push(id(place)?);
            }
            let schedule = |ids: &[DatumId]| call.onto_home(home, function, found, ids);
            let write = |place: usize, id: DatumId| {
                argument(place).result("a datum's id")?.write(id.raw());
                Ok(())
            };
            return schedule_made(call, (found.signature, given), &ids, write, schedule);
        }
        if count <= MAX_CLEARED_IDS {
            let mut ids = [DatumId::NONE; MAX_CLEARED_IDS];
            for (place, slot) in ids[..count].iter_mut().enumerate() {
                *slot = id(place)?;
            }
            call.onto_home(home, function, found, &ids[..count])
        } else if count <= MAX_STACK_IDS {
            let mut room = [const { MaybeUninit::<DatumId>::uninit() }; MAX_STACK_IDS];
            let ids = memory::filled(&mut room, (0..count).map(id))?;
            call.onto_home(home, function, found, ids)
        } else {
            let mut ids = Vec::new();
            memory::room_for(&mut ids, count)?;
            for place in 0..count {
                ids.push(id(place)?);
            }
            call.onto_home(home, function, found, &ids)
        }
    })
}

/// Schedules on an array of ids, where the ids of what the task updates are written back.
#[inline(always)]
#[allow(clippy::inline_always, reason = "once for each task")]
fn schedule_array(
    call: &Call,
    found: Found,
    ids: &Arg<*mut DataId>,
    count: c_int,
    schedule: impl FnOnce(&[DatumId]) -> Result<(), Error>,
) -> Result<(), Error> {
    let given = ids.counted_data(count, "ids")?;
    match found.signature.given {
        None => schedule(given),
        Some(accesses) => {
            let write = |place: usize, id: DatumId| ids.write_from(place, &[id.raw()], "ids");
            schedule_made(call, (found.signature, accesses), given, write, schedule)
        }
    }
}

/// Schedules a task on arguments that are made of what the program gives. The ids of what it updates are written before it can
/// begin, and those of before if it is not scheduled.
fn schedule_made(
    call: &Call,
    given: (&Signature, &[ArgumentAccess]),
    ids: &[DatumId],
    mut write: impl FnMut(usize, DatumId) -> Result<(), Error>,
    schedule: impl FnOnce(&[DatumId]) -> Result<(), Error>,
) -> Result<(), Error> {
    let mut made = MadeArguments::none(call);
    made.make(given, ids)?;
    made.updates().try_for_each(|updated| write(updated.place, updated.after))?;
    let scheduled = schedule(made.of_task());
    match scheduled {
        Ok(()) => made.keep(),
        Err(_) => made.updates().try_for_each(|updated| write(updated.place, updated.before))?,
    }
    scheduled
}

/// Up to this number of ids are gathered in an array that is cleared first.
const MAX_CLEARED_IDS: usize = 8;

/// Up to this number of ids are gathered without allocation; no plain callback has more arguments.
const MAX_STACK_IDS: usize = 64;

/// @brief Run a processing on its data, on the processing unit with this rank: dvm_sched_onto with an array of ids.
///
/// @param[in] rank      a rank, all DVM_MAX_RANK_DEPTH components
/// @param[in] function  the processing
/// @param[in,out] ids   the ids of its data, count entries, of which those that it updates (DVM_INOUT) are written; may be
///                      NULL when count is 0
/// @param[in] count     the number of arguments of the processing
/// @retval DVM_SUCCESS              the task is scheduled
/// @retval DVM_ERR_ARGUMENT         a pointer is NULL, or count is not the processing's number of arguments
/// @retval DVM_ERR_RANK             no processing unit has this rank
/// @retval DVM_ERR_PROCESSING       the processing is unknown or unregistered
/// @retval DVM_ERR_ID               a datum is unknown or has been freed
/// @retval DVM_ERR_NO_REFERENCE     all references of an input are taken
/// @retval DVM_ERR_STATE            an output is published, has a producer, or is an input as well; or it carries on a
///                                  datum (dvm_data_next) that is no input
/// @retval DVM_ERR_POISONED         an output was poisoned
/// @retval DVM_ERR_MEMORY           no memory for the task
/// @retval DVM_ERR_PEER_LOST        the process of the rank, or the home of a datum, is lost
///
/// Source: added to the report's interface.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn dvm_sched_onto_v(
    rank: ConstRankArg,
    function: ConstProcIdArg,
    ids: Arg<*mut DataId>,
    count: c_int,
) -> dvm_retcode_t {
    guard::running("dvm_sched_onto_v", |call| {
        let home = call.home_of(rank.get("rank")?)?;
        let function = function.processing("function")?;
        let found = call.find(function)?;
        let schedule = |ids: &[DatumId]| call.onto_home(home, function, found, ids);
        schedule_array(call, found, &ids, count, schedule)
    })
}

/// @brief Run a processing near its data.
///
/// The processing unit is the one that holds most of the input bytes; when they are spread, the one closest to their
/// weighted barycentre. It is chosen when the inputs are published. Idle processing units may steal the task, nearest
/// first. Otherwise as dvm_sched_onto_v.
///
/// Over processes the task goes to the process that has most of the input bytes, and no other process steals it from
/// there; if none has more than another, it stays.
///
/// Of the near tasks of a processing unit the newest runs first, but none waits for ever: when n near tasks are ready on
/// it, each of them, stolen or not, begins before 256 * (n + 2) further tasks have begun there, however many are scheduled
/// meanwhile. Likewise the first of the placed tasks begins before 256 further tasks have begun, and each parameterised
/// graph is looked after once per 64. (DVM_SEED, which draws orders, is apart.)
///
/// @param[in] function  the processing
/// @param[in,out] ids   the ids of its data, count entries, of which those that it updates (DVM_INOUT) are written; may be
///                      NULL when count is 0
/// @param[in] count     the number of arguments of the processing
/// @retval DVM_SUCCESS              the task is scheduled
/// @retval DVM_ERR_ARGUMENT         a pointer is NULL, or count is not the processing's number of arguments
/// @retval DVM_ERR_PROCESSING       the processing is unknown or unregistered
/// @retval DVM_ERR_ID               a datum is unknown or has been freed
/// @retval DVM_ERR_NO_REFERENCE     all references of an input are taken
/// @retval DVM_ERR_STATE            an output is published, has a producer, or is an input as well; or it carries on a
///                                  datum (dvm_data_next) that is no input
/// @retval DVM_ERR_POISONED         an output was poisoned
/// @retval DVM_ERR_MEMORY           no memory for the task
/// @retval DVM_ERR_PEER_LOST        the process of the rank, or the home of a datum, is lost
///
/// Source: added to the report's interface, after its section 5.5.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn dvm_sched_near(
    function: ConstProcIdArg,
    ids: Arg<*mut DataId>,
    count: c_int,
) -> dvm_retcode_t {
    guard::running("dvm_sched_near", |call| {
        let function = function.processing("function")?;
        let found = call.find(function)?;
        let schedule = |ids: &[DatumId]| call.near_data(function, found, ids);
        schedule_array(call, found, &ids, count, schedule)
    })
}

/// @brief The number of tasks of a processing unit that were scheduled and have not ended.
///
/// Tasks that are to run near data which are not all published belong to no processing unit yet. Of a processing unit of
/// another process the number is that of the tasks that this process has sent to the whole of that process.
///
/// @param[in]  rank  a rank, all DVM_MAX_RANK_DEPTH components
/// @param[out] load  the number of tasks
/// @retval DVM_SUCCESS              load is written
/// @retval DVM_ERR_ARGUMENT         a pointer is NULL
/// @retval DVM_ERR_RANK             no processing unit has this rank
///
/// Source: report, section 4.2.4, scheduling.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn dvm_sched_load(rank: RankArg, load: Arg<*mut u64>) -> dvm_retcode_t {
    guard::running("dvm_sched_load", |call| {
        let load = load.result("load")?;
        load.write(call.load_at(rank.get("rank")?)?);
        Ok(())
    })
}
