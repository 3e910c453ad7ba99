//! Data: blobs of bytes with an id and references.
//!
//! # For every function
//! Thread safety: any thread, any task.
//! DVM_ERR_NOT_INITIALIZED: libdvm is not running.
//!
//! # Over processes
//! The process that makes a datum is its home, word 0 of the id. Any process may use the id; how it gets there is the
//! program's affair, for example in a datum. References belong to the process that holds them: who has none of a datum
//! of another home asks that home, while the call goes on. So DVM_ERR_NO_REFERENCE, and DVM_ERR_ID for an id that home
//! does not know, are found at once at home only; elsewhere the next dvm_wait tells them, as a failed task.
//! DVM_ERR_PEER_LOST: the home of the datum is lost.

use std::ffi::{c_char, c_void};

use super::{Arg, ConstDataIdArg, DataId, DataIdArg, dvm_retcode_t, guard};

/// @brief Make a datum of memory that exists. The bytes are not copied.
///
/// The datum is published and has one reference. The memory belongs to libdvm until free_cb is called (or, without
/// free_cb, until the last reference has gone). The caller may write to it until the datum is first scheduled.
///
/// @param[in]  addr     the memory
/// @param[in]  size     its size in bytes; 0 is legal
/// @param[in]  free_cb  NULL, or what to call exactly once, as free_cb(addr, size), when the last reference of the
///                      datum, or of the last one that carries its storage on (dvm_data_next), has gone; it runs on
///                      any thread, with no lock of libdvm held, and may call what a task may call; what it throws ends
///                      there, and the next dvm_wait, or dvm_finalize, reports it as a task that failed
/// @param[out] id       the id of the new datum
/// @retval DVM_SUCCESS              id is written
/// @retval DVM_ERR_ARGUMENT         addr or id is NULL, or addr and size wrap around
/// @retval DVM_ERR_MEMORY           no memory for the bookkeeping
///
/// Source: report, section 4.2.4, data management.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn dvm_data_register(
    addr: Arg<*mut c_void>,
    size: usize,
    free_cb: Option<unsafe extern "C" fn(addr: *mut c_void, size: usize)>,
    id: Arg<*mut DataId>,
) -> dvm_retcode_t {
    guard::running("dvm_data_register", |call| {
        addr.require("addr")?;
        let id = id.result("id")?;
        let new = call.register(addr.pointer().cast(), size, free_cb)?;
        id.write(new.raw());
        Ok(())
    })
}

/// @brief Make a datum of new memory, zeroed and aligned to 64 bytes.
///
/// The datum is published and has one reference; its memory is freed after the last one has gone. It may be written,
/// through dvm_data_get, until it is first scheduled.
///
/// @param[in]  size  the size in bytes; 0 is legal
/// @param[out] id    the id of the new datum
/// @retval DVM_SUCCESS              id is written
/// @retval DVM_ERR_ARGUMENT         id is NULL
/// @retval DVM_ERR_MEMORY           there is not that much memory
///
/// Source: report, section 4.2.4, data management.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn dvm_data_allocate(size: usize, id: Arg<*mut DataId>) -> dvm_retcode_t {
    guard::running("dvm_data_allocate", |call| {
        let id = id.result("id")?;
        let new = call.allocate(size)?;
        id.write(new.raw());
        Ok(())
    })
}

/// @brief Add a reference to a datum.
///
/// Each task takes one reference of each of its inputs: a datum that n tasks read needs n - 1 acquires.
///
/// Of a datum of another home the calling process gets a reference of its own; if it held none, home is asked, and no
/// call waits for the answer.
///
/// @param[in] id  the datum
/// @retval DVM_SUCCESS              the datum has one reference more
/// @retval DVM_ERR_ARGUMENT         id is NULL
/// @retval DVM_ERR_ID               the datum is unknown or has been freed
/// @retval DVM_ERR_STATE            the datum ends with the task that reads it now, because that task carries its
///                                  storage on in place (dvm_data_next)
/// @retval DVM_ERR_PEER_LOST        the home of the datum is lost
///
/// Source: report, section 4.2.4, data management.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn dvm_data_acquire(id: DataIdArg) -> dvm_retcode_t {
    guard::running("dvm_data_acquire", |call| call.acquire(id.datum("id")?))
}

