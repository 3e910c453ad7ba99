//! Processes of a job are killed or stopped at random instants: the others are told in time, go on, and come to their end.
//! `DVM_TEST_KILLS` is the number of kills (10), `DVM_TEST_STOPS` that of stops (4, and 20
//! while a process ends); `DVM_TEST_SEED` replays one.
#![allow(unsafe_code, reason = "calls the C interface, and has children inherit a socket")]

mod job;
mod workload;

use std::fmt::Write as _;
use std::thread;
use std::time::{Duration, Instant};

use dvm::transport::job::tickets;
use testkit::{Random, setting};

use job::kill;
use workload::player::{DEADLINE, Player};

/// How long after a kill the last survivor may be told; and after a stop, with the patience of the tests.
const TOLD_OF_A_KILL: Duration = Duration::from_secs(1);
const PATIENCE: u64 = 1;

#[test]
fn worker() {
    if testkit::playing() {
        workload::play();
    }
}

fn start(processes: usize, seed: u64, rounds: u64, patience: u64) -> Vec<Player> {
    tickets(processes).unwrap().into_iter().map(|ticket| Player::start(ticket, seed, rounds, patience)).collect()
}

/// The seeds of so many cases, or of more as the variable says.
fn seeds(variable: &str, usual: u64) -> Vec<u64> {
    if let Some(seed) = setting("DVM_TEST_SEED") {
        return vec![seed];
    }
    let first = setting("DVM_TEST_FIRST").unwrap_or_else(|| u64::from(std::process::id()) << 20);
    println!("seeds from {first}");
    (0..setting(variable).unwrap_or(usual)).map(|at| first + at).collect()
}

/// Waits for the ends of all but the victim; how long after `since` the last of them was told of the loss. Each has to be
/// told, unless the victim had come to its dvm_finalize.
fn survive(players: &mut [Player], victim: usize, since: Instant) -> Result<Duration, String> {
    let mut latest = Duration::ZERO;
    let mut wrong = Vec::new();
    let mut untold = Vec::new();
    for (process, player) in players.iter_mut().enumerate().filter(|(process, _)| *process != victim) {
        match player.end(since + DEADLINE) {
            Err(why) => wrong.push(format!("process {process} {why}")),
            Ok(_) => match player.told_of_loss {
                Some(told) => latest = latest.max(told.saturating_duration_since(since)),
                None => untold.push(format!("process {process} was told of no loss: {:?}", player.said)),
            },
        }
    }
    // Asked last: what the victim wrote before it was hit may be read after that.
    if !players[victim].has_said("waits are over") {
        wrong.append(&mut untold);
    }
    if wrong.is_empty() { Ok(latest) } else { Err(wrong.join("\n")) }
}

/// Kills one of several processes: how long it took until the last one was told.
fn kill_one(seed: u64) -> Result<Duration, String> {
    let mut random = Random::new(seed);
    let (processes, rounds) = (2 + random.below(4), 1 + random.below(8) as u64);
    let victim = random.below(processes);
    let mut players = start(processes, seed, rounds, 5);
    // From before they have joined until after the end.
    let most = *random.pick(&[30_000, 100_000, 300_000]);
    thread::sleep(Duration::from_micros(random.below(most) as u64));
    // It may have ended by itself.
    let _ = players[victim].child.kill();
    let killed = Instant::now();
    survive(&mut players, victim, killed)
        .map_err(|why| format!("{seed}: process {victim} of {processes} is killed: {why}"))
}

/// Stops one of several processes, which goes on once the others have ended. `in_the_end`: while it is in dvm_finalize.
fn stop_one(seed: u64, in_the_end: bool) -> Result<Duration, String> {
    let mut random = Random::new(seed);
    let (processes, rounds) = (2 + random.below(4), 1 + random.below(12) as u64);
    let victim = random.below(processes);
    let mut players = start(processes, seed, rounds, PATIENCE);
    stop(&mut players, victim, in_the_end, &mut random)
        .map_err(|why| format!("{seed}: process {victim} of {processes} is stopped: {why}"))
}

fn stop(players: &mut [Player], victim: usize, in_the_end: bool, random: &mut Random) -> Result<Duration, String> {
    for player in players.iter_mut() {
        player.hear("init", Instant::now() + DEADLINE)?;
    }
    if in_the_end && let Err(why) = players[victim].hear("waits are over", Instant::now() + DEADLINE) {
        return Err(everybody(players, why));
    }
    thread::sleep(Duration::from_micros(random.below(if in_the_end { 500 } else { 100_000 }) as u64));
    kill(players[victim].child.id(), 19);
    let stopped = Instant::now();
    let told = survive(players, victim, stopped);
    kill(players[victim].child.id(), 18);
    let end = players[victim].end(Instant::now() + DEADLINE);
    told.and_then(|told| end.map(|_| told))
}

/// What all processes have said and where they stand: one that waits for ever may wait for another one.
fn everybody(players: &mut [Player], mut why: String) -> String {
    let stacks: Vec<String> = players.iter_mut().map(Player::stacks).collect();
    for (process, (player, stacks)) in players.iter_mut().zip(stacks).enumerate() {
        let _ = write!(why, "\n== process {process}\n{stacks}\n{}", player.last_state());
    }
    why
}

/// Tries all seeds; prints how long it took until survivors were told.
fn all(seeds: &[u64], what: &str, most: Duration, one: impl Fn(u64) -> Result<Duration, String>) {
    let mut times = Vec::new();
    for seed in seeds {
        let good = |result: Result<Duration, String>| result.unwrap_or_else(|why| panic!("DVM_TEST_SEED={why}"));
        let mut time = good(one(*seed));
        if time >= most {
            // A busy machine may have taken a second away from somebody.
            println!("DVM_TEST_SEED={seed}: told after {time:?}");
            time = good(one(*seed));
        }
        assert!(time < most, "DVM_TEST_SEED={seed}: told after {time:?}");
        times.push(time);
    }
    times.sort();
    let last = times.len() - 1;
    println!(
        "{} {what}: the last survivor is told after {:?}, at most {:?}",
        seeds.len(),
        times[last / 2],
        times[last]
    );
}

#[test]
fn survivors_of_a_kill_are_told_in_time() {
    if !testkit::playing() {
        all(&seeds("DVM_TEST_KILLS", 10), "kills", TOLD_OF_A_KILL, kill_one);
    }
}

#[test]
fn survivors_of_a_stop_are_told_in_time() {
    if !testkit::playing() {
        let most = Duration::from_secs(PATIENCE + 1);
        all(&seeds("DVM_TEST_STOPS", 4), "stops", most, |seed| stop_one(seed, false));
    }
}

/// Between the first and the last end of dvm_finalize, too, a process that is silent is lost.
#[test]
fn survivors_of_a_stop_in_the_end_come_to_theirs() {
    if !testkit::playing() {
        let most = Duration::from_secs(PATIENCE + 1);
        all(&seeds("DVM_TEST_STOPS", 20), "stops in the end", most, |seed| stop_one(seed, true));
    }
}
