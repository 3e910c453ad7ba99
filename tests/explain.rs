//! Planted deadlocks: the text names what waits, for what, and who was to publish it.
#![allow(unsafe_code, reason = "calls the C interface")]
#![allow(
    clippy::undocumented_unsafe_blocks,
    reason = "all for one reason: what is passed lives until the call, or the task, has ended"
)]

mod support;

use std::ffi::{c_int, c_void};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use dvm::ffi::c_functions::{dvm_blocking_begin, dvm_blocking_end, dvm_explain_text, dvm_graph_run, dvm_graph_t};
use support::*;

/// The text of `dvm_explain`.
fn explanation() -> String {
    let mut needed = 0;
    assert_eq!(unsafe { dvm_explain_text(std::ptr::null_mut(), 0, &raw mut needed) }, Code::DVM_SUCCESS);
    loop {
        let mut text = vec![0xff_u8; needed + 100];
        assert_eq!(
            unsafe { dvm_explain_text(text.as_mut_ptr().cast(), text.len(), &raw mut needed) },
            Code::DVM_SUCCESS
        );
        if needed <= text.len() {
            assert_eq!(text[needed - 1], 0);
            text.truncate(needed - 1);
            return String::from_utf8(text).unwrap();
        }
    }
}

/// All gates are open: the test has failed, and the next one could not end the engine while tasks are held back.
static FAILED: AtomicBool = AtomicBool::new(false);

