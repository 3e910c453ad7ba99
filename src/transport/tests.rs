//! Transports of one process to itself: each has its own rings and sockets, as in processes of their own.

use std::collections::HashMap;
use std::os::fd::OwnedFd;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use super::contract::{LossCause, Peer, RemoteAddress, Sent, Transport, TransportEvent};
use super::embedded::{Embedded, PullBy};
use super::heap::bytes;
use super::job;
use super::join::connect;
use super::link::{CARD_BYTES, RING_BYTES};
use super::shared::Mapping;
use super::socket_message::{self, Said, SocketMessage};

/// No test lasts longer.
const DEADLINE: Duration = Duration::from_mins(1);

/// So many transports that have joined one job.
fn join(processes: usize, pull_by: PullBy) -> Vec<Embedded> {
    let tickets = job::tickets(processes).unwrap();
    let joining = tickets.into_iter().map(|ticket| thread::spawn(move || connect(ticket.seat().unwrap(), pull_by)));
    let joining: Vec<_> = joining.collect();
    joining.into_iter().map(|joined| joined.join().unwrap().unwrap()).collect()
}

fn pair() -> (Embedded, Embedded) {
    let mut both = join(2, PullBy::Heap).into_iter();
    (both.next().unwrap(), both.next().unwrap())
}

