//! libdvm's plugin for one MPI: the functions of `plugin_abi`, which libdvm finds by name.
//!
//! - `calls`: MPI's functions with results; nothing but `faults` calls others
//! - `receives`, `sends`: batches; `bulk`: larger memory; `engine`: all of a communicator
//! - `faults`: who is gone, as an MPI with ULFM knows
//! - `lifetime`: when MPI begins and ends

#[path = "../../src/transport/plugin_abi.rs"]
#[allow(dead_code, reason = "the constants that only libdvm reads")]
mod abi;
mod bulk;
mod calls;
mod engine;
mod faults;
mod lifetime;
mod receives;
mod sends;

use std::cell::RefCell;
use std::ffi::{c_char, c_void};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::ptr::NonNull;
use std::sync::Arc;
use std::{ptr, slice};

use abi::{Deliver, Given, PluginEvent, PluginInfo, PluginTable};
use bulk::{Memory, Outcome};
use calls::Communicator;
use engine::{Engine, Event};

thread_local!(static FAILURE: RefCell<String> = const { RefCell::new(String::new()) });

fn fail(text: String) {
    FAILURE.with(|failure| *failure.borrow_mut() = text);
}

static TABLE: PluginTable = PluginTable {
    version: abi::VERSION,
    size: size_of::<PluginTable>() as u32,
    open,
    gather,
    send,
    poll,
    bulk_send,
    bulk_receive,
    close,
    forgo_end,
    error_text,
};

/// The table of functions.
#[unsafe(no_mangle)]
pub extern "C" fn dvm_transport_plugin() -> Option<&'static PluginTable> {
    Some(&TABLE)
}

/// Nothing that is thrown leaves the plugin.
fn guarded<T>(otherwise: T, body: impl FnOnce() -> T) -> T {
    catch_unwind(AssertUnwindSafe(body)).unwrap_or_else(|_| {
        fail("a defect of the plugin".to_owned());
        otherwise
    })
}

/// The connection that libdvm names.
///
/// # Safety
/// It was given by `open` and is not closed.
unsafe fn engine<'a>(connection: *mut c_void) -> &'a Engine {
    // SAFETY: as the caller promises.
    unsafe { &*connection.cast::<Engine>() }
}

/// # Safety
/// So many bytes are there.
unsafe fn bytes<'a>(start: *const u8, length: u64) -> &'a [u8] {
    if length == 0 {
        return &[];
    }
    // SAFETY: as the caller promises.
    unsafe { slice::from_raw_parts(start, length as usize) }
}

extern "C" fn open(fortran_communicator: i32, flags: u32, info: &mut PluginInfo) -> Option<NonNull<c_void>> {
    guarded(None, || {
        let communicator = (flags & abi::HAS_COMMUNICATOR != 0).then_some(fortran_communicator);
        match connect(communicator) {
            Ok((engine, told)) => {
                *info = told;
                NonNull::new(Arc::into_raw(engine).cast_mut().cast())
            }
            Err(text) => {
                fail(text);
                None
            }
        }
    })
}

fn connect(communicator: Option<i32>) -> Result<(Arc<Engine>, PluginInfo), String> {
    let initialised_here = lifetime::begin()?;
    let level = calls::thread_level();
    if level < abi::SERIALIZED && !calls::is_main_thread() {
        return Err(
            "MPI was initialised for calls of one thread, and this is another one: call dvm_init in the thread \
                    that called MPI_Init, or initialise MPI with MPI_THREAD_MULTIPLE"
                .to_owned(),
        );
    }
    let driver = (level < abi::MULTIPLE).then(engine::this_thread);
    let of = communicator.map_or_else(Communicator::world, Communicator::of_fortran);
    let engine = Engine::new(of, driver).map_err(calls::text)?;
    let engine = Arc::new(engine);
    lifetime::add(&engine);
    let mut library = [0; 512];
    for (place, byte) in library.iter_mut().zip(calls::library_version().bytes().take(511)) {
        *place = byte as c_char;
    }
    let info = PluginInfo {
        size: size_of::<PluginInfo>() as u32,
        rank: engine.me,
        processes: engine.processes,
        thread_level: level,
        initialised_here: initialised_here.into(),
        reserved: 0,
        largest_batch: receives::LARGEST as u64,
        library,
    };
    Ok((engine, info))
}

