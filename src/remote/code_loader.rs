//! What a process keeps of code that is sent, and what its loader's thread does.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::path::PathBuf;
use std::sync::Arc;

use crate::id::{IdMap, ProcessId, ProcessingId};
use crate::processing::image::CodeCopy;
use crate::processing::shipping::load;
use crate::protocol::copies::Arrival;
use crate::protocol::shipping::{CodeShipments, ObjectBytes, ObjectName};
use crate::sync::lock::{Condvar, Mutex};
use crate::sync::thread::Thread;

/// What a process knows of code that is sent.
#[derive(Default)]
pub(super) struct CodeState {
    pub(super) shipments: CodeShipments,
    pub(super) copies: BTreeMap<ObjectName, Arc<CodeCopy>>,
    /// What was told of the processings that wait for their code: a batch with that message.
    pub(super) told: IdMap<ProcessingId, Vec<u8>>,
    /// The tasks that wait for it.
    pub(super) waiting: IdMap<ProcessingId, Vec<Arrival>>,
    /// The objects of which this process has announced functions: these it ships, and no others.
    pub(super) offered: BTreeSet<ObjectName>,
}

/// What the loader's thread is to do.
pub(super) enum CodeJob {
    Prepare(ObjectName),
    Check(ObjectName, Arc<CodeCopy>, ObjectBytes),
    Load(ObjectName, Arc<CodeCopy>, String),
}

/// What it has done.
pub(super) enum CodeOutcome {
    Prepared(ObjectName, Result<(CodeCopy, ObjectBytes), String>),
    Checked(ObjectName, Result<(), String>),
    Loaded(ObjectName, Result<(), String>),
}

#[derive(Default)]
pub(super) struct CodeJobs {
    jobs: VecDeque<CodeJob>,
    pub(super) ends: bool,
}

/// Whether and how this process ships and loads code, and the thread that does so.
#[derive(Default)]
pub(super) struct CodeLoader {
    /// `DVM_SHIP_CODE`.
    pub(super) ships: bool,
    /// `DVM_CODE_DIR`.
    pub(super) folder: Option<PathBuf>,
    /// The host of each process.
    pub(super) hosts: Vec<usize>,
    pub(super) jobs: Mutex<CodeJobs>,
    pub(super) bell: Condvar,
    pub(super) thread: Mutex<Option<Thread>>,
}

impl CodeLoader {
    /// By the settings, in a job on these hosts.
    pub(super) fn new(ships: bool, folder: Option<PathBuf>, hosts: Vec<usize>) -> CodeLoader {
        CodeLoader { ships, folder, hosts, ..CodeLoader::default() }
    }

    pub(super) fn host(&self, process: ProcessId) -> usize {
        self.hosts[process.index() as usize]
    }

    pub(super) fn add(&self, job: CodeJob) {
        self.jobs.lock().jobs.push_back(job);
        self.bell.notify_all();
    }

    /// The next job; none at the end, once all are done: tasks may wait for what comes of them.
    pub(super) fn next(&self) -> Option<CodeJob> {
        let mut jobs = self.jobs.lock();
        loop {
            if let Some(job) = jobs.jobs.pop_front() {
                return Some(job);
            }
            if jobs.ends {
                return None;
            }
            self.bell.wait(&mut jobs);
        }
    }

    pub(super) fn run(&self, job: CodeJob) -> CodeOutcome {
        match job {
            CodeJob::Prepare(name) => {
                let copy = CodeCopy::of_loaded(&name);
                CodeOutcome::Prepared(name, copy)
            }
            CodeJob::Check(name, copy, bytes) => {
                let checked = copy.check(&name, bytes);
                CodeOutcome::Checked(name, checked)
            }
            CodeJob::Load(name, copy, object) => {
                let loaded = load(copy, &name, &object, self.folder.as_deref());
                CodeOutcome::Loaded(name, loaded)
            }
        }
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn jobs_that_are_left_at_the_end_are_done() {
        let loader = CodeLoader::default();
        loader.add(CodeJob::Prepare([1].as_slice().into()));
        loader.jobs.lock().ends = true;
        assert!(loader.next().is_some());
        assert!(loader.next().is_none());
    }
}
