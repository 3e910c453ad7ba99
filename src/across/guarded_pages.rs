//! Pages of arrays that are kept on the processes, in process 0: what main may do with them, and who is told when it wants
//! more.
//!
//! A thread that touches such a page runs into a signal. Its handler hands the address to a thread of libdvm and waits:
//! that one may do what a handler must not.
#![allow(unsafe_code, reason = "protects memory, and handles the signal of a forbidden access")]

use std::cell::UnsafeCell;
use std::ffi::{c_int, c_void};
use std::fs::{File, OpenOptions};
use std::os::unix::fs::FileExt;
use std::ptr;
use std::sync::Once;
use std::sync::atomic::{AtomicI64, AtomicPtr, AtomicU32, Ordering};

use super::kept::Access;
use crate::error::{Error, dvm_retcode_t};
use crate::sync::thread::Thread;
use crate::system::{self, signals};

/// Most extents that are guarded at the same time.
pub(super) const MOST: usize = 256;

/// Pages, as first address and end; 0 and 0: none.
struct Range(AtomicI64, AtomicI64);

static RANGES: [Range; MOST] = [const { Range(AtomicI64::new(0), AtomicI64::new(0)) }; MOST];

/// Accesses to these pages are told from now on, or to none.
pub(super) fn set_range(slot: usize, pages: Option<(i64, i64)>) {
    let (first, end) = pages.unwrap_or_default();
    RANGES[slot].0.store(first, Ordering::SeqCst);
    RANGES[slot].1.store(end, Ordering::SeqCst);
}

fn is_guarded(address: i64) -> bool {
    RANGES.iter().any(|range| (range.0.load(Ordering::SeqCst)..range.1.load(Ordering::SeqCst)).contains(&address))
}

/// Sets what may be done with pages; nothing: all. Pages with which not all may be done are left out of the images of ended
/// programs: by this [`super::memory_ranges::not_dumped`] tells them from what the program maps at their place later.
///
/// # Errors
/// The system refuses.
pub(super) fn allow((first, end): (i64, i64), access: Option<Access>) -> Result<(), Error> {
    let (rights, advice) = match access {
        None => (libc::PROT_READ | libc::PROT_WRITE, libc::MADV_DODUMP),
        Some(Access::Read) => (libc::PROT_READ, libc::MADV_DONTDUMP),
        Some(Access::Nothing) => (libc::PROT_NONE, libc::MADV_DONTDUMP),
    };
    let (address, bytes) = (ptr::with_exposed_provenance_mut::<c_void>(first as usize), (end - first) as usize);
    // SAFETY: whole pages of an array, which could be read and written; an access that is not allowed now is handled.
    if unsafe { libc::madvise(address, bytes, advice) == 0 && libc::mprotect(address, bytes, rights) == 0 } {
        return Ok(());
    }
    let text = format!("the access to a kept array cannot be changed: {}", std::io::Error::last_os_error());
    Err(Error::new(dvm_retcode_t::DVM_ERR_MEMORY, text))
}

/// Gives the memory of pages back, none of whose values this process has.
pub(super) fn discard((first, end): (i64, i64)) {
    let address = ptr::with_exposed_provenance_mut::<c_void>(first as usize);
    // SAFETY: whole pages that nobody may access. They are private ones of this process.
    unsafe { libc::madvise(address, (end - first) as usize, libc::MADV_DONTNEED) };
}

/// Writes to memory that main may not access meanwhile.
pub(super) struct ClosedMemory(File);

impl ClosedMemory {
    pub(super) fn open() -> std::io::Result<ClosedMemory> {
        OpenOptions::new().read(true).write(true).open("/proc/self/mem").map(ClosedMemory)
    }

    pub(super) fn write(&self, address: i64, bytes: &[u8]) -> std::io::Result<()> {
        self.0.write_all_at(bytes, address as u64)
    }