/// The turn of one test; one that fails lets its tasks go.
struct Turn(#[expect(dead_code, reason = "held")] std::sync::MutexGuard<'static, ()>);

impl Drop for Turn {
    fn drop(&mut self) {
        FAILED.store(std::thread::panicking(), Ordering::Release);
    }
}

/// Two workers, whose ranks are 0 0 and 0 1, on any machine.
fn start() -> Turn {
    let turn = Turn(turn());
    unsafe { std::env::set_var("DVM_SYNTHETIC", "pu:2") };
    // A failed test may have left the engine running.
    let _ = finalize();
    FAILED.store(false, Ordering::Release);
    init().unwrap();
    turn
}

/// Ends an engine whose tasks wait for ever.
fn end_stuck() {
    assert_eq!(finalize(), Err(Code::DVM_ERR_STATE), "{}", last_error());
}

fn name(id: Id) -> String {
    format!("{{{}, {}}}", id[0], id[1])
}

/// Asks again until the answer has this part.
fn await_part(part: &str) -> String {
    await_parts(&[part.to_owned()])
}

/// Asks again until one answer has all of these parts: no worker stops for an answer, so that its first lines may be
/// older than its last.
fn await_parts(parts: &[String]) -> String {
    let end = Instant::now() + Duration::from_mins(1);
    loop {
        let text = explanation();
        let Some(absent) = parts.iter().find(|&part| !text.contains(part)) else { return text };
        assert!(Instant::now() < end, "{absent}\nis not in\n{text}");
        std::thread::yield_now();
    }
}

#[test]
fn a_promise_that_nobody_publishes() {
    let _turn = start();
    let (lost, other) = (promise(24).unwrap(), number(1));
    let reads = processing(&[IN, IN], c"reads", |_| 0);
    onto(rank_at(1), reads, &[other, lost]).unwrap();
    assert_eq!(
        explanation(),
        format!(
            "libdvm: what waits for what\n\
             1 task has not ended: 0 running, 0 ready, 1 waiting for data.\n\
             \n\
             Missing: datum {lost} (24 bytes): nobody is to publish it\n  \
             What to do: schedule the task that has it as an output, or write it (dvm_data_write) and publish it (dvm_data_publish).\n  \
             Waiting: 1 task for it.\n\
             \n\
             Tasks that wait:\n  \
             'reads' (in {other}, in {lost}) on rank 0 1 waits for datum {lost}: nobody is to publish it\n",
            lost = name(lost),
            other = name(other)
        )
    );
    end_stuck();
}

#[test]
fn a_producer_that_waits_itself() {
    let _turn = start();
    let (lost, made, used) = (promise(8).unwrap(), promise(8).unwrap(), promise(0).unwrap());
    let make = processing(&[IN, OUT], c"make", |_| 0);
    let consume = processing(&[IN, OUT], c"consume", |_| 0);
    let last = processing(&[IN], c"last", |_| 0);
    near(last, &[used]).unwrap();
    onto(rank_at(0), consume, &[made, used]).unwrap();
    onto(rank_at(0), make, &[lost, made]).unwrap();
    let text = explanation();
    let (lost, made, used) = (name(lost), name(made), name(used));
    for part in [
        "3 tasks have not ended: 0 running, 0 ready, 3 waiting for data.".to_owned(),
        format!("Missing: datum {lost} (8 bytes): nobody is to publish it\n"),
        "Waiting: 1 task for it, 2 tasks for what these are to publish.".to_owned(),
        format!("'make' (in {lost}, out {made}) on rank 0 0 waits for datum {lost}: nobody is to publish it\n"),
        format!(
            "'consume' (in {made}, out {used}) on rank 0 0 waits for datum {made}: the output of 'make', which waits itself\n"
        ),
        format!(
            "'last' (in {used}) near its data waits for datum {used}: the output of 'consume', which waits itself\n"
        ),
    ] {
        assert!(text.contains(&part), "{part}\nis not in\n{text}");
    }
    assert_eq!(text.matches("Missing:").count(), 1, "{text}");
    assert!(!text.contains("Cycle"), "{text}");
    end_stuck();
}

#[test]
fn tasks_that_wait_for_each_other() {
    let _turn = start();
    for length in [2, 3, 7] {
        let data: Vec<Id> = (0..length).map(|_| promise(8).unwrap()).collect();
        let step = processing(&[IN, OUT], c"step", |_| 0);
        let behind = processing(&[IN], c"behind", |_| 0);
        acquire(data[0]).unwrap();
        for i in 0..length {
            onto(rank_at(0), step, &[data[i], data[(i + 1) % length]]).unwrap();
        }
        onto(rank_at(1), behind, &[data[0]]).unwrap();
        let text = explanation();
        assert!(text.contains(&format!("Cycle of {length} tasks:")), "{text}");
        assert_eq!(text.matches("Cycle of").count(), 1, "{text}");
        let cycle = text.split("Cycle of").nth(1).unwrap().split("What to do").next().unwrap();
        for i in 0..length {
            let (input, output) = (name(data[i]), name(data[(i + 1) % length]));
            let line = format!("  'step' (in {input}, out {output}) on rank 0 0 waits for datum {input}\n");
            assert_eq!(cycle.matches(&line).count(), 1, "{line} in {text}");
        }
        assert!(!cycle.contains("behind"), "a task that waits for a cycle is not in it: {text}");
        assert!(!text.contains("Missing:"), "{text}");
        end_stuck();
        init().unwrap();
    }
    finalize().unwrap();
}

#[test]
fn a_thread_in_get_of_a_promise_that_nobody_writes() {
    let _turn = start();
    let lost = promise(16).unwrap();
    let sleeper = std::thread::spawn(move || get(lost).map(|_| ()));
    await_parts(&[
        "In dvm_data_get: 1 thread.".to_owned(),
        format!("Missing: datum {} (16 bytes): nobody is to publish it\n", name(lost)),
        "Waiting: 0 tasks for it, 1 thread in dvm_data_get.\n".to_owned(),
    ]);
    publish(lost).unwrap();
    assert_eq!(sleeper.join().unwrap(), Ok(()));
    assert!(explanation().contains("Nothing waits"));
    finalize().unwrap();
}

#[test]
fn a_promise_that_is_written_by_hand_and_never_published() {
    let _turn = start();
    let written = promise(8).unwrap();
    write(written).unwrap();
    let reads = processing(&[IN], c"reads", |_| 0);
    near(reads, &[written]).unwrap();
    let text = explanation();
    let missing = format!("Missing: datum {} (8 bytes): written by hand, not published yet\n", name(written));
    assert!(text.contains(&missing), "{text}");
    assert!(text.contains("What to do: the thread that called dvm_data_write has to call dvm_data_publish."), "{text}");
    end_stuck();
}

#[test]
fn a_next_that_no_task_carries_on() {
    let _turn = start();
    let current = number(1);
    let following = next(current).unwrap();
    let reads = processing(&[IN], c"reads", |_| 0);
    near(reads, &[following]).unwrap();
    let text = explanation();
    let carried =
        format!("nobody is to publish it: it carries on datum {}, and no task has it as an output", name(current));
    assert!(text.contains(&format!("Missing: datum {} (8 bytes): {carried}\n", name(following))), "{text}");
    assert!(
        text.contains("What to do: schedule a task that reads that datum and has this one as an output."),
        "{text}"
    );
    end_stuck();
}

#[test]
fn a_task_that_does_not_end_is_named_with_its_worker() {
    let _turn = start();
    let gate = Gate::new();
    let endless = processing(&[OUT], c"endless", |_| {
        gate.pass();
        0
    });
    let reads = processing(&[IN], c"reads", |_| 0);
    let queued = processing(&[], c"queued", |_| 0);
    let output = promise(8).unwrap();
    onto(rank_at(1), endless, &[output]).unwrap();
    await_part("the worker of rank 0 1 runs 'endless'");
    onto(rank_at(0), reads, &[output]).unwrap();
    onto(rank_at(1), queued, &[]).unwrap();
    let text = explanation();
    let output = name(output);
    for part in [
        "3 tasks have not ended: 1 running, 1 ready, 1 waiting for data.".to_owned(),
        "  the worker of rank 0 1 runs 'endless'".to_owned(),
        "; 1 more task that did not end was given to it\n".to_owned(),
        format!("Missing: datum {output} (8 bytes): the output of 'endless', which runs on rank 0 1"),
        format!("  Its publisher: 'endless' (out {output}) on rank 0 1 runs on rank 0 1"),
        format!(
            "'reads' (in {output}) on rank 0 0 waits for datum {output}: the output of 'endless', which runs on rank 0 1"
        ),
    ] {
        assert!(text.contains(&part), "{part}\nis not in\n{text}");
    }
    gate.open();
    finalize().unwrap();
}

/// Holds tasks back until it opens.
#[derive(Default)]
struct Gate(AtomicBool);

impl Gate {
    fn new() -> &'static Gate {
        Box::leak(Box::default())
    }
    fn pass(&self) {
        while !self.0.load(Ordering::Acquire) && !FAILED.load(Ordering::Acquire) {
            std::thread::yield_now();
        }
    }
    fn open(&self) {
        self.0.store(true, Ordering::Release);
    }
}

