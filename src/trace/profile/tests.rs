//! The figures of a record are those of slow models of it.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;
use testkit::Random;

use super::occupancy::SPANS;
use super::record::RunRecord;
use super::{advice, json};
use crate::trace::chains::EventPlace;
use crate::trace::coordinates::pack;
use crate::trace::line::{GraphTiles, Line, runs};
use crate::trace::ring::{Event, Kind};
use crate::trace::summary::ProcessSummary;
use crate::trace::tally::Tally;

const NAMES: [&str; 3] = ["make <it>", "use \"it\"", "wave"];
const WAVE: u32 = 2;

/// From when on its tiles touch how many bytes.
const TILE_BYTES: [(u64, u64); 3] = [(0, 1000), (100, 10), (250, 400)];

fn event(kind: Kind, start: u64, duration: u64, subject: u32, coordinates: &[i64]) -> Event {
    let dimension = coordinates.len() as u16;
    let (coordinates, kept) = pack(coordinates);
    Event { start, duration, coordinates, subject, dimension, kept, kind }
}

fn task(start: u64, duration: u64, subject: u32) -> Event {
    event(Kind::Task, start, duration, subject, &[])
}

fn sleep(start: u64, duration: u64) -> Event {
    event(Kind::Sleep, start, duration, 0, &[])
}

/// The record of workers with these events, and of no other threads' events.
fn record(workers: Vec<Vec<Event>>, elapsed: u64, graphs: &[GraphTiles]) -> RunRecord {
    let tally = |events: &[Event]| {
        let mut tally = Tally::default();
        for event in events {
            tally.add(event);
        }
        tally
    };
    let count = workers.len();
    let all = workers.into_iter().chain([Vec::new()]);
    let (rows, lines) = all
        .enumerate()
        .map(|(at, events)| ((format!("rank 0 {at}"), tally(&events)), Line::new(at < count, events, 0)))
        .unzip();
    let names = NAMES.map(str::to_owned).to_vec();
    let summary = ProcessSummary { process: 0, elapsed, peak: 1 << 20, rows, names, traffic: None, left: (0, 0) };
    let tile_bytes = BTreeMap::from([(WAVE, TILE_BYTES.to_vec())]);
    RunRecord::from(summary, lines, vec![(0, 100), (elapsed, 200)], (graphs, 0), &tile_bytes)
}

/// Tasks one after another with arguments, some inside of others, tiles, sleeps and steals.
fn random_worker(random: &mut Random, elapsed: u64, produced: &mut u64) -> Vec<Event> {
    let (mut events, mut now) = (Vec::new(), random.below(20) as u64);
    while now + 12 < elapsed {
        let length = 4 + random.below((elapsed - now) as usize / 2 - 1) as u64;
        match random.below(6) {
            0 => events.push(sleep(now, length)),
            1 => events.push(event(Kind::Tile, now, length, WAVE, &[random.between(0, 3), random.between(0, 3)])),
            2 => events.push(event(Kind::Steal, now, 1, 0, &[])),
            _ => {
                events.push(task(now, length, random.below(2) as u32));
                for _ in 0..random.below(4) {
                    let bytes = random.between(1, 100);
                    if random.chance(40) {
                        *produced += 1;
                        events.push(event(Kind::Argument, now, 0, 0, &[*produced as i64, bytes, 1]));
                    } else {
                        let number = random.below(*produced as usize + 2) as i64;
                        events.push(event(Kind::Argument, now, 0, 0, &[number, bytes, 0]));
                    }
                }
                if random.chance(30) {
                    events.push(task(now + 1, 2, random.below(2) as u32));
                }
            }
        }
        now += length + random.below(9) as u64;
    }
    events
}

fn random_record(random: &mut Random, elapsed: u64) -> (Vec<Vec<Event>>, RunRecord) {
    let mut produced = 0;
    let workers: Vec<Vec<Event>> =
        (0..=random.below(4)).map(|_| random_worker(random, elapsed, &mut produced)).collect();
    (workers.clone(), record(workers, elapsed, &[]))
}

fn covers(event: &Event, time: u64) -> bool {
    event.start <= time && time < event.start + event.duration
}

