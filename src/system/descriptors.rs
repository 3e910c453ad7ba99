//! File descriptors: memory files, sockets that pass descriptors on, and waiting for any of them.

use std::ffi::{c_int, c_void};
use std::io::{Error, ErrorKind, IoSlice, IoSliceMut, Result};
use std::marker::PhantomData;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, FromRawFd, OwnedFd, RawFd};
use std::ptr;
use std::time::Duration;

use super::{BytesOf, checked};

// `Option<OwnedFd>` is -1 for none.
unsafe extern "C" {
    safe fn socketpair(domain: c_int, kind: c_int, protocol: c_int, ends: &mut [Option<OwnedFd>; 2]) -> c_int;
    safe fn shutdown(socket: BorrowedFd<'_>, how: c_int) -> c_int;
    safe fn setsockopt(
        socket: BorrowedFd<'_>,
        level: c_int,
        name: c_int,
        value: &c_int,
        bytes: BytesOf<c_int>,
    ) -> c_int;
    safe fn sendmsg(socket: BorrowedFd<'_>, message: &Departing<'_>, flags: c_int) -> isize;
    safe fn recvmsg(socket: BorrowedFd<'_>, message: &mut Arriving<'_>, flags: c_int) -> isize;
    safe fn getuid() -> libc::uid_t;
    safe fn getgid() -> libc::gid_t;
}

/// The most descriptors that one message carries; the kernel takes 253.
pub(crate) const MOST_PASSED: usize = 250;

/// A process and its user, as the kernel vouches for them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Credentials {
    /// 0: the process is in a PID namespace that cannot be seen from here.
    pub pid: i32,
    pub user: u32,
}

/// `fcntl` with a number.
fn control(descriptor: RawFd, command: c_int, argument: c_int) -> Result<c_int> {
    // SAFETY: the commands of this module take a number, and touch no memory.
    checked(unsafe { libc::fcntl(descriptor, command, argument) })
}

/// Another descriptor of what an inherited number stands for, which programs started from here do not get.
pub(crate) fn duplicate(number: RawFd) -> Result<OwnedFd> {
    let number = control(number, libc::F_DUPFD_CLOEXEC, 0)?;
    // SAFETY: the kernel has just made it.
    Ok(unsafe { OwnedFd::from_raw_fd(number) })
}

/// Has programs that are started from here inherit the descriptor, or not.
pub(crate) fn set_inherited(descriptor: RawFd, inherited: bool) -> Result<()> {
    let flags = if inherited { 0 } else { libc::FD_CLOEXEC };
    control(descriptor, libc::F_SETFD, flags).map(drop)
}

/// Makes reads and writes of an end of a pipe fail instead of waiting.
pub(crate) fn forbid_waiting(end: RawFd) -> Result<()> {
    control(end, libc::F_SETFL, libc::O_NONBLOCK).map(drop)
}

/// A new file in memory of so many bytes, which stay as many.
pub(crate) fn memory_file(bytes: u64) -> Result<OwnedFd> {
    // SAFETY: the name ends with a NUL; the kernel makes the descriptor.
    let file = unsafe {
        let number = libc::memfd_create(c"libdvm".as_ptr(), libc::MFD_CLOEXEC | libc::MFD_ALLOW_SEALING);
        std::fs::File::from_raw_fd(checked(number)?)
    };
    file.set_len(bytes)?;
    let file = OwnedFd::from(file);
    control(file.as_raw_fd(), libc::F_ADD_SEALS, libc::F_SEAL_SHRINK | libc::F_SEAL_GROW)?;
    Ok(file)
}

/// A new file in memory, empty, which may be executed and sealed.
pub(crate) fn executable_memory_file() -> Result<OwnedFd> {
    /// Since Linux 6.3, where the system may forbid to execute what does not ask for it.
    const MFD_EXEC: u32 = 0x10;
    let made = |flags| {
        // SAFETY: the name ends with a NUL; the kernel makes the descriptor.
        unsafe {
            let number =
                libc::memfd_create(c"libdvm-code".as_ptr(), libc::MFD_CLOEXEC | libc::MFD_ALLOW_SEALING | flags);
            checked(number).map(|number| OwnedFd::from_raw_fd(number))
        }
    };
    made(MFD_EXEC).or_else(|error| if error.raw_os_error() == Some(libc::EINVAL) { made(0) } else { Err(error) })
}

