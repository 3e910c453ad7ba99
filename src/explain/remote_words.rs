//! The parts of an explanation about other processes.

use super::words::{TOLD, Words, count, name};
use crate::data::DatumId;
use crate::engine::remote_view::{
    AwaitedCode, Lack, PeerView, Question, RegionStage, RegionView, RemoteTaskView, RemoteView, TogetherCall,
};
use crate::id::ProcessId;

/// `process 1`, `processes 1, 2 and 3`; long lists are cut.
fn processes(all: &[ProcessId]) -> String {
    let told: Vec<String> = all.iter().take(TOLD).map(ToString::to_string).collect();
    let more = all.len() - told.len();
    match (told.as_slice(), more) {
        ([one], 0) => format!("process {one}"),
        ([first @ .., last], 0) => format!("processes {} and {last}", first.join(", ")),
        (list, more) => format!("processes {} and {more} more", list.join(", ")),
    }
}

impl Words<'_> {
    fn others(&self) -> Option<&RemoteView> {
        self.snapshot.engine.remote.as_ref()
    }

    /// Prints whom a thread in wait, serve or finalize waits for.
    pub(super) fn together(&mut self) {
        let Some((remote, together)) = self.others().and_then(|remote| Some((remote, remote.together.as_ref()?)))
        else {
            return;
        };
        let call = match together.call {
            TogetherCall::Wait => "dvm_wait",
            TogetherCall::Serve => "dvm_serve",
            TogetherCall::Finalize => "dvm_finalize",
        };
        let mut lines = Vec::new();
        if together.call == TogetherCall::Serve {
            lines.push(format!("A thread is in {call}, until process 0 finalizes."));
        } else if !together.idle {
            lines.push(format!("A thread is in {call}, and waits for what this process still has to do."));
        } else if let (Some(root), true) = (together.root, together.unanswered.is_empty()) {
            lines.push(format!(
                "A thread is in {call}. This process has nothing to do: the call waits for other processes, and process \
                 {root} knows which."
            ));
        } else if !together.unanswered.is_empty() {
            let awaited: Vec<ProcessId> = together.unanswered.iter().map(|(process, _)| *process).collect();
            let (have, they, call_of) =
                if awaited.len() == 1 { ("has", "it has", "it is") } else { ("have", "they have", "they are") };
            lines.push(format!(
                "A thread is in {call}, and waits for {}, which {have} not said that {they} nothing to do: {they} tasks, or \
                 {call_of} not in dvm_wait, dvm_serve or dvm_finalize.",
                processes(&awaited)
            ));
            for (process, below) in together.unanswered.iter().filter(|(_, below)| !below.is_empty()) {
                lines.push(format!("  Process {process} also speaks for {}.", processes(below)));
            }
        } else {
            lines.push(format!("A thread is in {call}, and all {} processes have nothing to do.", remote.processes));
        }
        for line in &lines {
            self.line(line);
        }
    }

    /// Prints whom a thread in a region on all processes waits for.
    pub(super) fn region(&mut self) {
        let Some(RegionView { name, stage, awaited }) = self.others().and_then(|remote| remote.region.as_ref()) else {
            return;
        };
        let whom = processes(awaited);
        let has = if awaited.len() == 1 { "has" } else { "have" };
        let line = match stage {
            RegionStage::Enter => format!(
                "A thread is in region '{name}', which all processes run together: {whom} {has} not entered it. Each process \
                 has to come to the region as often as the others (clause `across`; DVM_ACROSS=0 runs it in each process)."
            ),
            RegionStage::Sizes => {
                format!("A thread is in region '{name}', and waits for the sizes of its tiles from {whom}.")
            }
            RegionStage::Entering => {
                format!(
                    "A thread serves region '{name}', and waits for what its tiles read from before it, from {whom}."
                )
            }
            RegionStage::LeftBehind => format!(
                "A thread is in region '{name}', whose tiles have all run, and waits for what {whom} {} behind.",
                if awaited.len() == 1 { "leaves" } else { "leave" }
            ),
        };
        self.line(&line);
    }

    /// Prints processes that are lost, suspected, silent, or take nothing in.
    pub(super) fn peers(&mut self) {
        let Some(remote) = self.others() else { return };
        let line = |(process, peer): (&ProcessId, &PeerView)| {
            let state = if peer.lost {
                "is lost".to_owned()
            } else if let Some(why) = &peer.suspected {
                let why = if self.times { format!(": {why}") } else { String::new() };
                format!("is suspected to be lost{why}; process 0 has not declared it lost yet")
            } else if let Some(silent) = peer.silent {
                let time = if self.times { format!(" for {:.1} s", silent.as_secs_f64()) } else { String::new() };
                format!("is suspected: it has given no sign of life{time} (DVM_PEER_TIMEOUT)")
            } else {
                let batches = count(peer.unsent as u64, "batch").replace("batchs", "batches");
                format!("takes nothing in: {batches} of messages for it found no room")
            };
            format!("  process {process} {state}")
        };
        let lines: Vec<String> = remote.peers.iter().map(line).collect();
        self.list(&lines, lines.len());
    }

    /// Prints tasks in other processes, tasks and threads that wait for these, and questions.
    pub(super) fn remote(&mut self) {
        let Some(remote) = self.others() else { return };
        let mut parts: Vec<(&str, Vec<String>, u64)> = Vec::new();
        let line = |(process, kinds): (&ProcessId, &std::collections::BTreeMap<&str, u64>)| {
            let mut kinds: Vec<(&&str, &u64)> = kinds.iter().collect();
            kinds.sort_by_key(|(description, number)| (std::cmp::Reverse(**number), **description));
            let told: Vec<String> =
                kinds.iter().take(TOLD).map(|(description, number)| format!("{number} '{description}'")).collect();
            let more =
                if kinds.len() > TOLD { format!(", and {} more kinds", kinds.len() - TOLD) } else { String::new() };
            format!("  process {process}: {}{more}", told.join(", "))
        };
        let lines: Vec<String> = remote.sent.iter().map(line).collect();
        let all = lines.len() as u64;
        parts.push(("Tasks of this process in other processes, which have not said that they have ended:", lines, all));
        let lines: Vec<String> = remote.tasks.iter().map(|task| self.remote_task(task)).collect();
        parts.push(("Tasks that wait for other processes:", lines, remote.waiting));
        let gets: Vec<String> =
            remote.gets.iter().map(|(id, lack)| format!("  {}: {}", name(*id), self.lack(*id, *lack))).collect();
        let all = gets.len() as u64;
        parts.push(("Threads in dvm_data_get wait for data of other processes:", gets, all));
        let line = |((process, question), number): (&(ProcessId, Question), &u64)| {
            let about = match question {
                Question::Processing(id) => format!("what processing {id} is"),
                Question::Code(id) => format!("for the code of processing {id}"),
                Question::Reference(id) => format!("for a reference of {}", name(*id)),
            };
            let times = if *number > 1 { format!(" ({number} times)") } else { String::new() };
            format!("  process {process} was asked {about}{times}")
        };
        let lines: Vec<String> = remote.questions.iter().map(line).collect();
        let all = lines.len() as u64;
        parts.push(("Questions without an answer:", lines, all));
        for (title, lines, all) in parts.into_iter().filter(|(_, lines, _)| !lines.is_empty()) {
            self.line(&format!("\n{title}"));
            self.list(&lines, all as usize);
        }
    }

    fn remote_task(&self, task: &RemoteTaskView) -> String {
        let me = self.others().map(|remote| remote.me);
        let of = if Some(task.scheduler) == me { String::new() } else { format!(" of process {}", task.scheduler) };
        let call = self.call(&task.description, &task.arguments);
        if let Some(code) = &task.code {
            return format!("  {call}{of} waits for its code: {}", self.code(code));
        }
        let Some((id, lack)) = task.lacks.first() else { return format!("  {call}{of} is about to go on") };
        let more = task.lacks.len() - 1;
        let more = if more > 0 { format!(" (and for {more} more)") } else { String::new() };
        format!("  {call}{of} waits for {}{more}: {}", name(*id), self.lack(*id, *lack))
    }

    /// How far code that is sent has come, after a colon.
    fn code(&self, code: &AwaitedCode) -> String {
        let AwaitedCode { object, from, pieces: (come, all) } = code;
        let Some(from) = from else { return format!("{object}, which is being checked and loaded") };
        match all.filter(|_| self.times) {
            Some(all) => {
                format!("{object} from process {from}, {come} of {} have come", count(u64::from(all), "piece"))
            }
            None => format!("{object} from process {from}"),
        }
    }

    /// Why a datum cannot be used yet, after a colon.
    fn lack(&self, id: DatumId, lack: Lack) -> String {
        let home = id.home();
        match lack {
            Lack::Promised => format!("process {home}, its home, has not said what becomes of it"),
            Lack::Own => "a promise of this process that is not published".into(),
            Lack::ProducedHere => "the output of a task of this process, which has not ended".into(),
            Lack::ProducedBy(at) => {
                format!("the output of a task in process {at}, which has not said that it has ended")
            }
            Lack::NoRoom(at) => {
                format!("its bytes are in process {at}, and wait for room here, which other copies take (DVM_CACHE)")
            }
            Lack::LiesIn(at) => format!("its bytes are in process {at}"),
            Lack::Fetched { from, bytes, come } => match come.filter(|_| self.times) {
                Some(come) => format!("fetched from process {from}, {come} of {} have come", count(bytes, "byte")),
                None => format!("fetched from process {from}, {}", count(bytes, "byte")),
            },
            Lack::Unclaimed => format!("process {home}, its home, has not said whether this task may produce it"),
            Lack::NoReference => format!("process {home}, its home, has not given a reference of it"),
            Lack::NoPlace => {
                format!("process {home}, its home, has not said where its bytes are, near which the task is to run")
            }
        }
    }

    /// Who publishes a promise of this process that a task of another one has as an output, after a colon.
    pub(super) fn elsewhere(&self, id: DatumId) -> String {
        let lack = self.others().and_then(|remote| remote.promises.get(&id));
        lack.map_or("the output of a task in another process".into(), |lack| self.lack(id, *lack))
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::engine::remote_view::TogetherView;
    use crate::explain::analysis;
    use crate::explain::snapshot::{Datum, PromiseSource, Snapshot, TaskNode};
    use crate::explain::words;
    use crate::processing::Mode;

    fn process(index: u32) -> ProcessId {
        ProcessId::from_index(index)
    }

    fn datum(home: u64, number: u64) -> DatumId {
        DatumId::from_raw([home, number])
    }

    fn told(remote: RemoteView, outstanding: u64, times: bool) -> String {
        let mut snapshot = Snapshot::default();
        snapshot.engine.remote = Some(remote);
        snapshot.engine.outstanding = outstanding;
        words::tell(&snapshot, &analysis::find(&snapshot), times)
    }

    fn view() -> RemoteView {
        RemoteView { me: process(1), processes: 7, ..RemoteView::default() }
    }

    fn together(
        call: TogetherCall,
        root: Option<ProcessId>,
        unanswered: Vec<(ProcessId, Vec<ProcessId>)>,
    ) -> RemoteView {
        RemoteView { together: Some(TogetherView { call, idle: true, unanswered, root }), ..view() }
    }

    #[test]
    fn whoever_serves_waits_for_nothing() {
        let text = told(together(TogetherCall::Serve, Some(process(0)), Vec::new()), 0, true);
        assert!(
            text.contains("Nothing waits") && text.contains("A thread is in dvm_serve, until process 0 finalizes.")
        );
    }

    #[test]
    fn a_region_names_the_processes_that_have_not_come() {
        let region = |stage, awaited: &[u32]| {
            let awaited = awaited.iter().map(|index| process(*index)).collect();
            told(RemoteView { region: Some(RegionView { name: "heat".into(), stage, awaited }), ..view() }, 0, true)
        };
        let text = region(RegionStage::Enter, &[2, 5]);
        assert!(
            text.contains("in region 'heat', which all processes run together: processes 2 and 5 have not"),
            "{text}"
        );
        let text = region(RegionStage::Sizes, &[0]);
        assert!(text.contains("waits for the sizes of its tiles from process 0."), "{text}");
        let text = region(RegionStage::LeftBehind, &[3]);
        assert!(text.contains("waits for what process 3 leaves behind."), "{text}");
    }

    #[test]
    fn a_wait_names_the_processes_that_it_waits_for() {
        let text = told(together(TogetherCall::Wait, None, vec![(process(2), vec![process(5), process(6)])]), 0, true);
        let expected = "libdvm: what waits for what
Process 1 of 7. No task is outstanding.
A thread is in dvm_wait, and waits for process 2, which has not said that it has nothing to do: it has tasks, or it is not in dvm_wait, dvm_serve or dvm_finalize.
  Process 2 also speaks for processes 5 and 6.
";
        assert_eq!(text, expected);
        let text =
            told(together(TogetherCall::Finalize, None, vec![(process(2), vec![]), (process(3), vec![])]), 0, true);
        assert!(
            text.contains("dvm_finalize, and waits for processes 2 and 3, which have not said that they have"),
            "{text}"
        );
        let text = told(together(TogetherCall::Wait, Some(process(0)), Vec::new()), 0, true);
        assert!(text.contains("the call waits for other processes, and process 0 knows which."), "{text}");
    }

    #[test]
    fn tasks_and_data_of_other_processes_are_named_with_what_they_lack() {
        let lacks = [
            (Lack::Promised, "process 2, its home, has not said what becomes of it"),
            (Lack::Own, "a promise of this process that is not published"),
            (Lack::ProducedHere, "the output of a task of this process, which has not ended"),
            (Lack::ProducedBy(process(3)), "the output of a task in process 3, which has not said that it has ended"),
            (
                Lack::NoRoom(process(3)),
                "its bytes are in process 3, and wait for room here, which other copies take (DVM_CACHE)",
            ),
            (Lack::LiesIn(process(3)), "its bytes are in process 3"),
            (
                Lack::Fetched { from: process(3), bytes: 10, come: Some(4) },
                "fetched from process 3, 4 of 10 bytes have come",
            ),
            (Lack::Fetched { from: process(3), bytes: 1, come: None }, "fetched from process 3, 1 byte"),
            (Lack::Unclaimed, "process 2, its home, has not said whether this task may produce it"),
            (Lack::NoReference, "process 2, its home, has not given a reference of it"),
            (Lack::NoPlace, "process 2, its home, has not said where its bytes are, near which the task is to run"),
        ];
        for (lack, expected) in lacks {
            let task = RemoteTaskView {
                description: "axpy".into(),
                arguments: vec![(Mode::In, datum(2, 7)), (Mode::Out, datum(0, 8))],
                scheduler: process(0),
                lacks: vec![(datum(2, 7), lack), (datum(0, 8), Lack::Unclaimed)],
                code: None,
            };
            let text = told(RemoteView { tasks: vec![task], waiting: 20, ..view() }, 20, true);
            let line = format!(
                "\nTasks that wait for other processes:\n  'axpy' (in {{2, 7}}, out {{0, 8}}) of process 0 waits for datum \
                 {{2, 7}} (and for 1 more): {expected}\n  and 19 more\n"
            );
            assert!(text.contains(&line), "{text}");
            assert!(text.contains("20 tasks have not ended: 0 running, 0 ready, 20 waiting for data."), "{text}");
            let text = told(RemoteView { gets: vec![(datum(2, 7), lack)], ..view() }, 0, true);
            assert!(text.contains(&format!("of other processes:\n  datum {{2, 7}}: {expected}\n")), "{text}");
        }
    }

    #[test]
    fn a_task_whose_code_is_on_its_way_says_how_far_it_has_come() {
        let text = |from, pieces, times| {
            let task = RemoteTaskView {
                description: "solve".into(),
                arguments: vec![(Mode::Out, datum(0, 8))],
                scheduler: process(0),
                lacks: Vec::new(),
                code: Some(AwaitedCode { object: "libsolve.so".into(), from, pieces }),
            };
            told(RemoteView { tasks: vec![task], waiting: 1, ..view() }, 1, times)
        };
        let begin = "\nTasks that wait for other processes:\n  'solve' (out {0, 8}) of process 0 waits for its code: libsolve.so";
        for (from, pieces, times, end) in [
            (Some(process(3)), (2, Some(7)), true, " from process 3, 2 of 7 pieces have come\n"),
            (Some(process(3)), (2, Some(7)), false, " from process 3\n"),
            (Some(process(3)), (0, None), true, " from process 3\n"),
            (None, (7, Some(7)), true, ", which is being checked and loaded\n"),
        ] {
            let text = text(from, pieces, times);
            assert!(text.contains(&format!("{begin}{end}")), "{text}");
        }
    }

    #[test]
    fn times_and_bytes_that_change_while_nothing_moves_are_left_out_on_request() {
        let fetched = |come| RemoteView {
            gets: vec![(datum(2, 7), Lack::Fetched { from: process(3), bytes: 10, come: Some(come) })],
            peers: [(process(3), PeerView { silent: Some(Duration::from_secs(come)), ..PeerView::default() })].into(),
            ..view()
        };
        assert_eq!(told(fetched(4), 0, false), told(fetched(5), 0, false));
        assert_ne!(told(fetched(4), 0, true), told(fetched(5), 0, true));
    }

    #[test]
    fn sent_tasks_questions_and_peers_are_listed_in_order() {
        let unsent = PeerView { unsent: 3, ..PeerView::default() };
        let suspected = PeerView { suspected: Some("its process has ended".into()), ..PeerView::default() };
        let silent = PeerView { silent: Some(Duration::from_millis(3200)), ..PeerView::default() };
        let lost = PeerView { lost: true, ..PeerView::default() };
        let remote = RemoteView {
            sent: [(process(4), [("show", 1), ("axpy", 2)].into()), (process(2), [("axpy", 1)].into())].into(),
            questions: [
                ((process(2), Question::Reference(datum(2, 9))), 2),
                ((process(2), Question::Processing(crate::id::ProcessingId::from_raw([2, 5]))), 1),
                ((process(4), Question::Code(crate::id::ProcessingId::from_raw([2, 6]))), 1),
            ]
            .into(),
            peers: [(process(6), lost), (process(5), silent), (process(3), suspected), (process(2), unsent)].into(),
            ..view()
        };
        let expected = "libdvm: what waits for what
Process 1 of 7. 5 tasks have not ended: 0 running, 1 ready, 0 waiting for data, 4 in other processes.
  process 2 takes nothing in: 3 batches of messages for it found no room
  process 3 is suspected to be lost: its process has ended; process 0 has not declared it lost yet
  process 5 is suspected: it has given no sign of life for 3.2 s (DVM_PEER_TIMEOUT)
  process 6 is lost

Tasks of this process in other processes, which have not said that they have ended:
  process 2: 1 'axpy'
  process 4: 2 'axpy', 1 'show'

Questions without an answer:
  process 2 was asked what processing {2, 5} is
  process 2 was asked for a reference of datum {2, 9} (2 times)
  process 4 was asked for the code of processing {2, 6}
";
        assert_eq!(told(remote, 5, true), expected);
    }

    #[test]
    fn the_producer_of_a_promise_in_another_process_is_named_and_slots_have_their_data_s_names() {
        let slot = DatumId::here(3);
        let mut snapshot = Snapshot::default();
        let sources = [(DatumId::here(1), PromiseSource::Away), (slot, PromiseSource::Busy(None))];
        for (place, (id, source)) in sources.into_iter().enumerate() {
            let waiters = vec![place];
            snapshot.data.push(Datum { id, size: 8, predecessor: None, source, sleepers: 0, waiters });
            let missing = vec![place];
            snapshot.tasks.push(TaskNode { description: "reads", view: None, missing, outputs: Vec::new() });
        }
        snapshot.engine.outstanding = 2;
        snapshot.engine.remote = Some(RemoteView {
            promises: [(DatumId::here(1), Lack::ProducedBy(process(4)))].into(),
            slots: [(slot, datum(2, 77))].into(),
            ..view()
        });
        let text = words::tell(&snapshot, &analysis::find(&snapshot), true);
        let first = "(8 bytes): the output of a task in process 4, which has not said that it has ended\n";
        assert!(text.contains(first) && text.contains("\nMissing: datum {2, 77} (8 bytes)"), "{text}");
        assert!(text.contains("'reads' waits for datum {2, 77}: "), "{text}");
    }
}
