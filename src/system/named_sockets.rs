//! Sockets of the abstract name space, by which processes of one host find each other.

use std::convert::Infallible;
use std::ffi::c_int;
use std::io::Result;
use std::mem::offset_of;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

use super::descriptors::Credentials;
use super::{BytesOf, checked, made};

/// An address of this family.
type Address = libc::sockaddr_un;

// `Option<OwnedFd>` is -1 for none. Where no address is asked for, the only value is NULL.
unsafe extern "C" {
    safe fn socket(domain: c_int, kind: c_int, protocol: c_int) -> Option<OwnedFd>;
    safe fn bind(socket: BorrowedFd<'_>, address: &Address, bytes: BytesOf<Address>) -> c_int;
    safe fn listen(socket: BorrowedFd<'_>, waiting: c_int) -> c_int;
    #[link_name = "connect"]
    safe fn connect_to(socket: BorrowedFd<'_>, address: &Address, bytes: BytesOf<Address>) -> c_int;
    safe fn accept4(
        socket: BorrowedFd<'_>,
        address: Option<&Infallible>,
        bytes: Option<&Infallible>,
        flags: c_int,
    ) -> Option<OwnedFd>;
    safe fn getsockopt(
        socket: BorrowedFd<'_>,
        level: c_int,
        name: c_int,
        value: &mut libc::ucred,
        bytes: &mut BytesOf<libc::ucred>,
    ) -> c_int;
}

/// An address, and how much of it counts.
fn address(name: &str) -> (Address, BytesOf<Address>) {
    let mut address = Address { sun_family: libc::AF_UNIX as libc::sa_family_t, sun_path: [0; 108] };
    assert!(name.len() < address.sun_path.len(), "names are short");
    for (place, byte) in address.sun_path[1..].iter_mut().zip(name.bytes()) {
        *place = byte as libc::c_char;
    }
    (address, BytesOf::first(offset_of!(Address, sun_path) + 1 + name.len()))
}

fn new() -> Result<OwnedFd> {
    made(socket(libc::AF_UNIX, libc::SOCK_SEQPACKET | libc::SOCK_CLOEXEC | libc::SOCK_NONBLOCK, 0))
}

/// A socket of this name, to which others connect.
pub(crate) fn named(name: &str) -> Result<OwnedFd> {
    let socket = new()?;
    let (address, bytes) = address(name);
    checked(bind(socket.as_fd(), &address, bytes))?;
    checked(listen(socket.as_fd(), 4096))?;
    Ok(socket)
}

/// Connects to a socket; `ErrorKind::WouldBlock` when too many others do so now.
pub(crate) fn connect(name: &str) -> Result<OwnedFd> {
    let socket = new()?;
    let (address, bytes) = address(name);
    checked(connect_to(socket.as_fd(), &address, bytes))?;
    Ok(socket)
}

/// The next connection; `ErrorKind::WouldBlock` when there is none now.
pub(crate) fn accept(socket: &OwnedFd) -> Result<OwnedFd> {
    made(accept4(socket.as_fd(), None, None, libc::SOCK_CLOEXEC | libc::SOCK_NONBLOCK))
}

/// The other side, as it was when it connected or began to listen.
pub(crate) fn other_side(socket: &OwnedFd) -> Result<Credentials> {
    let mut found = libc::ucred { pid: 0, uid: 0, gid: 0 };
    checked(getsockopt(socket.as_fd(), libc::SOL_SOCKET, libc::SO_PEERCRED, &mut found, &mut BytesOf::all()))?;
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