#[test]
fn uses_of_workers_are_those_of_each_nanosecond() {
    for mut random in testkit::seeds(200).map(Random::new) {
        let elapsed = 20 + random.below(700) as u64;
        let (workers, record) = random_record(&mut random, elapsed);
        let found = &record.occupancy;
        let mut expected = [vec![0; SPANS], vec![0; SPANS], vec![0; SPANS], vec![0; SPANS]];
        let mut by_count = vec![0; workers.len() + 1];
        for time in 0..elapsed {
            let at = (time / found.span) as usize;
            let is = |events: &Vec<Event>, of: fn(&Event) -> bool| events.iter().any(|e| of(e) && covers(e, time));
            let busy: Vec<bool> = workers.iter().map(|events| is(events, runs)).collect();
            let count = busy.iter().filter(|busy| **busy).count();
            by_count[count] += 1;
            for (events, busy) in workers.iter().zip(busy) {
                let asleep = is(events, |event| event.kind == Kind::Sleep);
                let what = if count == 0 {
                    3
                } else if busy {
                    0
                } else if asleep {
                    1
                } else {
                    2
                };
                expected[what][at] += 1;
            }
        }
        let uses = [&found.uses.busy, &found.uses.asleep, &found.uses.between, &found.uses.nobody];
        assert_eq!(uses, expected.each_ref());
        assert_eq!(found.by_count, by_count);
    }
}

/// What each task reads: from which tasks or tiles it gets data, by a map of all producers.
fn model_edges(record: &RunRecord) -> BTreeSet<(EventPlace, EventPlace)> {
    let mut producers = BTreeMap::new();
    for (line, of) in record.lines.iter().enumerate() {
        for argument in of.arguments.iter().filter(|argument| argument.produced) {
            producers.insert(argument.number, (line as u32, argument.task as u32));
        }
    }
    let mut edges = BTreeSet::new();
    for (line, of) in record.lines.iter().enumerate() {
        for argument in of.arguments.iter().filter(|argument| !argument.produced) {
            let to = (line as u32, argument.task as u32);
            if let Some(&from) = producers.get(&argument.number)
                && (at(record, from).start, from) < (at(record, to).start, to)
            {
                edges.insert((from, to));
            }
        }
    }
    edges
}

fn at(record: &RunRecord, (line, place): EventPlace) -> &Event {
    &record.lines[line as usize].events[place as usize]
}

fn places(record: &RunRecord) -> Vec<EventPlace> {
    let all = record.lines.iter().enumerate().flat_map(|(line, of)| {
        (0..of.events.len()).filter(|&place| runs(&of.events[place])).map(move |place| (line as u32, place as u32))
    });
    all.collect()
}

/// The longest chain that ends with `place`, by trying all.
fn longest_to(record: &RunRecord, edges: &BTreeSet<(EventPlace, EventPlace)>, place: EventPlace) -> u64 {
    let before = edges.iter().filter(|(_, to)| *to == place);
    let chain = |from| longest_to(record, edges, from) - overlap(record, from, place);
    at(record, place).duration + before.map(|&(from, _)| chain(from)).max().unwrap_or(0)
}

/// How long a task ran on after a reader of its data began.
fn overlap(record: &RunRecord, from: EventPlace, to: EventPlace) -> u64 {
    let from = at(record, from);
    (from.start + from.duration).saturating_sub(at(record, to).start)
}

fn check_path(record: &RunRecord, edges: &BTreeSet<(EventPlace, EventPlace)>) {
    let chains = &record.chains;
    let all = places(record);
    let elapsed = record.summary.elapsed;
    let works = |of: &Line, time| of.events.iter().any(|event| runs(event) && covers(event, time));
    let work = (0..elapsed).map(|time| record.lines.iter().filter(|of| works(of, time)).count() as u64).sum::<u64>();
    assert_eq!(chains.work, work);
    assert!(chains.span <= elapsed && chains.span <= work);
    assert_eq!(chains.span, all.iter().map(|&place| longest_to(record, edges, place)).max().unwrap_or(0));
    let overlaps: u64 = chains.path.windows(2).map(|pair| overlap(record, pair[0], pair[1])).sum();
    assert_eq!(chains.span, chains.path.iter().map(|&place| at(record, place).duration).sum::<u64>() - overlaps);
    for pair in chains.path.windows(2) {
        assert!(edges.contains(&(pair[0], pair[1])), "{pair:?}");
    }
}

