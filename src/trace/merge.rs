//! One file, one table and one report of all processes of a job. Each process writes its own entries, in the time of process 0; these
//! append the text of others to their file as it comes, and keep the points of arrows only.

use std::fs::File;
use std::io::{BufWriter, Write as _};
use std::sync::Arc;

use super::arrow::{self, Point};
use super::output::Moment;
use super::session::Session;
use super::summary::{self, ProcessSummary};
use super::traffic::Traffic;
use super::{Trace, chrome, profile};
use crate::system;

/// What a process records that process 0 can collect.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Wishes {
    pub(crate) timeline: bool,
    pub(crate) summary: bool,
    pub(crate) profile: bool,
}

impl Wishes {
    /// What both have.
    pub(crate) fn and(self, other: Wishes) -> Wishes {
        Wishes {
            timeline: self.timeline && other.timeline,
            summary: self.summary && other.summary,
            profile: self.profile && other.profile,
        }
    }

    /// Whether there is anything.
    pub(crate) fn any(self) -> bool {
        self.timeline || self.summary || self.profile
    }

    /// Whether times of other processes are wanted in process 0's.
    pub(crate) fn needs_clock(self) -> bool {
        self.timeline || self.profile
    }
}

impl Trace {
    /// What is recorded.
    pub(crate) fn wishes(&self) -> Wishes {
        self.0.as_ref().map_or(Wishes::default(), |session| Wishes {
            timeline: session.timeline.is_some(),
            summary: session.summary,
            profile: session.profile.is_some(),
        })
    }

    /// The clock of this process that other processes are told.
    pub(crate) fn clock() -> u64 {
        system::monotonic_nanoseconds()
    }

    /// Process 0 has told its clock; says whether to ask again.
    pub(crate) fn clock_told(&self, asked: u64, theirs: u64) -> bool {
        let now = Trace::clock();
        self.0.as_ref().is_some_and(|session| session.alignment.lock().answered(asked, theirs, now))
    }

    /// Process 0's clock is measured anew.
    pub(crate) fn begin_late_measurements(&self) {
        self.0.iter().for_each(|session| session.alignment.lock().begin_late());
    }

    /// Whether process 0's clock was measured.
    pub(crate) fn is_measured(&self) -> bool {
        self.0.as_ref().is_none_or(|session| session.alignment.lock().is_measured())
    }

    /// Adds what went between the processes.
    pub(crate) fn set_traffic(&self, traffic: &Traffic) {
        if let Some(session) = &self.0 {
            session.collected.lock().traffic = Some(traffic.clone());
        }
    }

    /// How many parts of the timeline `part` gives.
    pub(crate) fn parts(&self) -> usize {
        self.0.as_ref().map_or(0, |session| session.rows.len())
    }

    /// A part of the timeline as text, and its points of arrows; and how many events are missing. The last part has also what
    /// is about all of them.
    pub(crate) fn part(&self, number: usize) -> (Vec<u8>, Vec<u8>, u64) {
        let Some(session) = &self.0 else { return Default::default() };
        let (mut text, mut points, mut bytes) = (Vec::new(), Vec::new(), Vec::new());
        let known = session.collected.lock().times.clone().filter(|_| number > 0);
        let times = known.unwrap_or_else(|| session.times());
        if number == 0 {
            session.collected.lock().times = Some(times.clone());
        }
        let titled = if number == 0 { chrome::title(&mut text, session, ",\n") } else { Ok(()) };
        // Writing to memory fails only without any: then the events are missing.
        let row = titled.and_then(|()| chrome::row(&mut text, session, &times, number, &mut points));
        let is_last = number + 1 == session.rows.len();
        let dropped = row.and_then(|dropped| {
            if is_last { chrome::overview(&mut text, session, &times).map(|()| dropped) } else { Ok(dropped) }
        });
        for point in &points {
            point.write(&mut bytes);
        }
        (text, bytes, dropped.unwrap_or(1))
    }

    /// This process's part of the table.
    pub(crate) fn summary_part(&self) -> Vec<u8> {
        let part = self.0.as_ref().map(|session| serde_json::to_vec(&ProcessSummary::of(session)));
        part.and_then(Result::ok).unwrap_or_default()
    }

    /// This process's part of the report; empty without memory for it.
    pub(crate) fn profile_part(&self) -> Vec<u8> {
        let part = |session: &Arc<Session>| profile::part(session, session.profile.as_ref()?).ok();
        self.0.as_ref().and_then(part).unwrap_or_default()
    }

    /// Process 0 has got it all: this process writes nothing itself.
    pub(crate) fn delivered(&self, what: Wishes) {
        let Some(session) = &self.0 else { return };
        if what.timeline {
            session.timeline.iter().for_each(super::output::Output::give_up);
        }
        if what.profile {
            session.profile.iter().for_each(|noted| noted.output.give_up());
        }
        session.collected.lock().summary |= what.summary;
    }

