//! What a run leaves behind: the timeline of DVM_TRACE, the drawing of DVM_DOT, the table of DVM_SUMMARY.
#![allow(unsafe_code, reason = "calls the C interface")]
#![allow(
    clippy::undocumented_unsafe_blocks,
    reason = "all for one reason: what is passed lives until the call, or the task, has ended"
)]

mod support;

use std::collections::BTreeMap;
use std::ffi::{CStr, c_int, c_void};

use dvm::ffi::c_functions::{dvm_graph_run, dvm_graph_t, dvm_graph_visit_t};
use serde_json::Value;
use support::*;
use testkit::{part, playing};

/// Plays the part of a test; what it printed on stderr.
fn play(test: &str, environment: &[(&str, &str)]) -> String {
    let output = part(test).env("DVM_SYNTHETIC", "pu:2").envs(environment.iter().copied()).output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    String::from_utf8(output.stderr).unwrap()
}

unsafe extern "C" fn run_tile(_: *mut c_void, _: *const i64) -> c_int {
    0
}

/// Only tiles with an even sum of coordinates, in a chain along the first coordinate by steps of two.
unsafe extern "C" fn even_predecessors(_: *mut c_void, tile: *const i64) -> i64 {
    let tile = unsafe { std::slice::from_raw_parts(tile, 2) };
    if (tile[0] + tile[1]) % 2 == 0 { i64::from(tile[0] >= 2) } else { -1 }
}

unsafe extern "C" fn even_successors(_: *mut c_void, tile: *const i64, visit: dvm_graph_visit_t, visitor: *mut c_void) {
    let tile = unsafe { std::slice::from_raw_parts(tile, 2) };
    if tile[0] + 2 < 6 {
        unsafe { visit.unwrap()(visitor, [tile[0] + 2, tile[1]].as_ptr()) };
    }
}

fn graph(name: &CStr, upper: &[i64], general: bool) {
    let (lower, carried) = (vec![0_i64; upper.len()], vec![1 as c_int; upper.len()]);
    let graph = dvm_graph_t {
        size: size_of::<dvm_graph_t>(),
        name: name.as_ptr(),
        dimension: upper.len() as c_int,
        lower: lower.as_ptr(),
        upper: upper.as_ptr(),
        carried: carried.as_ptr(),
        run: Some(run_tile),
        predecessors: general.then_some(even_predecessors),
        successors: general.then_some(even_successors),
        context: std::ptr::null_mut(),
        bounds: None,
        exists: None,
    };
    assert_eq!(unsafe { dvm_graph_run(&raw const graph) }, Code::DVM_SUCCESS, "{}", last_error());
}

/// Tasks, data and graphs of every kind: `make` writes 3 data of 100 bytes, each read by a `use` that was scheduled
/// before; a chain of `update` carries a datum on, the first time by a copy; graphs of 12 tiles, of one, and one that
/// tells its edges.
fn program() {
    init().unwrap();
    let make = processing(&[OUT], c"make", |_| 0);
    let consume = processing(&[IN], c"use", |_| 0);
    let update = processing(&[IN, OUT], c"update", |_| 0);
    for _ in 0..3 {
        let datum = promise(100).unwrap();
        near(consume, &[datum]).unwrap();
        onto(rank_at(1), make, &[datum]).unwrap();
    }
    let mut tile = number(5);
    acquire(tile).unwrap();
    for _ in 0..4 {
        let following = next(tile).unwrap();
        near(update, &[tile, following]).unwrap();
        tile = following;
    }
    wait().unwrap();
    let by_hand = promise(7).unwrap();
    publish(by_hand).unwrap();
    assert_eq!(publish(by_hand), Err(Code::DVM_ERR_STATE));
    graph(c"wave", &[2, 3], false);
    graph(c"one", &[0, 0, 0], false);
    graph(c"even", &[5, 1], true);
    finalize().unwrap();
    std::process::exit(0);
}

