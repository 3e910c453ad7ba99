//! A program of several processes that makes what its seed says: tasks anywhere, on data and promises of any process.

pub mod player;

use std::ffi::{CStr, c_char, c_int, c_void};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use testkit::Random;

type Id = [u64; 2];
type Rank = [u64; 8];
type Callback = unsafe extern "C" fn(*mut c_void, *mut Id, c_int) -> c_int;

unsafe extern "C" {
    fn dvm_init() -> c_int;
    fn dvm_wait() -> c_int;
    fn dvm_finalize() -> c_int;
    fn dvm_explain() -> c_int;
    fn dvm_last_error() -> *const c_char;
    fn dvm_process(index: *mut u64, count: *mut u64) -> c_int;
    fn dvm_rank_count(count: *mut u64) -> c_int;
    fn dvm_rank_at(index: u64, rank: *mut u64, depth: c_int) -> c_int;
    fn dvm_sched_onto_v(rank: *const u64, function: *const u64, ids: *mut Id, count: c_int) -> c_int;
    fn dvm_sched_near(function: *const u64, ids: *mut Id, count: c_int) -> c_int;
    fn dvm_processing_register_v(
        callback: Option<Callback>,
        context: *mut c_void,
        count: c_int,
        description: *const c_char,
        id: *mut u64,
    ) -> c_int;
    fn dvm_processing_access(id: *const u64, modes: *const c_int) -> c_int;
    fn dvm_processing_unregister(id: *mut u64) -> c_int;
    fn dvm_data_allocate(size: usize, id: *mut Id) -> c_int;
    fn dvm_data_promise(size: usize, id: *mut Id) -> c_int;
    fn dvm_data_next(current: *const u64, next: *mut Id) -> c_int;
    fn dvm_data_acquire(id: *mut u64) -> c_int;
    fn dvm_data_relax(id: *mut u64) -> c_int;
    fn dvm_data_get(id: *const u64, at: *mut *mut c_void, size: *mut usize) -> c_int;
    fn dvm_data_put(id: *const u64) -> c_int;
}

const SUCCESS: c_int = 0;
const PEER_LOST: c_int = 17;
const PANIC: c_int = 18;

/// Whether a call of this process has told of a loss.
static TOLD: AtomicBool = AtomicBool::new(false);

fn last_error() -> String {
    // SAFETY: the text is the thread's until its next call.
    unsafe { CStr::from_ptr(dvm_last_error()) }.to_string_lossy().into_owned()
}

/// Whether a call has done what it is to do. Whatever others do, libdvm has no defect.
fn good(code: c_int, what: &str) -> bool {
    if code == PEER_LOST && !TOLD.swap(true, Ordering::Relaxed) {
        println!("lost {what}: {}", last_error());
    }
    if code == PANIC {
        println!("defect: {what}: {}", last_error());
        std::process::exit(3);
    }
    code == SUCCESS
}

/// No datum of this program is larger: what is said to be comes from a liar.
const MOST_BYTES: usize = 300_000;

/// The bytes of a datum; those of a task's argument until it ends.
fn bytes_of<'a>(id: &Id) -> Option<&'a mut [u8]> {
    let (mut at, mut size) = (std::ptr::null_mut(), 0);
    // SAFETY: the places are there, and libdvm says where the bytes are.
    unsafe {
        let got = good(dvm_data_get(id.as_ptr(), &raw mut at, &raw mut size), "get");
        (got && (1..=MOST_BYTES).contains(&size)).then(|| std::slice::from_raw_parts_mut(at.cast(), size))
    }
}

fn arguments<'a>(ids: *mut Id, count: c_int) -> &'a [Id] {
    // SAFETY: libdvm passes so many.
    unsafe { std::slice::from_raw_parts(ids, count as usize) }
}

/// Two inputs, an output: every byte says what the first ones of the inputs were.
unsafe extern "C" fn work(_: *mut c_void, ids: *mut Id, count: c_int) -> c_int {
    let ids = arguments(ids, count);
    let (Some(one), Some(two)) = (bytes_of(&ids[0]), bytes_of(&ids[1])) else { return 1 };
    let sum = one[0].wrapping_add(two[two.len() - 1]).wrapping_add(1);
    let Some(to) = bytes_of(&ids[2]) else { return 2 };
    to.fill(sum);
    // A few fail.
    c_int::from(sum == 77)
}

