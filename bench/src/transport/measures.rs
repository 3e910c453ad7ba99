//! The measurements, each played by both processes.
#![allow(unsafe_code, reason = "memory that two processes have mapped")]

use std::hint::black_box;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use dvm::transport::{Peer, RemoteAddress, Sent, Transport, TransportEvent};

/// The bytes of what is large.
const LARGE: usize = 64 << 20;

/// Median and minimum of some times.
fn show(what: &str, mut times: Vec<f64>, unit: &str, goal: &str) {
    times.sort_by(f64::total_cmp);
    println!("{what:<58} {:>9.3} {:>9.3} {unit:<5} {goal}", times[times.len() / 2], times[0]);
}

/// A cache line between two cores, there and back.
pub fn cache_line(cpus: &[usize], quick: bool) {
    const TURNS: u64 = 1000;
    println!("{:<58} {:>9} {:>9}", "", "median", "minimum");
    let line = AtomicU64::new(0);
    let bind = |cpu: usize| {
        let thread = std::fs::read_link("/proc/thread-self").expect("this thread has a number");
        let thread = thread.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        let bound = std::process::Command::new("taskset").args(["-cp", &cpu.to_string(), &thread]).output();
        assert!(bound.is_ok_and(|output| output.status.success()), "taskset binds a thread");
    };
    let turns = |mine: u64, rounds: usize| {
        for turn in 0..rounds as u64 * TURNS {
            while line.load(Ordering::Acquire) != 2 * turn + mine {
                std::hint::spin_loop();
            }
            line.store(2 * turn + mine + 1, Ordering::Release);
        }
    };
    let rounds = if quick { 2 } else { 1000 };
    let times = std::thread::scope(|scope| {
        scope.spawn(|| {
            bind(cpus[cpus.len() - 1]);
            turns(1, rounds);
        });
        scope
            .spawn(|| {
                bind(cpus[0]);
                let round = |round: u64| {
                    let start = Instant::now();
                    for turn in round * TURNS..(round + 1) * TURNS {
                        while line.load(Ordering::Acquire) != 2 * turn {
                            std::hint::spin_loop();
                        }
                        line.store(2 * turn + 1, Ordering::Release);
                    }
                    start.elapsed().as_secs_f64() * 1e6 / TURNS as f64
                };
                (0..rounds as u64).map(round).collect()
            })
            .join()
            .expect("it only counts")
    });
    show("a cache line to another core and back", times, "us", "");
}

/// The two processes.
pub struct Both<'a> {
    pub transport: &'a dyn Transport,
    pub quick: bool,
}