#[test]
fn the_timeline_shows_every_task_tile_and_publication_once() {
    if playing() {
        program();
    }
    let folder = testkit::scratch(&[]);
    let path = folder.join("trace.json");
    play("the_timeline_shows_every_task_tile_and_publication_once", &[("DVM_TRACE", path.to_str().unwrap())]);
    let file: Value = serde_json::from_str(&std::fs::read_to_string(&path).unwrap()).unwrap();
    let (mut seen, mut tiles) = (BTreeMap::new(), BTreeMap::new());
    for event in file["traceEvents"].as_array().unwrap() {
        let (Some(category), Some(name)) = (event["cat"].as_str(), event["name"].as_str()) else { continue };
        if category == "tile" {
            *tiles.entry(format!("{name} {}", event["args"]["tile"])).or_insert(0) += 1;
        }
        let bytes = event["args"]["bytes"].as_u64().map_or(String::new(), |bytes| format!(" {bytes}"));
        if !["steal", "sleep"].contains(&category) {
            *seen.entry(format!("{category} {name}{bytes}")).or_insert(0) += 1;
        }
    }
    let expected = [
        ("data copy 8", 1),
        ("data publish 100", 3),
        ("data publish 7", 1),
        ("data publish 8", 4),
        ("flow datum", 2 * (3 + 3)), // both ends: from each make to its use, and between updates
        ("task make", 3),
        ("task update", 4),
        ("task use", 3),
        ("tile even", 6),
        ("tile one", 1),
        ("tile wave", 12),
    ];
    assert_eq!(seen, expected.map(|(what, count)| (what.to_owned(), count)).into());
    assert_eq!(tiles.len(), 19, "every tile once: {tiles:?}");
}

/// The numbers of times that lines of these forms occur.
fn count(text: &str, parts: &[&str]) -> usize {
    text.lines().filter(|line| parts.iter().all(|part| line.contains(part))).count()
}

#[test]
fn the_drawing_has_every_task_and_tile_and_the_edges_between() {
    if playing() {
        program();
    }
    let folder = testkit::scratch(&[]);
    let path = folder.join("tasks.dot");
    play("the_drawing_has_every_task_and_tile_and_the_edges_between", &[("DVM_DOT", path.to_str().unwrap())]);
    let text = std::fs::read_to_string(&path).unwrap();
    for (label, expected) in [("make", 3), ("use", 3), ("update", 4)] {
        assert_eq!(count(&text, &[&format!("[label=\"{label}\"];")]), expected, "{text}");
    }
    // Each use behind its make, and the updates in a chain; make comes after its use.
    assert_eq!(count(&text, &["  t", " -> t", "tooltip"]), 3 + 3, "{text}");
    for edge in ["t1 -> t0 ", "t3 -> t2 ", "t5 -> t4 ", "t6 -> t7 ", "t7 -> t8 ", "t8 -> t9 "] {
        assert_eq!(count(&text, &[edge]), 1, "{edge} in {text}");
    }
    let clusters: Vec<&str> = text.split("subgraph").skip(1).collect();
    let expected = [("graph wave", 12, 3 * 3 + 2 * 4), ("graph one", 1, 0), ("graph even", 6, 4)];
    assert_eq!(clusters.len(), expected.len());
    for ((name, nodes, edges), cluster) in expected.into_iter().zip(clusters) {
        assert!(cluster.contains(&format!("label=\"{name}\"")), "{cluster}");
        assert_eq!((count(cluster, &["[label="]), count(cluster, &[" -> "])), (nodes, edges), "{cluster}");
    }
}

#[test]
fn a_drawing_that_would_be_too_large_says_so() {
    if playing() {
        program();
    }
    let folder = testkit::scratch(&[]);
    let path = folder.join("tasks.dot");
    play("a_drawing_that_would_be_too_large_says_so", &[("DVM_DOT", path.to_str().unwrap()), ("DVM_DOT_NODES", "8")]);
    let text = std::fs::read_to_string(&path).unwrap();
    let parts = [
        ("2 more tasks are not drawn (DVM_DOT_NODES=8)", 1),
        ("its box of 12 points is not drawn (DVM_DOT_NODES=8)", 2),
        ("its box of 1 points is not drawn (DVM_DOT_NODES=8)", 1),
    ];
    for (part, expected) in parts {
        assert_eq!(count(&text, &[part]), expected, "{part} in {text}");
    }
}