    pub(super) fn read<const N: usize>(&self, address: i64) -> std::io::Result<[u8; N]> {
        let mut bytes = [0; N];
        self.0.read_exact_at(&mut bytes, address as u64).map(|()| bytes)
    }
}

/// A thread that waits for an access.
struct Request {
    address: i64,
    thread: i32,
    /// 1: it may go on. 2: it must not.
    answer: AtomicU32,
    next: *mut Request,
}

static REQUESTS: AtomicPtr<Request> = AtomicPtr::new(ptr::null_mut());
static COUNT: AtomicU32 = AtomicU32::new(0);
static GUARD: AtomicI64 = AtomicI64::new(0);
static PROCESS: AtomicI64 = AtomicI64::new(0);

fn futex(word: &AtomicU32, operation: c_int, value: u32) {
    // SAFETY: the word is there for the whole call; without a time.
    unsafe { libc::syscall(libc::SYS_futex, word.as_ptr(), operation | libc::FUTEX_PRIVATE_FLAG, value, 0, 0, 0) };
}

fn process() -> i64 {
    // SAFETY: it only answers.
    i64::from(unsafe { libc::getpid() })
}

struct Action(UnsafeCell<libc::sigaction>);

// SAFETY: written under the lock of the kept arrays, before the handler that reads it is set.
unsafe impl Sync for Action {}

/// What was to be done at the signal before.
// SAFETY: an action without members set: the default.
static BEFORE: Action = Action(UnsafeCell::new(unsafe { std::mem::zeroed() }));

type Handler = extern "C" fn(c_int, *mut libc::siginfo_t, *mut c_void);

extern "C" fn handle(signal: c_int, info: *mut libc::siginfo_t, context: *mut c_void) {
    // SAFETY: the system gives the handler a description of the access.
    let address = unsafe { (*info).si_addr() }.addr() as i64;
    let own = system::thread_number();
    if is_guarded(address) && i64::from(own) != GUARD.load(Ordering::SeqCst) {
        if process() != PROCESS.load(Ordering::SeqCst) {
            say("libdvm: a forked process touches an array that is kept on other processes\n");
        } else if ask(address, own) {
            return;
        }
        // SAFETY: it ends the process.
        unsafe { libc::abort() };
    }
    pass_on(signal, info, context);
}

fn say(text: &str) {
    // SAFETY: so many bytes are there.
    unsafe { libc::write(2, text.as_ptr().cast(), text.len()) };
}

/// Waits until the access is allowed; false: it never is.
fn ask(address: i64, own: i32) -> bool {
    // SAFETY: the place of this thread's errno.
    let error = unsafe { &mut *libc::__errno_location() };
    let before = *error;
    let mut request =
        Request { address, thread: own, answer: AtomicU32::new(0), next: REQUESTS.load(Ordering::SeqCst) };
    let place = &raw mut request;
    loop {
        // SAFETY: nobody else knows the request yet.
        let next = unsafe { (*place).next };
        match REQUESTS.compare_exchange(next, place, Ordering::SeqCst, Ordering::SeqCst) {
            Ok(_) => break,
            // SAFETY: as above.
            Err(other) => unsafe { (*place).next = other },
        }
    }
    COUNT.fetch_add(1, Ordering::SeqCst);
    futex(&COUNT, libc::FUTEX_WAKE, 1);
    // SAFETY: the request lies in this frame.
    let answer = unsafe { &(*place).answer };
    while answer.load(Ordering::SeqCst) == 0 {
        futex(answer, libc::FUTEX_WAIT, 0);
    }
    *error = before;
    answer.load(Ordering::SeqCst) == 1
}

fn pass_on(signal: c_int, info: *mut libc::siginfo_t, context: *mut c_void) {
    // SAFETY: set before this handler was.
    let before = unsafe { &*BEFORE.0.get() };
    let handler = before.sa_sigaction;
    if !signals::is_function(handler) {
        // The access happens again, and ends the process as it would have without libdvm.
        // SAFETY: the default action.
        unsafe { libc::signal(signal, libc::SIG_DFL) };
        return;
    }
    // SAFETY: a handler of the program; one without the flag takes the first argument only.
    let handler = unsafe { std::mem::transmute::<usize, Handler>(handler) };
    handler(signal, info, context);
}