impl Both<'_> {
    fn is_first(&self) -> bool {
        self.transport.me().index() == 0
    }

    fn other(&self) -> Peer {
        Peer::new(1 - self.transport.me().index() as u32)
    }

    fn rounds(&self) -> usize {
        if self.quick { 2 } else { 500 }
    }

    fn send(&self, batch: &[u8]) {
        while self.transport.send(self.other(), batch) != Sent::Taken {
            self.transport.poll(&mut |_| panic!("nothing was sent"));
        }
    }

    /// Polls until so many batches have come.
    fn receive(&self, mut batches: usize) {
        while batches > 0 {
            self.transport.poll(&mut |event| match event {
                TransportEvent::Batch(_, bytes) => {
                    black_box(bytes);
                    batches -= 1;
                }
                _ => panic!("an end"),
            });
            std::hint::spin_loop();
        }
    }

    fn together(&self) {
        self.transport.gather(&[]).expect("both are there");
    }

    /// A batch there and back, both polling.
    pub fn round_trips(&self) {
        let many = if self.quick { 100 } else { 500 };
        for bytes in [0, 48, 4096] {
            let batch = vec![1; bytes];
            self.together();
            let mut times = Vec::new();
            for _ in 0..self.rounds() {
                let start = Instant::now();
                for _ in 0..many {
                    if self.is_first() {
                        self.send(&batch);
                        self.receive(1);
                    } else {
                        self.receive(1);
                        self.send(&batch);
                    }
                }
                times.push(start.elapsed().as_secs_f64() * 1e6 / f64::from(many));
            }
            if self.is_first() {
                let goal = if bytes == 0 { "prototype: 0.41 to 0.46 with a task's descriptor" } else { "" };
                show(&format!("a batch of {bytes} bytes there and back, both polling"), times, "us", goal);
            }
        }
    }

    /// Batches one way, as full as a ring takes them.
    pub fn throughput(&self) {
        const MESSAGES: usize = 256;
        let many = if self.quick { 100 } else { 500 };
        let batch = vec![3; MESSAGES * 32];
        self.together();
        let mut times = Vec::new();
        for _ in 0..self.rounds() {
            let start = Instant::now();
            if self.is_first() {
                (0..many).for_each(|_| self.send(&batch));
                self.receive(1);
            } else {
                self.receive(many);
                self.send(&[]);
            }
            times.push(start.elapsed().as_secs_f64() * 1e9 / (many * MESSAGES) as f64);
        }
        if self.is_first() {
            show("a message of 32 bytes in batches of 8 KiB, one way", times, "ns", "prototype: 20 to 33 for a task");
        }
    }

    /// A batch to a process that sleeps, and its answer.
    pub fn waking(&self) {
        let many = if self.quick { 20 } else { 500 };
        self.together();
        let mut times = Vec::new();
        for _ in 0..many {
            if self.is_first() {
                std::thread::sleep(Duration::from_millis(1));
                let start = Instant::now();
                self.send(&[]);
                self.receive(1);
                times.push(start.elapsed().as_secs_f64() * 1e6);
            } else {
                let mut come = false;
                while !come {
                    self.transport.sleep(Duration::from_secs(1));
                    self.transport.poll(&mut |event| come |= matches!(event, TransportEvent::Batch(..)));
                }
                self.send(&[]);
            }
        }
        if self.is_first() {
            show("a batch to a process that sleeps, and its answer", times, "us", "goal: 60; prototype: 23");
        }
    }

    /// What both take of a core while they sleep.
    pub fn idling(&self) {
        let nanoseconds = || -> f64 {
            let told = std::fs::read_to_string("/proc/self/schedstat").unwrap_or_default();
            told.split(' ').next().and_then(|number| number.parse().ok()).unwrap_or(0.0)
        };
        let length = Duration::from_millis(if self.quick { 100 } else { 2000 });
        self.together();
        let (start, used) = (Instant::now(), nanoseconds());
        while start.elapsed() < length {
            self.transport.sleep(length.saturating_sub(start.elapsed()));
            self.transport.poll(&mut |_| {});
        }
        let share = (nanoseconds() - used) / 1e7 / length.as_secs_f64();
        self.together();
        if self.is_first() {
            show("a process that sleeps, of a core", vec![share], "%", "goal: 0 by rings, 1 over MPI");
        }
    }

    /// 64 MiB that the second process has, by each method.
    pub fn large(&self) {
        let blocks: Vec<_> = (0..self.samples()).filter_map(|_| self.transport.allocate(LARGE)).collect();
        let mut words = Vec::new();
        for block in &blocks {
            let mut memory = block.keeper.memory();
            // SAFETY: this process's own block, and nobody knows the address.
            unsafe { memory.as_mut() }.fill(7);
            let place = self.transport.address_for(self.other(), memory);
            let Some(RemoteAddress::Heap { segment, offset }) = place else { panic!("not in the heap") };
            words.extend([u64::from(segment), offset]);
        }
        let own = vec![7_u8; LARGE];
        words.push(own.as_ptr().addr() as u64);
        let told: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        let told = self.transport.gather(&told).expect("both are there").swap_remove(self.other().index());
        let told: Vec<u64> = told.as_chunks::<8>().0.iter().map(|&word| u64::from_le_bytes(word)).collect();
        if self.is_first() {
            self.map(&told[..told.len() - 1]);
            self.pull(RemoteAddress::Memory(told[told.len() - 1]));
        }
        self.together();
        self.bulk(&own);
    }

    fn samples(&self) -> u64 {
        if self.quick { 1 } else { 5 }
    }

    /// Looks at each page of each block, twice, and copies it.
    fn map(&self, places: &[u64]) {
        let (mut first, mut again, mut copied) = (Vec::new(), Vec::new(), Vec::new());
        let mut into = vec![0_u8; LARGE];
        for place in places.as_chunks::<2>().0 {
            let place = RemoteAddress::Heap { segment: place[0] as u32, offset: place[1] };
            let Some(mapped) = self.transport.map(self.other(), place, LARGE) else {
                println!("{:<58} not mapped by this transport", "64 MiB in a heap");
                return;
            };
            // SAFETY: mapped as long as the value lives, and its owner writes no more.
            let mapped = unsafe { mapped.memory().as_ref() };
            let look = || {
                let start = Instant::now();
                black_box(mapped.iter().step_by(4096).map(|&byte| u64::from(byte)).sum::<u64>());
                start.elapsed().as_secs_f64() * 1e3
            };
            first.push(look());
            again.push(look());
            let start = Instant::now();
            into.copy_from_slice(mapped);
            black_box(&into);
            copied.push(start.elapsed().as_secs_f64() * 1e3);
        }
        show("64 MiB in a heap: the first look at each page", first, "ms", "prototype: 1.9");
        show("64 MiB in a heap: the second look at each page", again, "ms", "");
        show("64 MiB in a heap: a copy", copied, "ms", "prototype: 9.7");
    }

    /// Copies 64 MiB of the other process's own memory.
    fn pull(&self, place: RemoteAddress) {
        const WHAT: &str = "64 MiB of other memory, by process_vm_readv";
        let mut into = vec![0_u8; LARGE];
        let mut times = Vec::new();
        for _ in 0..self.samples() {
            let start = Instant::now();
            if !self.transport.pull(self.other(), place, &mut into) {
                println!("{WHAT:<58} not allowed here");
                return;
            }
            times.push(start.elapsed().as_secs_f64() * 1e3);
        }
        show(WHAT, times, "ms", "prototype: 17");
    }

    /// 64 MiB by messages.
    fn bulk(&self, bytes: &[u8]) {
        let mut times = Vec::new();
        for ticket in 0..self.samples() {
            let (from, into) = (bytes.to_vec(), vec![1; LARGE]);
            self.together();
            let start = Instant::now();
            if self.is_first() {
                self.transport.bulk_receive(self.other(), ticket, Box::new(into), 1);
            } else {
                self.transport.bulk_send(self.other(), ticket, Box::new(from), 1);
            }
            let mut done = false;
            while !done {
                self.transport.poll(&mut |event| {
                    done = matches!(event, TransportEvent::BulkReceived(..) | TransportEvent::BulkSent(_));
                });
            }
            times.push(start.elapsed().as_secs_f64() * 1e3);
        }
        if self.is_first() {
            show("64 MiB by messages", times, "ms", "");
        }
    }
}
