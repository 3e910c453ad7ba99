//! A process of a job that lies: the others count it as lost, go on without it, and come to their end. What it says is what
//! an honest process says, spoiled: `hostile/relay.rs`.
#![allow(unsafe_code, reason = "calls the C interface, and has children inherit a socket")]

mod hostile {
    pub mod alone;
    pub mod lies;
    pub mod relay;
}
mod workload;

use std::thread;
use std::time::{Duration, Instant};

use dvm::transport::job::tickets;
use dvm::transport::{PullBy, Transport as _, connect};
use dvm::wire::{ClaimMessage, How, Message};
use testkit::Random;

use hostile::alone::{Alone, MAKE, ME, OTHER, WORK, argument, no_datum};
use hostile::relay::{LastWord, Plan, Relay, Told};
use workload::player::{DEADLINE, Player};

/// Seconds of silence that all bear.
const PATIENCE: u64 = 5;

#[test]
fn worker() {
    if testkit::playing() {
        workload::play();
    }
}

/// What processes of such a job tell each other at the start, as a spy among them hears it.
fn overhear(processes: usize) -> Told {
    let spy = |at: usize, card: &[u8]| {
        let (mut players, mut mine) = (Vec::new(), None);
        for (process, ticket) in tickets(processes).unwrap().into_iter().enumerate() {
            if process == at {
                mine = Some(ticket);
            } else {
                players.push(Player::start(ticket, 0, 0, PATIENCE));
            }
        }
        let transport = connect(mine.unwrap().seat().unwrap(), PullBy::Ring).unwrap();
        let first = transport.gather(card).unwrap();
        let second = if card.is_empty() { Vec::new() } else { transport.gather(b"nonsense").unwrap() };
        for player in &mut players {
            let line = player.end(Instant::now() + DEADLINE).unwrap();
            assert!(line.contains("init refused"), "{line}");
        }
        [first, second]
    };
    let card = spy(0, b"")[0][1].clone();
    let mut places = spy(0, &card)[1].clone();
    places[0].clone_from(&spy(1, &card)[1][0]);
    Told { cards: vec![card; processes], places }
}

/// Runs a job in which one process is hostile. What is wrong with the others; or what became of them.
fn run(plan: Plan, told: &Told) -> Result<Vec<String>, String> {
    let Plan { seed, processes, hostile, .. } = plan;
    let (mut players, mut front, mut back) = (Vec::new(), None, Vec::new());
    let rounds = 2 + seed % 7;
    for (process, ticket) in tickets(processes).unwrap().into_iter().enumerate() {
        if process == hostile {
            front = Some(ticket);
        } else {
            players.push((process, Player::start(ticket, seed, rounds, PATIENCE)));
        }
    }
    let mut honest = None;
    for (process, ticket) in tickets(processes).unwrap().into_iter().enumerate() {
        if process == hostile {
            honest = Some(Player::start(ticket, seed, rounds, PATIENCE));
        } else {
            back.push((process, ticket));
        }
    }
    let relay = Relay::join(plan, front.unwrap(), back, told);
    let over = std::sync::atomic::AtomicBool::new(false);
    let order = std::sync::atomic::Ordering::Relaxed;
    let ends = thread::scope(|scope| {
        scope.spawn(|| relay.run(&|| over.load(order)));
        let until = Instant::now() + plan.after + DEADLINE;
        let ends = players
            .iter_mut()
            .map(|(process, player)| player.end(until).map_err(|why| format!("{plan:?}: process {process} {why}")));
        let ends: Result<Vec<String>, String> = ends.collect();
        // The others may know why.
        let ends = ends.map_err(|why| {
            let others = players
                .iter_mut()
                .map(|(process, player)| format!("\nprocess {process}: {}", player.where_it_stands()));
            others.fold(why, |all, other| all + &other)
        });
        let ends = match honest.as_mut().filter(|_| plan.one_in == 0) {
            Some(honest) => ends.and_then(|ends| honest.end(until).map(|_| ends)),
            None => ends,
        };
        over.store(true, order);
        ends
    });
    drop(honest);
    ends
}

