//! Strided copies one by one: what `dvm_dma.h` calls.
//!
//! Code that `dvm-codegen redist c` writes calls these functions through the macros of that header.
//!
//! # For every function
//! Thread safety: any thread, any task; one at a time per engine.
//! DVM_ERR_NOT_INITIALIZED: libdvm is not running.

use super::guard::running;
use super::{Arg, DataId, dvm_retcode_t};
use crate::error::Error;
use crate::memory;
use crate::redistribution::{Dma, Handles, Side};

/// An engine of strided copies, by handle.
#[allow(non_camel_case_types)]
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct dvm_dma_t {
    /// A number that is never given twice; 0 is never given.
    pub number: u64,
}
super::handle!(dvm_dma_t);

/// All engines, by handle.
static ENGINES: Handles<Dma, dvm_dma_t> = Handles::new("copy engine");

/// @brief Make an engine of strided copies between some source and some target memories.
///
/// @param[out] dma      the handle of the new engine
/// @param[in]  element  the bytes of an element, 1 to 64
/// @param[in]  source   the ids of the source memories; {0, 0}: one that is not used
/// @param[in]  sources  their number
/// @param[in]  target   the ids of the target memories; {0, 0}: one that is not used. A target shares no memory with
///                      another one or with a source
/// @param[in]  targets  their number
/// @retval DVM_SUCCESS              dma is written
/// @retval DVM_ERR_ARGUMENT         a pointer is NULL, a count is negative, or element is out of range
/// @retval DVM_ERR_ID               a datum is unknown or has been freed
/// @retval DVM_ERR_NOT_READY        a target is a promise
///
/// Thread safety: any thread, any task. Source: added; the second paper, Figure 7.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn dvm_dma_open(
    dma: Arg<*mut dvm_dma_t>,
    element: usize,
    source: Arg<*mut DataId>,
    sources: i64,
    target: Arg<*mut DataId>,
    targets: i64,
) -> dvm_retcode_t {
    running("dvm_dma_open", |_| {
        let dma = dma.result("dma")?;
        let source = source.data(length(sources, "sources")?, "source")?;
        let target = target.data(length(targets, "targets")?, "target")?;
        let engine = memory::lasting(|| Dma::open(element, source, target))?;
        dma.write(ENGINES.insert(engine)?);
        Ok(())
    })
}

/// @brief Make an engine of strided copies between memories of several processes.
///
/// Each process of the job makes the same engine, lists the same copies in the same order (sends and receives of all
/// memories, as code of `dvm-codegen redist c` does), and gives the data of its own memories and {0, 0} for those of others.
/// The copies are made in dvm_dma_wait, which is collective: all processes call it, as often as each other, and in the same
/// order as they make plans over processes. If one of them has listed something else, or fails, all get an error.
///
/// @param[out] dma             the handle of the new engine
/// @param[in]  element         the bytes of an element, 1 to 64
/// @param[in]  source          the ids of the source memories
/// @param[in]  source_process  for each of them the index of its process
/// @param[in]  sources         their number
/// @param[in]  target          the ids of the target memories. A target shares no memory with another one or with a source
/// @param[in]  target_process  for each of them the index of its process
/// @param[in]  targets         their number
/// @retval DVM_SUCCESS              dma is written
/// @retval DVM_ERR_ARGUMENT         a pointer is NULL, a count is negative, element is out of range, there is no such
///                                  process, or a memory of another process is not {0, 0}
/// @retval DVM_ERR_ID               a datum is unknown or has been freed
/// @retval DVM_ERR_NOT_READY        a target is a promise
///
/// Thread safety: any thread, any task. Source: added; the second paper, Figure 7.
#[unsafe(no_mangle)]
#[allow(clippy::too_many_arguments, reason = "the same of both sides")]
pub unsafe extern "C" fn dvm_dma_open_over(
    dma: Arg<*mut dvm_dma_t>,
    element: usize,
    source: Arg<*mut DataId>,
    source_process: Arg<*const i64>,
    sources: i64,
    target: Arg<*mut DataId>,
    target_process: Arg<*const i64>,
    targets: i64,
) -> dvm_retcode_t {
    running("dvm_dma_open_over", |call| {
        let dma = dma.result("dma")?;
        let (sources, targets) = (length(sources, "sources")?, length(targets, "targets")?);
        let source = (source.data(sources, "source")?, source_process.list(sources, "source_process")?);
        let target = (target.data(targets, "target")?, target_process.list(targets, "target_process")?);
        let engine = memory::lasting(|| Dma::open_over(call, element, source, target))?;
        dma.write(ENGINES.insert(engine)?);
        Ok(())
    })
}