#[test]
fn arrows_and_the_critical_path_are_those_of_all_chains() {
    let mut with_arrows = 0;
    for mut random in testkit::seeds(300).map(Random::new) {
        let (_, record) = random_record(&mut random, 150);
        let edges = model_edges(&record);
        assert_eq!(record.chains.arrows.iter().copied().collect::<BTreeSet<_>>(), edges);
        check_path(&record, &edges);
        with_arrows += usize::from(!edges.is_empty());
    }
    assert!(with_arrows > 100 || testkit::selected(), "{with_arrows}");
}

/// A run of the graph `wave` of 3 by 3 tiles whose tiles wait for their left and upper neighbours.
fn wave(begin: u64) -> GraphTiles {
    let number = |i: u64, j: u64| 3 * i + j;
    let labels = (0..9).map(|tile| (tile, format!("{},{}", tile / 3, tile % 3))).collect();
    let mut edges = Vec::new();
    for i in 0..3 {
        for j in 0..3 {
            edges.extend((i > 0).then(|| (number(i - 1, j), number(i, j))));
            edges.extend((j > 0).then(|| (number(i, j - 1), number(i, j))));
        }
    }
    GraphTiles { name: WAVE, begin, labels, edges }
}

#[test]
fn a_critical_path_goes_through_tiles_and_over_runs_of_graphs() {
    for mut random in testkit::seeds(100).map(Random::new) {
        let mut workers = vec![Vec::new(), Vec::new()];
        let (mut graphs, mut now) = (Vec::new(), 0);
        for _ in 0..2 {
            graphs.push(wave(now));
            for diagonal in 0..5 {
                let mut latest = now;
                for (i, j) in (0..=diagonal).map(|i| (i, diagonal - i)).filter(|&(i, j)| i < 3 && j < 3) {
                    let duration = 1 + random.below(50) as u64;
                    let tile = event(Kind::Tile, now + (i as u64), duration, WAVE, &[i, j]);
                    latest = latest.max(tile.start + duration);
                    workers[random.below(2)].push(tile);
                }
                now = latest + 1;
            }
        }
        let record = record(workers, now, &graphs);
        let all = places(&record);
        let turn = |place: EventPlace| usize::from(at(&record, place).start >= graphs[1].begin);
        let tile = |place: EventPlace| [at(&record, place).coordinates[0], at(&record, place).coordinates[1]];
        let mut edges = BTreeSet::new();
        for &from in &all {
            for &to in &all {
                let [a, b] = [tile(from), tile(to)];
                let neighbours = (b[0] - a[0]) + (b[1] - a[1]) == 1 && b[0] >= a[0] && b[1] >= a[1];
                if turn(from) < turn(to) || (turn(from) == turn(to) && neighbours) {
                    edges.insert((from, to));
                }
            }
        }
        assert_eq!(all.len(), 18);
        check_path_of_layers(&record, &edges);
        assert_eq!(record.chains.path.len(), 10, "two chains of five tiles");
    }
}

/// As [`check_path`], in the order of starts: there are too many chains to try all.
fn check_path_of_layers(record: &RunRecord, edges: &BTreeSet<(EventPlace, EventPlace)>) {
    let mut all = places(record);
    all.sort_by_key(|&place| (at(record, place).start, place));
    let mut longest: BTreeMap<EventPlace, u64> = BTreeMap::new();
    for &to in &all {
        let before = all.iter().filter(|&&from| edges.contains(&(from, to)));
        let before = before.map(|&from| longest[&from] - overlap(record, from, to)).max();
        longest.insert(to, at(record, to).duration + before.unwrap_or(0));
    }
    assert_eq!(record.chains.span, *longest.values().max().unwrap());
    for pair in record.chains.path.windows(2) {
        assert!(edges.contains(&(pair[0], pair[1])), "{pair:?}");
    }
}

fn parsed(record: &RunRecord) -> Value {
    let (mut part, mut text) = (Vec::new(), Vec::new());
    json::write(&mut part, record, &advice::of(record)).unwrap();
    json::frame(&mut text, &[&part, &part]).unwrap();
    assert!(!text.contains(&b'<'), "a page can hold it");
    serde_json::from_slice(&text).unwrap()
}