/// Polls until `body`, which is given each event, says that it has enough.
fn poll_until(transport: &dyn Transport, mut body: impl FnMut(TransportEvent<'_>) -> bool) {
    let end = Instant::now() + DEADLINE;
    let mut enough = false;
    while !enough {
        assert!(Instant::now() < end, "an event is missing");
        if !transport.poll(&mut |event| enough |= body(event)) && !enough {
            transport.sleep(Duration::from_millis(100));
        }
    }
}

/// Sends a batch, and sleeps while there is no room.
fn send(transport: &dyn Transport, to: Peer, batch: &[u8]) {
    let end = Instant::now() + DEADLINE;
    while transport.send(to, batch) != Sent::Taken {
        assert!(Instant::now() < end, "there is no room");
        transport.sleep(Duration::from_secs(5));
    }
}

fn told(transport: &dyn Transport) -> Vec<String> {
    let mut told = Vec::new();
    poll_until(transport, |event| {
        told.push(match event {
            TransportEvent::Batch(peer, bytes) => format!("{peer}: {}", String::from_utf8_lossy(bytes)),
            TransportEvent::Left(peer) => format!("{peer} left"),
            TransportEvent::Lost(peer, cause) => format!("{peer} lost: {cause}"),
            _ => "bulk".to_owned(),
        });
        !told.last().unwrap().contains(": ") || told.last().unwrap().contains("lost")
    });
    told
}

#[test]
fn all_are_given_what_each_has_given() {
    for processes in 1..=4 {
        let together: Vec<_> = join(processes, PullBy::Heap)
            .into_iter()
            .map(|transport| {
                thread::spawn(move || {
                    for length in [0, 3, 70_000, 3_000_000] {
                        let mine = vec![transport.me().index() as u8; length + transport.me().index()];
                        for (index, given) in transport.gather(&mine).unwrap().iter().enumerate() {
                            assert_eq!(*given, vec![index as u8; length + index]);
                        }
                    }
                    // Nobody leaves while another one still gives.
                    transport.gather(&[]).unwrap();
                    assert!(transport.gather(&vec![0; 65 << 20]).is_err(), "too much");
                })
            })
            .collect();
        for thread in together {
            thread.join().unwrap();
        }
    }
}

#[test]
fn whoever_is_gone_fails_the_gathering() {
    let mut all = join(3, PullBy::Heap);
    drop(all.pop());
    let waiting: Vec<_> = all.into_iter().map(|one| thread::spawn(move || one.gather(b"x").map(drop))).collect();
    for waiting in waiting {
        let error = waiting.join().unwrap().unwrap_err();
        assert!(error.message().contains("process 2 is gone") || error.message().contains("process"), "{error}");
    }
}

#[test]
fn a_process_that_never_joins_is_told() {
    let mut tickets = job::tickets(2).unwrap();
    drop(tickets.pop());
    let error = connect(tickets.pop().unwrap().seat().unwrap(), PullBy::Heap).err().unwrap();
    assert!(error.message().contains("process 1 is gone before it joined"), "{error}");
}

#[test]
fn a_seat_is_taken_once_and_by_whom_it_is_for() {
    let ticket = job::tickets(1).unwrap().pop().unwrap();
    let [_, _, (_, job)] = ticket.environment();
    assert!(job::take_seat(&job, 0, 2).unwrap_err().message().contains("none of dvmrun"));
    let ticket = job::tickets(1).unwrap().pop().unwrap();
    let [_, _, (_, job)] = ticket.environment();
    assert!(job::take_seat(&job, 0, 1).is_ok());
    assert!(job::take_seat(&job, 0, 1).unwrap_err().message().contains("has joined"));
    assert!(job::take_seat(&job, 1, 1).unwrap_err().message().contains("below"));
    for wrong in ["", "5", "1:00", "x:1", "999999:1"] {
        assert!(job::take_seat(wrong, 0, 1).is_err(), "{wrong}");
    }
}

#[test]
fn batches_come_in_order_and_all_that_was_sent_before_the_end() {
    let (here, there) = pair();
    assert_eq!(here.send(Peer::new(1), b"one"), Sent::Taken);
    assert_eq!(here.send(Peer::new(1), b"two"), Sent::Taken);
    assert_eq!(here.send(Peer::new(0), b"self"), Sent::Gone);
    Box::new(here).close(true);
    assert_eq!(told(&there), ["0: one", "0: two", "0 left"]);
    assert_eq!(there.send(Peer::new(0), b"x"), Sent::Gone);
    assert!(!there.poll(&mut |_| panic!("nothing follows")));
}

#[test]
fn an_end_without_a_word_is_a_loss() {
    let (here, there) = pair();
    here.send(Peer::new(1), b"last words");
    // Unread messages of the peer reset the connection.
    there.beat();
    drop(here);
    assert_eq!(told(&there), ["0: last words", "0 lost: its process has ended"]);
    let (here, there) = pair();
    there.beat();
    Box::new(here).close(true);
    assert_eq!(told(&there), ["0 left"]);
}

#[test]
fn a_full_ring_refuses_until_the_sleeping_sender_is_woken() {
    let (here, there) = pair();
    let mut sent = 0_u64;
    let batch = [7; 5000];
    while here.send(Peer::new(1), &batch) == Sent::Taken {
        sent += 1;
    }
    assert!(sent > 40);
    let start = Instant::now();
    let sender = thread::spawn(move || {
        send(&here, Peer::new(1), &batch);
        here
    });
    thread::sleep(Duration::from_millis(50));
    let mut seen = 0;
    poll_until(&there, |event| {
        seen += u64::from(matches!(event, TransportEvent::Batch(_, bytes) if bytes == batch));
        seen == sent + 1
    });
    drop(sender.join().unwrap());
    assert!(start.elapsed() < Duration::from_secs(4), "the sender was woken, and did not sleep its time out");
}

#[test]
fn sleepers_are_woken_by_a_batch_by_an_interrupt_and_by_time() {
    let (here, there) = pair();
    let (here, there) = (Arc::new(here), Arc::new(there));
    let start = Instant::now();
    there.sleep(Duration::from_millis(30));
    assert!(start.elapsed() >= Duration::from_millis(30));
    let sleep = |wake: Box<dyn FnOnce() + Send>| {
        let sleeper = Arc::clone(&there);
        let waking = thread::spawn(move || {
            thread::sleep(Duration::from_millis(20));
            wake();
        });
        let start = Instant::now();
        sleeper.sleep(Duration::from_secs(30));
        assert!(start.elapsed() < Duration::from_secs(20));
        waking.join().unwrap();
    };
    let (own, other) = (Arc::clone(&there), Arc::clone(&here));
    sleep(Box::new(move || own.interrupt()));
    sleep(Box::new(move || assert_eq!(other.send(Peer::new(1), b"up"), Sent::Taken)));
    there.interrupt();
    there.sleep(Duration::from_secs(30));
    let silent = there.silence(Peer::new(0));
    thread::sleep(Duration::from_millis(20));
    assert!(there.silence(Peer::new(0)) > silent);
}

/// Random batches between all, each with sender, number and a sum.
#[test]
fn batches_of_four_arrive_whole_and_in_order() {
    const BATCHES: u64 = 3000;
    let threads: Vec<_> = join(4, PullBy::Heap)
        .into_iter()
        .map(|transport| {
            thread::spawn(move || {
                let me = transport.me().index();
                let mut random = testkit::Random::new(me as u64);
                let (mut next, mut seen) = ([0_u64; 4], [0_u64; 4]);
                let end = Instant::now() + DEADLINE;
                while next.iter().chain(&seen).enumerate().any(|(at, &count)| at % 4 != me && count < BATCHES) {
                    assert!(Instant::now() < end, "{next:?} {seen:?}");
                    let mut idle = true;
                    for to in (0..4).filter(|&to| to != me) {
                        let length = *random.pick(&[0, 8, 100, 8192, 40_000]) + random.below(9);
                        let mut batch = next[to].to_le_bytes().to_vec();
                        batch.extend((0..length).map(|at| (at as u64 * 3 + next[to] + me as u64) as u8));
                        if next[to] < BATCHES && transport.send(Peer::new(to as u32), &batch) == Sent::Taken {
                            next[to] += 1;
                            idle = false;
                        }
                    }
                    idle &= !transport.poll(&mut |event| {
                        let TransportEvent::Batch(peer, bytes) = event else { panic!("an end") };
                        let (number, rest) = bytes.split_at(8);
                        let from = peer.index();
                        assert_eq!(number, seen[from].to_le_bytes(), "in order");
                        let right = |(at, &byte)| byte == (at as u64 * 3 + seen[from] + from as u64) as u8;
                        assert!(rest.iter().enumerate().all(right), "whole");
                        seen[from] += 1;
                    });
                    if idle {
                        transport.sleep(Duration::from_secs(1));
                    }
                }
                transport.gather(&[]).unwrap();
            })
        })
        .collect();
    for thread in threads {
        thread.join().unwrap();
    }
}

/// `dvmrun/tests` compares the bytes, between two processes.
#[test]
fn memory_is_read_where_it_lies_or_copied_or_sent() {
    const BYTES: usize = 5_000_000;
    for pull_by in [PullBy::Heap, PullBy::Vm, PullBy::Ring] {
        let mut both = join(2, pull_by).into_iter();
        let (here, there) = (both.next().unwrap(), both.next().unwrap());
        let expected: Vec<u8> = (0..BYTES).map(|at| (at * 7 % 251) as u8).collect();
        for size in [BYTES, 100 << 20] {
            let block = here.allocate(size);
            assert_eq!(block.is_some(), pull_by == PullBy::Heap);
            let Some(mut block) = block else { continue };
            let memory = block.keeper.memory();
            assert_eq!((block.is_zero, block.keeper.is_writable(), memory.len()), (true, true, size));
            bytes(&mut *block.keeper)[..BYTES].copy_from_slice(&expected);
            let at = here.address_for(Peer::new(1), memory).unwrap();
            let mut mapped = there.map(Peer::new(0), at, BYTES).unwrap();
            assert!(!mapped.is_writable() && bytes(&mut *mapped) == expected);
            let mut copy = vec![0; BYTES];
            assert!(there.pull(Peer::new(0), at, &mut copy) && copy == expected);
            let RemoteAddress::Heap { segment, offset } = at else { panic!("not in the heap") };
            for wrong in [
                RemoteAddress::Heap { segment: 9, offset: 0 },
                RemoteAddress::Heap { segment, offset: u64::MAX - offset },
            ] {
                assert!(there.map(Peer::new(0), wrong, 8).is_none());
                assert!(!there.pull(Peer::new(0), wrong, &mut [0; 8]));
            }
        }
        let own = RemoteAddress::Memory(expected.as_ptr().addr() as u64);
        let mut copy = vec![0; BYTES];
        assert_eq!(there.pull(Peer::new(0), own, &mut copy), pull_by != PullBy::Ring);
        assert!(!there.pull(Peer::new(0), RemoteAddress::Memory(8), &mut copy), "there is nothing");
        assert!(there.map(Peer::new(0), own, 8).is_none());
        here.bulk_send(Peer::new(1), 3, Box::new(expected.clone()), 30);
        there.bulk_receive(Peer::new(0), 3, Box::new(vec![0; BYTES]), 31);
        let sender = thread::spawn(move || {
            poll_until(&here, |event| matches!(event, TransportEvent::BulkSent(30)));
            here
        });
        poll_until(&there, |event| match event {
            TransportEvent::BulkReceived(31, mut into) => {
                assert!((*into).as_mut() == expected);
                true
            }
            _ => false,
        });
        drop(sender.join().unwrap());
    }
}

#[test]
fn transfers_with_a_lost_peer_fail() {
    let (here, there) = pair();
    here.bulk_send(Peer::new(1), 1, Box::new(vec![1; 10]), 1);
    here.bulk_receive(Peer::new(1), 2, Box::new(vec![1; 10]), 2);
    drop(there);
    let mut failed = Vec::new();
    let mut collect = |event: TransportEvent<'_>| {
        if let TransportEvent::BulkFailed(token) = event {
            failed.push(token);
        }
        matches!(event, TransportEvent::Lost(..))
    };
    poll_until(&here, &mut collect);
    here.bulk_send(Peer::new(1), 3, Box::new(vec![1; 10]), 3);
    here.poll(&mut |event| {
        collect(event);
    });
    failed.sort_unstable();
    assert_eq!(failed, [1, 2, 3]);
}

