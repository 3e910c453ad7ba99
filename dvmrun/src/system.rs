//! Calls of the system that the standard library does not have.
#![allow(unsafe_code, reason = "calls of the C library")]

use std::ffi::c_int;
use std::fs::File;
use std::io::{self, Error, Read, Write};
use std::mem::MaybeUninit;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd, RawFd};
use std::os::unix::process::CommandExt;
use std::process::Command;
use std::time::Duration;

use dvm::transport::job::Ticket;
use libc::{pid_t, sigset_t};

unsafe extern "C" {
    safe fn kill(process: pid_t, signal: c_int) -> c_int;
    safe fn getpid() -> pid_t;
    safe fn getppid() -> pid_t;
    safe fn getpgrp() -> pid_t;
    safe fn tcgetpgrp(terminal: c_int) -> pid_t;
    safe fn sigemptyset(set: &mut MaybeUninit<sigset_t>) -> c_int;
    safe fn sigaddset(set: &mut sigset_t, signal: c_int) -> c_int;
    safe fn sigprocmask(how: c_int, set: &sigset_t, before: Option<&mut sigset_t>) -> c_int;
    safe fn signalfd(descriptor: c_int, set: &sigset_t, flags: c_int) -> c_int;
    safe fn getrlimit(resource: libc::__rlimit_resource_t, limit: &mut libc::rlimit) -> c_int;
    safe fn setrlimit(resource: libc::__rlimit_resource_t, limit: &libc::rlimit) -> c_int;
}

/// Sends a signal to a process and to what it has started, of which it leads the group. Groups that are gone get none.
pub fn signal_group(leader: u32, signal: c_int) {
    kill(-(leader as pid_t), signal);
}

/// Stops this process until it is told to go on.
pub fn stop_self() {
    kill(getpid(), libc::SIGSTOP);
}

/// Whether this process may read the terminal: elsewhere that would stop it.
pub fn has_terminal(descriptor: RawFd) -> bool {
    tcgetpgrp(descriptor) == getpgrp()
}

/// May this process open as many descriptors as the system allows it to? The limit before.
pub fn raise_descriptor_limit() -> libc::rlimit {
    let mut limit = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
    getrlimit(libc::RLIMIT_NOFILE, &mut limit);
    setrlimit(libc::RLIMIT_NOFILE, &libc::rlimit { rlim_cur: limit.rlim_max, ..limit });
    limit
}

/// Signals that come as words to be read. What this process was deaf to before, it stays so.
pub struct Signals {
    file: File,
    before: sigset_t,
}

impl Signals {
    /// Takes over these signals.
    ///
    /// # Errors
    /// The system's.
    pub fn take(signals: &[c_int]) -> io::Result<Signals> {
        hear_of_children();
        let mut set = empty_set();
        for &signal in signals.iter().filter(|&&signal| !is_ignored(signal)) {
            sigaddset(&mut set, signal);
        }
        let mut before = empty_set();
        sigprocmask(libc::SIG_BLOCK, &set, Some(&mut before));
        let descriptor = signalfd(-1, &set, libc::SFD_CLOEXEC | libc::SFD_NONBLOCK);
        if descriptor < 0 {
            return Err(Error::last_os_error());
        }
        // SAFETY: a new descriptor, which nobody else has.
        Ok(Signals { file: unsafe { OwnedFd::from_raw_fd(descriptor) }.into(), before })
    }

    /// The next signal that has come.
    pub fn next(&mut self) -> Option<c_int> {
        let mut bytes = [0; size_of::<libc::signalfd_siginfo>()];
        // The number is the first word.
        let read = self.file.read(&mut bytes).is_ok_and(|read| read == bytes.len());
        read.then(|| c_int::from_ne_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]))
    }
}

impl AsRawFd for Signals {
    fn as_raw_fd(&self) -> RawFd {
        self.file.as_raw_fd()
    }
}

