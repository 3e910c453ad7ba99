//! What a call of a region would take on several processes, told by one: `DVM_FORECAST`.
//!
//! The call is dealt out as it would be there. Tiles run here, one after the other, and are timed, or their times are known
//! before; a simulation (`simulated_job`) says when each would run there.

use std::fmt::Write as _;

use super::simulated_job::{Network, SimulatedJob, Spent};
use super::tile_times::{KindTimes, TimesFrom, kind, whole};
use crate::config;
use crate::engine::{Call, end_section};
use crate::error::Error;
use crate::graph::Callbacks;
use crate::processing::forced;
use crate::system;

/// Most processes that are simulated.
const MOST_PROCESSES: u32 = 1 << 14;

/// What `DVM_FORECAST` says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ForecastSettings {
    pub(super) processes: u32,
    pub(super) network: Network,
    pub(super) times: TimesFrom,
    /// Tiles take the processor's time: on a machine that is busy with other work.
    pub(super) by_processor: bool,
}

impl ForecastSettings {
    /// Reads a number of processes, and what follows after commas: `64,latency=2,bandwidth=10,read=FILE`.
    pub(super) fn parse(text: &str) -> Result<ForecastSettings, Error> {
        let allowed = format!(
            "allowed are a number of processes up to {MOST_PROCESSES}, and after commas latency=MICROSECONDS, \
             bandwidth=GB_PER_SECOND, clock=cpu, and one of tile=NANOSECONDS, write=FILE and read=FILE"
        );
        let wrong =
            |word: &str| config::refused("DVM_FORECAST", text, &format!("`{word}` is not understood: {allowed}"));
        let mut words = text.split(',').map(str::trim);
        let first = words.next().unwrap_or_default();
        let processes = first.parse().ok().filter(|count| (1..=MOST_PROCESSES).contains(count));
        let mut settings = ForecastSettings {
            processes: processes.ok_or_else(|| wrong(first))?,
            network: Network { latency: 2_000, bandwidth: 10_000 },
            times: TimesFrom::Run { kept: None },
            by_processor: false,
        };
        let mut timed = false;
        for word in words {
            let (name, value) = word.split_once('=').ok_or_else(|| wrong(word))?;
            // In thousandths, the smallest of which counts.
            let thousandths = |least: f64| {
                let number = value.parse::<f64>().ok().filter(|number| (least..=1e6).contains(number));
                number.map(|number| (number * 1000.0).round() as u64).ok_or_else(|| wrong(word))
            };
            match name {
                "latency" => settings.network.latency = thousandths(0.0)?,
                "clock" if value == "cpu" => settings.by_processor = true,
                "bandwidth" => settings.network.bandwidth = thousandths(0.001)?,
                "tile" | "write" | "read" if std::mem::replace(&mut timed, true) || value.is_empty() => {
                    return Err(wrong(word));
                }
                "tile" => settings.times = TimesFrom::Given(value.parse().map_err(|_| wrong(word))?),
                "write" => settings.times = TimesFrom::Run { kept: Some(value.into()) },
                "read" => settings.times = TimesFrom::File(value.into()),
                _ => return Err(wrong(word)),
            }
        }
        Ok(settings)
    }

    /// Whether all tiles take the same time: then nothing is measured.
    pub(super) fn is_given(&self) -> bool {
        matches!(self.times, TimesFrom::Given(_))
    }

    /// Whether the tiles run in this process.
    pub(super) fn runs(&self) -> bool {
        matches!(self.times, TimesFrom::Run { .. })
    }
}

/// A call that is foretold.
pub(super) struct Forecast {
    region: String,
    settings: ForecastSettings,
    job: SimulatedJob,
    /// What was measured, or is known.
    kinds: KindTimes,
}

impl Forecast {
    pub(super) fn new(region: &str, settings: ForecastSettings, job: SimulatedJob) -> Result<Forecast, Error> {
        let kinds = match &settings.times {
            TimesFrom::File(path) => KindTimes::read(path)?,
            _ => KindTimes::default(),
        };
        Ok(Forecast { region: region.to_owned(), settings, job, kinds })
    }

    pub(super) fn job(&self) -> &SimulatedJob {
        &self.job
    }