/// @brief Drop a reference of a datum. When the last one goes, the datum is freed, or free_cb is called.
///
/// @param[in] id  the datum
/// @retval DVM_SUCCESS              the datum has one reference less; when it was the last one, the id is stale now
/// @retval DVM_ERR_ARGUMENT         id is NULL
/// @retval DVM_ERR_ID               the datum is unknown or has been freed
/// @retval DVM_ERR_NO_REFERENCE     all references are taken by tasks that are already scheduled
/// @retval DVM_ERR_PEER_LOST        the home of the datum is lost
///
/// Source: report, section 4.2.4, data management.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn dvm_data_relax(id: DataIdArg) -> dvm_retcode_t {
    guard::running("dvm_data_relax", |call| call.relax(id.datum("id")?))
}

/// @brief Address and size of a datum on the calling process.
///
/// In a task the address is good until dvm_data_put or until the task ends; elsewhere until dvm_data_put. Gets nest.
/// The bytes and free_cb wait for the last put. Outside tasks the call waits until the datum is published. A task
/// reaches its own outputs at any time, and writes them here; everything else that is published is for reading, apart
/// from registered and allocated data that were not scheduled yet.
///
/// Bytes of another process are brought here first, and the call waits for them, also in a task, whose worker does other
/// tasks meanwhile; the address is that of a copy, which is for reading. Only arguments of the task are here already.
///
/// @param[in]  id    the datum
/// @param[out] addr  the address of its bytes
/// @param[out] size  their number
/// @retval DVM_SUCCESS              addr and size are written
/// @retval DVM_ERR_ARGUMENT         a pointer is NULL
/// @retval DVM_ERR_ID               the datum is unknown or has been freed
/// @retval DVM_ERR_NOT_READY        in a task or a free callback: the datum is not published yet; schedule a task on it
/// @retval DVM_ERR_POISONED         the task that was to produce the datum has failed or was cancelled
/// @retval DVM_ERR_STATE            the storage is being carried on in place by a task (dvm_data_next), or 2^32 - 1 gets
///                                  have not been put
/// @retval DVM_ERR_MEMORY           no memory for the bytes
/// @retval DVM_ERR_PEER_LOST        the home of the datum is lost, or the bytes were with it
///
/// Source: added to the report's interface.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn dvm_data_get(
    id: ConstDataIdArg,
    addr: Arg<*mut *mut c_void>,
    size: Arg<*mut usize>,
) -> dvm_retcode_t {
    guard::running("dvm_data_get", |call| {
        let (addr, size) = (addr.result("addr")?, size.result("size")?);
        let (bytes, length) = call.get(id.datum("id")?)?;
        addr.write(bytes.cast());
        size.write(length);
        Ok(())
    })
}

/// @brief End one dvm_data_get.
///
/// @param[in] id  the datum
/// @retval DVM_SUCCESS              one get less
/// @retval DVM_ERR_ARGUMENT         id is NULL
/// @retval DVM_ERR_ID               the datum is unknown or has been freed
/// @retval DVM_ERR_STATE            put without get: the task (or, outside tasks, the program) holds none
///
/// Source: added to the report's interface.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn dvm_data_put(id: ConstDataIdArg) -> dvm_retcode_t {
    guard::running("dvm_data_put", |call| call.put(id.datum("id")?))
}

/// @brief Make the id of a datum whose bytes do not exist yet.
///
/// The datum starts with one reference. A task that reads it waits, taking no worker, until the datum is published.
/// The datum has one producer: the task whose output it is, or the caller of dvm_data_write and then dvm_data_publish.
///
/// @param[in]  size  the size in bytes; 0 is legal
/// @param[out] id    the id of the new datum
/// @retval DVM_SUCCESS              id is written
/// @retval DVM_ERR_ARGUMENT         id is NULL
/// @retval DVM_ERR_MEMORY           no machine has that much memory, or none is left for the bookkeeping
///
/// Source: added to the report's interface.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn dvm_data_promise(size: usize, id: Arg<*mut DataId>) -> dvm_retcode_t {
    guard::running("dvm_data_promise", |call| {
        let id = id.result("id")?;
        let new = call.promise(size)?;
        id.write(new.raw());
        Ok(())
    })
}