/// Asks about each access to a guarded page, of which `serve` is told the address and the thread: true if the thread may go
/// on.
///
/// # Errors
/// There can be no thread for it, or the signal cannot be handled.
pub(super) fn watch(serve: fn(i64, i32) -> bool) -> Result<(), Error> {
    static STARTED: Once = Once::new();
    STARTED.call_once(|| {
        if Thread::spawn("dvm-pages", None, move || answer_all(serve)).is_ok() {
            PROCESS.store(process(), Ordering::SeqCst);
        }
    });
    if PROCESS.load(Ordering::SeqCst) != process() || !handles() {
        return Err(Error::new(dvm_retcode_t::DVM_ERR_MEMORY, "accesses to kept arrays cannot be watched"));
    }
    Ok(())
}

/// The handler of the program, where `now` is set: that one, or the one that was there before libdvm's.
pub(super) fn other_handler(now: usize) -> Option<usize> {
    if now != handle as *const () as usize {
        return Some(now);
    }
    // SAFETY: set before this handler was.
    let before = unsafe { (*BEFORE.0.get()).sa_sigaction };
    Some(before).filter(|before| signals::is_function(*before))
}

/// Sees to it that the signal is handled here: the program may have set a handler of its own since. On the alternate stack only
/// where the handler before it ran there: else nobody says that this stack is one still.
fn handles() -> bool {
    // SAFETY: an action without members set; the calls read and write it only while they run.
    unsafe {
        let mut action: libc::sigaction = std::mem::zeroed();
        let mut now: libc::sigaction = std::mem::zeroed();
        action.sa_sigaction = handle as *const () as usize;
        if libc::sigaction(libc::SIGSEGV, ptr::null(), &raw mut now) != 0 {
            return false;
        }
        let is_own = now.sa_sigaction == action.sa_sigaction;
        let before = if is_own { &*BEFORE.0.get() } else { &now };
        action.sa_flags = libc::SA_SIGINFO | libc::SA_NODEFER;
        if signals::is_function(before.sa_sigaction) {
            action.sa_flags |= before.sa_flags & libc::SA_ONSTACK;
        }
        if is_own && now.sa_flags & action.sa_flags == action.sa_flags {
            return true;
        }
        // The program may have put this handler back by `signal`, which sets other flags.
        if !is_own {
            *BEFORE.0.get() = now;
        }
        libc::sigaction(libc::SIGSEGV, &raw const action, ptr::null_mut()) == 0
    }
}

/// The loop of the thread that answers.
fn answer_all(serve: fn(i64, i32) -> bool) {
    GUARD.store(i64::from(system::thread_number()), Ordering::SeqCst);
    loop {
        let seen = COUNT.load(Ordering::SeqCst);
        let mut request = REQUESTS.swap(ptr::null_mut(), Ordering::SeqCst);
        if request.is_null() {
            futex(&COUNT, libc::FUTEX_WAIT, seen);
        }
        while !request.is_null() {
            // SAFETY: its thread waits until it is answered.
            let (address, thread, next) = unsafe { ((*request).address, (*request).thread, (*request).next) };
            let answer = if serve(address, thread) { 1 } else { 2 };
            // SAFETY: as above; after the answer the request is not touched: a wake of an address that is gone does no harm.
            let word = unsafe { &raw const (*request).answer };
            // SAFETY: as above.
            unsafe { (*word).store(answer, Ordering::SeqCst) };
            // SAFETY: only the address is used.
            unsafe { libc::syscall(libc::SYS_futex, word, libc::FUTEX_WAKE | libc::FUTEX_PRIVATE_FLAG, 1, 0, 0, 0) };
            request = next;
        }
    }
}
