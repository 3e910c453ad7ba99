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
    let trace = Trace::start(&config, (0..workers).map(|worker| format!("rank 0 {worker}")), None);
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

/// The row of an entry in its process.
fn row(entry: &Value) -> u64 {
    entry["tid"].as_u64().unwrap() % 10_000
}

/// The process of an entry.
fn process(entry: &Value) -> u64 {
    entry["pid"].as_u64().unwrap() - 1
}

/// Viewers show a row whose number is the process's as its main thread, and one with number 0 as idle.
fn check_rows(file: &Value) {
    let all = file["traceEvents"].as_array().unwrap();
    for entry in all.iter().filter(|entry| !entry["tid"].is_null()) {
        assert!(entry["tid"] != 0 && entry["pid"] != 0 && entry["tid"] != entry["pid"], "{entry}");
    }
    let order: Vec<u64> = all
        .iter()
        .filter(|entry| entry["name"] == "thread_sort_index")
        .inspect(|entry| assert_eq!(entry["args"]["sort_index"], row(entry)))
        .map(|entry| entry["tid"].as_u64().unwrap())
        .collect();
    assert!(order.is_sorted() && !order.is_empty(), "{order:?}");
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
        *seen.entry(format!("{} {} {} {}", row(event), event["cat"], event["name"], event["args"])).or_insert(0) += 1;
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
    check_rows(&file);
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
    trace.tile(Some(0), trace.begin(), trace.name(text), &[-1, 2, 3, 4, 5, -6, 7, 8, 9, 10]);
    let file = finish(&trace, &folder);
    let events = entries(&file, "X");
    assert!(events.iter().all(|event| event["name"] == text));
    assert_eq!(events[0]["args"], serde_json::json!({"tile": [], "dimension": 0}));
    assert_eq!(events[1]["args"], serde_json::json!({"tile": [i64::MIN, i64::MAX, 0, 4], "dimension": 6}));
    let all = serde_json::json!([-1, 2, 3, 4, 5, -6, 7, 8, 9, 10]);
    assert_eq!(events[2]["args"], serde_json::json!({"tile": all, "dimension": 10}));
}