#[test]
fn a_relay_that_changes_nothing_is_not_noticed() {
    if testkit::playing() {
        return;
    }
    for processes in [2, 3] {
        let told = overhear(processes);
        for seed in 0..4 {
            let hostile = seed as usize % processes;
            let after = Duration::ZERO;
            let plan = Plan { seed, processes, hostile, one_in: 0, after, last_word: LastWord::None };
            for said in run(plan, &told).unwrap() {
                assert!(!said.contains("lost"), "{said}");
            }
        }
    }
}

#[test]
fn a_process_that_lies_is_lost_and_harms_nobody() {
    if testkit::playing() {
        return;
    }
    let told = [2, 3].map(overhear);
    let (begun, mut noticed, mut ends) = (Instant::now(), 0, 0);
    let mut seeds = testkit::costly_seeds(20, 100);
    for seed in &mut seeds {
        let mut random = Random::new(seed);
        let processes = 2 + random.below(2);
        let plan = Plan {
            seed,
            processes,
            hostile: random.below(processes),
            one_in: *random.pick(&[3, 10, 30, 100]),
            after: Duration::from_millis(random.below(60) as u64),
            last_word: *random.pick(&[LastWord::None, LastWord::Nonsense]),
        };
        let said = run(plan, &told[processes - 2]).unwrap_or_else(|wrong| panic!("{wrong}"));
        ends += said.len();
        noticed += said.iter().filter(|said| said.contains("lost")).count();
    }
    println!(
        "{ends} processes beside a liar, {noticed} of them were told of a loss, {:.1} s",
        begun.elapsed().as_secs_f64()
    );
}

/// The task would wait for the answer to a claim that was given up with its scheduler.
#[test]
fn a_task_behind_the_loss_of_its_process_does_not_come() {
    if testkit::playing() {
        return;
    }
    let mut liar = Alone::begin(&overhear(2), 1);
    let arguments = [argument(no_datum(), How::Claimed)];
    let task = liar.task(MAKE, &arguments);
    liar.say(&[Message::Lost { process: OTHER, cause: 0 }, task]);
    liar.end();
}

/// Tasks that wait for the promise would wait for a producer that it never gets.
#[test]
fn a_promise_that_is_claimed_for_a_task_without_claims_is_poisoned() {
    if testkit::playing() {
        return;
    }
    let mut liar = Alone::begin(&overhear(2), 1);
    let made = liar.made();
    let output = liar.datum();
    let arguments = [argument(made, How::Promised), argument(made, How::Promised), argument(output, How::Output)];
    let reads = liar.task(WORK, &arguments);
    let claim = ClaimMessage { id: made, scheduler: ME, sequence: 0, runner: OTHER };
    liar.say(&[reads, Message::Claim(claim)]);
    liar.end();
}

/// The same, if the claim comes before a task that has claimed another datum.
#[test]
fn a_promise_that_is_claimed_for_a_task_of_other_claims_is_poisoned() {
    if testkit::playing() {
        return;
    }
    let mut liar = Alone::begin(&overhear(2), 1);
    let made = liar.made();
    let output = liar.datum();
    let arguments = [argument(made, How::Promised), argument(made, How::Promised), argument(output, How::Output)];
    let reads = liar.task(WORK, &arguments);
    let claim = ClaimMessage { id: made, scheduler: ME, sequence: liar.next_task(), runner: OTHER };
    let arguments = [argument(no_datum(), How::Claimed)];
    let makes = liar.task(MAKE, &arguments);
    liar.say(&[reads, Message::Claim(claim), makes, Message::Lost { process: OTHER, cause: 0 }]);
    liar.end();
}

#[test]
fn tasks_that_wait_for_one_another_end_after_a_loss() {
    if testkit::playing() {
        return;
    }
    let mut liar = Alone::begin(&overhear(2), 1);
    let (one, two) = (liar.made(), liar.made());
    let mut messages = Vec::new();
    let arguments = [[one, one, two], [two, two, one]]
        .map(|[a, b, to]| [argument(a, How::Promised), argument(b, How::Promised), argument(to, How::Claimed)]);
    for (arguments, to) in arguments.iter().zip([two, one]) {
        messages.push(Message::Claim(ClaimMessage {
            id: to,
            scheduler: ME,
            sequence: liar.next_task(),
            runner: OTHER,
        }));
        messages.push(liar.task(WORK, arguments));
    }
    messages.push(Message::Lost { process: OTHER, cause: 0 });
    liar.say(&messages);
    liar.end();
}
