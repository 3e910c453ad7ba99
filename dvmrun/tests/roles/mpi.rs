//! Roles that need no rings, for all transports.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use dvm::transport::{Peer, Sent, Transport, TransportEvent};

use super::{DEADLINE, Traffic};

fn others(transport: &dyn Transport) -> Vec<Peer> {
    let me = transport.me();
    (0..transport.processes() as u32).map(Peer::new).filter(|&peer| peer != me).collect()
}

fn name(event: &TransportEvent<'_>) -> String {
    match event {
        TransportEvent::Batch(peer, bytes) => format!("{} bytes of {peer}", bytes.len()),
        TransportEvent::BulkSent(token) => format!("{token} sent"),
        TransportEvent::BulkReceived(token, _) => format!("{token} received"),
        TransportEvent::BulkFailed(token) => format!("{token} failed"),
        TransportEvent::Left(peer) => format!("{peer} left"),
        TransportEvent::Lost(peer, cause) => format!("{peer} lost: {cause}"),
    }
}

/// Polls until `body` has enough.
fn poll_until(transport: &dyn Transport, mut body: impl FnMut(TransportEvent<'_>) -> bool) {
    let (mut enough, end) = (false, Instant::now() + DEADLINE);
    while !enough {
        assert!(Instant::now() < end, "it hangs");
        if !transport.poll(&mut |event| enough |= body(event)) && !enough {
            transport.sleep(Duration::from_millis(10));
        }
    }
}

fn byte(at: usize, from: usize, length: usize) -> u8 {
    (at * 7 + at / 4096 + from * 31 + length) as u8
}

/// Memory of many lengths from all to all; whoever begins is the sender or the receiver; and lengths that differ.
pub fn bulk(transport: &dyn Transport) {
    const LENGTHS: [usize; 8] = [0, 1, 1000, 65_536, 65_537, 1 << 20, (8 << 20) + 3, 64 << 20];
    let me = transport.me().index();
    transport.gather(&[]).unwrap();
    // The largest ones alone, as they are many.
    for lengths in [&LENGTHS[..7], &LENGTHS[7..]] {
        let mut left = 0;
        for (ticket, &length) in lengths.iter().enumerate() {
            for &peer in &others(transport) {
                let ticket = ticket as u64;
                let send = || {
                    let bytes: Vec<u8> = (0..length).map(|at| byte(at, me, length)).collect();
                    transport.bulk_send(peer, ticket, Box::new(bytes), ticket);
                };
                let receive =
                    || transport.bulk_receive(peer, ticket, Box::new(vec![0; length]), 1000 + peer.index() as u64);
                if ticket.is_multiple_of(2) {
                    receive();
                    send();
                } else {
                    send();
                    receive();
                }
                left += 2;
            }
        }
        poll_until(transport, |event| {
            left -= 1;
            match event {
                TransportEvent::BulkSent(_) => {}
                TransportEvent::BulkReceived(token, mut into) => {
                    let (from, bytes) = (token as usize - 1000, (*into).as_mut());
                    let right = bytes.iter().enumerate().all(|(at, &found)| found == byte(at, from, bytes.len()));
                    assert!(right && lengths.contains(&bytes.len()), "{} bytes of {from}", bytes.len());
                }
                event => panic!("{}", name(&event)),
            }
            left == 0
        });
    }
    for &peer in &others(transport) {
        transport.bulk_send(peer, 5, Box::new(vec![1; 10]), 1);
        transport.bulk_receive(peer, 5, Box::new(vec![1; 11]), 2);
    }
    let mut failed = 2 * others(transport).len();
    poll_until(transport, |event| {
        assert!(matches!(event, TransportEvent::BulkFailed(1 | 2)), "{}", name(&event));
        failed -= 1;
        failed == 0
    });
    transport.gather(&[]).unwrap();
}

/// Process 0 closes in order behind a batch to each; the others are told of both, in order, and that nothing reaches it.
pub fn leaves(transport: Box<dyn Transport>) {
    let me = transport.me().index();
    transport.gather(&[]).unwrap();
    if me == 0 {
        let (end, batch) = (Instant::now() + DEADLINE, vec![7; 60_000]);
        for peer in others(&*transport) {
            while transport.send(peer, &batch) != Sent::Taken {
                assert!(Instant::now() < end, "it hangs");
            }
            // Its receiver never asks for it.
            transport.bulk_send(peer, 1, Box::new([0; 9]), 1);
        }
        return transport.close(true);
    }
    let zero = Peer::new(0);
    transport.bulk_receive(zero, 2, Box::new([0; 9]), 2);
    let mut told = Vec::new();
    poll_until(&*transport, |event| {
        // Of those that leave as well, too.
        let text = name(&event);
        told.extend(Some(text).filter(|text| text.contains(" 0") || text.starts_with("0 ") || text == "2 failed"));
        told.len() == 3
    });
    told[1..].sort();
    assert_eq!(told, ["60000 bytes of 0", "0 left", "2 failed"]);
    assert_eq!(transport.send(zero, &[]), Sent::Gone);
    transport.bulk_receive(zero, 3, Box::new([0; 9]), 3);
    poll_until(&*transport, |event| name(&event) == "3 failed");
    transport.close(true);
}

/// MPI ends while the transport is open: what it reaches has left, or is lost, and nothing hangs.
pub fn outlives(transport: &dyn Transport, finalise: impl FnOnce()) {
    transport.gather(&[]).unwrap();
    transport.bulk_receive(Peer::new(1 - transport.me().index() as u32), 2, Box::new([0; 9]), 2);
    finalise();
    let mut told = Vec::new();
    poll_until(transport, |event| {
        told.push(name(&event));
        told.len() == 2
    });
    assert!(told.iter().any(|text| text == "2 failed"), "{told:?}");
    assert!(told.iter().any(|text| text.contains("left") || text.contains("lost")), "{told:?}");
    assert_eq!(transport.send(Peer::new(1 - transport.me().index() as u32), &[]), Sent::Gone);
    assert!(!transport.poll(&mut |event| panic!("{}", name(&event))));
}

/// Threads send and poll beside the one that has joined: where only that one may call MPI, they are told to come again.
pub fn threads(transport: &dyn Transport) {
    const EACH: u64 = 300;
    const THREADS: u64 = 3;
    let me = transport.me().index();
    let peers = others(transport);
    let most = EACH * THREADS * peers.len() as u64;
    let (seen, sum, over) = (AtomicU64::new(0), AtomicU64::new(0), AtomicBool::new(false));
    let ready = AtomicU64::new(0);
    let end = Instant::now() + DEADLINE;
    let poll = || {
        transport.poll(&mut |event| match event {
            TransportEvent::Batch(_, bytes) => {
                seen.fetch_add(1, Ordering::Relaxed);
                sum.fetch_add(u64::from_le_bytes(bytes[..8].try_into().unwrap()), Ordering::Relaxed);
            }
            event => panic!("{}", name(&event)),
        })
    };
    // What a thread may not send, the one that has joined sends for it: as an outbox does.
    let refused = std::sync::Mutex::new(Vec::new());
    transport.gather(&[]).unwrap();
    std::thread::scope(|scope| {
        for thread in 0..THREADS {
            let (peers, refused, over, ready, poll) = (&peers, &refused, &over, &ready, &poll);
            scope.spawn(move || {
                for number in 0..EACH {
                    for &peer in peers {
                        let mut batch = (thread * EACH + number).to_le_bytes().to_vec();
                        batch.resize(8 + (number as usize * 37) % 9000, 1);
                        if transport.send(peer, &batch) != Sent::Taken {
                            refused.lock().unwrap().push((peer, batch));
                        }
                    }
                    poll();
                }
                ready.fetch_add(1, Ordering::Release);
                while !over.load(Ordering::Relaxed) {
                    poll();
                    std::thread::yield_now();
                }
            });
        }
        let mut outbox: Vec<(Peer, Vec<u8>)> = Vec::new();
        let mut ended = false;
        while !ended || seen.load(Ordering::Relaxed) < most {
            assert!(Instant::now() < end, "it hangs: {} of {most}", seen.load(Ordering::Relaxed));
            // Before the look at what was refused: nothing is refused later.
            let all = ready.load(Ordering::Acquire) == THREADS;
            outbox.append(&mut refused.lock().unwrap());
            outbox.retain(|(peer, batch)| transport.send(*peer, batch) != Sent::Taken);
            if !poll() {
                transport.sleep(Duration::from_millis(1));
            }
            ended = all && outbox.is_empty();
        }
        over.store(true, Ordering::Relaxed);
    });
    let expected = (0..EACH * THREADS).sum::<u64>() * peers.len() as u64;
    assert_eq!(sum.load(Ordering::Relaxed), expected, "process {me} has seen each batch once");
    transport.gather(&[]).unwrap();
}

/// The last process ends without a word; each other one is told within a second, and still reaches the rest.
pub fn one_is_killed(transport: &dyn Transport) {
    let victim = Peer::new(transport.processes() as u32 - 1);
    transport.gather(&[]).unwrap();
    if transport.me() == victim {
        std::thread::sleep(Duration::from_millis(200));
        std::process::Command::new("kill").args(["-9", &std::process::id().to_string()]).status().unwrap();
        std::thread::sleep(DEADLINE);
    }
    let start = Instant::now();
    let mut traffic = Traffic::new(transport.processes());
    let (me, mut lost) = (transport.me().index(), false);
    while !lost {
        assert!(start.elapsed() < Duration::from_secs(3), "nobody has told");
        traffic.send(transport, u64::MAX);
        transport.poll(&mut |event| match event {
            TransportEvent::Batch(from, bytes) => traffic.see(me, from, bytes),
            TransportEvent::Lost(peer, _) => lost = peer == victim,
            // It has told before this one.
            TransportEvent::Left(_) => {}
            event => panic!("{}", name(&event)),
        });
    }
    println!("told in time");
    // Its MPI would wait for the one that is gone.
    std::process::exit(0);
}