/// A task with an output: in a blocking section until the first gate opens, then running until the second opens.
fn blocked(blocks: &'static Gate, runs: &'static Gate) -> Id {
    processing(&[OUT], c"blocked", move |_| {
        assert_eq!(unsafe { dvm_blocking_begin() }, Code::DVM_SUCCESS);
        blocks.pass();
        assert_eq!(unsafe { dvm_blocking_end() }, Code::DVM_SUCCESS);
        runs.pass();
        0
    })
}

#[test]
fn a_producer_that_is_queued_behind_a_long_task() {
    let _turn = start();
    let gate = Gate::new();
    let long = processing(&[], c"long", |_| {
        gate.pass();
        0
    });
    // More arguments than lie in the descriptor, and the output that is waited for is among the last.
    let makes = processing(&[IN, OUT, OUT, OUT, OUT, OUT, OUT], c"makes", |_| 0);
    let reads = processing(&[IN, IN], c"reads", |_| 0);
    let (input, lost) = (number(3), promise(8).unwrap());
    let outputs: Vec<Id> = (0..6).map(|_| promise(16).unwrap()).collect();
    onto(rank_at(0), long, &[]).unwrap();
    await_part("the worker of rank 0 0 runs 'long'");
    let arguments: Vec<Id> = [input].into_iter().chain(outputs.iter().copied()).collect();
    onto(rank_at(0), makes, &arguments).unwrap();
    // The task waits for one missing input after the other; the text names both.
    onto(rank_at(1), reads, &[outputs[4], lost]).unwrap();
    let text = explanation();
    let told: Vec<String> = outputs.iter().map(|&id| format!("out {}", name(id))).collect();
    let (missing, input) = (name(outputs[4]), name(input));
    for part in [
        "3 tasks have not ended: 1 running, 1 ready, 1 waiting for data.".to_owned(),
        format!("Missing: datum {missing} (16 bytes): the output of 'makes', which is ready, in a queue\n"),
        format!("  Its publisher: 'makes' (in {input}, {}) on rank 0 0 is ready, in a queue\n", told.join(", ")),
    ] {
        assert!(text.contains(&part), "{part}\nis not in\n{text}");
    }
    gate.open();
    publish(lost).unwrap();
    wait().unwrap();
    assert!(explanation().contains("Nothing waits"));
    for &id in outputs.iter().filter(|&&id| id != outputs[4]) {
        relax(id).unwrap();
    }
    finalize().unwrap();
}