/// A peer of which the test is every byte: its socket, the ring that it writes, and the one that it reads.
struct Hostile {
    socket: OwnedFd,
    writes: Mapping,
    reads: Mapping,
    victim: Embedded,
}

fn hostile() -> Hostile {
    let mut tickets = job::tickets(2).unwrap();
    let seat = tickets.pop().unwrap().seat().unwrap();
    let victim = tickets.pop().unwrap().seat().unwrap();
    let joining = thread::spawn(move || connect(victim, PullBy::Heap).unwrap());
    let socket = seat.sockets.into_iter().next().unwrap();
    let (ring, reads) = Mapping::create(RING_BYTES).unwrap();
    let (card, _) = Mapping::create(CARD_BYTES).unwrap();
    socket_message::send(&socket, &SocketMessage::Hello { me: 1, processes: 2, ring, card }).unwrap();
    let writes = loop {
        if let Said::Message(SocketMessage::Hello { ring, .. }, _) = socket_message::receive(&socket) {
            break Mapping::new(&ring, RING_BYTES, true).unwrap();
        }
    };
    Hostile { socket, writes, reads, victim: joining.join().unwrap() }
}

fn why_lost(victim: &Embedded) -> LossCause {
    let mut why = None;
    poll_until(victim, |event| {
        if let TransportEvent::Lost(_, cause) = event {
            why = Some(cause);
        }
        why.is_some()
    });
    assert!(!victim.poll(&mut |_| panic!("nothing follows")));
    why.unwrap()
}

