//! How processes that an MPI has started find those of their own host: each listens at an abstract socket of a random
//! name, all gather the names, and of each pair the later one connects. A system's user sees only his own processes so.

use std::collections::HashSet;
use std::fs;
use std::io::{ErrorKind, Read};
use std::os::fd::OwnedFd;
use std::time::{Duration, Instant};

use super::contract::Peer;
use crate::error::{Error, dvm_retcode_t};
use crate::system::{self, descriptors, named_sockets};

/// How long sockets are waited for that are known to be there.
const PATIENCE: Duration = Duration::from_secs(10);

/// What each process tells all others: where it is, its socket's name, and the word that whoever connects says first.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Invitation {
    place: String,
    name: String,
    word: [u8; 16],
}

impl Invitation {
    fn encode(&self) -> Vec<u8> {
        [&self.word[..], self.place.as_bytes(), b"\n", self.name.as_bytes()].concat()
    }

    fn decode(bytes: &[u8]) -> Option<Invitation> {
        let (word, text) = bytes.split_first_chunk::<16>()?;
        let (place, name) = std::str::from_utf8(text).ok()?.split_once('\n')?;
        Some(Invitation { place: place.to_owned(), name: name.to_owned(), word: *word })
    }
}

/// What processes that can share memory have in common: the kernel since its start, the numbers of processes, the names of
/// sockets, the user. `None` where that cannot be read.
fn place() -> Option<String> {
    let (boot, pids, network) = (system::boot()?, system::namespace("pid")?, system::namespace("net")?);
    Some(format!("{boot} {pids} {network} {}", descriptors::user()))
}

fn random() -> std::io::Result<[u8; 16]> {
    let mut bytes = [0; 16];
    fs::File::open("/dev/urandom")?.read_exact(&mut bytes)?;
    Ok(bytes)
}

fn failed(what: &str, why: &std::io::Error) -> Error {
    Error::new(dvm_retcode_t::DVM_ERR_UNSUPPORTED, format!("{what}: {why}"))
}

/// What each process has given, by its index.
pub(crate) type Gathered = Result<Vec<Vec<u8>>, Error>;

/// The sockets to the processes that this one shares its host with.
pub(crate) struct Met {
    pub(crate) sockets: Vec<(Peer, OwnedFd)>,
    /// Whether each process of the job has met each other one.
    pub(crate) all: bool,
}

/// Meets the others. `wanted`: whether this process is to be met. Collective.
///
/// # Errors
/// The processes cannot gather, or the system refuses something.
pub(crate) fn meet(me: Peer, wanted: bool, gather: &dyn Fn(&[u8]) -> Gathered) -> Result<Met, Error> {
    let refused = |error| failed("there are no random numbers", &error);
    let name = format!("libdvm-{:032x}", u128::from_le_bytes(random().map_err(refused)?));
    // Where names of sockets cannot be had, MPI does it.
    let listening = named_sockets::named(&name).ok();
    let word = random().map_err(refused)?;
    let place = if wanted && listening.is_some() { place().unwrap_or_default() } else { String::new() };
    let mine = Invitation { place, name, word };
    let invitations: Vec<Option<Invitation>> =
        gather(&mine.encode())?.iter().map(|bytes| Invitation::decode(bytes)).collect();
    let is_near = |invitation: &Invitation| !mine.place.is_empty() && invitation.place == mine.place;
    let mut inbox = Inbox { listening, word, known: Vec::new() };
    let mut sockets = Vec::new();
    for (index, invitation) in invitations.iter().enumerate().take(me.index()) {
        if let Some(invitation) = invitation.as_ref().filter(|invitation| is_near(invitation)) {
            let socket = reach(me, invitation, &mut inbox);
            sockets.extend(socket.map(|socket| (Peer::new(index as u32), socket)));
        }
    }
    let reached: Vec<u8> = sockets.iter().flat_map(|(peer, _)| (peer.index() as u32).to_le_bytes()).collect();
    let reached: Vec<Vec<usize>> = gather(&reached)?.iter().map(|bytes| numbers(bytes)).collect();
    let coming: HashSet<usize> =
        (me.index() + 1..reached.len()).filter(|&other| reached[other].contains(&me.index())).collect();
    sockets.extend(inbox.wait_for(coming)?);
    let pairs = reached.len() * reached.len().saturating_sub(1) / 2;
    Ok(Met { sockets, all: reached.iter().map(Vec::len).sum::<usize>() == pairs })
}

fn numbers(bytes: &[u8]) -> Vec<usize> {
    bytes.as_chunks::<4>().0.iter().map(|&number| u32::from_le_bytes(number) as usize).collect()
}

/// A connection to the process of this invitation; `None`: MPI does it.
fn reach(me: Peer, invitation: &Invitation, inbox: &mut Inbox) -> Option<OwnedFd> {
    let end = Instant::now() + PATIENCE;
    let socket = loop {
        match named_sockets::connect(&invitation.name) {
            Ok(socket) => break socket,
            // Many come at once: they wait for each other, so each lets the others in meanwhile.
            Err(error) if error.kind() == ErrorKind::WouldBlock && Instant::now() < end => {
                inbox.look();
                std::thread::sleep(Duration::from_millis(1));
            }
            Err(_) => return None,
        }
    };
    let user = named_sockets::other_side(&socket).ok()?.user;
    let words = [&invitation.word[..], &(me.index() as u64).to_le_bytes()].concat();
    (user == descriptors::user() && descriptors::send(&socket, &words, &[], false).is_ok()).then_some(socket)
}