#[test]
fn a_producer_that_blocks_while_another_task_runs_in_its_place() {
    let _turn = start();
    let (blocks, runs) = (Gate::new(), Gate::new());
    let blocked = blocked(blocks, runs);
    let instead = processing(&[OUT], c"instead", |_| {
        runs.pass();
        0
    });
    let reads = processing(&[IN, IN], c"reads", |_| 0);
    let (first, second) = (promise(8).unwrap(), promise(8).unwrap());
    onto(rank_at(1), blocked, &[first]).unwrap();
    onto(rank_at(1), instead, &[second]).unwrap();
    onto(rank_at(0), reads, &[first, second]).unwrap();
    let (first, second) = (name(first), name(second));
    await_parts(&[
        "'blocked' is in a blocking section on rank 0 1".to_owned(),
        "the worker of rank 0 1 runs 'instead'".to_owned(),
        "3 tasks have not ended: 1 running, 1 in blocking sections, 0 ready, 1 waiting for data.".to_owned(),
        format!("  Its publisher: 'blocked' (out {first}) on rank 0 1 is in a blocking section on rank 0 1"),
        format!("  Its publisher: 'instead' (out {second}) on rank 0 1 runs on rank 0 1"),
    ]);
    blocks.open();
    runs.open();
    finalize().unwrap();
}

#[test]
fn a_task_that_is_back_from_a_section_runs_again() {
    let _turn = start();
    let (blocks, runs) = (Gate::new(), Gate::new());
    let blocked = blocked(blocks, runs);
    let reads = processing(&[IN], c"reads", |_| 0);
    let output = promise(8).unwrap();
    onto(rank_at(1), blocked, &[output]).unwrap();
    onto(rank_at(0), reads, &[output]).unwrap();
    await_part("the output of 'blocked', which is in a blocking section on rank 0 1");
    blocks.open();
    await_parts(&[
        "the output of 'blocked', which runs on rank 0 1".to_owned(),
        "2 tasks have not ended: 1 running, 0 ready, 1 waiting for data.".to_owned(),
    ]);
    runs.open();
    finalize().unwrap();
}

#[test]
fn long_lists_are_cut_and_counted() {
    let _turn = start();
    let lost = promise(8).unwrap();
    let (many, few) = (processing(&[IN], c"many", |_| 0), processing(&[IN, OUT], c"few", |_| 0));
    for _ in 0..1000 {
        acquire(lost).unwrap();
        near(many, &[lost]).unwrap();
    }
    for _ in 0..5 {
        acquire(lost).unwrap();
        near(few, &[lost, promise(8).unwrap()]).unwrap();
    }
    let text = explanation();
    for part in [
        "1005 waiting for data",
        "  and 989 more\n",
        "  In all: 1000 'many', 5 'few'\n",
        "Waiting: 1005 tasks for it.\n",
    ] {
        assert!(text.contains(part), "{part}\nis not in\n{text}");
    }
    assert!(text.lines().count() < 40, "{text}");
    end_stuck();
}

#[test]
fn a_text_that_does_not_fit_is_cut_and_its_size_is_told() {
    let _turn = start();
    let reads = processing(&[IN], c"d\xc3\xbcrfte", |_| 0);
    near(reads, &[promise(8).unwrap()]).unwrap();
    let whole = explanation();
    assert!(whole.contains("dürfte"), "{whole}");
    for size in 1..=whole.len() + 2 {
        let mut buffer = vec![b'x'; size + 1];
        let mut needed = 0;
        assert_eq!(unsafe { dvm_explain_text(buffer.as_mut_ptr().cast(), size, &raw mut needed) }, Code::DVM_SUCCESS);
        assert_eq!((needed, buffer[size]), (whole.len() + 1, b'x'));
        let end = buffer.iter().position(|&byte| byte == 0).unwrap();
        let cut = std::str::from_utf8(&buffer[..end]).expect("no letter is cut in two");
        assert!(whole.starts_with(cut) && end + 2 >= size.min(whole.len() + 1), "{size}: {cut}");
    }
    end_stuck();
}