#[test]
fn without_a_file_nothing_is_recorded() {
    let trace = Trace::start(&Config::read(|_| None).unwrap(), ["rank 0".into()], None).unwrap();
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
fn processes_of_a_launcher_that_are_in_no_job_write_a_file_each() {
    let folder = scratch(&[]);
    let at = |name: &str| folder.join(name).into_os_string();
    for rank in ["0", "2"] {
        let value = |name: &str| match name {
            "DVM_TRACE" => Some(at(FILE)),
            "DVM_PROFILE" => Some(at("run.json")),
            "PMI_RANK" => Some(rank.into()),
            _ => None,
        };
        let trace = Trace::start(&Config::read(value).unwrap(), ["rank 0".into()], None).unwrap();
        trace.finish().unwrap();
    }
    let mut found: Vec<String> =
        std::fs::read_dir(&*folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    found.sort();
    assert_eq!(found, ["run.2.json", "run.json", FILE, &format!("{FILE}.2")]);
}

#[test]
fn a_file_that_cannot_be_written_is_an_error_that_names_it() {
    for path in ["/nonexistent/trace.json", "/"] {
        let error = Trace::start(&config(path, "10"), ["rank 0".into()], None).unwrap_err();
        assert_eq!(error.code(), dvm_retcode_t::DVM_ERR_ARGUMENT);
        assert!(error.message().contains(path) && error.message().contains("DVM_TRACE"), "{}", error.message());
    }
    let full = Trace::start(&config("/dev/full", "10"), ["rank 0".into()], None).unwrap();
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
    let told = |entry: &Value| format!("{} {} {} {}", row(entry), entry["cat"], entry["name"], entry["args"]);
    let mut marks: Vec<_> = entries(&file, "i").into_iter().map(told).collect();
    let mut spans: Vec<_> = entries(&file, "X").into_iter().map(told).collect();
    marks.sort();
    spans.sort();
    let datum = |number: u64, bytes: u64| format!("{{\"bytes\":{bytes},\"datum\":\"{{0, {number}}}\"}}");
    assert_eq!(marks, [format!("0 \"data\" \"publish\" {}", datum(u64::MAX, 24))]);
    let outside = format!("1 \"data\" \"publish\" {}", datum(5, 0));
    let tile = "1 \"tile\" \"alone\" {\"dimension\":1,\"tile\":[3]}";
    assert_eq!(spans, [format!("0 \"data\" \"copy\" {}", datum(7, 16)), outside, tile.to_owned()]);
    assert!(entries(&file, "M").iter().any(|entry| entry["args"]["name"] == "other threads"));
}

/// `trace` notes a task of `worker` that reads these data and makes those.
fn reading_task(trace: &Trace, worker: usize, name: &'static str, reads: &[u64], makes: &[u64]) {
    let start = trace.begin();
    std::thread::sleep(std::time::Duration::from_millis(1));
    trace.task(worker, start, name);
    let all = reads.iter().map(|datum| ([0, *datum], 8, false)).chain(makes.iter().map(|datum| ([0, *datum], 8, true)));
    trace.arguments(worker, start, all);
}

/// The ends of the arrows between tasks: process and name of the task that holds each.
fn reader_arrows(file: &Value) -> Vec<[(u64, String); 2]> {
    let end = |point: &Value| {
        let of = |event: &&&Value| event["pid"] == point["pid"] && event["tid"] == point["tid"];
        let at = point["ts"].as_f64().unwrap();
        let holds = |event: &&&Value| {
            let start = event["ts"].as_f64().unwrap();
            start <= at && at < start + event["dur"].as_f64().unwrap()
        };
        let events = entries(file, "X");
        let event = events.iter().filter(of).find(holds).unwrap_or_else(|| panic!("nothing holds {point}"));
        (process(event), event["name"].as_str().unwrap().to_owned())
    };
    let flows = |phase| entries(file, phase).into_iter().filter(|entry| entry["cat"] == "flow");
    let finish = |start: &Value| flows("f").find(|end| end["id"] == start["id"]).unwrap();
    let mut found: Vec<_> = flows("s").map(|start| [end(start), end(finish(start))]).collect();
    found.sort();
    assert_eq!(flows("f").count(), found.len());
    found
}

#[test]
fn arrows_lead_from_a_task_to_the_readers_of_its_data() {
    let (trace, folder) = start(2, "100");
    assert!(trace.wants_arguments(), "a timeline needs them");
    reading_task(&trace, 0, "make", &[], &[1, 2]);
    reading_task(&trace, 1, "use", &[1], &[3]);
    reading_task(&trace, 0, "use both", &[2, 3], &[]);
    reading_task(&trace, 1, "stranger", &[9], &[]);
    let file = finish(&trace, &folder);
    let arrow = |from: &str, to: &str| [(0, from.to_owned()), (0, to.to_owned())];
    let expected = [arrow("make", "use"), arrow("make", "use both"), arrow("use", "use both")];
    assert_eq!(reader_arrows(&file), expected);
}

#[test]
fn counters_tell_busy_workers_and_memory() {
    let (trace, folder) = start(2, "100");
    reading_task(&trace, 0, "make", &[], &[1]);
    let file = finish(&trace, &folder);
    let all = entries(&file, "C");
    let of = |name: &str| all.iter().copied().filter(|entry| entry["name"] == name).collect::<Vec<_>>();
    let busy: Vec<_> = of("busy workers").iter().map(|entry| entry["args"]["workers"].as_f64().unwrap()).collect();
    assert_eq!(busy, [1.0, 0.0]);
    let memory = of("memory of the process");
    assert!(!memory.is_empty() && memory.iter().all(|entry| entry["args"]["bytes"].as_u64().unwrap() > 1 << 20));
    assert!(all.iter().all(|entry| entry["pid"] == 1 && entry["ts"].is_number()));
}

#[test]
fn arrows_and_counters_of_each_process_are_in_the_merged_file() {
    let folder = scratch(&[]);
    let path = folder.join(FILE);
    let traces: Vec<Trace> = (0..2).map(|process| start_part(process, path.to_str().unwrap(), "10")).collect();
    for trace in &traces {
        reading_task(trace, 0, "make", &[], &[1]);
        reading_task(trace, 1, "use", &[1], &[]);
    }
    let file = merged(&traces, &folder);
    let arrow = |process: u64| [(process, "make".to_owned()), (process, "use".to_owned())];
    assert_eq!(reader_arrows(&file), [arrow(0), arrow(1)]);
    for process in [0, 1] {
        let of = |entry: &&&Value| self::process(entry) == process && entry["name"] == "busy workers";
        assert!(entries(&file, "C").iter().filter(of).count() > 1);
    }
}

/// A trace of a process of a job, whose epoch is a second ago.
fn start_part(process: u32, path: &str, capacity: &str) -> Trace {
    let part = JobClock { process, epoch: Trace::clock() - 1_000_000_000 };
    let titles = (0..2).map(|worker| format!("rank 0 {process} {worker}"));
    Trace::start(&config(path, capacity), titles, Some(part)).unwrap()
}

/// Merges what processes have recorded into the first one's file.
fn merged(traces: &[Trace], folder: &Scratch) -> Value {
    let mut merge = traces[0].merge().unwrap();
    for trace in &traces[1..] {
        for number in 0..trace.parts() {
            let (text, points, dropped) = trace.part(number);
            pieces(&text, 100).for_each(|piece| merge.text(piece));
            merge.points(&points);
            merge.dropped(dropped);
        }
        trace.delivered(Wishes { timeline: true, summary: true, profile: false });
        trace.finish().unwrap();
    }
    merge.end(Vec::new());
    finish(&traces[0], folder)
}

fn about(arrow: u64, peer: u16) -> About<'static> {
    About { arrow, peer, task: Some("axpy"), datum: [1, 7], bytes: 24 }
}

#[test]
fn processes_are_merged_with_a_track_for_each_worker_and_arrows_that_begin_and_end() {
    let folder = scratch(&[]);
    let path = folder.join(FILE);
    let traces: Vec<Trace> = (0..3).map(|process| start_part(process, path.to_str().unwrap(), "10")).collect();
    traces[0].message(Some(1), traces[0].begin(), MessageKind::SendTask, &about(5, 2));
    traces[0].message(None, traces[0].begin(), MessageKind::SendTask, &about(6, 1)); // never begins
    let begun = traces[2].begin();
    traces[2].message(Some(0), traces[2].begin(), MessageKind::BeginTask, &about(5, 0));
    traces[2].task(0, begun, "axpy");
    traces[1].message(None, traces[1].begin(), MessageKind::AskBytes, &about(5, 2));
    traces[2].message(None, traces[2].begin(), MessageKind::SendBytes, &about(5, 1));
    traces[1].message(None, traces[1].begin(), MessageKind::HaveBytes, &about(5, 1));
    traces[1].message(None, traces[1].begin(), MessageKind::HaveBytes, &about(9, 1)); // nobody has asked
    traces[1].publish(Some(0), 4, 8);
    let file = merged(&traces, &folder);
    let names = |kind: &str| -> Vec<String> {
        let all = entries(&file, "M").into_iter().filter(|entry| entry["name"] == kind);
        all.map(|entry| format!("{} {}", process(entry), entry["args"]["name"].as_str().unwrap())).collect()
    };
    assert_eq!(names("process_name"), ["0 process 0", "1 process 1", "2 process 2"]);
    let tracks = [
        "0 process 0, rank 0 0 0",
        "0 process 0, rank 0 0 1",
        "0 process 0, messages",
        "1 process 1, rank 0 1 0",
        "1 process 1, rank 0 1 1",
        "1 process 1, messages",
        "2 process 2, rank 0 2 0",
        "2 process 2, rank 0 2 1",
        "2 process 2, messages",
    ];
    assert_eq!(names("thread_name"), tracks);
    check_rows(&file);
    let point = |entry: &&Value| {
        let (phase, name, id) = (&entry["ph"], &entry["name"], &entry["id"]);
        format!("{phase} {name} {id} {} {}", process(entry), row(entry))
    };
    let all = file["traceEvents"].as_array().unwrap();
    let arrows: Vec<String> = all
        .iter()
        .filter(|entry| entry["cat"] == "message" && entry["ph"] != "X")
        .collect::<Vec<_>>()
        .iter()
        .map(point)
        .collect();
    let expected = [
        r#""s" "task" "0x5" 0 1"#,
        r#""f" "task" "0x5" 2 0"#,
        r#""s" "bytes" "0x5" 1 3"#,
        r#""t" "bytes" "0x5" 2 3"#,
        r#""f" "bytes" "0x5" 1 3"#,
    ];
    assert_eq!(arrows, expected);
    // Each end of an arrow lies on an event, which stands before it.
    for phase in ["s", "t", "f"] {
        for point in entries(&file, phase) {
            let of = |event: &&&Value| event["pid"] == point["pid"] && event["tid"] == point["tid"];
            let at = point["ts"].as_f64().unwrap();
            let span = |event: &Value| (event["ts"].as_f64().unwrap(), event["dur"].as_f64().unwrap());
            let holds = |event: &&Value| span(event).0 <= at && at <= span(event).0 + span(event).1 + 1e-6;
            assert!(entries(&file, "X").iter().filter(of).any(holds), "{point}");
        }
    }
    let told = entries(&file, "X").into_iter().find(|event| event["name"] == "send bytes").unwrap();
    assert_eq!(told["args"], serde_json::json!({"datum": "{1, 7}", "bytes": 24, "process": 1}));
    assert_eq!(entries(&file, "i")[0]["args"]["datum"], "{1, 4}", "data of the process that publishes");
    for event in entries(&file, "X") {
        let seconds = event["ts"].as_f64().unwrap() / 1e6;
        assert!((1.0..60.0).contains(&seconds), "the epoch was a second ago: {event}");
    }
    assert_eq!(file["otherData"]["dropped"].as_u64(), Some(0));
    for process in 1..3 {
        assert!(!folder.join(format!("{FILE}.{process}")).exists(), "process 0 has it all");
    }
}

#[test]
fn arrows_whose_points_were_dropped_are_left_out_and_the_drops_of_all_are_counted() {
    let folder = scratch(&[]);
    let path = folder.join(FILE);
    let traces: Vec<Trace> = (0..2).map(|process| start_part(process, path.to_str().unwrap(), "3")).collect();
    for arrow in 0..5 {
        traces[0].message(Some(0), traces[0].begin(), MessageKind::SendTask, &about(arrow, 1));
    }
    for arrow in 0..4 {
        traces[1].message(Some(0), traces[1].begin(), MessageKind::BeginTask, &about(arrow, 0));
    }
    let file = merged(&traces, &folder);
    let ids: Vec<&str> = entries(&file, "s").into_iter().map(|entry| entry["id"].as_str().unwrap()).collect();
    assert_eq!(ids, ["0x2", "0x3"]);
    assert_eq!(entries(&file, "f").len(), 2);
    assert_eq!(file["otherData"]["dropped"].as_u64(), Some(3));
}

#[test]
fn a_process_without_process_0_writes_a_file_of_its_own() {
    let folder = scratch(&[]);
    let trace = start_part(1, folder.join(FILE).to_str().unwrap(), "10");
    assert!(!folder.join(format!("{FILE}.1")).exists(), "only when it is needed");
    trace.task(0, trace.begin(), "axpy");
    trace.save(Moment::Meanwhile).unwrap();
    trace.finish().unwrap();
    assert!(!folder.join(FILE).exists());
    let file: Value =
        serde_json::from_str(&std::fs::read_to_string(folder.join(format!("{FILE}.1"))).unwrap()).unwrap();
    assert_eq!(entries(&file, "X").len(), 1);
    // What was written in between goes, if process 0 gets it all after all.
    let trace = start_part(2, folder.join(FILE).to_str().unwrap(), "10");
    trace.save(Moment::Meanwhile).unwrap();
    assert!(folder.join(format!("{FILE}.2")).exists());
    trace.delivered(Wishes { timeline: true, summary: false, profile: false });
    trace.finish().unwrap();
    assert!(!folder.join(format!("{FILE}.2")).exists());
}

#[test]
fn a_merged_file_that_cannot_be_written_is_an_error_of_the_end() {
    let part = JobClock { process: 0, epoch: 0 };
    let trace = Trace::start(&config("/dev/full", "10"), ["rank 0".into()], Some(part)).unwrap();
    trace.merge().unwrap().end(Vec::new());
    let error = trace.finish().unwrap_err();
    assert!(error.message().contains("/dev/full") && error.message().contains("No space left"), "{}", error.message());
    trace.finish().unwrap();
}