/// @brief Become the producer of a promise by hand: address and size of the memory to write, zeroed.
///
/// The production ends with dvm_data_publish, after which the bytes do not change any more. Until then the memory
/// stays, also when the last reference goes.
///
/// @param[in]  id    the promise
/// @param[out] addr  the address of its bytes
/// @param[out] size  their number
/// @retval DVM_SUCCESS              addr and size are written
/// @retval DVM_ERR_ARGUMENT         a pointer is NULL
/// @retval DVM_ERR_ID               the datum is unknown or has been freed
/// @retval DVM_ERR_STATE            it is published, or has a producer, or carries on another datum (dvm_data_next), or is
///                                  a promise of another process: that one writes it, or a task that has it as an output
/// @retval DVM_ERR_POISONED         it was poisoned
/// @retval DVM_ERR_MEMORY           no memory for the bytes
///
/// Source: added to the report's interface.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn dvm_data_write(
    id: ConstDataIdArg,
    addr: Arg<*mut *mut c_void>,
    size: Arg<*mut usize>,
) -> dvm_retcode_t {
    guard::running("dvm_data_write", |call| {
        let (addr, size) = (addr.result("addr")?, size.result("size")?);
        let (bytes, length) = call.write(id.datum("id")?)?;
        addr.write(bytes.cast());
        size.write(length);
        Ok(())
    })
}

/// @brief Publish a promise: its bytes exist now, and tasks that wait for it can run.
///
/// A promise that nobody has written is published as zeros. The output of a task is published when the task ends with
/// 0; the task itself may publish it earlier.
///
/// @param[in] id  the promise
/// @retval DVM_SUCCESS              the datum is published
/// @retval DVM_ERR_ARGUMENT         id is NULL
/// @retval DVM_ERR_ID               the datum is unknown or has been freed
/// @retval DVM_ERR_STATE            it is published already, or it is the output of another task, or it carries on
///                                  another datum (dvm_data_next) and the caller is not the task that it is an output of,
///                                  or it is a promise of another process and the caller is not that task
/// @retval DVM_ERR_POISONED         it was poisoned
///
/// Source: added to the report's interface.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn dvm_data_publish(id: ConstDataIdArg) -> dvm_retcode_t {
    guard::running("dvm_data_publish", |call| call.publish(id.datum("id")?))
}

/// @brief Make a promise that carries on the storage of a datum: in-place update with single-assignment meaning.
///
/// The new promise has the size of the current datum, starts with one reference and takes none of the current one. It
/// can only be the output of a task that also reads the current datum. When that task starts, holds the current
/// datum's last references, and nobody holds a get of it, the new datum is the same memory and nothing is copied; the
/// current datum then ends with the task. Otherwise the new datum begins as a copy, aligned to 64 bytes.
///
/// Over processes the memory is carried on where the task runs, if the process that schedules the task is the home of the
/// current datum and no other process holds references of it; otherwise the new datum begins as a copy.
///
/// @param[in]  current  a datum, published or not
/// @param[out] next     the id of the new promise
/// @retval DVM_SUCCESS              next is written
/// @retval DVM_ERR_ARGUMENT         a pointer is NULL
/// @retval DVM_ERR_ID               the current datum is unknown or has been freed
/// @retval DVM_ERR_MEMORY           no memory for the bookkeeping
/// @retval DVM_ERR_PEER_LOST        the home of the current datum is lost
///
/// Source: added to the report's interface.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn dvm_data_next(current: ConstDataIdArg, next: Arg<*mut DataId>) -> dvm_retcode_t {
    guard::running("dvm_data_next", |call| {
        let next = next.result("next")?;
        let new = call.next(current.datum("current")?)?;
        next.write(new.raw());
        Ok(())
    })
}

/// @brief Name a datum for people: error messages, dvm_explain and the hang report say the name beside the id.
///
/// By the process that made the datum. A promise by which that process carries the datum on (dvm_data_next, DVM_INOUT) is
/// called the same unless it is named itself. Data without a name cost nothing.
///
/// @param[in] id    the datum
/// @param[in] name  a short text, copied, or NULL to take the name away
/// @retval DVM_SUCCESS              the datum has the name
/// @retval DVM_ERR_ARGUMENT         id is NULL
/// @retval DVM_ERR_ID               the datum is unknown or has been freed
/// @retval DVM_ERR_STATE            another process has made the datum
/// @retval DVM_ERR_MEMORY           no memory for the name
///
/// Source: added to the report's interface.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn dvm_data_name(id: ConstDataIdArg, name: Arg<*const c_char>) -> dvm_retcode_t {
    guard::running("dvm_data_name", |call| {
        let id = id.datum("id")?;
        call.name(id, name.text()?)
    })
}