/// Holds back tile [1, 1] of a graph.
static HOLDS: Gate = Gate(AtomicBool::new(false));

unsafe extern "C" fn run_at_once(_: *mut c_void, _: *const i64) -> c_int {
    0
}

unsafe extern "C" fn hold_one(_: *mut c_void, tile: *const i64) -> c_int {
    let tile = unsafe { std::slice::from_raw_parts(tile, 2) };
    if tile == [1, 1] {
        HOLDS.pass();
    }
    0
}

/// Runs a graph of two carried coordinates from 0 to `most`.
fn wave(most: i64, run: unsafe extern "C" fn(*mut c_void, *const i64) -> c_int) -> Code {
    let upper = [most, most];
    let graph = dvm_graph_t {
        size: size_of::<dvm_graph_t>(),
        name: c"wave".as_ptr(),
        dimension: 2,
        lower: [0_i64, 0].as_ptr(),
        upper: upper.as_ptr(),
        carried: [1 as c_int, 1].as_ptr(),
        run: Some(run),
        predecessors: None,
        successors: None,
        context: std::ptr::null_mut(),
        bounds: None,
        exists: None,
    };
    unsafe { dvm_graph_run(&raw const graph) }
}

#[test]
fn a_tile_that_does_not_end_and_the_tiles_that_miss_it() {
    let _turn = start();
    let graph = std::thread::spawn(|| wave(3, hold_one));
    // Only the first row and the first column run without tile [1, 1].
    let text = await_part(
        "Graph 'wave': of 16 tiles 7 have run, 1 running, 0 ready, 4 waiting for predecessors that have not run\n",
    );
    let runs = text.split("  tile [1, 1] runs on ").nth(1).expect("tile [1, 1]").lines().next().unwrap();
    assert!(["rank 0 0", "rank 0 1"].contains(&runs), "{text}");
    for tile in ["[1, 2]", "[2, 1]"] {
        let line = format!("  tile {tile} misses 1 predecessor: [1, 1], which runs on {runs}\n");
        assert!(text.contains(&line), "{line} in {text}");
    }
    HOLDS.open();
    assert_eq!(graph.join().unwrap(), Code::DVM_SUCCESS);
    finalize().unwrap();
}

/// A snapshot of running workers may be out of date, but reads no freed memory: the sanitizers watch.
#[test]
fn explanations_while_tasks_come_and_go() {
    let _turn = start();
    let step = processing(&[IN, OUT], c"step", |_| 0);
    let over = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !over.load(Ordering::Acquire) {
                let text = explanation();
                assert!(text.starts_with("libdvm: what waits for what\n"));
                named_producers_have_the_datum_as_an_output(&text);
            }
        });
        scope.spawn(|| {
            for most in 0..40 {
                assert_eq!(wave(most, run_at_once), Code::DVM_SUCCESS);
            }
        });
        for round in 0..300 {
            let gate = promise(8).unwrap();
            let mut last = gate;
            for link in 0..20 {
                let following = promise(8).unwrap();
                if (round + link) % 2 == 0 {
                    near(step, &[last, following]).unwrap();
                } else {
                    onto(rank_at(link % 2), step, &[last, following]).unwrap();
                }
                last = following;
            }
            publish(gate).unwrap();
            put_back(last);
        }
        wait().unwrap();
        over.store(true, Ordering::Release);
    });
    finalize().unwrap();
}

/// Descriptors are reused all the time, yet a datum's named producer is its producer.
fn named_producers_have_the_datum_as_an_output(text: &str) {
    for missing in text.split("Missing: datum ").skip(1) {
        let mut lines = missing.lines();
        let id = lines.next().and_then(|line| line.split(" (").next()).unwrap();
        if let Some(producer) = lines.next().and_then(|line| line.strip_prefix("  Its publisher: ")) {
            assert!(producer.contains(&format!("out {id}")), "{producer}\nhas no output {id}:\n{text}");
        }
    }
}

/// Waits for a datum and lets it go.
fn put_back(id: Id) {
    get(id).unwrap();
    put(id).unwrap();
    relax(id).unwrap();
}