#[test]
fn a_hostile_peer_is_a_lost_one() {
    let kind = 1_u64 << 32;
    let words: [(&str, &[(usize, u64)]); 6] = [
        ("the position of a ring's writer", &[(0, 1 << 40)]),
        ("the position of a ring's writer", &[(0, 1)]),
        ("the kind of a record", &[(0, 4), (32, 77 << 32)]),
        ("the length of a record", &[(0, 4), (32, kind | 0xfa0)]),
        ("a piece of a transfer that is not under way", &[(0, 4), (32, 4 << 32)]),
        ("the length of a transfer", &[(0, 4), (32, 3 << 32)]),
    ];
    for (why, stores) in words {
        let hostile = hostile();
        for &(at, value) in stores.iter().rev() {
            hostile.writes.words()[at].store(value, Ordering::Release);
        }
        assert_eq!(why_lost(&hostile.victim), LossCause::Broken(why));
        assert!(matches!(socket_message::receive(&hostile.socket), Said::End), "the peer is told");
    }
    for tail in [1 << 40, u64::MAX] {
        let hostile = hostile();
        hostile.reads.words()[16].store(tail, Ordering::Release);
        let end = Instant::now() + DEADLINE;
        while hostile.victim.send(Peer::new(1), &[0; 10_000]) != Sent::Gone {
            assert!(Instant::now() < end);
        }
        assert_eq!(why_lost(&hostile.victim), LossCause::Broken("the position of a ring's reader"));
    }
}

