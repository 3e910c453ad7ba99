//! Sockets of the abstract name space, by which processes of one host find each other.

use std::ffi::c_int;
use std::io::{Error, Result};
use std::mem::{MaybeUninit, offset_of};
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
use std::ptr;

use super::descriptors::Credentials;

unsafe extern "C" {
    safe fn socket(domain: c_int, kind: c_int, protocol: c_int) -> c_int;
    safe fn listen(socket: c_int, waiting: c_int) -> c_int;
}

/// An address, and how much of it counts.
fn address(name: &str) -> (libc::sockaddr_un, libc::socklen_t) {
    // SAFETY: all fields of this type may be zero.
    let mut address: libc::sockaddr_un = unsafe { MaybeUninit::zeroed().assume_init() };
    address.sun_family = libc::AF_UNIX as libc::sa_family_t;
    assert!(name.len() < address.sun_path.len(), "names are short");
    for (place, byte) in address.sun_path[1..].iter_mut().zip(name.bytes()) {
        *place = byte as libc::c_char;
    }
    let bytes = offset_of!(libc::sockaddr_un, sun_path) + 1 + name.len();
    (address, bytes as libc::socklen_t)
}

fn new() -> Result<OwnedFd> {
    owned(socket(libc::AF_UNIX, libc::SOCK_SEQPACKET | libc::SOCK_CLOEXEC | libc::SOCK_NONBLOCK, 0))
}

fn owned(descriptor: c_int) -> Result<OwnedFd> {
    if descriptor < 0 {
        return Err(Error::last_os_error());
    }
    // SAFETY: the kernel has just given it to the caller of this.
    Ok(unsafe { OwnedFd::from_raw_fd(descriptor) })
}

fn checked(result: c_int) -> Result<()> {
    if result < 0 { Err(Error::last_os_error()) } else { Ok(()) }
}

/// A socket of this name, to which others connect.
pub(crate) fn named(name: &str) -> Result<OwnedFd> {
    let socket = new()?;
    let (address, bytes) = address(name);
    // SAFETY: the address lives during the call, and has so many bytes.
    checked(unsafe { libc::bind(socket.as_raw_fd(), (&raw const address).cast(), bytes) })?;
    checked(listen(socket.as_raw_fd(), 4096))?;
    Ok(socket)
}

/// Connects to a socket; `ErrorKind::WouldBlock` when too many others do so now.
pub(crate) fn connect(name: &str) -> Result<OwnedFd> {
    let socket = new()?;
    let (address, bytes) = address(name);
    // SAFETY: the address lives during the call, and has so many bytes.
    checked(unsafe { libc::connect(socket.as_raw_fd(), (&raw const address).cast(), bytes) })?;
    Ok(socket)
}

/// The next connection; `ErrorKind::WouldBlock` when there is none now.
pub(crate) fn accept(socket: &OwnedFd) -> Result<OwnedFd> {
    // SAFETY: no address is asked for.
    owned(unsafe {
        libc::accept4(socket.as_raw_fd(), ptr::null_mut(), ptr::null_mut(), libc::SOCK_CLOEXEC | libc::SOCK_NONBLOCK)
    })
}

/// The other side, as it was when it connected or began to listen.
pub(crate) fn other_side(socket: &OwnedFd) -> Result<Credentials> {
    let mut found = libc::ucred { pid: 0, uid: 0, gid: 0 };
    let mut bytes = size_of::<libc::ucred>() as libc::socklen_t;
    // SAFETY: the structure lives during the call, and has so many bytes.
    checked(unsafe {
        libc::getsockopt(
            socket.as_raw_fd(),
            libc::SOL_SOCKET,
            libc::SO_PEERCRED,
            (&raw mut found).cast(),
            &raw mut bytes,
        )
    })?;
    Ok(Credentials { pid: found.pid, user: found.uid })
}

#[cfg(all(test, not(loom)))]
mod tests {
    use std::io::ErrorKind;

    use super::*;
    use crate::system::descriptors;

    #[test]
    fn a_connection_says_who_is_at_its_other_side() {
        let name = format!("libdvm-test-{}", std::process::id());
        assert_eq!(connect(&name).unwrap_err().kind(), ErrorKind::ConnectionRefused);
        let listening = named(&name).unwrap();
        assert!(named(&name).is_err(), "a name is one socket's");
        assert_eq!(accept(&listening).unwrap_err().kind(), ErrorKind::WouldBlock);
        let here = connect(&name).unwrap();
        let there = accept(&listening).unwrap();
        let own = Credentials { pid: std::process::id() as i32, user: descriptors::user() };
        assert_eq!((other_side(&here).unwrap(), other_side(&there).unwrap()), (own, own));
        descriptors::send(&here, b"hello", &[], false).unwrap();
        let mut bytes = [0; 8];
        assert_eq!(descriptors::receive(&there, &mut bytes).unwrap().bytes, 5);
    }
}