/// The number of memories of a side.
fn length(count: i64, name: &str) -> Result<usize, Error> {
    let fits = usize::try_from(count).ok().filter(|&c| u32::try_from(c).is_ok());
    fits.ok_or_else(|| Error::argument(format!("`{name}` is {count}: give 0 to 2^32 - 1")))
}

fn send(function: &'static str, dma: dvm_dma_t, memory: i64, offset: i64, levels: &[(i64, i64)]) -> dvm_retcode_t {
    running(function, |_| {
        memory::check().and_then(|()| ENGINES.get(dma))?.send(Side { memory, offset, levels: levels.to_vec() })
    })
}

fn receive(function: &'static str, dma: dvm_dma_t, memory: i64, offset: i64, levels: &[(i64, i64)]) -> dvm_retcode_t {
    running(function, |call| {
        memory::check()
            .and_then(|()| ENGINES.get(dma))?
            .receive(call, &Side { memory, offset, levels: levels.to_vec() })
    })
}

/// @brief The source side of a strided copy in one dimension; the next receive is its target side.
///
/// @param[in] dma     the engine
/// @param[in] memory  the number of the source memory, from 0
/// @param[in] offset  the place of the first element, in elements
/// @param[in] count   how many elements, positive
/// @param[in] stride  how far apart they are, in elements
/// @retval DVM_SUCCESS              the copy waits for its receive
/// @retval DVM_ERR_ARGUMENT         there is no such memory, or a count is not positive
/// @retval DVM_ERR_SIZE             a place is outside of the memory
/// @retval DVM_ERR_STATE            the send before has no receive
/// @retval DVM_ERR_ID               the engine is unknown or has been closed
///
/// The next dvm_dma_wait returns the error, too; copies after the failed call are not made.
///
/// Source: added; the second paper, Figure 7.
#[unsafe(no_mangle)]
pub extern "C" fn dvm_dma_send(dma: dvm_dma_t, memory: i64, offset: i64, count: i64, stride: i64) -> dvm_retcode_t {
    send("dvm_dma_send", dma, memory, offset, &[(count, stride)])
}

/// @brief The source side of a strided copy in two dimensions; the next receive is its target side.
///
/// @param[in] dma      the engine
/// @param[in] memory   the number of the source memory, from 0
/// @param[in] offset   the place of the first element, in elements
/// @param[in] count    how many elements, positive
/// @param[in] stride   how far apart they are, in elements
/// @param[in] count2   how many times that, positive
/// @param[in] stride2  how far apart these are
/// @retval DVM_SUCCESS              the copy waits for its receive
/// @retval DVM_ERR_ARGUMENT         there is no such memory, or a count is not positive
/// @retval DVM_ERR_SIZE             a place is outside of the memory
/// @retval DVM_ERR_STATE            the send before has no receive
/// @retval DVM_ERR_ID               the engine is unknown or has been closed
///
/// The next dvm_dma_wait returns the error, too; copies after the failed call are not made.
///
/// Source: added; the second paper, Figure 7.
#[unsafe(no_mangle)]
pub extern "C" fn dvm_dma_send_2d(
    dma: dvm_dma_t,
    memory: i64,
    offset: i64,
    count: i64,
    stride: i64,
    count2: i64,
    stride2: i64,
) -> dvm_retcode_t {
    send("dvm_dma_send_2d", dma, memory, offset, &[(count, stride), (count2, stride2)])
}

/// @brief The source side of a strided copy in three dimensions; the next receive is its target side.
///
/// @param[in] dma      the engine
/// @param[in] memory   the number of the source memory, from 0
/// @param[in] offset   the place of the first element, in elements
/// @param[in] count    how many elements, positive
/// @param[in] stride   how far apart they are, in elements
/// @param[in] count2   how many times that, positive
/// @param[in] stride2  how far apart these are
/// @param[in] count3   how many times that, positive
/// @param[in] stride3  how far apart these are
/// @retval DVM_SUCCESS              the copy waits for its receive
/// @retval DVM_ERR_ARGUMENT         there is no such memory, or a count is not positive
/// @retval DVM_ERR_SIZE             a place is outside of the memory
/// @retval DVM_ERR_STATE            the send before has no receive
/// @retval DVM_ERR_ID               the engine is unknown or has been closed
///
/// The next dvm_dma_wait returns the error, too; copies after the failed call are not made.
///
/// Source: added; the second paper, Figure 7.
#[unsafe(no_mangle)]
#[allow(clippy::too_many_arguments, reason = "the macros' arguments")]
pub extern "C" fn dvm_dma_send_3d(
    dma: dvm_dma_t,
    memory: i64,
    offset: i64,
    count: i64,
    stride: i64,
    count2: i64,
    stride2: i64,
    count3: i64,
    stride3: i64,
) -> dvm_retcode_t {
    send("dvm_dma_send_3d", dma, memory, offset, &[(count, stride), (count2, stride2), (count3, stride3)])
}