    /// Begins the merged file with this process's own entries, and the table.
    pub(crate) fn merge(&self) -> Option<Merge> {
        let session = self.0.as_ref()?;
        let taken = session.timeline.as_ref().map_or(Ok(None), super::output::Output::take);
        let file = taken.unwrap_or_else(|error| {
            session.collected.lock().failure = Some(error);
            None
        });
        let mut merge = Merge {
            session: Arc::clone(session),
            out: file.map(BufWriter::new),
            points: Vec::new(),
            dropped: 0,
            summaries: Vec::new(),
        };
        merge.write(|out, session| chrome::begin(out).and_then(|()| chrome::title(out, session, "")));
        let times = session.times();
        for number in 0..session.rows.len() {
            let mut points = Vec::new();
            let mut dropped = 0;
            merge.write(|out, session| {
                dropped = chrome::row(out, session, &times, number, &mut points)?;
                Ok(())
            });
            merge.dropped += dropped;
            merge.points.extend(points);
        }
        merge.write(|out, session| chrome::overview(out, session, &times));
        merge.summaries.push(ProcessSummary::of(session));
        Some(merge)
    }
}

/// Splits the text of entries behind entries, into pieces of about this many bytes.
pub(crate) fn pieces(text: &[u8], most: usize) -> impl Iterator<Item = &[u8]> {
    let mut rest = text;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        // A line begins with each entry, and nowhere else: texts have no line ends.
        let begins = |at: usize| rest[at..].starts_with(b",\n");
        let before = (1..=most.min(rest.len() - 1)).rev().find(|at| begins(*at));
        let at = before.or_else(|| (most..rest.len()).find(|at| begins(*at))).filter(|_| rest.len() > most);
        let (piece, left) = rest.split_at(at.unwrap_or(rest.len()));
        rest = left;
        Some(piece)
    })
}

/// The merged file and table while they are made.
pub(crate) struct Merge {
    session: Arc<Session>,
    /// None without a timeline, and after a failure.
    out: Option<BufWriter<File>>,
    points: Vec<Point>,
    dropped: u64,
    summaries: Vec<ProcessSummary>,
}

impl Merge {
    fn write(&mut self, write: impl FnOnce(&mut BufWriter<File>, &Session) -> std::io::Result<()>) {
        let Some(out) = &mut self.out else { return };
        if let Err(why) = write(out, &self.session) {
            let error = self.session.timeline.as_ref().map(|output| output.unwritable(&why));
            self.session.collected.lock().failure = error;
            self.out = None;
        }
    }

    /// Appends entries of another process.
    pub(crate) fn text(&mut self, text: &[u8]) {
        self.write(|out, _| out.write_all(text));
    }

    /// Adds points of arrows of another process.
    pub(crate) fn points(&mut self, bytes: &[u8]) {
        self.points.extend(Point::read(bytes));
    }

    /// So many events of another process are missing.
    pub(crate) fn dropped(&mut self, events: u64) {
        self.dropped += events;
    }

    /// Adds another process's part of the table; nothing, if it is none.
    pub(crate) fn summary(&mut self, bytes: &[u8]) {
        self.summaries
            .extend(serde_json::from_slice::<ProcessSummary>(bytes).ok().filter(|part| !part.rows.is_empty()));
    }

    /// Ends the file, writes the report with these parts of other processes, and prints the table, as far as they are
    /// asked for.
    pub(crate) fn end(mut self, mut profiles: Vec<Vec<u8>>) {
        if let Some(noted) = &self.session.profile {
            profiles.retain(|part| !part.is_empty());
            if let Err(error) = profile::write(&self.session, noted, Moment::End, &profiles) {
                self.session.collected.lock().failure = Some(error);
            }
        }
        let arrows = arrow::complete(std::mem::take(&mut self.points));
        let dropped = self.dropped;
        self.write(|out, _| {
            arrows.iter().try_for_each(|point| chrome::write_point(out, point))?;
            chrome::end(out, dropped)?;
            out.flush()
        });
        if self.session.summary {
            self.session.collected.lock().summary = true;
            self.summaries.sort_by_key(|part| part.process);
            // Nobody is to be told when this cannot be printed.
            let _ = std::io::stderr().lock().write_all(summary::show(&self.summaries).as_bytes());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_are_whole_entries_and_all_of_the_text() {
        let mut random = testkit::Random::new(3);
        for _ in 0..500 {
            let entries: Vec<String> =
                (0..random.below(20)).map(|_| format!(",\n{{{}}}", "x,".repeat(random.below(40)))).collect();
            let text = entries.concat();
            let most = 1 + random.below(100);
            let all: Vec<&[u8]> = pieces(text.as_bytes(), most).collect();
            assert_eq!(all.concat(), text.as_bytes());
            for piece in all {
                assert!(piece.starts_with(b",\n{") && piece.ends_with(b"}"));
                let single = piece.windows(2).filter(|pair| *pair == b",\n").count() == 1;
                assert!(single || piece.len() <= most, "{} of {most}", piece.len());
            }
        }
    }
}