/// An input, and an output that carries it on.
unsafe extern "C" fn carry(_: *mut c_void, ids: *mut Id, count: c_int) -> c_int {
    let Some(to) = bytes_of(&arguments(ids, count)[1]) else { return 1 };
    to[0] = to[0].wrapping_add(1);
    0
}

/// Makes a promise, and tells its id.
unsafe extern "C" fn make(_: *mut c_void, ids: *mut Id, count: c_int) -> c_int {
    let Some(told) = bytes_of(&arguments(ids, count)[0]) else { return 1 };
    let mut id: Id = [0; 2];
    // SAFETY: the place is there.
    if !good(unsafe { dvm_data_promise(100, &raw mut id) }, "promise") {
        return 2;
    }
    if told.len() != 16 {
        return 3;
    }
    told.copy_from_slice(&id.map(u64::to_le_bytes).concat());
    0
}

fn promise(size: usize) -> Option<Id> {
    let mut id: Id = [0; 2];
    // SAFETY: the place is there.
    good(unsafe { dvm_data_promise(size, &raw mut id) }, "promise").then_some(id)
}

struct Program {
    random: Random,
    ranks: Vec<Rank>,
    /// Data that have a value, or a producer.
    ids: Vec<Id>,
    work: Id,
    carry: Id,
    make: Id,
}

fn register(callback: Callback, modes: &[c_int], name: &CStr) -> Id {
    let mut id: Id = [0; 2];
    // SAFETY: the places are there, and the functions are of this program.
    unsafe {
        let count = modes.len() as c_int;
        let registered =
            dvm_processing_register_v(Some(callback), std::ptr::null_mut(), count, name.as_ptr(), (&raw mut id).cast());
        assert!(good(registered, "register"), "{}", last_error());
        assert!(good(dvm_processing_access(id.as_ptr(), modes.as_ptr()), "access"), "{}", last_error());
    }
    id
}

const IN: c_int = 0;
const OUT: c_int = 1;

impl Program {
    fn new(seed: u64) -> Program {
        let (mut index, mut count) = (0, 0);
        // SAFETY: the places are there.
        unsafe {
            good(dvm_process(&raw mut index, &raw mut count), "process");
            let mut all = 0;
            good(dvm_rank_count(&raw mut all), "rank_count");
            let ranks = (0..all).map(|at| {
                let mut rank: Rank = [0; 8];
                good(dvm_rank_at(at, rank.as_mut_ptr(), 8), "rank_at");
                rank
            });
            Program {
                random: Random::new(seed * 16 + index),
                ranks: ranks.collect(),
                ids: Vec::new(),
                work: register(work, &[IN, IN, OUT], c"work"),
                carry: register(carry, &[IN, OUT], c"carry"),
                make: register(make, &[OUT], c"make"),
            }
        }
    }

    fn allocate(&mut self) -> Option<Id> {
        let size = *self.random.pick(&[1, 8, 100, 5000, 40_000, 300_000]);
        let mut id: Id = [0; 2];
        // SAFETY: the place is there.
        good(unsafe { dvm_data_allocate(size, &raw mut id) }, "allocate").then_some(id)
    }

    /// An input: a datum of some process, with a reference for a task.
    fn input(&mut self) -> Option<Id> {
        if self.ids.is_empty() || self.random.one_in(4) {
            let new = self.allocate()?;
            self.ids.push(new);
        }
        let mut id = *self.random.pick(&self.ids);
        // SAFETY: the place is there.
        good(unsafe { dvm_data_acquire(id.as_mut_ptr()) }, "acquire").then_some(id)
    }

    fn schedule(&mut self, function: Id, ids: &mut [Id]) -> bool {
        let count = ids.len() as c_int;
        // SAFETY: so many ids are there, and the rank has all its numbers.
        good(
            unsafe {
                if self.random.one_in(4) {
                    dvm_sched_near(function.as_ptr(), ids.as_mut_ptr(), count)
                } else {
                    let rank = *self.random.pick(&self.ranks);
                    dvm_sched_onto_v(rank.as_ptr(), function.as_ptr(), ids.as_mut_ptr(), count)
                }
            },
            "schedule",
        )
    }

    fn relax(id: &mut Id) {
        // SAFETY: the place is there.
        good(unsafe { dvm_data_relax(id.as_mut_ptr()) }, "relax");
    }