/// Makes a memory file stay as it is, for ever.
pub(crate) fn seal(file: &impl AsRawFd) -> Result<()> {
    let all = libc::F_SEAL_WRITE | libc::F_SEAL_SHRINK | libc::F_SEAL_GROW | libc::F_SEAL_SEAL;
    let has = control(file.as_raw_fd(), libc::F_GET_SEALS, 0)?;
    if has & all == all { Ok(()) } else { control(file.as_raw_fd(), libc::F_ADD_SEALS, all).map(drop) }
}

/// Forbids to map a memory file for writing, but where it is mapped so already. Kernels before 5.1 do not know that.
pub(crate) fn forbid_writing(file: &OwnedFd) {
    const F_SEAL_FUTURE_WRITE: c_int = 0x10;
    let _ = control(file.as_raw_fd(), libc::F_ADD_SEALS, F_SEAL_FUTURE_WRITE);
}

/// The same file, for reading only.
pub(crate) fn for_reading(file: &OwnedFd) -> Result<OwnedFd> {
    Ok(std::fs::File::open(format!("/proc/self/fd/{}", file.as_raw_fd()))?.into())
}

/// Whether this is a memory file of so many bytes that nobody can make shorter: reading it where it is mapped never
/// fails.
pub(crate) fn is_memory_file(file: &OwnedFd, bytes: u64) -> bool {
    let seals = control(file.as_raw_fd(), libc::F_GET_SEALS, 0).unwrap_or(0);
    let length = file.try_clone().and_then(|file| std::fs::File::from(file).metadata()).map_or(0, |data| data.len());
    seals & libc::F_SEAL_SHRINK != 0 && length == bytes
}

/// Two connected sockets that keep messages apart.
pub(crate) fn socket_pair() -> Result<[OwnedFd; 2]> {
    let mut ends = [None, None];
    checked(socketpair(libc::AF_UNIX, libc::SOCK_SEQPACKET | libc::SOCK_CLOEXEC, 0, &mut ends))?;
    match ends {
        [Some(one), Some(other)] => Ok([one, other]),
        _ => Err(ErrorKind::Other.into()),
    }
}

/// Ends the connection: the other side sees its end, whoever else has this socket.
pub(crate) fn end_connection(socket: &OwnedFd) {
    shutdown(socket.as_fd(), libc::SHUT_RDWR);
}

/// Has messages say who sent them, or not.
pub(crate) fn ask_for_sender(socket: &OwnedFd, ask: bool) -> Result<()> {
    let value = c_int::from(ask);
    checked(setsockopt(socket.as_fd(), libc::SOL_SOCKET, libc::SO_PASSCRED, &value, BytesOf::all())).map(drop)
}

/// The user of this process.
pub(crate) fn user() -> u32 {
    getuid()
}

/// Room for what accompanies a message, as the kernel lays it out: for each part its length and type, then its words.
#[repr(align(8))]
struct Ancillary([u32; 272]);

/// Words before a part's own: the length as two, the level, the type.
const PART: usize = 4;

/// What the C library takes for a message of no parts.
const NO_PARTS: libc::msghdr = libc::msghdr {
    msg_name: ptr::null_mut(),
    msg_namelen: 0,
    msg_iov: ptr::null_mut(),
    msg_iovlen: 0,
    msg_control: ptr::null_mut(),
    msg_controllen: 0,
    msg_flags: 0,
};

/// A message that `sendmsg` reads.
#[repr(transparent)]
struct Departing<'a>(libc::msghdr, PhantomData<(&'a [u8], &'a [u32])>);

