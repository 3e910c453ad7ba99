//! What is recorded is what the file shows.

use serde_json::Value;
use std::collections::BTreeMap;
use testkit::{Scratch, scratch};

use super::ring::Event;
use super::*;
use crate::error::dvm_retcode_t;

const FILE: &str = "trace.json";

/// A trace to a new file, with rings of `capacity`.
fn start(workers: usize, capacity: &str) -> (Trace, Scratch) {
    let folder = scratch(&[]);
    let config = config(folder.join(FILE).to_str().unwrap(), capacity);
    let trace = Trace::start(&config, (0..workers).map(|worker| format!("rank 0 {worker}")));
    (trace.unwrap(), folder)
}

fn config(path: &str, capacity: &str) -> Config {
    let value = |name: &str| match name {
        "DVM_TRACE" => Some(path.into()),
        "DVM_TRACE_EVENTS" => Some(capacity.into()),
        _ => None,
    };
    Config::read(value).unwrap()
}

/// Writes the trace and reads its file with another reader of JSON.
fn finish(trace: &Trace, folder: &Scratch) -> Value {
    trace.finish().unwrap();
    let text = std::fs::read_to_string(folder.join(FILE)).unwrap();
    serde_json::from_str(&text).unwrap_or_else(|why| panic!("{why}: {text}"))
}

/// The entries of phase `phase`.
fn entries<'a>(file: &'a Value, phase: &str) -> Vec<&'a Value> {
    file["traceEvents"].as_array().unwrap().iter().filter(|entry| entry["ph"] == phase).collect()
}

#[test]
fn every_event_of_every_worker_is_shown_once() {
    let (workers, each) = (4, 500);
    let (trace, folder) = start(workers, "10000");
    let tile = trace.name("jacobi");
    std::thread::scope(|scope| {
        for worker in 0..workers {
            let trace = trace.clone();
            scope.spawn(move || {
                for i in 0..each {
                    trace.tile(Some(worker), trace.begin(), tile, &[worker as i64, -i]);
                }
                trace.task(worker, trace.begin(), "axpy");
                trace.steal(worker, trace.begin(), (worker + 1) % workers);
                trace.sleep(worker, trace.begin());
            });
        }
    });
    let file = finish(&trace, &folder);
    let mut seen = BTreeMap::new();
    for event in entries(&file, "X") {
        assert!(event["ts"].as_f64().unwrap() >= 0.0 && event["dur"].as_f64().unwrap() >= 0.0);
        *seen.entry(format!("{} {} {} {}", event["tid"], event["cat"], event["name"], event["args"])).or_insert(0) += 1;
    }
    let mut expected = BTreeMap::new();
    for worker in 0..workers {
        for i in 0..each {
            let args = format!("{{\"dimension\":2,\"tile\":[{worker},{}]}}", -i);
            expected.insert(format!("{worker} \"tile\" \"jacobi\" {args}"), 1);
        }
        expected.insert(format!("{worker} \"task\" \"axpy\" null"), 1);
        expected.insert(format!("{worker} \"steal\" \"steal\" {{\"from\":{}}}", (worker + 1) % workers), 1);
        expected.insert(format!("{worker} \"sleep\" \"sleep\" null"), 1);
    }
    assert_eq!(seen, expected);
    let titles: Vec<_> = entries(&file, "M")
        .into_iter()
        .filter(|entry| entry["name"] == "thread_name")
        .map(|entry| &entry["args"]["name"])
        .collect();
    assert_eq!(titles, ["rank 0 0", "rank 0 1", "rank 0 2", "rank 0 3"]);
    assert_eq!((file["otherData"]["dropped"].as_u64(), entries(&file, "i").len()), (Some(0), 0));
}

#[test]
fn a_full_ring_keeps_the_latest_and_says_how_many_are_missing() {
    for (pushed, expected) in [(2, vec![0, 1]), (3, vec![0, 1, 2]), (5, vec![2, 3, 4]), (9, vec![6, 7, 8])] {
        let (trace, folder) = start(2, "3");
        let name = trace.name("loop");
        for i in 0..pushed {
            trace.tile(Some(1), trace.begin(), name, &[i]);
        }
        let file = finish(&trace, &folder);
        let tiles: Vec<_> =
            entries(&file, "X").iter().map(|event| event["args"]["tile"][0].as_i64().unwrap()).collect();
        assert_eq!(tiles, expected, "of {pushed}");
        let dropped = pushed as u64 - expected.len() as u64;
        assert_eq!(file["otherData"]["dropped"].as_u64(), Some(dropped));
        let marks: Vec<_> = entries(&file, "i").iter().map(|mark| mark["name"].as_str().unwrap()).collect();
        let mark = format!("{dropped} earlier events were dropped");
        assert_eq!(marks, if dropped > 0 { vec![mark.as_str()] } else { vec![] });
    }
}

