//! What a process of a job does in the tests of the transport.
#![allow(dead_code, reason = "each test program uses a part")]

pub mod mpi;

use std::time::{Duration, Instant};

use dvm::transport::{Peer, RemoteAddress, Sent, Transport, TransportEvent, choose_for_communicator, from_environment};
use testkit::Random;

/// No role takes longer.
const DEADLINE: Duration = Duration::from_secs(40);

pub fn play(role: &str) {
    match role {
        "pulls" => pulls(join()),
        "killed" => killed(),
        "stopped" => stopped(),
        "alone" => assert!(from_environment().unwrap().is_none(), "the process is alone"),
        "twice" => {
            batches(&*join(), 100, Duration::ZERO);
            for _ in 0..2 {
                play_with("leaves", join());
            }
        }
        _ => play_with(role, join()),
    }
}

/// A role of a process that has joined.
pub fn play_with(role: &str, transport: Box<dyn Transport>) {
    match role {
        "batches" => batches(&*transport, 2000, Duration::ZERO),
        "slow" => batches(&*transport, 1000, Duration::from_millis(300)),
        "bulk" => mpi::bulk(&*transport),
        "leaves" => mpi::leaves(transport),
        "threads" => mpi::threads(&*transport),
        "one is killed" => mpi::one_is_killed(&*transport),
        _ => panic!("there is no role {role:?}"),
    }
}

/// The transport to the processes of a communicator.
pub fn open_communicator(number: i32) -> Box<dyn Transport> {
    choose_for_communicator(number).unwrap().transport.expect("a communicator has processes")
}

pub fn join() -> Box<dyn Transport> {
    match from_environment() {
        Ok(Some(transport)) => transport,
        Ok(None) => panic!("started alone"),
        Err(error) => panic!("{error}"),
    }
}

/// Batch `number` from one to another: its number, random bytes, and a sum of all of it.
fn batch(from: usize, to: usize, number: u64) -> Vec<u8> {
    let mut random = Random::new(number * 64 + from as u64 * 8 + to as u64);
    let length = *random.pick(&[0, 8, 32, 1000, 8192, 60_000]) + random.below(9);
    let mut bytes = number.to_le_bytes().to_vec();
    bytes.extend((0..length).map(|_| random.number() as u8));
    let sum = bytes.iter().fold(0_u64, |sum, &byte| sum.wrapping_mul(31).wrapping_add(byte.into()));
    bytes.extend(sum.to_le_bytes());
    bytes
}

/// What this process has sent to each and seen of each.
struct Traffic {
    next: Vec<u64>,
    seen: Vec<u64>,
}

impl Traffic {
    fn new(processes: usize) -> Traffic {
        Traffic { next: vec![0; processes], seen: vec![0; processes] }
    }

    /// Sends the next batch to each process in turn. True if there was room for one.
    fn send(&mut self, transport: &dyn Transport, most: u64) -> bool {
        let me = transport.me().index();
        let mut some = false;
        for to in (0..self.next.len()).filter(|&to| to != me) {
            if self.next[to] < most {
                let batch = batch(me, to, self.next[to]);
                let sent = transport.send(Peer::new(to as u32), &batch) == Sent::Taken;
                self.next[to] += u64::from(sent);
                some |= sent;
            }
        }
        some
    }

    fn see(&mut self, me: usize, from: Peer, bytes: &[u8]) {
        let seen = &mut self.seen[from.index()];
        assert!(bytes == batch(from.index(), me, *seen), "batch {seen} of {from} is whole and in its turn");
        *seen += 1;
    }
}

/// Random batches from all to all. Every process but the first polls only after `pause`.
fn batches(transport: &dyn Transport, most: u64, pause: Duration) {
    let (me, end) = (transport.me().index(), Instant::now() + DEADLINE);
    let start = Instant::now() + if me == 0 { Duration::ZERO } else { pause };
    let mut traffic = Traffic::new(transport.processes());
    let others = |counts: &[u64]| (0..counts.len()).filter(|&at| at != me).all(|at| counts[at] == most);
    let mut refused = false;
    while !(others(&traffic.next) && others(&traffic.seen)) {
        assert!(Instant::now() < end, "it hangs: sent {:?}, seen {:?}", traffic.next, traffic.seen);
        let mut some = traffic.send(transport, most);
        refused |= !some;
        if Instant::now() >= start {
            some |= transport.poll(&mut |event| match event {
                TransportEvent::Batch(from, bytes) => traffic.see(me, from, bytes),
                _ => panic!("an end"),
            });
        }
        if !some {
            transport.sleep(Duration::from_millis(50));
        }
    }
    assert!(pause.is_zero() || refused, "a ring was full");
    assert_eq!(transport.gather(&[me as u8]).unwrap().concat(), (0..transport.processes() as u8).collect::<Vec<_>>());
}

/// Byte `at` of what is pulled.
fn byte(at: usize, salt: u8) -> u8 {
    (at * 7 + at / 4096) as u8 ^ salt
}