#[test]
fn data_that_were_never_relaxed_are_told() {
    if playing() {
        init().unwrap();
        let kept = [promise(100).unwrap(), promise(24).unwrap()];
        let relaxed = promise(50).unwrap();
        for datum in kept.iter().chain([&relaxed]) {
            publish(*datum).unwrap();
        }
        relax(relaxed).unwrap();
        if std::env::var_os("RELAX_ALL").is_some() {
            for datum in kept {
                relax(datum).unwrap();
            }
        }
        finalize().unwrap();
        std::process::exit(0);
    }
    let test = "data_that_were_never_relaxed_are_told";
    let words = "libdvm: 2 data of 124 bytes were never relaxed: dvm_finalize frees them\n";
    let printed = play(test, &[("DVM_VERBOSE", "1"), ("DVM_SUMMARY", "1")]);
    assert!(printed.contains(words) && printed.contains("  data: 2 never relaxed (0.0 MB)\n"), "{printed}");
    for environment in [[("DVM_VERBOSE", "0"), ("", "")], [("DVM_VERBOSE", "1"), ("RELAX_ALL", "1")]] {
        let environment: Vec<_> = environment.into_iter().filter(|(name, _)| !name.is_empty()).collect();
        let printed = play(test, &environment);
        assert!(!printed.contains("never relaxed"), "{printed}");
    }
}

#[test]
fn the_table_counts_what_ran() {
    if playing() {
        program();
    }
    let printed = play("the_table_counts_what_ran", &[("DVM_SUMMARY", "1")]);
    assert_eq!(count(&printed, &["libdvm: summary of ", " s on 2 workers; peak memory "]), 1, "{printed}");
    for (what, expected) in [
        ("task 'make'", "3"),
        ("task 'use'", "3"),
        ("task 'update'", "4"),
        ("tile 'wave'", "12"),
        ("tile 'one'", "1"),
        ("tile 'even'", "6"),
    ] {
        let line = printed.lines().find(|line| line.ends_with(what)).unwrap_or_else(|| panic!("{what} in {printed}"));
        assert_eq!(line.split_whitespace().next(), Some(expected), "{line}");
    }
    let columns = |title: &str| -> Vec<u64> {
        let line = printed.lines().find(|line| line.ends_with(title)).unwrap_or_else(|| panic!("{title} in {printed}"));
        line.split_whitespace().take(2).map(|number| number.parse().unwrap()).collect()
    };
    let (first, second) = (columns("  rank 0 0"), columns("  rank 0 1"));
    assert_eq!((first[0] + second[0], first[1] + second[1]), (10, 18), "tasks and tiles: {printed}");
    assert_eq!(columns("  other threads"), [0, 1]);
    // Of the chain's first datum, which was acquired, of its last one, and of the one of 7 bytes.
    assert!(printed.contains("  data: 3 never relaxed (0.0 MB)\n"), "{printed}");
    assert!(printed.contains("  data: 8 published (0.0 MB), 1 copied to be carried on (0.0 MB)\n"), "{printed}");
}

#[test]
fn without_the_variables_nothing_is_printed() {
    if playing() {
        program();
    }
    let printed = play("without_the_variables_nothing_is_printed", &[]);
    assert!(!printed.contains("libdvm"), "{printed}");
}

#[test]
fn a_drawing_that_cannot_be_written_fails_init_with_its_name() {
    let _turn = turn();
    unsafe { std::env::set_var("DVM_DOT", "/nonexistent/tasks.dot") };
    assert_eq!(init(), Err(Code::DVM_ERR_ARGUMENT));
    unsafe { std::env::remove_var("DVM_DOT") };
    let message = last_error();
    assert!(message.contains("/nonexistent/tasks.dot") && message.contains("DVM_DOT"), "{message}");
}