impl<'a> Departing<'a> {
    fn new(bytes: &'a IoSlice<'a>, ancillary: &'a [u32]) -> Departing<'a> {
        let mut message = libc::msghdr { msg_iov: ptr::from_ref(bytes).cast_mut().cast(), msg_iovlen: 1, ..NO_PARTS };
        if !ancillary.is_empty() {
            message.msg_control = ancillary.as_ptr().cast_mut().cast();
            message.msg_controllen = size_of_val(ancillary);
        }
        Departing(message, PhantomData)
    }
}

/// A message that `recvmsg` fills.
#[repr(transparent)]
struct Arriving<'a>(libc::msghdr, PhantomData<(&'a mut [u8], &'a mut Ancillary)>);

impl<'a> Arriving<'a> {
    fn new(bytes: &'a mut IoSliceMut<'a>, ancillary: &'a mut Ancillary) -> Arriving<'a> {
        let message = libc::msghdr {
            msg_iov: ptr::from_mut(bytes).cast(),
            msg_iovlen: 1,
            msg_control: ancillary.0.as_mut_ptr().cast(),
            msg_controllen: size_of::<Ancillary>(),
            ..NO_PARTS
        };
        Arriving(message, PhantomData)
    }
}

/// Sends a message with descriptors, and if asked for with the sender's credentials; never waits.
pub(crate) fn send(socket: &OwnedFd, bytes: &[u8], descriptors: &[RawFd], signed: bool) -> Result<()> {
    assert!(descriptors.len() <= MOST_PASSED, "the kernel passes no more");
    let mut ancillary = Ancillary([0; 272]);
    let mut filled = 0;
    let mut part = |kind: c_int, words: &[u32]| {
        let part = &mut ancillary.0[filled..filled + PART + words.len().next_multiple_of(2)];
        part[0] = ((PART + words.len()) * 4) as u32;
        (part[2], part[3]) = (libc::SOL_SOCKET as u32, kind as u32);
        part[PART..PART + words.len()].copy_from_slice(words);
        filled += part.len();
    };
    if signed {
        part(libc::SCM_CREDENTIALS, &[std::process::id(), getuid(), getgid()]);
    }
    if !descriptors.is_empty() {
        part(libc::SCM_RIGHTS, &descriptors.iter().map(|&descriptor| descriptor as u32).collect::<Vec<_>>());
    }
    let sent = sendmsg(
        socket.as_fd(),
        &Departing::new(&IoSlice::new(bytes), &ancillary.0[..filled]),
        libc::MSG_DONTWAIT | libc::MSG_NOSIGNAL,
    );
    match usize::try_from(sent) {
        Ok(sent) if sent == bytes.len() => Ok(()),
        Ok(_) => Err(ErrorKind::WriteZero.into()),
        Err(_) => Err(Error::last_os_error()),
    }
}

/// A message that was received.
#[derive(Debug, Default)]
pub(crate) struct Received {
    /// Its bytes; 0: the other side has closed the connection.
    pub bytes: usize,
    pub descriptors: Vec<OwnedFd>,
    pub sender: Option<Credentials>,
}

/// Receives a message that is not longer than `into`; never waits: `ErrorKind::WouldBlock`.
pub(crate) fn receive(socket: &OwnedFd, into: &mut [u8]) -> Result<Received> {
    let mut ancillary = Ancillary([0; 272]);
    let mut place = IoSliceMut::new(into);
    let mut message = Arriving::new(&mut place, &mut ancillary);
    let bytes = recvmsg(socket.as_fd(), &mut message, libc::MSG_DONTWAIT | libc::MSG_CMSG_CLOEXEC);
    let (flags, written) = (message.0.msg_flags, message.0.msg_controllen);
    let Ok(bytes) = usize::try_from(bytes) else { return Err(Error::last_os_error()) };
    let cut = flags & (libc::MSG_CTRUNC | libc::MSG_TRUNC) != 0;
    let filled = (written / 4).min(ancillary.0.len());
    let mut received = Received { bytes, ..Received::default() };
    let mut parts = &ancillary.0[..filled];
    // What the kernel has written: no more than fits, each part with its length.
    while parts.len() >= PART {
        let words = (parts[0] as usize / 4).clamp(PART, parts.len());
        match (parts[2] as c_int, parts[3] as c_int, &parts[PART..words]) {
            (libc::SOL_SOCKET, libc::SCM_RIGHTS, numbers) => {
                for &number in numbers {
                    // SAFETY: the kernel has made it for this process, and says its number here only.
                    received.descriptors.push(unsafe { OwnedFd::from_raw_fd(number as c_int) });
                }
            }
            (libc::SOL_SOCKET, libc::SCM_CREDENTIALS, &[pid, user, ..]) => {
                received.sender = Some(Credentials { pid: pid as i32, user });
            }
            _ => {}
        }
        parts = &parts[words.next_multiple_of(2).min(parts.len())..];
    }
    if cut { Err(ErrorKind::InvalidData.into()) } else { Ok(received) }
}

/// A descriptor that can be read once the process has ended.
pub(crate) fn process(pid: i32) -> Result<OwnedFd> {
    // SAFETY: the system call takes two numbers, and makes the descriptor.
    unsafe { Ok(OwnedFd::from_raw_fd(checked(libc::syscall(libc::SYS_pidfd_open, pid, 0) as c_int)?)) }
}

/// Waits until one of the descriptors can be read or is at its end, at most so long. Which ones are; none when the time
/// is over or a signal came.
pub(crate) fn wait(descriptors: impl Iterator<Item = RawFd>, limit: Duration) -> Vec<bool> {
    let watched = |fd| libc::pollfd { fd, events: libc::POLLIN, revents: 0 };
    let mut watched: Vec<libc::pollfd> = descriptors.map(watched).collect();
    let time = libc::timespec {
        tv_sec: libc::time_t::try_from(limit.as_secs()).unwrap_or(libc::time_t::MAX),
        tv_nsec: limit.subsec_nanos().into(),
    };
    // SAFETY: the list and the time live during the call, and the list is as long as it is told.
    let any = unsafe { libc::ppoll(watched.as_mut_ptr(), watched.len() as libc::nfds_t, &raw const time, ptr::null()) };
    watched.iter().map(|watched| any > 0 && watched.revents != 0).collect()
}

/// Copies bytes of another process. False unless all of them were copied.
pub(crate) fn read_process(pid: i32, address: u64, into: &mut [u8]) -> bool {
    let mut done = 0;
    while done < into.len() {
        let rest = &mut into[done..];
        let here = libc::iovec { iov_base: rest.as_mut_ptr().cast(), iov_len: rest.len() };
        let there = libc::iovec { iov_base: (address + done as u64) as *mut c_void, iov_len: rest.len() };
        // SAFETY: writes into `rest` only; the kernel checks the other process's addresses.
        match usize::try_from(unsafe { libc::process_vm_readv(pid, &raw const here, 1, &raw const there, 1, 0) }) {
            Ok(some) if some > 0 => done += some,
            _ => return false,
        }
    }
    true
}

/// Lets a process and those that it has started read this one's memory, where the system asks for such leave.
pub(crate) fn allow_reading(pid: i32) {
    // SAFETY: takes numbers; a kernel that does not know the request refuses it.
    unsafe { libc::prctl(libc::PR_SET_PTRACER, libc::c_ulong::from(pid.unsigned_abs()), 0, 0, 0) };
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn messages_carry_bytes_descriptors_and_their_sender() {
        let [here, there] = socket_pair().unwrap();
        ask_for_sender(&there, true).unwrap();
        let files: Vec<OwnedFd> = (1..=MOST_PASSED).map(|size| memory_file(size as u64 * 4096).unwrap()).collect();
        let numbers: Vec<RawFd> = files.iter().map(AsRawFd::as_raw_fd).collect();
        send(&here, b"all of it", &numbers, true).unwrap();
        send(&here, b"next", &[], false).unwrap();
        let mut bytes = [0; 32];
        let received = receive(&there, &mut bytes).unwrap();
        assert_eq!(&bytes[..received.bytes], b"all of it");
        assert_eq!(received.sender, Some(Credentials { pid: std::process::id() as i32, user: user() }));
        assert_eq!(received.descriptors.len(), files.len());
        for (number, file) in received.descriptors.iter().enumerate() {
            assert!(is_memory_file(file, (number as u64 + 1) * 4096), "{number}");
        }
        ask_for_sender(&there, false).unwrap();
        assert_eq!(receive(&there, &mut bytes).unwrap().bytes, 4);
        assert_eq!(receive(&there, &mut bytes).unwrap_err().kind(), ErrorKind::WouldBlock);
        drop(here);
        assert_eq!(receive(&there, &mut bytes).unwrap().bytes, 0);
    }

    #[test]
    fn a_message_that_does_not_fit_is_refused() {
        let [here, there] = socket_pair().unwrap();
        send(&here, &[0; 40], &[], false).unwrap();
        assert_eq!(receive(&there, &mut [0; 32]).unwrap_err().kind(), ErrorKind::InvalidData);
    }

    #[test]
    fn memory_files_keep_their_length_and_others_are_none() {
        let file = memory_file(8192).unwrap();
        assert!(is_memory_file(&file, 8192) && !is_memory_file(&file, 4096));
        assert!(std::fs::File::from(file).set_len(0).is_err());
        assert!(!is_memory_file(&std::fs::File::open("/dev/zero").unwrap().into(), 0));
    }
}
