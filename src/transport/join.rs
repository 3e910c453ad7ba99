//! How a process joins its job: from the launcher it has a socket, over which a socket to each other process comes; over
//! those the processes pass the files of their rings.

use std::os::fd::{AsRawFd, OwnedFd};
use std::time::Duration;

use super::contract::Peer;
use super::embedded::{Embedded, PullBy};
use super::job::{self, Seat};
use super::link::{CARD_BYTES, Parts, PeerLink, RING_BYTES};
use super::shared::Mapping;
use super::socket_message::{self, Said, SocketMessage};
use crate::config::Config;
use crate::error::{Error, dvm_retcode_t};
use crate::system::descriptors;

fn unsupported(text: String) -> Error {
    Error::new(dvm_retcode_t::DVM_ERR_UNSUPPORTED, text)
}

fn failed(what: &str, error: &std::io::Error) -> Error {
    unsupported(format!("{what}: {error}"))
}

/// Whether dvmrun has started this process.
///
/// # Errors
/// Its variables are not as it sets them.
pub(crate) fn is_seated(config: &Config) -> Result<bool, Error> {
    match (config.job(), config.process(), config.processes()) {
        (Some(_), Some(_), Some(_)) => Ok(true),
        (None, None, None) => Ok(false),
        (None, ..) => {
            Err(Error::argument("DVM_PROCESS or DVM_PROCESSES is set without DVM_JOB: dvmrun sets all three"))
        }
        (Some(_), ..) => {
            Err(Error::argument("DVM_JOB is set without DVM_PROCESS and DVM_PROCESSES: dvmrun sets all three"))
        }
    }
}

/// The transport to the other processes that dvmrun has started. Waits until each of them has come here, or has ended.
///
/// # Errors
/// Another program of this process has joined the job, a process has ended before it came here, or the system refuses
/// something.
pub(crate) fn join(config: &Config) -> Result<Embedded, Error> {
    let (Some(job), Some(process), Some(processes)) = (config.job(), config.process(), config.processes()) else {
        return Err(Error::argument("dvmrun has not started this process"));
    };
    connect(job::take_seat(job, process, processes)?, pull_by(config.pull()))
}

/// The method of this name, of those that the table has.
pub(crate) fn pull_by(name: &str) -> PullBy {
    match name {
        "ring" => PullBy::Ring,
        "vm" => PullBy::Vm,
        _ => PullBy::Heap,
    }
}

/// Joins the job at this seat.
///
/// # Errors
/// A process has ended before it joined, or the system refuses something.
pub fn connect(seat: Seat, pull_by: PullBy) -> Result<Embedded, Error> {
    let Seat { me, processes, sockets, launcher } = seat;
    let others = (0..processes as u32).map(Peer::new).filter(|&peer| peer != me);
    connect_to(me, processes, others.zip(sockets).collect(), launcher, pull_by)
}

/// Makes links to these of the job's processes, each over a socket of the pair's own. `relative`: the process from which
/// all of them descend, for systems that ask whom a process lets read its memory.
///
/// # Errors
/// As for `connect`.
pub(crate) fn connect_to(
    me: Peer,
    processes: usize,
    sockets: Vec<(Peer, OwnedFd)>,
    relative: i32,
    pull_by: PullBy,
) -> Result<Embedded, Error> {
    descriptors::allow_reading(relative);
    let refused = |error: std::io::Error| failed("the job's shared memory cannot be made", &error);
    let (card_file, card) = Mapping::create(CARD_BYTES).map_err(refused)?;
    descriptors::forbid_writing(&card_file);
    // All are greeted before any is waited for.
    let mut greeted = Vec::new();
    for (peer, socket) in sockets {
        let (ring, inbound) = Mapping::create(RING_BYTES).map_err(refused)?;
        let card = card_file.try_clone().map_err(refused)?;
        let hello = SocketMessage::Hello { me: me.index() as u64, processes: processes as u64, ring, card };
        descriptors::ask_for_sender(&socket, true).map_err(refused)?;
        if let Err(error) = socket_message::send(&socket, &hello) {
            return Err(gone(peer, &error.to_string()));
        }
        greeted.push((peer, socket, inbound));
    }
    let mut links: Vec<Option<PeerLink>> = (0..processes).map(|_| None).collect();
    for (peer, socket, inbound) in greeted {
        links[peer.index()] = Some(PeerLink::new(meet(peer, processes, socket, inbound)?, pull_by != PullBy::Ring));
    }
    Embedded::new(me, links, card, pull_by).map_err(refused)
}

fn gone(peer: Peer, why: &str) -> Error {
    let text = format!("process {peer} is gone before it joined the job: {why}");
    Error::new(dvm_retcode_t::DVM_ERR_PEER_LOST, text)
}

/// Waits for a peer's greeting.
fn meet(peer: Peer, processes: usize, socket: OwnedFd, inbound: Mapping) -> Result<Parts, Error> {
    let (ring, card, pid) = loop {
        match socket_message::receive(&socket) {
            Said::Message(SocketMessage::Hello { me, processes: many, ring, card }, Some(sender))
                if (me, many) == (peer.index() as u64, processes as u64) && sender.user == descriptors::user() =>
            {
                break (ring, card, sender.pid);
            }
            Said::Nothing => drop(descriptors::wait([socket.as_raw_fd()].into_iter(), Duration::from_hours(1))),
            Said::End => return Err(gone(peer, "its process has ended, or does not use libdvm any more")),
            Said::Message(..) | Said::Nonsense => {
                let text = format!("process {peer} runs another libdvm, or as another user: all need the same");
                return Err(unsupported(text));
            }
        }
    };
    let refused = |error: std::io::Error| failed("the job's shared memory cannot be mapped", &error);
    descriptors::ask_for_sender(&socket, false).map_err(refused)?;
    let outbound = Mapping::new(&ring, RING_BYTES, true).map_err(refused)?;
    let card = Mapping::new(&card, CARD_BYTES, false).map_err(refused)?;
    Ok(Parts { peer, socket, pid, outbound, inbound, card })
}
