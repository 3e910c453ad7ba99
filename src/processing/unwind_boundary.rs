//! Calling a function of the program: whatever it throws stops here and becomes words.
//!
//! `std::panic::catch_unwind` ends the process when it meets anything but a Rust panic. A callback may be C++ and throw,
//! or leave with `pthread_exit`, which glibc carries out as a forced unwinding. So the call goes through a frame of a few
//! instructions with a personality of its own, which catches everything:
//!
//! - a Rust panic is raised again under `catch_unwind`, which takes it apart;
//! - a C++ exception is ended as a C++ handler ends it, through the C++ run-time that is in the process;
//! - a forced unwinding is dropped: the thread, which is libdvm's, goes on (`forced`).
//!
//! Whatever stands between the thrower and this frame is unwound: destructors and cleanup handlers have run. The
//! exception's layout and the personality's contract are those of the Itanium C++ ABI, "Exception Handling", level I.

use std::any::Any;
use std::ffi::{CStr, c_char, c_int, c_void};
use std::mem::{ManuallyDrop, transmute};
use std::ops::Deref;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::ptr::{self, NonNull};

use once_cell::race::OnceBox;

use crate::error::{Error, dvm_retcode_t};
use crate::system;

/// The head of every exception.
#[repr(C)]
struct Exception {
    class: u64,
    cleanup: Option<unsafe extern "C" fn(c_int, *mut Exception)>,
    private: [usize; 2],
}

/// What came back across the unwind boundary.
#[repr(C)]
#[derive(Clone, Copy)]
struct Crossed {
    /// What the function has returned, of a number of 32 bits in the low half; or the address of the exception.
    value: usize,
    /// One of the following.
    how: usize,
}

const RETURNED: usize = 0;
const THREW: usize = 1;
/// The thread was to be ended.
const FORCED: usize = 2;

/// A function on the other side: up to four arguments of whatever types, in registers, and a number.
pub(crate) type Function = unsafe extern "C-unwind" fn(*mut c_void, *mut c_void, *mut c_void, *mut c_void) -> c_int;

enum Context {}

const SEARCH_PHASE: c_int = 1;
const FORCE_UNWIND: c_int = 8;
const FATAL_PHASE1_ERROR: c_int = 3;
const HANDLER_FOUND: c_int = 6;
const INSTALL_CONTEXT: c_int = 7;

unsafe extern "C" {
    fn _Unwind_SetGR(context: *mut Context, register: c_int, value: usize);
    fn _Unwind_SetIP(context: *mut Context, address: usize);
    fn _Unwind_GetLanguageSpecificData(context: *mut Context) -> usize;
    fn _Unwind_DeleteException(exception: *mut Exception);
}
unsafe extern "C-unwind" {
    fn _Unwind_RaiseException(exception: *mut Exception) -> c_int;
}

/// Says to the unwinder what `enter` does with an exception: it catches each, and goes on at the place that stands where
/// other functions have their language-specific data.
unsafe extern "C" fn personality(
    version: c_int,
    actions: c_int,
    _class: u64,
    exception: *mut Exception,
    context: *mut Context,
) -> c_int {
    if version != 1 {
        return FATAL_PHASE1_ERROR;
    }
    if actions & SEARCH_PHASE != 0 {
        return HANDLER_FOUND;
    }
    // SAFETY: the unwinder has given the context of `enter`'s frame, whose landing reads these two registers: numbers 0
    // and 1 are rax and rdx on x86-64, x0 and x1 on AArch64.
    unsafe {
        _Unwind_SetGR(context, 0, exception.expose_provenance());
        _Unwind_SetGR(context, 1, if actions & FORCE_UNWIND == 0 { THREW } else { FORCED });
        _Unwind_SetIP(context, _Unwind_GetLanguageSpecificData(context));
    }
    INSTALL_CONTEXT
}

/// Calls `function(a, b, c, d)`: the four are where the function expects them.
#[unsafe(naked)]
unsafe extern "C" fn enter(
    a: *mut c_void,
    b: *mut c_void,
    c: *mut c_void,
    d: *mut c_void,
    function: Function,
) -> Crossed {
    #[cfg(target_arch = "x86_64")]
    core::arch::naked_asm!(
        ".cfi_startproc",
        ".cfi_personality 0x1b, {personality}",
        ".cfi_lsda 0x1b, .Ldvm_border_landing",
        "sub rsp, 8",
        ".cfi_adjust_cfa_offset 8",
        "call r8",
        "xor edx, edx",
        ".Ldvm_border_landing:",
        "add rsp, 8",
        ".cfi_adjust_cfa_offset -8",
        "ret",
        ".cfi_endproc",
        personality = sym personality,
    );
    #[cfg(target_arch = "aarch64")]
    core::arch::naked_asm!(
        ".cfi_startproc",
        ".cfi_personality 0x1b, {personality}",
        ".cfi_lsda 0x1b, .Ldvm_border_landing",
        "stp x29, x30, [sp, #-16]!",
        ".cfi_def_cfa_offset 16",
        ".cfi_offset 29, -16",
        ".cfi_offset 30, -8",
        "mov x29, sp",
        "blr x4",
        "mov x1, xzr",
        ".Ldvm_border_landing:",
        "ldp x29, x30, [sp], #16",
        ".cfi_def_cfa_offset 0",
        ".cfi_restore 29",
        ".cfi_restore 30",
        "ret",
        ".cfi_endproc",
        personality = sym personality,
    );
}