/// Who has connected.
struct Inbox {
    listening: Option<OwnedFd>,
    word: [u8; 16],
    known: Vec<(usize, OwnedFd)>,
}

impl Inbox {
    /// Lets in whoever is there and says the word.
    fn look(&mut self) {
        while let Some(Ok(socket)) = self.listening.as_ref().map(named_sockets::accept) {
            if let Some(index) = self.introduced(&socket) {
                self.known.push((index, socket));
            }
        }
    }

    fn introduced(&self, socket: &OwnedFd) -> Option<usize> {
        if named_sockets::other_side(socket).ok()?.user != descriptors::user() {
            return None;
        }
        // Said before the connection is waited for, or a moment after it is seen.
        let end = Instant::now() + Duration::from_secs(1);
        let mut bytes = [0; 24];
        loop {
            match descriptors::receive(socket, &mut bytes) {
                Ok(received) if received.bytes == bytes.len() && bytes[..16] == self.word => {
                    let (_, index) = bytes.split_last_chunk::<8>()?;
                    return usize::try_from(u64::from_le_bytes(*index)).ok();
                }
                Err(error) if error.kind() == ErrorKind::WouldBlock && Instant::now() < end => {
                    std::thread::sleep(Duration::from_micros(100));
                }
                _ => return None,
            }
        }
    }

    /// The connections of these processes, which have made them.
    fn wait_for(mut self, mut coming: HashSet<usize>) -> Result<Vec<(Peer, OwnedFd)>, Error> {
        let end = Instant::now() + PATIENCE;
        let mut found = Vec::new();
        loop {
            self.look();
            for (index, socket) in self.known.drain(..) {
                if coming.remove(&index) {
                    found.push((Peer::new(index as u32), socket));
                }
            }
            match coming.iter().min() {
                None => return Ok(found),
                Some(missing) if Instant::now() > end => {
                    let text = format!("process {missing} of this host has connected, and is not there");
                    return Err(Error::new(dvm_retcode_t::DVM_ERR_PEER_LOST, text));
                }
                Some(_) => std::thread::sleep(Duration::from_millis(1)),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, Barrier, Mutex};
    use std::thread;

    use super::*;

    /// Threads that gather among themselves; those of which `wanted` says no are on hosts of their own.
    fn together(wanted: &[bool]) -> Vec<Met> {
        let many = wanted.len();
        let (board, barrier) = (Arc::new(Mutex::new(vec![Vec::new(); many])), Arc::new(Barrier::new(many)));
        let threads: Vec<_> = (0..many)
            .map(|me| {
                let (board, barrier, wanted) = (Arc::clone(&board), Arc::clone(&barrier), wanted[me]);
                thread::spawn(move || {
                    let gather = |mine: &[u8]| {
                        board.lock().unwrap()[me] = mine.to_vec();
                        barrier.wait();
                        let all = board.lock().unwrap().clone();
                        barrier.wait();
                        Ok(all)
                    };
                    meet(Peer::new(me as u32), wanted, &gather).unwrap()
                })
            })
            .collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    }

    #[test]
    fn each_of_a_host_meets_each_other_one_and_nobody_else() {
        for wanted in [&[true][..], &[true, true], &[true; 5], &[true, false, true, true], &[false, false]] {
            let met = together(wanted);
            for (me, met) in met.iter().enumerate() {
                let mut peers: Vec<usize> = met.sockets.iter().map(|(peer, _)| peer.index()).collect();
                peers.sort_unstable();
                let expected: Vec<usize> =
                    (0..wanted.len()).filter(|&other| other != me && wanted[me] && wanted[other]).collect();
                assert_eq!(peers, expected, "{me} of {wanted:?}");
                assert_eq!(met.all, wanted.iter().all(|&near| near) || wanted.len() == 1);
            }
        }
    }

    #[test]
    fn an_invitation_is_read_as_it_was_written_and_nonsense_is_none() {
        let invitation = Invitation { place: "boot 1 2 3".into(), name: "libdvm-0".into(), word: [9; 16] };
        assert_eq!(Invitation::decode(&invitation.encode()), Some(invitation));
        assert_eq!(Invitation::decode(b"short"), None);
        assert_eq!(Invitation::decode(&[0xff; 40]), None);
    }

    #[test]
    fn whoever_does_not_know_the_word_is_not_let_in() {
        let name = format!("libdvm-stranger-{}", std::process::id());
        let mut inbox = Inbox { listening: named_sockets::named(&name).ok(), word: [7; 16], known: Vec::new() };
        let stranger = named_sockets::connect(&name).unwrap();
        descriptors::send(&stranger, &[0; 24], &[], false).unwrap();
        let invited = Invitation { place: String::new(), name, word: [7; 16] };
        let friend = reach(Peer::new(3), &invited, &mut Inbox { listening: None, word: [0; 16], known: Vec::new() });
        assert!(friend.is_some());
        inbox.look();
        assert_eq!(inbox.known.iter().map(|(index, _)| *index).collect::<Vec<_>>(), [3]);
    }
}