#[test]
fn the_data_have_every_event_and_the_sums_of_all() {
    for mut random in testkit::seeds(100).map(Random::new) {
        let elapsed = 20 + random.below(400) as u64;
        let (workers, record) = random_record(&mut random, elapsed);
        let file = parsed(&record);
        assert_eq!((file["format"].as_str(), file["version"].as_u64()), (Some("dvm-report"), Some(1)));
        assert_eq!(file["processes"].as_array().unwrap().len(), 2);
        let process = &file["processes"][1];
        assert_eq!(process["names"], serde_json::json!(NAMES));
        for (events, line) in workers.iter().zip(process["lines"].as_array().unwrap()) {
            let busy =
                (0..elapsed).filter(|&time| events.iter().any(|event| runs(event) && covers(event, time))).count();
            assert_eq!(line["busy_ns"], busy, "what runs inside of another task counts once");
            let column = |name: &str| line[name].as_array().unwrap().iter().map(|v| v.as_i64().unwrap());
            let kinds = line["kind"].as_str().unwrap().chars();
            let mut shown: Vec<_> = kinds
                .zip(column("name"))
                .zip(column("start"))
                .zip(column("duration"))
                .map(|(((k, n), s), d)| (k, n, s, d))
                .collect();
            let letter = |event: &Event| match event.kind {
                Kind::Task => 't',
                Kind::Tile => 'i',
                Kind::Sleep => 'z',
                _ => 's',
            };
            let told = events.iter().filter(|event| event.kind != Kind::Argument);
            let mut expected: Vec<_> =
                told.map(|e| (letter(e), i64::from(e.subject), e.start as i64, e.duration as i64)).collect();
            shown.sort_unstable();
            expected.sort_unstable();
            assert_eq!(shown, expected);
            let tiles = events.iter().filter(|event| event.kind == Kind::Tile);
            let mut coordinates: Vec<i64> = tiles.flat_map(Event::tile).collect();
            let mut found: Vec<i64> = column("coordinates").collect();
            coordinates.sort_unstable();
            found.sort_unstable();
            assert_eq!(found, coordinates);
        }
        check_kinds(&workers, process);
    }
}

/// The sums of each kind are those of its events; bytes are those of arguments of the task before them.
fn check_kinds(workers: &[Vec<Event>], process: &Value) {
    let mut expected: BTreeMap<(bool, u64), [u64; 6]> = BTreeMap::new();
    for events in workers {
        let mut last = 0;
        for event in events {
            let key = (event.kind == Kind::Tile, u64::from(event.subject));
            if runs(event) {
                let sums = expected.entry(key).or_default();
                sums[0] += 1;
                sums[1] += event.duration;
                sums[2] = sums[2].max(event.duration);
                if event.kind == Kind::Tile && event.subject == WAVE {
                    sums[5] += match event.start {
                        0..100 => 1000,
                        100..250 => 10,
                        _ => 400,
                    };
                }
            }
            if event.kind == Kind::Task {
                last = key.1;
            } else if event.kind == Kind::Argument {
                let place = if event.coordinates[2] == 1 { 4 } else { 3 };
                expected.entry((false, last)).or_default()[place] += event.coordinates[1] as u64;
            }
        }
    }
    let names = process["names"].as_array().unwrap();
    let found = process["kinds"].as_array().unwrap().iter().map(|kind| {
        let tiles = kind["what"] == "tile";
        let of_tasks = ["read_bytes", "written_bytes"].map(|bytes| kind[bytes].is_u64());
        assert_eq!(of_tasks, [!tiles; 2], "which of them is not known of tiles");
        let touched = tiles && names[kind["name"].as_u64().unwrap() as usize] == NAMES[WAVE as usize];
        assert_eq!(kind["touched_bytes"].is_u64(), touched);
        let number = |name: &str| kind[name].as_u64().unwrap_or_default();
        let sums = ["count", "total_ns", "longest_ns", "read_bytes", "written_bytes", "touched_bytes"].map(number);
        ((kind["what"] == "tile", number("name")), sums)
    });
    assert_eq!(found.collect::<BTreeMap<_, _>>(), expected);
}

/// The sentences of a record, by their rules.
fn told(record: &RunRecord) -> BTreeMap<&'static str, String> {
    advice::of(record).into_iter().map(|advice| (advice.rule, advice.text)).collect()
}

/// Two workers that are busy with short tasks all the time.
fn even(elapsed: u64) -> Vec<Vec<Event>> {
    let tasks = || (0..elapsed / 10_000).map(|at| task(at * 10_000, 9_900, 0)).collect();
    vec![tasks(), tasks()]
}