/// @brief The target side, in one dimension, of the copy that the last send began. Copies run in any order, also at
/// the same time.
///
/// @param[in] dma     the engine
/// @param[in] memory  the number of the target memory, from 0
/// @param[in] offset  the place of the first element, in elements
/// @param[in] count   how many elements, positive
/// @param[in] stride  how far apart they are, in elements
/// @retval DVM_SUCCESS              the copy is under way, or will be at dvm_dma_wait
/// @retval DVM_ERR_ARGUMENT         there is no such memory, a count is not that of the send, or several elements go
///                                  to one place because a stride is 0; a target shares memory with a source or
///                                  another target
/// @retval DVM_ERR_SIZE             a place is outside of the memory
/// @retval DVM_ERR_STATE            there was no send
/// @retval DVM_ERR_ID               the engine is unknown or has been closed, or a datum has been freed
/// @retval DVM_ERR_NOT_READY        in a task: a source is not published yet
/// @retval DVM_ERR_POISONED         in a task: a source will never have a value
/// @retval DVM_ERR_NO_REFERENCE     all references of a datum are taken by tasks that are already scheduled
/// @retval DVM_ERR_MEMORY           no memory for the bookkeeping
///
/// The next dvm_dma_wait returns the error, too; copies after the failed call are not made. No two copies between
/// two waits may have one place of a target.
///
/// Source: added; the second paper, Figure 7.
#[unsafe(no_mangle)]
pub extern "C" fn dvm_dma_receive(dma: dvm_dma_t, memory: i64, offset: i64, count: i64, stride: i64) -> dvm_retcode_t {
    receive("dvm_dma_receive", dma, memory, offset, &[(count, stride)])
}

/// @brief The target side, in two dimensions, of the copy that the last send began. Copies run in any order, also at
/// the same time.
///
/// @param[in] dma      the engine
/// @param[in] memory   the number of the target memory, from 0
/// @param[in] offset   the place of the first element, in elements
/// @param[in] count    how many elements, positive
/// @param[in] stride   how far apart they are, in elements
/// @param[in] count2   how many times that, positive
/// @param[in] stride2  how far apart these are
/// @retval DVM_SUCCESS              the copy is under way, or will be at dvm_dma_wait
/// @retval DVM_ERR_ARGUMENT         there is no such memory, a count is not that of the send, or several elements go
///                                  to one place because a stride is 0; a target shares memory with a source or
///                                  another target
/// @retval DVM_ERR_SIZE             a place is outside of the memory
/// @retval DVM_ERR_STATE            there was no send
/// @retval DVM_ERR_ID               the engine is unknown or has been closed, or a datum has been freed
/// @retval DVM_ERR_NOT_READY        in a task: a source is not published yet
/// @retval DVM_ERR_POISONED         in a task: a source will never have a value
/// @retval DVM_ERR_NO_REFERENCE     all references of a datum are taken by tasks that are already scheduled
/// @retval DVM_ERR_MEMORY           no memory for the bookkeeping
///
/// The next dvm_dma_wait returns the error, too; copies after the failed call are not made. No two copies between
/// two waits may have one place of a target.
///
/// Source: added; the second paper, Figure 7.
#[unsafe(no_mangle)]
pub extern "C" fn dvm_dma_receive_2d(
    dma: dvm_dma_t,
    memory: i64,
    offset: i64,
    count: i64,
    stride: i64,
    count2: i64,
    stride2: i64,
) -> dvm_retcode_t {
    receive("dvm_dma_receive_2d", dma, memory, offset, &[(count, stride), (count2, stride2)])
}