fn empty_set() -> sigset_t {
    let mut set = MaybeUninit::uninit();
    sigemptyset(&mut set);
    // SAFETY: the call has made it an empty set.
    unsafe { set.assume_init() }
}

/// A parent that ignores the ends of its children hands that on; the system would then forget how ours end.
fn hear_of_children() {
    // SAFETY: sets no handler.
    unsafe { libc::signal(libc::SIGCHLD, libc::SIG_DFL) };
}

fn is_ignored(signal: c_int) -> bool {
    let mut action = MaybeUninit::<libc::sigaction>::zeroed();
    // SAFETY: asks only, into room for an answer, which may be zero as well.
    unsafe {
        libc::sigaction(signal, std::ptr::null(), action.as_mut_ptr());
        action.assume_init().sa_sigaction == libc::SIG_IGN
    }
}

/// Has the command's process get the ticket's socket, the signals and limits that this one had, die with this process,
/// and write its number to the register, as four bytes.
pub fn prepare(command: &mut Command, ticket: Ticket, signals: &Signals, limit: libc::rlimit, register: File) {
    let (before, launcher) = (signals.before, getpid());
    let prepare = move || -> io::Result<()> {
        ticket.pass_on()?;
        sigprocmask(libc::SIG_SETMASK, &before, None);
        setrlimit(libc::RLIMIT_NOFILE, &limit);
        die_with_parent();
        (&register).write_all(&(getpid() as u32).to_le_bytes())?;
        // It may have died before that.
        if getppid() == launcher { Ok(()) } else { Err(Error::from_raw_os_error(libc::ESRCH)) }
    };
    // SAFETY: between fork and exec it makes system calls only, and allocates nothing.
    unsafe { command.pre_exec(prepare) };
}

fn die_with_parent() {
    // SAFETY: takes a number.
    unsafe { libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL as libc::c_ulong) };
}

/// How a process has ended, if it has: its exit code, or 128 plus the signal. It stays there to be waited for, so that
/// nobody else gets its number.
pub fn ended(process: u32) -> Option<u8> {
    let mut info = MaybeUninit::<libc::siginfo_t>::zeroed();
    let how = libc::WEXITED | libc::WNOHANG | libc::WNOWAIT;
    // SAFETY: the answer is written into room for one; zero means that there is none, and is one.
    let (result, info) = unsafe { (libc::waitid(libc::P_PID, process, info.as_mut_ptr(), how), info.assume_init()) };
    // SAFETY: `waitid` fills these fields, or leaves them zero.
    let (whose, status) = unsafe { (info.si_pid(), info.si_status()) };
    let over = result == 0 && whose != 0;
    over.then(|| if info.si_code == libc::CLD_EXITED { status as u8 } else { 128 + status as u8 })
}

/// Waits until one of the descriptors can be read or written, as it is asked for, or is at its end. Which ones are.
pub fn wait(watched: &[(RawFd, bool)], limit: Option<Duration>) -> Vec<bool> {
    let poll = |&(fd, write): &(RawFd, bool)| {
        let events = if write { libc::POLLOUT } else { libc::POLLIN };
        libc::pollfd { fd, events, revents: 0 }
    };
    let mut list: Vec<libc::pollfd> = watched.iter().map(poll).collect();
    // Rounded up: else the last millisecond is a busy one.
    let limit = limit.map_or(-1, |limit| c_int::try_from(limit.as_millis() + 1).unwrap_or(c_int::MAX));
    // SAFETY: the list lives during the call, and is as long as it is told.
    let any = unsafe { libc::poll(list.as_mut_ptr(), list.len() as libc::nfds_t, limit) };
    list.iter().map(|watched| any > 0 && watched.revents != 0).collect()
}

/// Has reads and writes of a descriptor of this process's own fail where they would wait.
pub fn set_nonblocking(descriptor: RawFd) {
    // SAFETY: takes numbers.
    unsafe { libc::fcntl(descriptor, libc::F_SETFL, libc::O_NONBLOCK) };
}
