//! What a launcher makes for the processes of a job on one host: a socket for each pair of them. Each process gets its
//! ends over one inherited socket, so that a program that does not use libdvm, and whatever that starts, has nothing
//! else of the job.

use std::collections::hash_map::RandomState;
use std::hash::{BuildHasher, Hasher};
use std::io;
use std::os::fd::{AsRawFd, OwnedFd, RawFd};

use super::contract::Peer;
use crate::config;
use crate::error::{Error, dvm_retcode_t};
use crate::system::descriptors::{self, MOST_PASSED};

/// The variables that a launcher sets.
const PROCESS: &str = "DVM_PROCESS";
const PROCESSES: &str = "DVM_PROCESSES";
const JOB: &str = "DVM_JOB";

/// The most processes of a job on one host.
pub const MOST_PROCESSES: usize = 1024;

/// One process's part of a job, until its program has taken it.
#[derive(Debug)]
pub struct Ticket {
    socket: OwnedFd,
    process: usize,
    processes: usize,
    job: u64,
}

/// A process's sockets to the others.
#[derive(Debug)]
pub struct Seat {
    pub(crate) me: Peer,
    pub(crate) processes: usize,
    /// To each other process, in order.
    pub(crate) sockets: Vec<OwnedFd>,
    /// The launcher's process; 0 where it cannot be seen.
    pub(crate) launcher: i32,
}

/// Makes a job of so many processes.
///
/// # Errors
/// The system's: most probably too many descriptors.
pub fn tickets(processes: usize) -> io::Result<Vec<Ticket>> {
    assert!((1..=MOST_PROCESSES).contains(&processes), "a job has 1 to {MOST_PROCESSES} processes");
    let job = RandomState::new().build_hasher().finish();
    let mut ends: Vec<Vec<OwnedFd>> = (0..processes).map(|_| Vec::new()).collect();
    let mut tickets = Vec::new();
    for process in 0..processes {
        for other in process + 1..processes {
            let [mine, its] = descriptors::socket_pair()?;
            ends[process].push(mine);
            ends[other].push(its);
        }
        // Complete: the earlier processes have put theirs in front. Sent, they are no descriptors of the launcher's.
        let mine = std::mem::take(&mut ends[process]);
        let [launcher, socket] = descriptors::socket_pair()?;
        let text = [job.to_le_bytes(), (process as u64).to_le_bytes(), (processes as u64).to_le_bytes()].concat();
        let numbers: Vec<RawFd> = mine.iter().map(AsRawFd::as_raw_fd).collect();
        // A process without others has its message, too.
        for part in numbers.chunks(MOST_PASSED).chain(numbers.is_empty().then_some(&[][..])) {
            descriptors::send(&launcher, &text, part, true)?;
        }
        tickets.push(Ticket { socket, process, processes, job });
    }
    Ok(tickets)
}

impl Ticket {
    /// The variables of the process's environment.
    pub fn environment(&self) -> [(&'static str, String); 3] {
        let job = format!("{}:{:016x}", self.socket.as_raw_fd(), self.job);
        [(PROCESS, self.process.to_string()), (PROCESSES, self.processes.to_string()), (JOB, job)]
    }

    /// Has the program that the calling process becomes inherit the socket. Safe between `fork` and `exec`.
    ///
    /// # Errors
    /// The system's.
    pub fn pass_on(&self) -> io::Result<()> {
        descriptors::set_inherited(self.socket.as_raw_fd(), true)
    }

    /// Takes the part in this process.
    ///
    /// # Errors
    /// As for a process that a launcher has started.
    pub fn seat(self) -> Result<Seat, Error> {
        receive(&self.socket, &self.environment()[2].1, self.job, self.process, self.processes)
    }
}

/// Takes the part that the environment names.
pub(crate) fn take_seat(job: &str, process: usize, processes: usize) -> Result<Seat, Error> {
    let refuse = |why: &str| config::refused(JOB, job, why);
    let parts = job.split_once(':').and_then(|(number, id)| {
        let id = u64::from_str_radix(id, 16).ok()?;
        Some((number.parse::<RawFd>().ok().filter(|number| *number > 2)?, id))
    });
    let Some((number, id)) = parts else { return Err(refuse("it is not what dvmrun sets")) };
    let socket = descriptors::duplicate(number)
        .map_err(|_| refuse("its descriptor is closed: something between dvmrun and this program has closed it"))?;
    let seat = receive(&socket, job, id, process, processes)?;
    // It has nothing any more: what this program starts need not have it.
    let _ = descriptors::set_inherited(number, false);
    Ok(seat)
}

fn receive(socket: &OwnedFd, text: &str, id: u64, process: usize, processes: usize) -> Result<Seat, Error> {
    let refuse = |why: &str| config::refused(JOB, text, why);
    if process >= processes {
        return Err(Error::new(dvm_retcode_t::DVM_ERR_ARGUMENT, "DVM_PROCESS is not below DVM_PROCESSES"));
    }
    let expected = [id.to_le_bytes(), (process as u64).to_le_bytes(), (processes as u64).to_le_bytes()].concat();
    descriptors::ask_for_sender(socket, true).map_err(|_| refuse("its descriptor is none of dvmrun"))?;
    let (mut sockets, mut launcher) = (Vec::new(), 0);
    loop {
        let mut bytes = [0; 24];
        let received = match descriptors::receive(socket, &mut bytes) {
            Ok(received) if received.bytes == bytes.len() && bytes[..] == expected => received,
            Ok(received) if received.bytes > 0 => return Err(refuse("its descriptor is none of dvmrun")),
            // Whoever joins takes all that is there.
            Ok(_) => return Err(refuse("another program of this process, or an earlier init, has joined the job")),
            Err(error) => return Err(refuse(&format!("its descriptor cannot be read: {error}"))),
        };
        launcher = received.sender.map_or(launcher, |sender| sender.pid);
        sockets.extend(received.descriptors);
        if sockets.len() + 1 >= processes {
            return Ok(Seat { me: Peer::new(process as u32), processes, sockets, launcher });
        }
    }
}