#[test]
fn times_are_those_of_the_clock_in_microseconds() {
    let (trace, folder) = start(1, "10");
    let outer = trace.begin();
    let inner = trace.begin();
    std::thread::sleep(std::time::Duration::from_millis(5));
    trace.sleep(0, inner);
    trace.task(0, outer, "outer");
    let file = finish(&trace, &folder);
    let span = |event: &Value| (event["ts"].as_f64().unwrap(), event["dur"].as_f64().unwrap());
    let ((outer, outer_length), (inner, inner_length)) = (span(entries(&file, "X")[0]), span(entries(&file, "X")[1]));
    assert!(inner_length >= 5_000.0 && outer_length < 60_000_000.0);
    assert!(outer <= inner && outer + outer_length >= inner + inner_length, "the inner event lies in the outer one");
}

#[test]
fn any_name_and_any_number_of_coordinates_give_valid_json() {
    let (trace, folder) = start(1, "10");
    let text = "a \"quoted\" \\ name\nwith\ttabs, \u{1} and ünïcode";
    assert_eq!(trace.name(text), trace.name(text));
    assert_ne!(trace.name(text), trace.name(""));
    trace.tile(Some(0), trace.begin(), trace.name(text), &[]);
    trace.tile(Some(0), trace.begin(), trace.name(text), &[i64::MIN, i64::MAX, 0, 4, 5, 6]);
    let file = finish(&trace, &folder);
    let events = entries(&file, "X");
    assert!(events.iter().all(|event| event["name"] == text));
    assert_eq!(events[0]["args"], serde_json::json!({"tile": [], "dimension": 0}));
    assert_eq!(events[1]["args"], serde_json::json!({"tile": [i64::MIN, i64::MAX, 0, 4], "dimension": 6}));
}

#[test]
fn without_a_file_nothing_is_recorded() {
    let trace = Trace::start(&Config::read(|_| None).unwrap(), ["rank 0".into()]).unwrap();
    assert!(!trace.is_on() && !Trace::off().is_on());
    trace.task(7, trace.begin(), "nothing");
    trace.publish(None, 1, 8);
    trace.scheduled("nothing", std::iter::empty());
    trace.graph("nothing", 1, |_| unreachable!("nothing is drawn"));
    trace.finish().unwrap();
}

#[test]
fn a_trace_is_written_once() {
    let (trace, folder) = start(1, "10");
    trace.clone().finish().unwrap();
    std::fs::remove_file(folder.join(FILE)).unwrap();
    trace.finish().unwrap();
    assert!(!folder.join(FILE).exists());
}

#[test]
fn a_file_that_cannot_be_written_is_an_error_that_names_it() {
    for path in ["/nonexistent/trace.json", "/"] {
        let error = Trace::start(&config(path, "10"), ["rank 0".into()]).unwrap_err();
        assert_eq!(error.code(), dvm_retcode_t::DVM_ERR_ARGUMENT);
        assert!(error.message().contains(path) && error.message().contains("DVM_TRACE"), "{}", error.message());
    }
    let full = Trace::start(&config("/dev/full", "10"), ["rank 0".into()]).unwrap();
    let error = full.finish().unwrap_err();
    assert!(error.message().contains("/dev/full") && error.message().contains("No space left"), "{}", error.message());
    full.finish().unwrap();
}

#[test]
fn an_event_takes_no_more_than_the_64_bytes_that_the_book_says() {
    assert!(size_of::<Event>() <= 64);
}

#[test]
fn data_and_other_threads_are_shown() {
    let (trace, folder) = start(1, "10");
    trace.publish(Some(0), u64::MAX, 24);
    trace.copy(Some(0), trace.begin(), 7, 16);
    trace.publish(None, 5, 0);
    trace.tile(None, trace.begin(), trace.name("alone"), &[3]);
    let file = finish(&trace, &folder);
    let told = |entry: &Value| format!("{} {} {} {}", entry["tid"], entry["cat"], entry["name"], entry["args"]);
    let mut marks: Vec<_> = entries(&file, "i").into_iter().map(told).collect();
    let mut spans: Vec<_> = entries(&file, "X").into_iter().map(told).collect();
    marks.sort();
    spans.sort();
    let datum = |number: u64, bytes: u64| format!("{{\"bytes\":{bytes},\"datum\":\"{{0, {number}}}\"}}");
    assert_eq!(
        marks,
        [format!("0 \"data\" \"publish\" {}", datum(u64::MAX, 24)), format!("1 \"data\" \"publish\" {}", datum(5, 0))]
    );
    let tile = "1 \"tile\" \"alone\" {\"dimension\":1,\"tile\":[3]}";
    assert_eq!(spans, [format!("0 \"data\" \"copy\" {}", datum(7, 16)), tile.to_owned()]);
    assert!(entries(&file, "M").iter().any(|entry| entry["args"]["name"] == "other threads"));
}