/// What goes across the unwind boundary and back.
struct Parcel<F, R> {
    body: Option<F>,
    result: Option<R>,
}

unsafe extern "C-unwind" fn open<F: FnOnce() -> R, R>(
    parcel: *mut c_void,
    _: *mut c_void,
    _: *mut c_void,
    _: *mut c_void,
) -> c_int {
    // SAFETY: `cross` passes the address of a parcel of this type that nobody else has.
    let parcel = unsafe { &mut *parcel.cast::<Parcel<F, R>>() };
    if let Some(body) = parcel.body.take() {
        parcel.result = Some(body());
    }
    0
}

/// Runs `body`, which calls the program and has nothing to clean up itself.
fn cross<R>(body: impl FnOnce() -> R) -> Result<R, Crossed> {
    fn opener<F: FnOnce() -> R, R>(_: &Parcel<F, R>) -> Function {
        open::<F, R>
    }
    let mut parcel = Parcel { body: Some(body), result: None };
    let opener = opener(&parcel);
    // SAFETY: the opener is the one for this type of parcel.
    let crossed = unsafe { enter((&raw mut parcel).cast(), ptr::null_mut(), ptr::null_mut(), ptr::null_mut(), opener) };
    parcel.result.ok_or(crossed)
}

/// Calls the program through `body`, which has nothing to clean up itself; what is thrown is told in words.
#[inline]
pub(crate) fn call<R>(body: impl FnOnce() -> R) -> Result<R, Error> {
    cross(body).map_err(tell)
}

/// The number that a function of the program returns; what it throws is told in words.
///
/// # Safety
/// `function` is a function that may be called with these arguments: with all four, or with the first ones, since
/// it does not look into the other registers.
#[inline]
pub(crate) unsafe fn call_directly(function: Function, arguments: [*mut c_void; 4]) -> Result<c_int, Error> {
    let [a, b, c, d] = arguments;
    // SAFETY: by this function's contract.
    let crossed = unsafe { enter(a, b, c, d, function) };
    if crossed.how == RETURNED { Ok(crossed.value as c_int) } else { Err(tell(crossed)) }
}

/// The wide number that a function of the program returns; what it throws is told in words.
///
/// # Safety
/// As for [`call_directly`], of a function that returns 64 bits.
#[inline]
pub(crate) unsafe fn call_for_wide(function: Function, arguments: [*mut c_void; 4]) -> Result<i64, Error> {
    let [a, b, c, d] = arguments;
    // SAFETY: by this function's contract; the whole register is handed on.
    let crossed = unsafe { enter(a, b, c, d, function) };
    if crossed.how == RETURNED { Ok(crossed.value as i64) } else { Err(tell(crossed)) }
}

/// Exceptions of Rust and of the two C++ compilers have these classes. Rust has changed the order of the bytes.
const RUST: [u64; 2] = [u64::from_be_bytes(*b"MOZ\0RUST"), u64::from_le_bytes(*b"MOZ\0RUST")];
const CXX: [u64; 2] = [u64::from_be_bytes(*b"GNUCC++\0"), u64::from_be_bytes(*b"CLNGC++\0")];

/// Ends an exception, and says what it was.
#[cold]
#[inline(never)]
fn tell(crossed: Crossed) -> Error {
    Error::new(dvm_retcode_t::DVM_ERR_TASK, message(crossed))
}

fn message(crossed: Crossed) -> String {
    if crossed.how == FORCED {
        super::forced::put_back();
        return "was unwound by pthread_exit or pthread_cancel, which ends the task and not the worker".to_owned();
    }
    let exception = Caught(ptr::with_exposed_provenance_mut(crossed.value));
    if RUST.contains(&exception.class) {
        tell_panic(exception)
    } else if CXX.contains(&exception.class) {
        format!("threw a C++ exception of type {}", end_cxx(exception))
    } else {
        "threw an exception of an unknown language".to_owned()
    }
}

/// An exception that has come across the unwind boundary: the unwinder has given it, and nobody else has it. When the
/// value is dropped its own cleanup ends it.
struct Caught(*mut Exception);

impl Deref for Caught {
    type Target = Exception;
    fn deref(&self) -> &Exception {
        // SAFETY: it is there until it is ended, and nobody changes it meanwhile.
        unsafe { &*self.0 }
    }
}

impl Drop for Caught {
    fn drop(&mut self) {
        // SAFETY: it has been caught, so its own cleanup may end it.
        unsafe { _Unwind_DeleteException(self.0) };
    }
}