/// @brief The target side, in three dimensions, of the copy that the last send began. Copies run in any order, also
/// at the same time.
///
/// @param[in] dma      the engine
/// @param[in] memory   the number of the target memory, from 0
/// @param[in] offset   the place of the first element, in elements
/// @param[in] count    how many elements, positive
/// @param[in] stride   how far apart they are, in elements
/// @param[in] count2   how many times that, positive
/// @param[in] stride2  how far apart these are
/// @param[in] count3   how many times that, positive
/// @param[in] stride3  how far apart these are
/// @retval DVM_SUCCESS              the copy is under way, or will be at dvm_dma_wait
/// @retval DVM_ERR_ARGUMENT         there is no such memory, a count is not that of the send, or several elements go
///                                  to one place because a stride is 0; a target shares memory with a source or
///                                  another target
/// @retval DVM_ERR_SIZE             a place is outside of the memory
/// @retval DVM_ERR_STATE            there was no send
/// @retval DVM_ERR_ID               the engine is unknown or has been closed, or a datum has been freed
/// @retval DVM_ERR_NOT_READY        in a task: a source is not published yet
/// @retval DVM_ERR_POISONED         in a task: a source will never have a value
/// @retval DVM_ERR_NO_REFERENCE     all references of a datum are taken by tasks that are already scheduled
/// @retval DVM_ERR_MEMORY           no memory for the bookkeeping
///
/// The next dvm_dma_wait returns the error, too; copies after the failed call are not made. No two copies between
/// two waits may have one place of a target.
///
/// Source: added; the second paper, Figure 7.
#[unsafe(no_mangle)]
#[allow(clippy::too_many_arguments, reason = "the macros' arguments")]
pub extern "C" fn dvm_dma_receive_3d(
    dma: dvm_dma_t,
    memory: i64,
    offset: i64,
    count: i64,
    stride: i64,
    count2: i64,
    stride2: i64,
    count3: i64,
    stride3: i64,
) -> dvm_retcode_t {
    receive("dvm_dma_receive_3d", dma, memory, offset, &[(count, stride), (count2, stride2), (count3, stride3)])
}

/// @brief Wait for all copies so far.
///
/// In a task the copies are made before a receive or this call returns. For an engine over processes
/// (dvm_dma_open_over) the call is collective and not allowed in a task; its errors are then also those of
/// dvm_redistribution_plan and dvm_redistribute over processes.
///
/// @param[in] dma  the engine
/// @retval DVM_SUCCESS              all copies are made
/// @retval DVM_ERR_STATE            a send has no receive, or a receive had no send
/// @retval DVM_ERR_POISONED         a source will never have a value: its copies were not made
/// @retval DVM_ERR_IN_TASK          called in a task after copies were started outside of it
/// @retval DVM_ERR_ARGUMENT         a send or receive since the last wait said so, or memories overlap
/// @retval DVM_ERR_SIZE             a send or receive since the last wait said so
/// @retval DVM_ERR_NOT_READY        in a task: a source is not published yet
/// @retval DVM_ERR_NO_REFERENCE     all references of a datum are taken by tasks that are already scheduled
/// @retval DVM_ERR_MEMORY           no memory for the bookkeeping
/// @retval DVM_ERR_ID               the engine is unknown or has been closed, or a datum has been freed
///
/// Source: added; the second paper, Figure 7.
#[unsafe(no_mangle)]
pub extern "C" fn dvm_dma_wait(dma: dvm_dma_t) -> dvm_retcode_t {
    running("dvm_dma_wait", |call| ENGINES.get(dma)?.wait(call))
}

/// @brief Wait for all copies so far and close the engine.
///
/// @param[in] dma  the engine
/// @retval DVM_SUCCESS              all copies are made; its handle is stale now
/// @retval DVM_ERR_ID               the engine is unknown or has been closed
/// @retval DVM_ERR_IN_TASK          called in a task after copies were started outside of it: the engine stays open
/// @retval DVM_ERR_STATE            as dvm_dma_wait; the engine is closed
/// @retval DVM_ERR_POISONED         as dvm_dma_wait; the engine is closed
/// @retval DVM_ERR_ARGUMENT         as dvm_dma_wait; the engine is closed
/// @retval DVM_ERR_SIZE             as dvm_dma_wait; the engine is closed
/// @retval DVM_ERR_NOT_READY        as dvm_dma_wait; the engine is closed
/// @retval DVM_ERR_NO_REFERENCE     as dvm_dma_wait; the engine is closed
/// @retval DVM_ERR_MEMORY           as dvm_dma_wait; the engine is closed
///
/// Source: added; the second paper, Figure 7.
#[unsafe(no_mangle)]
pub extern "C" fn dvm_dma_close(dma: dvm_dma_t) -> dvm_retcode_t {
    running("dvm_dma_close", |call| {
        let ended = ENGINES.get(dma)?.wait(call);
        match &ended {
            Err(error) if error.code() == dvm_retcode_t::DVM_ERR_IN_TASK => {}
            _ => drop(ENGINES.remove(dma)?),
        }
        ended
    })
}