#[test]
fn a_slow_task_is_named_with_its_time() {
    let elapsed = 1_000_000;
    let mut workers = even(500_000);
    workers[1].push(task(500_000, 480_000, 1));
    let told = told(&record(workers, elapsed, &[]));
    let text = &told["few_busy"];
    assert!(text.starts_with("For 0.48"), "{text}");
    assert!(
        text.contains("task 'use \\\"it\\\"'") && text.contains("one run of") && text.contains("took 0.480 ms"),
        "{text}"
    );
    assert!(told.contains_key("nobody_busy") == (record(even(500_000), 500_000, &[]).occupancy.by_count[0] > 100_000));
}

#[test]
fn each_sentence_follows_from_its_figures_only() {
    let calm = told(&record(even(1_000_000), 1_000_000, &[]));
    assert_eq!(calm.keys().copied().collect::<Vec<_>>(), ["nothing_stands_out"], "{calm:?}");
    assert!(calm["nothing_stands_out"].contains("99 %") && calm["nothing_stands_out"].contains("task 'make <it>'"));

    let nothing = told(&record(vec![Vec::new(), Vec::new()], 1000, &[]));
    assert!(nothing.contains_key("nothing_ran"), "{nothing:?}");
    // A region that libdvm has run without tiles is no work that was not given to it.
    let untiled = told(&RunRecord { plain: vec![(0, 3), (WAVE, 70)], ..record(vec![Vec::new(); 2], 500_000, &[]) });
    assert!(!untiled.contains_key("nothing_ran"), "{untiled:?}");
    assert!(untiled["not_tiled"].starts_with("Region 'wave', or a part of it, ran without tiles"), "{untiled:?}");
    assert!(untiled["not_tiled"].contains("70 times or more"), "{untiled:?}");
    let busy = told(&RunRecord { plain: vec![(WAVE, 70)], ..record(even(500_000), 500_000, &[]) });
    assert!(!busy.contains_key("not_tiled"), "{busy:?}");

    let late = told(&record(even(500_000), 1_000_000, &[]));
    assert!(late["nobody_busy"].contains("50 % of the run"), "{late:?}");

    // A chain: each task reads what the one before has made.
    let chain = |worker: u64| -> Vec<Event> {
        let turns = (0..50).filter(move |turn| turn % 2 == worker);
        turns
            .flat_map(|turn: u64| {
                let at = |datum: u64, made: i64| event(Kind::Argument, turn * 100, 0, 0, &[datum as i64, 8, made]);
                [task(turn * 100, 99, 0), at(turn, 0), at(turn + 1, 1)]
            })
            .collect()
    };
    let bound = told(&record(vec![chain(0), chain(1)], 5000, &[]));
    assert!(bound["bound_by_chain"].contains("chain of 50 tasks and tiles"), "{bound:?}");
    assert!(!calm.contains_key("bound_by_chain"));
    let alone = [0, 1].map(chain).concat();
    let bound = told(&record(vec![alone, Vec::new()], 5000, &[]));
    assert!(bound.contains_key("bound_by_chain") && !bound.contains_key("uneven"), "{bound:?}");

    let mut rare = even(1_000_000);
    rare[0].truncate(80);
    rare[0].push(task(800_000, 199_000, 0));
    let rare = told(&record(rare, 1_000_000, &[]));
    assert!(rare["rare"].contains("took 0.199 ms"), "{rare:?}");

    let mut uneven = even(1_000_000);
    uneven[1].truncate(10);
    let uneven = told(&record(uneven, 1_000_000, &[]));
    assert!(uneven["uneven"].starts_with("rank 0 0 was busy for 0.990 ms, rank 0 1 for 0.099 ms"), "{uneven:?}");

    let short = (0..2000).map(|at| event(Kind::Tile, at * 500, 490, WAVE, &[at as i64])).collect();
    let short = told(&record(vec![short], 1_000_000, &[]));
    assert!(short["short"].contains("2000 runs of tile 'wave'") && short["short"].contains("0.49 us"), "{short:?}");

    let mut copies = even(1_000_000);
    copies[0].push(event(Kind::Publish, 999_990, 0, 0, &[1, 1000]));
    copies[0].push(event(Kind::Copy, 999_991, 5, 0, &[2, 500]));
    let copies = told(&record(copies, 1_000_000, &[]));
    assert!(copies["copies"].starts_with("500 bytes were copied"), "{copies:?}");
}
