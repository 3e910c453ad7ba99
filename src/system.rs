//! Calls of the C library that need no more than their arguments.
#![allow(unsafe_code, reason = "calls of the C library")]

#[cfg_attr(loom, expect(dead_code, reason = "models have no sockets"))]
pub(crate) mod descriptors;
#[cfg_attr(loom, expect(dead_code, reason = "models have no sockets"))]
pub(crate) mod named_sockets;
pub(crate) mod signals;
pub(crate) mod threads;

use std::ffi::{CStr, c_int, c_long, c_uint, c_void};
use std::io::{Error, Result};
use std::marker::PhantomData;
use std::os::fd::OwnedFd;
use std::ptr::{self, NonNull};

unsafe extern "C" {
    safe fn sysconf(name: c_int) -> c_long;
    safe fn pthread_self() -> libc::pthread_t;
    safe fn pthread_setcancelstate(state: c_int, before: Option<&mut c_int>) -> c_int;
    safe fn pthread_key_create(key: &mut libc::pthread_key_t, ended: Option<extern "C" fn(*mut c_void)>) -> c_int;
    safe fn pthread_atfork(
        before: Option<extern "C" fn()>,
        parent: Option<extern "C" fn()>,
        child: Option<extern "C" fn()>,
    ) -> c_int;
    safe fn atexit(body: extern "C" fn()) -> c_int;
    safe fn sched_getcpu() -> c_int;
    safe fn _exit(status: c_int) -> !;
    safe fn exit(status: c_int) -> !;
    safe fn gettid() -> libc::pid_t;
    safe fn getrlimit(resource: c_uint, limit: &mut libc::rlimit) -> c_int;
}

/// The CPU on which the calling thread runs at the moment. `None`: the system does not tell.
pub(crate) fn cpu() -> Option<u32> {
    u32::try_from(sched_getcpu()).ok()
}

/// The kernel since its start. `None`: /proc is not there.
pub(crate) fn boot() -> Option<String> {
    std::fs::read_to_string("/proc/sys/kernel/random/boot_id").ok().map(|text| text.trim().to_owned())
}

/// The calling process's namespace of this kind (`pid`, `net`, ...). `None`: /proc is not there.
pub(crate) fn namespace(kind: &str) -> Option<String> {
    std::fs::read_link(format!("/proc/self/ns/{kind}")).ok().map(|link| link.display().to_string())
}

/// A number of bytes that a value of this type has.
#[repr(transparent)]
struct BytesOf<T>(libc::socklen_t, PhantomData<T>);

impl<T> BytesOf<T> {
    /// All of them.
    fn all() -> BytesOf<T> {
        BytesOf(size_of::<T>() as libc::socklen_t, PhantomData)
    }

    /// The first ones.
    fn first(bytes: usize) -> BytesOf<T> {
        assert!(bytes <= size_of::<T>(), "a value has no more bytes");
        BytesOf(bytes as libc::socklen_t, PhantomData)
    }
}

/// The result of a call that answers -1 when it fails.
fn checked(result: c_int) -> Result<c_int> {
    if result < 0 { Err(Error::last_os_error()) } else { Ok(result) }
}

/// The result of a call that makes a descriptor.
fn made(descriptor: Option<OwnedFd>) -> Result<OwnedFd> {
    descriptor.ok_or_else(Error::last_os_error)
}

/// What has this name in the dynamic tables of the program and of its libraries.
pub(crate) fn symbol(name: &CStr) -> Option<NonNull<c_void>> {
    // SAFETY: the name ends with a NUL; RTLD_DEFAULT asks the whole program.
    NonNull::new(unsafe { libc::dlsym(libc::RTLD_DEFAULT, name.as_ptr()) })
}

/// The system's clock that never goes back, in nanoseconds: one for all processes of a host.
pub(crate) fn monotonic_nanoseconds() -> u64 {
    let mut now = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the value is written during the call only; every Linux has this clock.
    unsafe { libc::clock_gettime(libc::CLOCK_MONOTONIC, &raw mut now) };
    now.tv_sec.cast_unsigned() * 1_000_000_000 + now.tv_nsec.cast_unsigned()
}

/// The processor's time of the calling thread, in nanoseconds.
pub(crate) fn thread_nanoseconds() -> u64 {
    let mut now = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: as for `monotonic_nanoseconds`.
    unsafe { libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &raw mut now) };
    now.tv_sec.cast_unsigned() * 1_000_000_000 + now.tv_nsec.cast_unsigned()
}

/// The bytes of a page.
pub(crate) fn page() -> usize {
    usize::try_from(sysconf(libc::_SC_PAGESIZE)).unwrap_or(1 << 16)
}

/// The calling thread.
pub(crate) fn this_thread() -> libc::pthread_t {
    pthread_self()
}

/// Makes the calling thread deaf to `pthread_cancel`; what it was before.
pub(crate) fn ignore_cancellation() -> c_int {
    /// `PTHREAD_CANCEL_DISABLE` of Linux's C libraries.
    const CANCEL_DISABLE: c_int = 1;
    let mut before = 0;
    pthread_setcancelstate(CANCEL_DISABLE, Some(&mut before));
    before
}

/// Has the calling thread hear or ignore `pthread_cancel` as it did before.
pub(crate) fn set_cancellation(state: c_int) {
    pthread_setcancelstate(state, None);
}

/// Has these functions called before a fork, and after it in the parent and in the child; false when there is no memory
/// for that.
pub(crate) fn at_fork(before: extern "C" fn(), parent: extern "C" fn(), child: extern "C" fn()) -> bool {
    pthread_atfork(Some(before), Some(parent), Some(child)) == 0
}

/// Has a function called when the process exits; false when there is no memory for that.
pub(crate) fn at_exit(body: extern "C" fn()) -> bool {
    atexit(body) == 0
}

/// Ends the process at once: nothing that is registered for its exit runs.
pub(crate) fn exit_at_once(status: c_int) -> ! {
    _exit(status)
}

/// Ends the process as the return of `main` does: what is registered for its exit runs, on this thread.
pub(crate) fn exit_in_order(status: c_int) -> ! {
    exit(status)
}

/// The number that the system gives the calling thread; that of the first thread is the process's.
pub(crate) fn thread_number() -> libc::pid_t {
    gettid()
}

/// The bytes that the main thread's stack may have; `None`: there is no limit, or it is not known.
pub(crate) fn stack_limit() -> Option<u64> {
    let mut limit = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
    let known = getrlimit(libc::RLIMIT_STACK, &mut limit) == 0;
    (known && limit.rlim_cur != libc::RLIM_INFINITY).then_some(limit.rlim_cur)
}

/// Has a function called at the end of each thread that is marked. It is there for the life of the process.
pub(crate) struct ExitKey(libc::pthread_key_t);

impl ExitKey {
    /// A new one; `None` when the C library has no more.
    pub(crate) fn new(ended: extern "C" fn(*mut c_void)) -> Option<ExitKey> {
        let mut key = 0;
        (pthread_key_create(&mut key, Some(ended)) == 0).then_some(ExitKey(key))
    }

    /// Marks the calling thread, also when its end has begun; false when there is no memory for that.
    pub(crate) fn mark_thread(&self) -> bool {
        // SAFETY: the key was made by `new`, and is never deleted; the value is no address, only not NULL.
        unsafe { libc::pthread_setspecific(self.0, ptr::without_provenance(1)) == 0 }
    }
}