#[test]
fn nonsense_over_the_socket_is_a_loss() {
    let file = || crate::system::descriptors::memory_file(4096).unwrap();
    for message in [
        SocketMessage::Hello { me: 1, processes: 2, ring: file(), card: file() },
        SocketMessage::Segment { number: 1, bytes: 4096, base: 0, file: file() },
        SocketMessage::Segment { number: 0, bytes: 1 << 50, base: 0, file: file() },
        SocketMessage::Segment { number: 0, bytes: 0, base: 0, file: std::fs::File::open("/dev/null").unwrap().into() },
    ] {
        let hostile = hostile();
        socket_message::send(&hostile.socket, &message).unwrap();
        assert!(matches!(why_lost(&hostile.victim), LossCause::Broken(_)), "{message:?}");
    }
    for text in [&b"x"[..], &[9; 32], &[0; 33]] {
        let hostile = hostile();
        crate::system::descriptors::send(&hostile.socket, text, &[], false).unwrap();
        assert_eq!(why_lost(&hostile.victim), LossCause::Broken("a message over its socket"));
    }
}

/// Two threads that poll the same transport, and two that send to the same peer.
#[test]
fn threads_share_a_transport() {
    const EACH: u64 = 20_000;
    let (here, there) = pair();
    let (here, there) = (Arc::new(here), Arc::new(there));
    let over = Arc::new(AtomicBool::new(false));
    let seen = Arc::new(std::sync::Mutex::new(HashMap::<u8, u64>::new()));
    let senders = [1_u8, 2].map(|name| {
        let here = Arc::clone(&here);
        thread::spawn(move || {
            (0..EACH).for_each(|number| {
                let batch = [&[name][..], &number.to_le_bytes()].concat();
                send(&*here, Peer::new(1), &batch);
            });
        })
    });
    let pollers = [0, 1].map(|_| {
        let (there, over, seen) = (Arc::clone(&there), Arc::clone(&over), Arc::clone(&seen));
        thread::spawn(move || {
            while !over.load(Ordering::Relaxed) {
                there.poll(&mut |event| {
                    let TransportEvent::Batch(_, bytes) = event else { panic!("an end") };
                    let mut seen = seen.lock().unwrap();
                    let next = seen.entry(bytes[0]).or_default();
                    assert_eq!(bytes[1..], next.to_le_bytes());
                    *next += 1;
                });
                there.sleep(Duration::from_millis(1));
            }
        })
    });
    for sender in senders {
        sender.join().unwrap();
    }
    let end = Instant::now() + DEADLINE;
    while seen.lock().unwrap().values().sum::<u64>() < 2 * EACH {
        assert!(Instant::now() < end);
        thread::sleep(Duration::from_millis(1));
    }
    over.store(true, Ordering::Relaxed);
    for poller in pollers {
        poller.join().unwrap();
    }
}