    /// A task on data of any process, whose output is this output, or a new promise here.
    fn task(&mut self, output: Option<Id>) -> Option<()> {
        let (one, two) = (self.input()?, self.input()?);
        let size = *self.random.pick(&[1, 8, 100, 5000, 40_000, 300_000]);
        let mut output = match output {
            Some(output) => output,
            None => promise(size)?,
        };
        if self.schedule(self.work, &mut [one, two, output]) {
            self.ids.push(output);
        } else {
            Self::relax(&mut output);
        }
        Some(())
    }

    /// A promise of another process.
    fn made_elsewhere(&mut self) -> Option<Id> {
        let mut told = promise(16)?;
        let bytes = self.schedule(self.make, &mut [told]).then(|| bytes_of(&told)).flatten();
        let made = bytes.filter(|bytes| bytes.len() == 16).map(|bytes| {
            let number = |at: usize| u64::from_le_bytes(bytes[at..at + 8].try_into().unwrap());
            [number(0), number(8)]
        });
        if made.is_some() {
            // SAFETY: it was got.
            good(unsafe { dvm_data_put(told.as_ptr()) }, "put");
        }
        Self::relax(&mut told);
        made
    }

    fn carried(&mut self) -> Option<()> {
        let current = self.input()?;
        let mut next: Id = [0; 2];
        // SAFETY: the places are there.
        if !good(unsafe { dvm_data_next(current.as_ptr(), &raw mut next) }, "next") {
            return None;
        }
        if self.schedule(self.carry, &mut [current, next]) {
            self.ids.push(next);
        } else {
            Self::relax(&mut next);
        }
        Some(())
    }

    fn step(&mut self) {
        match self.random.below(12) {
            0..5 => drop(self.task(None)),
            5 => {
                if let Some(far) = self.made_elsewhere() {
                    self.task(Some(far));
                }
            }
            6 => drop(self.carried()),
            7 | 8 => {
                if let Some(mut id) = self.input() {
                    Self::relax(&mut id);
                }
            }
            9 => {
                if let Some(mut id) = self.input() {
                    if bytes_of(&id).is_some() {
                        // SAFETY: it was got.
                        good(unsafe { dvm_data_put(id.as_ptr()) }, "put");
                    }
                    Self::relax(&mut id);
                }
            }
            10 if self.ids.len() > 8 => {
                let place = self.random.below(self.ids.len());
                Self::relax(&mut self.ids.swap_remove(place));
            }
            _ => {
                if self.random.one_in(8) {
                    let mut short = register(carry, &[IN, OUT], c"short-lived");
                    let kept = std::mem::replace(&mut self.carry, short);
                    self.carried();
                    self.carry = kept;
                    // SAFETY: the place is there.
                    good(unsafe { dvm_processing_unregister(short.as_mut_ptr()) }, "unregister");
                }
            }
        }
    }
}

/// The largest memory that the process has had, in KiB.
fn peak() -> u64 {
    let text = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    line.trim().trim_end_matches(" kB").parse().unwrap()
}

/// So many waits, with random calls before each; then tells `well`, the peak of its memory, and how the waits ended.
pub fn play() {
    println!(); // behind what the test program says
    let number = |name: &str| testkit::setting(name).unwrap();
    // SAFETY: no arguments.
    if !good(unsafe { dvm_init() }, "init") {
        println!("well {} init refused: {}", peak(), last_error());
        return;
    }
    println!("init");
    std::thread::spawn(|| {
        std::thread::sleep(Duration::from_secs(12));
        // SAFETY: no arguments.
        unsafe { dvm_explain() };
    });
    let mut program = Program::new(number("DVM_TEST_PROGRAM"));
    let end = Instant::now() + Duration::from_secs(20);
    for _ in 0..number("DVM_TEST_ROUNDS") {
        for _ in 0..program.random.below(40) {
            program.step();
        }
        // SAFETY: no arguments.
        let code = unsafe { dvm_wait() };
        good(code, "wait");
        assert!(Instant::now() < end, "calls that return, and no end");
    }
    println!("waits are over");
    // SAFETY: no arguments.
    let code = unsafe { dvm_finalize() };
    good(code, "finalize");
    println!("well {} {}", peak(), if TOLD.load(Ordering::Relaxed) { "lost" } else { "whole" });
}
