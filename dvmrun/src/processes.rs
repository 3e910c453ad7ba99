//! The processes of a job: started, signalled, ended.

use std::ffi::OsString;
use std::io::ErrorKind;
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Stdio};

use dvm::transport::job::{self, Ticket};

use crate::keeper::Keeper;
use crate::labels::Labelled;
use crate::stdin_relay::StdinRelay;
use crate::system::{self, Signals};

/// Why dvmrun ends without having run the job.
#[derive(Debug)]
pub struct Failure {
    pub code: u8,
    pub text: String,
}

impl Failure {
    fn own(text: String) -> Failure {
        Failure { code: 125, text }
    }
}

/// The processes, by index; each leads a group of what it has started.
pub struct Processes {
    children: Vec<Child>,
    /// How each has ended.
    ends: Vec<Option<u8>>,
    keeper: Keeper,
    pub outputs: Vec<Labelled>,
    pub relay: Option<StdinRelay>,
}

impl Processes {
    /// Starts all of them, or none.
    ///
    /// # Errors
    /// The program cannot be started, or the system refuses what the job needs.
    pub fn start(many: usize, program: &[OsString], label: bool, signals: &Signals) -> Result<Processes, Failure> {
        let limit = system::raise_descriptor_limit();
        let tickets = job::tickets(many).map_err(|error| {
            Failure::own(format!(
                "the sockets of {many} processes cannot be made: {error} (each pair needs two descriptors: see ulimit -n)"
            ))
        })?;
        let keeper = Keeper::start().map_err(|error| Failure::own(format!("its keeper cannot be started: {error}")))?;
        let mut processes =
            Processes { children: Vec::new(), ends: Vec::new(), keeper, outputs: Vec::new(), relay: None };
        for ticket in tickets {
            if let Err(failure) = processes.start_one(ticket, program, label, signals, limit) {
                processes.signal(libc::SIGKILL);
                processes.reap();
                return Err(failure);
            }
        }
        Ok(processes)
    }

    fn start_one(
        &mut self,
        ticket: Ticket,
        program: &[OsString],
        label: bool,
        signals: &Signals,
        limit: libc::rlimit,
    ) -> Result<(), Failure> {
        let index = self.children.len();
        let relayed = index == 0 && StdinRelay::is_needed();
        let mut command = Command::new(&program[0]);
        command.args(&program[1..]).envs(ticket.environment()).process_group(0);
        command.stdin(match index {
            0 if relayed => Stdio::piped(),
            0 => Stdio::inherit(),
            _ => Stdio::null(),
        });
        if label {
            command.stdout(Stdio::piped()).stderr(Stdio::piped());
        }
        let register = self.keeper.register().map_err(|error| Failure::own(error.to_string()))?;
        system::prepare(&mut command, ticket, signals, limit, register);
        let mut child = command.spawn().map_err(|error| refused(&program[0], &error))?;
        self.outputs.extend(child.stdout.take().map(|pipe| Labelled::new(index, pipe, false)));
        self.outputs.extend(child.stderr.take().map(|pipe| Labelled::new(index, pipe, true)));
        self.relay = self.relay.take().or(child.stdin.take().map(StdinRelay::new));
        self.children.push(child);
        self.ends.push(None);
        Ok(())
    }

    /// Sends a signal to all processes and what they have started.
    pub fn signal(&self, signal: i32) {
        // Nobody else has the number of one that has ended: it is waited for at the end.
        self.children.iter().for_each(|child| system::signal_group(child.id(), signal));
    }

    /// Looks who has ended: the failures among those, by index and code.
    pub fn look(&mut self) -> Vec<(usize, u8)> {
        let mut failures = Vec::new();
        for (index, (child, end)) in self.children.iter().zip(&mut self.ends).enumerate() {
            if end.is_none() {
                *end = system::ended(child.id());
                failures.extend(end.filter(|&code| code != 0).map(|code| (index, code)));
            }
        }
        failures
    }

    /// Whether all have ended.
    pub fn are_over(&self) -> bool {
        self.ends.iter().all(Option::is_some)
    }

    /// Whether something that they have started runs on. What has left their groups is not seen.
    pub fn have_left_something(&self) -> bool {
        let Ok(all) = std::fs::read_dir("/proc") else { return false };
        let stats = all.flatten().filter_map(|entry| std::fs::read_to_string(entry.path().join("stat")).ok());
        stats.into_iter().any(|stat| {
            // The name, in parentheses, may contain anything; then state, parent, group.
            let mut fields = stat.rsplit(") ").next().unwrap_or_default().split(' ');
            let (state, group) = (fields.next(), fields.nth(1).and_then(|group| group.parse().ok()));
            state != Some("Z") && self.children.iter().any(|child| Some(child.id()) == group)
        })
    }

    /// Waits for processes that have ended, or are about to.
    pub fn reap(mut self) {
        self.children.iter_mut().for_each(|child| drop(child.wait()));
        self.keeper.dismiss();
    }
}

/// The failure to start a program, with the code that shells have for it.
fn refused(program: &OsString, error: &std::io::Error) -> Failure {
    let code = match error.kind() {
        ErrorKind::NotFound => 127,
        // No memory and the like are no fault of the program's.
        ErrorKind::OutOfMemory | ErrorKind::WouldBlock => 125,
        _ => 126,
    };
    Failure { code, text: format!("{} cannot be started: {error}", program.display()) }
}