unsafe extern "C" fn gather(
    connection: *mut c_void,
    start: *const u8,
    length: u64,
    given: Given,
    context: *mut c_void,
) -> i32 {
    guarded(1, || {
        // SAFETY: as libdvm promises.
        let (engine, mine) = unsafe { (engine(connection), bytes(start, length)) };
        if !engine.may_call() || !engine.works() {
            fail("processes gather in the thread that called dvm_init, before MPI_Finalize".to_owned());
            return 1;
        }
        match engine.gather(mine) {
            Ok(all) => {
                for (peer, bytes) in all.iter().enumerate() {
                    // SAFETY: libdvm's function with its context.
                    unsafe { given(context, peer as u32, bytes.as_ptr(), bytes.len() as u64) };
                }
                0
            }
            Err(code) => {
                fail(calls::text(code));
                1
            }
        }
    })
}

unsafe extern "C" fn send(connection: *mut c_void, to: u32, start: *const u8, length: u64) -> i32 {
    guarded(abi::GONE, || {
        // SAFETY: as libdvm promises.
        let (engine, batch) = unsafe { (engine(connection), bytes(start, length)) };
        assert!(batch.len() <= receives::LARGEST, "the largest batch was told");
        engine.send(to, batch)
    })
}

unsafe extern "C" fn poll(connection: *mut c_void, deliver: Deliver, context: *mut c_void) -> u32 {
    guarded(0, || {
        // SAFETY: as libdvm promises.
        let engine = unsafe { engine(connection) };
        engine.poll(&mut |event| {
            let (kind, peer, token, bytes): (u32, u32, u64, &[u8]) = match &event {
                Event::Batch(peer, bytes) => (abi::BATCH, *peer, 0, bytes),
                Event::Bulk(Outcome::Sent(token)) => (abi::BULK_SENT, 0, *token, &[]),
                Event::Bulk(Outcome::Received(token)) => (abi::BULK_RECEIVED, 0, *token, &[]),
                Event::Bulk(Outcome::Failed(token)) => (abi::BULK_FAILED, 0, *token, &[]),
                Event::Bulk(Outcome::Abandoned(token)) => (abi::BULK_ABANDONED, 0, *token, &[]),
                Event::Left(peer) => (abi::LEFT, *peer, 0, &[]),
                Event::Lost(peer, why) => (abi::LOST, *peer, 0, why.as_bytes()),
            };
            let event = PluginEvent { kind, peer, token, bytes: bytes.as_ptr(), length: bytes.len() as u64 };
            // SAFETY: libdvm's function with its context; the event lives during the call.
            unsafe { deliver(context, &raw const event) };
        })
    })
}

unsafe extern "C" fn bulk_send(
    connection: *mut c_void,
    to: u32,
    ticket: u64,
    start: *const u8,
    length: u64,
    token: u64,
) {
    guarded((), || {
        // SAFETY: as libdvm promises.
        let engine = unsafe { engine(connection) };
        engine.bulk_send(to, ticket, Memory { start: start.cast_mut(), length: length as usize, token });
    });
}

unsafe extern "C" fn bulk_receive(
    connection: *mut c_void,
    from: u32,
    ticket: u64,
    start: *mut u8,
    length: u64,
    token: u64,
) {
    guarded((), || {
        // SAFETY: as libdvm promises.
        let engine = unsafe { engine(connection) };
        engine.bulk_receive(from, ticket, Memory { start, length: length as usize, token });
    });
}

unsafe extern "C" fn close(connection: *mut c_void, clean: u32) -> i32 {
    guarded(0, || {
        // SAFETY: libdvm gives back what `open` has given, once.
        let engine = unsafe { Arc::from_raw(connection.cast_const().cast::<Engine>()) };
        i32::from(lifetime::close(&engine, clean != 0))
    })
}

extern "C" fn forgo_end() {
    lifetime::forgo_end();
}

unsafe extern "C" fn error_text(into: *mut u8, room: u64) -> u64 {
    FAILURE.with(|failure| {
        let text = failure.borrow();
        let length = text.len().min(room as usize);
        // SAFETY: libdvm has so much room there.
        unsafe { ptr::copy_nonoverlapping(text.as_ptr(), into, length) };
        length as u64
    })
}
