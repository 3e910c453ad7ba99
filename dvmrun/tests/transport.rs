//! The transport between processes that dvmrun has started: this test program itself, which then plays one of its roles.
//! `DVM_TEST_KILLS` is the number of kills (10), `DVM_TEST_STOPS` that of stops (10).
#![allow(unsafe_code, reason = "reads memory of other processes where it is mapped")]

mod job;
mod roles;

use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use testkit::Random;

use job::{Ended, Job, dvmrun, kill};

/// This program in a role, as a job's program.
fn playing(arguments: &[&str], role: &str) -> Command {
    let mut command = testkit::part_by(dvmrun(arguments), "role");
    command.env("DVM_TEST_ROLE", role);
    command
}

#[test]
fn role() {
    if testkit::playing() {
        roles::play(&std::env::var("DVM_TEST_ROLE").unwrap_or_default());
    }
}

/// So many processes in a role, all of which end well.
fn all_well(processes: &str, role: &str, method: &str) -> Ended {
    let ended = Job::start(playing(&["-n", processes, "--timeout", "50"], role).env("DVM_PULL", method)).end();
    assert_eq!(ended.code, Some(0), "{role}: {}\n{}", ended.out, ended.err);
    ended
}

#[test]
fn random_batches_arrive_whole_and_in_order() {
    for processes in ["1", "2", "4"] {
        all_well(processes, "batches", "heap");
    }
}

#[test]
fn a_peer_that_does_not_poll_is_waited_for() {
    all_well("3", "slow", "heap");
}

#[test]
fn memory_is_the_same_by_each_method() {
    for method in ["heap", "vm", "ring"] {
        let ended = all_well("2", "pulls", method);
        assert!(ended.out.contains("64 MiB"), "{}", ended.out);
    }
}

#[test]
fn a_process_that_does_not_join_is_told_to_the_others() {
    let mut command = dvmrun(&["-n", "2", "--timeout", "50", "-k"]);
    let this = std::env::current_exe().unwrap();
    let script = "[ $DVM_PROCESS = 1 ] && exit 0; \"$0\" --exact role --nocapture";
    command.args(["sh", "-c", script]).arg(this).env("DVM_TEST_ROLE", "batches").env("DVM_TEST_PART", "role");
    let ended = Job::start(&mut command).end();
    assert_eq!(ended.code, Some(101));
    assert!(ended.err.contains("process 1 is gone before it joined the job"), "{}", ended.err);
}

#[test]
fn the_second_program_of_a_process_is_refused() {
    let mut command = dvmrun(&["-n", "2", "--timeout", "50"]);
    let script = "\"$0\" --exact role --nocapture && \"$0\" --exact role --nocapture";
    command
        .args(["sh", "-c", script])
        .arg(std::env::current_exe().unwrap())
        .env("DVM_TEST_ROLE", "batches")
        .env("DVM_TEST_PART", "role");
    let ended = Job::start(&mut command).end();
    assert_eq!(ended.code, Some(101));
    assert!(ended.err.contains("another program of this process"), "{}", ended.err);
}

/// A job whose lines are read one by one, with the time of each.
struct Watched {
    child: std::process::Child,
    lines: mpsc::Receiver<(Instant, String)>,
}

impl Watched {
    fn start(command: &mut Command) -> Watched {
        let mut child = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
        let out = BufReader::new(child.stdout.take().unwrap());
        let (sender, lines) = mpsc::channel();
        thread::spawn(move || {
            for line in out.lines().map_while(Result::ok) {
                let _ = sender.send((Instant::now(), line));
            }
        });
        Watched { child, lines }
    }

    /// The next line that begins with this word: its time, and the rest. The words that roles say first.
    fn next(&self, word: &str) -> Option<(Instant, String)> {
        loop {
            let (time, line) = self.lines.recv_timeout(Duration::from_secs(30)).ok()?;
            if let Some(rest) = line.split_once(word) {
                return Some((time, rest.1.trim().to_owned()));
            }
        }
    }

    fn end(&mut self) -> Option<i32> {
        let end = Instant::now() + Duration::from_mins(1);
        while Instant::now() < end {
            if let Some(status) = self.child.try_wait().unwrap() {
                return status.code();
            }
            thread::sleep(Duration::from_millis(1));
        }
        self.child.kill().unwrap();
        panic!("the job hangs");
    }
}

/// The processes of a job by index, once each has said its number.
fn pids(job: &Watched, processes: usize) -> Vec<u32> {
    let mut pids = vec![0; processes];
    for _ in 0..processes {
        let (_, said) = job.next("pid ").expect("each process says its number");
        let (index, pid) = said.split_once(' ').unwrap();
        pids[index.parse::<usize>().unwrap()] = pid.parse().unwrap();
    }
    pids
}

/// Kills one of four processes that flood each other, at a random instant from before they have joined.
fn kill_one(random: &mut Random) -> Duration {
    const PROCESSES: usize = 4;
    let mut job = Watched::start(&mut playing(&["-n", "4", "--keep-going", "--timeout", "50"], "killed"));
    let victim = random.below(PROCESSES);
    let pids = pids(&job, PROCESSES);
    thread::sleep(Duration::from_micros(random.below(32_000) as u64));
    kill(pids[victim], 9);
    let killed = Instant::now();
    let (mut latest, mut names) = (Duration::ZERO, Vec::new());
    let mut well = 0;
    // Each survivor is told, and goes on: each hears from each.
    while names.len() < PROCESSES - 1 || well < PROCESSES - 1 {
        let (told, line) = job.lines.recv_timeout(Duration::from_secs(30)).expect("each survivor is told and goes on");
        if let Some((_, whom)) = line.split_once("lost ") {
            names.push(whom.to_owned());
            latest = latest.max(told.saturating_duration_since(killed));
        }
        well += usize::from(line.contains("well "));
    }
    // Whoever could not join is gone as well, and another one may see that first.
    assert!(names.contains(&"?".to_owned()) || names.iter().all(|name| *name == victim.to_string()), "{names:?}");
    assert_eq!(job.end(), Some(128 + 9));
    latest
}

/// How often, as this variable says.
fn times(variable: &str) -> u64 {
    testkit::setting(variable).unwrap_or(10)
}

#[test]
fn survivors_of_a_kill_are_told_and_go_on() {
    let kills = times("DVM_TEST_KILLS");
    let mut random = Random::new(std::process::id().into());
    let mut latest = Vec::new();
    for _ in 0..kills {
        let time = kill_one(&mut random);
        assert!(time < Duration::from_secs(1), "told after {time:?}");
        latest.push(time);
    }
    latest.sort();
    println!(
        "{kills} kills: the last survivor is told after {:?}, at most {:?}",
        latest[latest.len() / 2],
        latest.last()
    );
}

#[test]
fn a_stopped_process_is_silent_and_not_lost() {
    for stop in 0..times("DVM_TEST_STOPS") {
        let mut job = Watched::start(&mut playing(&["-n", "2", "--timeout", "50"], "stopped"));
        let pids = pids(&job, 2);
        thread::sleep(Duration::from_millis(stop * 7 % 60));
        kill(pids[1], 19);
        job.next("silent").expect("the other one notices");
        kill(pids[1], 18);
        job.next("again").expect("the other one hears it again");
        assert_eq!(job.end(), Some(0));
    }
}