/// 64 MiB in the heap, and as many elsewhere.
fn pulls(transport: Box<dyn Transport>) {
    const BYTES: usize = 64 << 20;
    let (me, other) = (transport.me().index() as u8, Peer::new(1 - transport.me().index() as u32));
    let method = std::env::var("DVM_PULL").unwrap();
    let own: Vec<u8> = (0..BYTES).map(|at| byte(at, me)).collect();
    let block = transport.allocate(BYTES);
    assert_eq!(block.is_some(), method == "heap");
    let mut words = vec![own.as_ptr().addr() as u64];
    if let Some(block) = &block {
        let mut memory = block.keeper.memory();
        // SAFETY: this process's own block, and nobody knows the address.
        unsafe { memory.as_mut() }.copy_from_slice(&own);
        let place = transport.address_for(other, memory);
        let Some(RemoteAddress::Heap { segment, offset }) = place else { panic!("not in the heap") };
        words.extend([u64::from(segment), offset]);
    }
    let told: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    let told = transport.gather(&told).unwrap().swap_remove(other.index());
    let told: Vec<u64> = told.as_chunks::<8>().0.iter().map(|&word| u64::from_le_bytes(word)).collect();
    let right = |bytes: &[u8]| bytes.iter().enumerate().all(|(at, &found)| found == byte(at, other.index() as u8));
    let mut places = vec![RemoteAddress::Memory(told[0])];
    if let [_, segment, offset] = told[..] {
        let place = RemoteAddress::Heap { segment: segment as u32, offset };
        let mapped = transport.map(other, place, BYTES).expect("it is mapped");
        // SAFETY: mapped as long as the value lives, and its owner writes no more.
        assert!(right(unsafe { mapped.memory().as_ref() }));
        places.push(place);
    }
    for at in places {
        let mut bytes = vec![0_u8; BYTES];
        let pulled = transport.pull(other, at, &mut bytes);
        assert_eq!(pulled, method != "ring", "process_vm_readv is allowed here");
        assert!(!pulled || right(&bytes));
    }
    // Both directions at once, through the rings.
    transport.bulk_send(other, 5, Box::new(own.clone()), 1);
    transport.bulk_receive(other, 5, Box::new(vec![0; BYTES]), 2);
    let (mut done, end) = (0, Instant::now() + DEADLINE);
    while done < 2 {
        assert!(Instant::now() < end, "it hangs");
        let some = transport.poll(&mut |event| match event {
            TransportEvent::BulkSent(1) => done += 1,
            TransportEvent::BulkReceived(2, mut into) => {
                assert!(right((*into).as_mut()));
                done += 1;
            }
            _ => panic!("another event"),
        });
        if !some {
            transport.sleep(Duration::from_millis(50));
        }
    }
    transport.gather(&[]).unwrap();
    println!("64 MiB are the same");
    transport.close(true);
}

fn say(text: &str) {
    println!("{text}");
}

fn say_pid() {
    let index = std::env::var("DVM_PROCESS").unwrap();
    say(&format!("pid {index} {}", std::process::id()));
}

/// Floods all others until one of them is lost; then each survivor hears from each other one.
fn killed() {
    say_pid();
    let index: usize = std::env::var("DVM_PROCESS").unwrap().parse().unwrap();
    let transport = match from_environment() {
        Ok(transport) => transport.expect("started by dvmrun"),
        // Before all had joined.
        Err(error) => {
            assert!(error.to_string().contains("is gone before it joined"), "{error}");
            say("lost ?");
            return say("well alone");
        }
    };
    let end = Instant::now() + DEADLINE;
    let mut traffic = Traffic::new(transport.processes());
    let (mut lost, mut hello) = (None, vec![false; transport.processes()]);
    let mut greeted = vec![false; transport.processes()];
    hello[index] = true;
    greeted[index] = true;
    while lost.is_none() || hello.contains(&false) || greeted.contains(&false) {
        assert!(Instant::now() < end, "it hangs");
        if lost.is_none() {
            traffic.send(&*transport, u64::MAX);
        } else {
            for (to, greeted) in greeted.iter_mut().enumerate() {
                *greeted = *greeted || transport.send(Peer::new(to as u32), b"on we go") == Sent::Taken;
            }
        }
        let some = transport.poll(&mut |event| match event {
            TransportEvent::Batch(from, b"on we go") => hello[from.index()] = true,
            TransportEvent::Batch(from, bytes) => traffic.see(index, from, bytes),
            TransportEvent::Lost(peer, _) => {
                // Whoever had not joined goes as well, later.
                if lost.replace(peer).is_none() {
                    say(&format!("lost {peer}"));
                }
                (hello[peer.index()], greeted[peer.index()]) = (true, true);
            }
            // It has heard of all, and all have heard of it.
            TransportEvent::Left(_) => {}
            _ => panic!("nothing else was sent"),
        });
        if !some {
            transport.sleep(Duration::from_millis(50));
        }
    }
    say("well together");
    transport.close(true);
}

/// Both say that they live; the first one notices that the second one does not, and then that it does again.
fn stopped() {
    let transport = join();
    // One that is stopped before it has joined is only waited for.
    say_pid();
    let (me, other) = (transport.me().index(), Peer::new(1 - transport.me().index() as u32));
    let mut traffic = Traffic::new(2);
    let (mut silent, mut over, end) = (false, false, Instant::now() + DEADLINE);
    while !over {
        assert!(Instant::now() < end, "it hangs");
        transport.beat();
        traffic.send(&*transport, u64::MAX);
        transport.poll(&mut |event| match event {
            TransportEvent::Batch(from, bytes) => traffic.see(me, from, bytes),
            TransportEvent::Left(_) => over = true,
            _ => panic!("nobody is lost"),
        });
        if me == 0 {
            let silence = transport.silence(other);
            if !silent && silence > Duration::from_millis(400) {
                silent = true;
                say("silent");
            }
            if silent && silence < Duration::from_millis(200) {
                say("again");
                over = true;
            }
        }
        transport.sleep(Duration::from_millis(20));
    }
    transport.close(true);
}