    /// Runs or foretells graph `n`.
    pub(super) fn graph(&mut self, call: &Call, n: usize, callbacks: &Callbacks) -> Result<(), Error> {
        let graph = self.job.plan().graphs[n].clone();
        let extent = &graph.extent;
        let (region, kinds) = (&self.region, &mut self.kinds);
        let clock = if self.settings.by_processor { system::thread_nanoseconds } else { system::monotonic_nanoseconds };
        match &self.settings.times {
            TimesFrom::Run { .. } => {
                let ran = forced::with_place(|| {
                    call.as_task(|| {
                        in_order(callbacks, extent, clock, |tile, nanoseconds| {
                            kinds.add(region, graph.phase, kind(callbacks, extent, tile)?, nanoseconds);
                            Ok(())
                        })
                    })
                })?;
                self.job.run(n, &mut |tile| Ok(Some(ran[graph.number(tile) as usize]).filter(|time| *time > 0)))
            }
            TimesFrom::Given(time) => {
                self.job.run(n, &mut |tile| Ok(callbacks.has(extent, &whole(tile))?.then_some(*time)))
            }
            TimesFrom::File(path) => self.job.run(n, &mut |tile| {
                if !callbacks.has(extent, &whole(tile))? {
                    return Ok(None);
                }
                let kind = kind(callbacks, extent, tile)?;
                let time = kinds.mean(region, graph.phase, kind.clone()).ok_or_else(|| {
                    let phase = graph.phase;
                    let file = path.display();
                    Error::argument(format!(
                        "DVM_FORECAST: {file} has no time of tiles `{kind}` of phase {phase} of '{region}'"
                    ))
                })?;
                Ok(Some(time))
            }),
        }
    }

    /// Keeps what was measured; what is to be told.
    pub(super) fn end(&self) -> Result<String, Error> {
        if let TimesFrom::Run { kept: Some(path) } = &self.settings.times {
            self.kinds.keep(path)?;
        }
        let spent: Vec<Spent> = self.job.spent().collect();
        Ok(words(&self.region, &spent, &self.job))
    }
}

/// Runs all tiles of a graph, one after the other; by number: the nanoseconds of each, 0 where nothing runs.
fn in_order(
    callbacks: &Callbacks,
    extent: &[i64],
    clock: fn() -> u64,
    mut ran: impl FnMut(&[i64], u64) -> Result<(), Error>,
) -> Result<Vec<u64>, Error> {
    let count = extent.iter().product::<i64>() as usize;
    let mut times = vec![0; count];
    let mut tile = vec![0; extent.len()];
    for time in &mut times {
        let place = whole(&tile);
        if callbacks.has(extent, &place)? {
            let begun = clock();
            let result = callbacks.run(&place);
            *time = (clock() - begun).max(1);
            end_section();
            result?;
            ran(&tile, *time)?;
        }
        for (index, length) in tile.iter_mut().zip(extent).rev() {
            *index += 1;
            if *index < *length {
                break;
            }
            *index = 0;
        }
    }
    Ok(times)
}

/// What the simulation has found.
fn words(region: &str, spent: &[Spent], job: &SimulatedJob) -> String {
    let seconds = |nanoseconds: u64| nanoseconds as f64 / 1e9;
    let count = spent.len() as u64;
    let end = spent.iter().map(|spent| spent.end).max().unwrap_or(0);
    let sum = |of: fn(&Spent) -> u64| spent.iter().map(of).sum::<u64>();
    let (tiles, asking, copying) = (sum(|spent| spent.tiles), sum(|spent| spent.asking), sum(|spent| spent.copying));
    let most = spent.iter().map(|spent| spent.tiles).max().unwrap_or(0);
    if job.tiles == 0 {
        return format!("region '{region}' has no tiles: nothing goes to other processes");
    }
    let all = (count * end).max(1);
    let part = |of: u64| of as f64 / all as f64;
    let mut text = format!("region '{region}' on {count} processes of one worker would take {:.6} s", seconds(end));
    let _ = write!(
        text,
        ": {} tiles take {:.6} s, efficiency {:.3}; of all time {:.3} goes into asking what goes where, {:.3} into copying, \
         {:.3} into waiting; most tiles of a process take {:.6} s; {} bytes in {} messages between tiles",
        job.tiles,
        seconds(tiles),
        part(tiles),
        part(asking),
        part(copying),
        part(all.saturating_sub(tiles + asking + copying)),
        seconds(most),
        job.bytes,
        job.messages,
    );
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read() {
        let simple = ForecastSettings::parse("64").unwrap();
        assert_eq!((simple.processes, &simple.times), (64, &TimesFrom::Run { kept: None }));
        assert_eq!(simple.network, Network { latency: 2_000, bandwidth: 10_000 });
        let full = ForecastSettings::parse("4, latency=0.5,bandwidth=25, read=a file").unwrap();
        assert_eq!(full.network, Network { latency: 500, bandwidth: 25_000 });
        assert_eq!((full.times.clone(), full.runs()), (TimesFrom::File("a file".into()), false));
        assert_eq!(ForecastSettings::parse("1,tile=7").unwrap().times, TimesFrom::Given(7));
        for text in [
            "",
            "0",
            "x",
            "99999999",
            "2,",
            "2,tile",
            "2,tile=",
            "2,tile=1,read=a",
            "2,bandwidth=0",
            "2,latency=-1",
            "2,place=1",
        ] {
            let error = ForecastSettings::parse(text).unwrap_err();
            assert!(
                error.message().contains("DVM_FORECAST") && error.message().contains("allowed are"),
                "{text}: {error}"
            );
        }
    }
}