impl Caught {
    /// Whoever calls ends it in another way.
    fn into_raw(self) -> *mut Exception {
        ManuallyDrop::new(self).0
    }

    /// Tells the run-times that have made exceptions apart.
    fn maker(&self) -> usize {
        self.cleanup.map_or(0, |cleanup| cleanup as usize)
    }

    /// Raises a Rust panic where the standard library catches it.
    fn raise(self) -> Result<(), Box<dyn Any + Send>> {
        let exception = self.into_raw();
        catch_unwind(AssertUnwindSafe(|| {
            // SAFETY: it has been caught and nobody else has it; it comes back only when nobody catches it.
            unsafe { _Unwind_RaiseException(exception) };
        }))
    }
}

fn tell_panic(exception: Caught) -> String {
    /// The cleanup function of this copy of Rust's run-time, which marks its panics: those of another copy cannot be
    /// taken apart, and stay.
    static OWN: OnceBox<usize> = OnceBox::new();
    let own = *OWN.get_or_init(|| {
        Box::new(match cross(|| resume_unwind(Box::new(()))) {
            Ok(()) => 0,
            Err(crossed) => {
                let exception = Caught(ptr::with_exposed_provenance_mut(crossed.value));
                let own = exception.maker();
                let _ = exception.raise();
                own
            }
        })
    });
    if exception.maker() != own {
        exception.into_raw();
        return "panicked, in Rust code with a run-time of its own".to_owned();
    }
    match exception.raise() {
        Ok(()) => "panicked".to_owned(),
        Err(payload) => {
            let text = payload.downcast_ref::<&str>().copied();
            let text = text.or_else(|| payload.downcast_ref::<String>().map(String::as_str));
            format!("panicked ({})", text.unwrap_or("without words"))
        }
    }
}

/// Ends a C++ exception as a handler does; its type.
fn end_cxx(exception: Caught) -> String {
    let functions = (
        system::symbol(c"__cxa_begin_catch"),
        system::symbol(c"__cxa_current_exception_type"),
        system::symbol(c"__cxa_end_catch"),
        system::symbol(c"__cxa_demangle"),
    );
    let (Some(begin), Some(kind), Some(end), Some(demangle)) = functions else {
        return "unknown".to_owned();
    };
    // SAFETY: these are the functions of the Itanium C++ ABI; a type's second word is its name. A destructor of the
    // exception that throws itself ends the process, as in C++.
    unsafe {
        let begin = transmute::<NonNull<c_void>, unsafe extern "C" fn(*mut Exception) -> *mut c_void>(begin);
        let kind = transmute::<NonNull<c_void>, unsafe extern "C" fn() -> *const [*const c_char; 2]>(kind);
        let end = transmute::<NonNull<c_void>, unsafe extern "C" fn()>(end);
        begin(exception.into_raw());
        let kind = kind();
        let name = if kind.is_null() { c"unknown".as_ptr() } else { (*kind)[1] };
        let text = demangled(demangle, name).unwrap_or_else(|| CStr::from_ptr(name).to_string_lossy().into_owned());
        end();
        text
    }
}

type Demangle =
    unsafe extern "C" fn(name: *const c_char, room: *mut c_char, size: *mut usize, status: *mut c_int) -> *mut c_char;

/// A type's name as it is written in C++.
///
/// # Safety
/// `demangle` is `__cxa_demangle`, and `name` a string.
unsafe fn demangled(demangle: NonNull<c_void>, name: *const c_char) -> Option<String> {
    // SAFETY: by this function's contract; the result is a string from malloc, or NULL.
    unsafe {
        let text = transmute::<NonNull<c_void>, Demangle>(demangle)(name, ptr::null_mut(), ptr::null_mut(), &mut 0);
        let result = (!text.is_null()).then(|| CStr::from_ptr(text).to_string_lossy().into_owned());
        libc::free(text.cast());
        result
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_and_panics_come_back_again_and_again() {
        for turn in 0..100 {
            assert_eq!(call(|| turn), Ok(turn));
            let told = call(|| -> i32 { panic!("at turn {turn}") }).unwrap_err();
            assert_eq!(told.message(), format!("panicked (at turn {turn})"));
            assert!(!std::thread::panicking());
        }
    }

    #[test]
    fn a_thread_that_is_told_to_exit_goes_on() {
        unsafe extern "C-unwind" {
            fn pthread_exit(value: *mut c_void) -> !;
        }
        let thread = std::thread::spawn(|| {
            super::super::forced::guard_thread();
            for _ in 0..3 {
                // SAFETY: nothing between here and the unwind boundary has anything to clean up.
                let told = call(|| -> i32 { unsafe { pthread_exit(ptr::null_mut()) } }).unwrap_err();
                assert!(told.message().contains("pthread_exit"), "{told}");
            }
            7
        });
        assert_eq!(thread.join().unwrap(), 7);
    }
}
