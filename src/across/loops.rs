//! Loops of a program of one process in which nothing but regions uses the regions' arrays: these stay on the processes from
//! one region to the next, and come back once, when the loop has ended.

use std::cell::Cell;
use std::ffi::c_int;
use std::path::Path;

use super::{guarded_pages, keeper};
use crate::engine::Call;
use crate::error::Error;
use crate::processing::image;
use crate::system::signals;

thread_local! {
    /// How many such loops this thread is in.
    static DEPTH: Cell<u32> = const { Cell::new(0) };
    /// What [`runs_loop`] has found out: nothing that stands in such a loop sets a handler.
    static UNDISTURBED: Cell<Option<bool>> = const { Cell::new(None) };
}

/// This thread begins such a loop.
pub(crate) fn loop_begins() {
    if DEPTH.get() == 0 {
        UNDISTURBED.set(None);
    }
    DEPTH.set(DEPTH.get().saturating_add(1));
}

/// It has ended one. `call`: enters libdvm, if it runs.
///
/// # Errors
/// What the processes have cannot be brought back.
pub(crate) fn loop_ended(call: impl FnOnce() -> Option<Call>) -> Result<(), Error> {
    DEPTH.set(DEPTH.get().saturating_sub(1));
    // When libdvm ends, all comes back.
    if DEPTH.get() == 0 && keeper::keeps_for_loops() {
        call().map_or(Ok(()), |call| keeper::end_loop(&call))
    } else {
        Ok(())
    }
}

/// Whether this thread may be in such a loop.
pub(crate) fn in_loop() -> bool {
    DEPTH.get() > 0
}

/// Whether this thread runs such a loop, and nothing of the program may run in between: a handler of a signal might leave the
/// loop, end the program, or give the arrays to the system, which reads no closed pages.
pub(crate) fn runs_loop(call: &Call) -> bool {
    if !in_loop() {
        return false;
    }
    if let Some(undisturbed) = UNDISTURBED.get() {
        return undisturbed;
    }
    let handled = handled_signal();
    if let Some(signal) = handled {
        call.engine()
            .config()
            .note(|| format!("arrays stay on no process in loops without `keep`: signal {signal} is handled"));
    }
    UNDISTURBED.set(Some(handled.is_none()));
    handled.is_none()
}

/// A signal that is handled by something else than libraries whose handlers only tell where a program has failed.
fn handled_signal() -> Option<c_int> {
    signals::handlers()
        .find(|(signal, handler)| {
            let handler = match *signal {
                libc::SIGSEGV => guarded_pages::other_handler(*handler),
                _ => Some(*handler),
            };
            handler.is_some_and(|handler| !is_harmless(handler))
        })
        .map(|(signal, _)| signal)
}

/// Begins of the names of these libraries: of compilers and of MPI, and this one, whose handler asks for an explanation.
const HARMLESS: [&str; 9] =
    ["libdvm.so", "libgfortran", "libopen-pal", "libopen-rte", "libmpi", "libpmix", "libprrte", "libucs", "libevent"];

fn is_harmless(handler: usize) -> bool {
    let object = image::locate(handler).map(|place| place.object);
    let name = object.as_deref().and_then(|path| Path::new(path).file_name()?.to_str());
    name.is_some_and(|name| HARMLESS.iter().any(|begin| name.starts_with(begin)))
}
