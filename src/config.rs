//! The table of the environment variables that libdvm reads, once at init.
//!
//! A knob whose variable is unset or empty has its default. A value that is not allowed is an error that names the
//! variable, the value and what is allowed: nothing is silently ignored.
#![forbid(unsafe_code)]

use std::env;
use std::ffi::OsString;
use std::io::Write;
use std::path::PathBuf;
use std::time::Duration;

use crate::error::Error;
use values::{Knob, TileSizes, ValueKind, choice, flag, number, or_default, signal, sizes, text};

pub(crate) use values::{refused, signal_name};

/// Maximum number of workers of one process: limits what a mistyped number can cost.
pub(crate) const MAX_WORKERS: usize = 4096;

/// Maximum number of processes of a job.
const MAX_PROCESSES: u64 = 1 << 20;

const WORKERS: Knob = Knob {
    name: "workers",
    variable: "DVM_WORKERS",
    kind: ValueKind::Number { least: 1, most: MAX_WORKERS as u64 },
    unit: "workers",
    default: "one per PU",
    documentation: "The number of worker threads of the process. The default is one for each PU that the process may \
        use: its cpuset (taskset, cgroup, a launcher's binding), cut down to its cgroup CPU quota rounded up. With \
        fewer workers than PUs, each worker is bound to a core of its own while there are cores, in the machine's \
        order. With more workers than PUs, the workers are not bound, and a last rank component tells apart those that \
        share a PU. A CPU quota still holds: no more workers start than it allows. Ranks, sizes and distances only \
        count PUs that have a worker.",
};
const SYNTHETIC: Knob = Knob {
    name: "synthetic",
    variable: "DVM_SYNTHETIC",
    kind: ValueKind::Text,
    unit: "hwloc's synthetic syntax",
    default: "the real machine",
    documentation: "Runs on an imagined machine: `pack:4 core:4 pu:2` has 32 workers on 4 packages of 4 cores of 2 \
        PUs. The workers are real threads, not bound; neither the cpuset nor the CPU quota limits their number. At \
        most 4096 PUs.",
};
const BIND: Knob = Knob {
    name: "bind",
    variable: "DVM_BIND",
    kind: ValueKind::Flag,
    unit: "",
    default: "1",
    documentation: "Whether each worker is bound to its PU. 0 leaves the placement to the system: for a machine whose \
        PUs are shared with other busy programs, or for containers with a CPU quota but no cpuset, which would all \
        bind to the same first PUs.",
};
const SPIN: Knob = Knob {
    name: "spin",
    variable: "DVM_SPIN",
    kind: ValueKind::Number { least: 0, most: 1_000_000 },
    unit: "microseconds",
    default: "20",
    documentation: "How long an idle worker looks for work before it sleeps. 0 sleeps at once. With more workers than \
        CPUs, an idle worker lets other threads run after each look, and looks longer, in proportion to the number of \
        workers per CPU.",
};
const STACK: Knob = Knob {
    name: "stack",
    variable: "DVM_STACK",
    kind: ValueKind::Number { least: 64, most: 1 << 40 },
    unit: "KiB",
    default: "the soft limit of the main thread's stack",
    documentation: "The stack of each worker thread, and of each thread that replaces a task in a blocking section. \
        The default is the stack that the program's main thread may have (`ulimit -s`, the soft RLIMIT_STACK) when \
        libdvm starts, and 8192 if that is unlimited; a limit below 64 counts as 64. A stack only takes the memory \
        that tasks use, and a guard page ends it. If the system does not give that much, dvm_init and \
        dvm_blocking_begin return DVM_ERR_MEMORY and name the size.",
};
const WINDOW: Knob = Knob {
    name: "window",
    variable: "DVM_WINDOW",
    kind: ValueKind::Number { least: 0, most: 1 << 40 },
    unit: "tasks",
    default: "0",
    documentation: "How many tasks may be scheduled and not ended before a thread that schedules more outside tasks \
        has to wait; 0 sets no limit. The limit saves memory when tasks are made faster than they run: with 8000, a \
        program of a million small tasks stayed within 6 MB. The thread does not wait while nothing runs, because it \
        may still have to publish what the tasks wait for. A long task does not hold it up either: if no task ends for \
        ten milliseconds, the thread goes on.",
};
const TILE: Knob = Knob {
    name: "tile",
    variable: "DVM_TILE",
    kind: ValueKind::Sizes,
    unit: "iterations",
    default: "from the caches",
    documentation: "The tile sizes of generated code, one for each tile coordinate, outermost first: `32,64` or \
        `32x64`. A single number holds for all coordinates. Coordinates beyond the list, and all of them by default, \
        get their size from a model of the caches. A size that the source fixes (`tile(...)`) does not change.",
};
const MODEL: Knob = Knob {
    name: "model",
    variable: "DVM_MODEL",
    kind: ValueKind::Path,
    unit: "file",
    default: "the caches that hwloc tells",
    documentation: "A file that `dvm-info --model` has written: the caches, bandwidths and peak of the machine, as TOML with \
        a comment on each key. Tile sizes then follow from these: a tile's bytes from the sizes of the caches and the \
        workers that share them; which tiles use the nearest cache, and which only stream from memory, from the speeds. \
        A key that is not known, and a value out of its limits, make init fail with the file and the line. A table that \
        is left out counts as not known.",
};
const TUNE: Knob = Knob {
    name: "tune",
    variable: "DVM_TUNE",
    kind: ValueKind::Flag,
    unit: "",
    default: "1",
    documentation: "Whether regions of generated code learn how to run. The first entries into a region measure its \
        original loops and its phases, and those of a phase one tile and several, for each power of two of the \
        iterations; the faster way stays, and both are measured again once in a while. The results do not depend on \
        the way. 0: nothing is measured, and a region runs as tiles whenever its conditions hold; with DVM_TILE or \
        `tile(...)` in tiles of these sizes.",
};
const TUNE_FILE: Knob = Knob {
    name: "tune_file",
    variable: "DVM_TUNE_FILE",
    kind: ValueKind::Path,
    unit: "",
    default: "nothing is kept",
    documentation: "A file that keeps what DVM_TUNE=1 has learnt, for later runs of the program on the same machine. It \
        is read when the first region begins, and replaced whenever something has been learnt. A file that is not \
        there, or not of this version, counts as empty.",
};
const ACROSS: Knob = Knob {
    name: "across",
    variable: "DVM_ACROSS",
    kind: ValueKind::Flag,
    unit: "",
    default: "1",
    documentation: "Whether regions with the clause `across` run on all processes of the job. 0: each process runs \
        main and the whole region itself, as it does without the clause. 1, if it is set: regions without a clause that \
        were compiled with `dvmcc --across` run on all, too, even where that does not pay. All processes need the same value.",
};
const KEEP: Knob = Knob {
    name: "keep",
    variable: "DVM_KEEP",
    kind: ValueKind::Flag,
    unit: "",
    default: "1",
    documentation: "Whether arrays of regions on several processes stay there from one region to the next in a loop in which \
        nothing but regions uses them, and come back when it has ended. 0: they come back after each region. The clause \
        `keep` is not affected.",
};
const PLACE: Knob = Knob {
    name: "place",
    variable: "DVM_PLACE",
    kind: ValueKind::Text,
    unit: "",
    default: "chosen for each phase",
    documentation: "How the tiles of a region with `across` are dealt out to the processes. `block`: in blocks along one \
        tile coordinate; `cyclic`: one after the other in turn; `cyclic(4)`: four at a time. Several of them, separated by \
        commas, deal along several coordinates: `block,cyclic(2)`. A grid after `@` says how many parts each has, as \
        `block,cyclic@2x3`; their product is at most the number of processes. The default grid is nearly square. The \
        coordinates are those that the written elements follow. All processes need the same value. The results do not \
        depend on it.",
};
const REGION_STEPS: Knob = Knob {
    name: "region_steps",
    variable: "DVM_REGION_STEPS",
    kind: ValueKind::Number { least: 1, most: 1 << 40 },
    unit: "steps",
    default: "8",
    documentation: "How far a process runs ahead in a region with `across`: no tile starts more than so many steps above \
        the least unfinished step of a process that it sends to. A step is a tile along the first coordinate along which \
        tiles wait. What has come and is not yet used takes no more memory than the messages of so many steps. \
        `buffers(...)` says it for a region. The results do not depend on it.",
};
const FORECAST: Knob = Knob {
    name: "forecast",
    variable: "DVM_FORECAST",
    kind: ValueKind::Text,
    unit: "",
    default: "nothing is foretold",
    documentation: "Says what regions with the clause `across` would take on several processes, in a process that is alone. \
        `64`: on 64 processes of one worker. Each region runs here tile by tile, with the tiles that it would have there, \
        and each tile is timed; then a simulation of the processes tells on stderr the time, where it goes, and the bytes \
        between tiles. After commas: `latency=2`, microseconds, and `bandwidth=10`, GB/s, are those of each process's link. \
        With `clock=cpu` a tile takes \
        the time of the processor, for machines that are busy with other work. `write=FILE` keeps the times by kind of tile. `read=FILE` takes them from there, and `tile=1000` takes so many \
        nanoseconds for each tile: then no tile runs, and the program ends after its first region. What enters the region \
        and what is left behind is not counted. docs/scaling.md has an example.",
};
const TRACE: Knob = Knob {
    name: "trace",
    variable: "DVM_TRACE",
    kind: ValueKind::Path,
    unit: "file",
    default: "no trace",
    documentation: "Writes a timeline of the run to this file: tasks, tiles, steals, sleeps, publications and copies \
        of data of each worker, arrows from tasks to the readers of their data, the number of busy workers and the memory \
        over time, in the Chrome trace format, for Perfetto or chrome://tracing. The file is opened at init, so that a path that cannot be written fails at once. It is written at finalize; also when the program \
        exits without finalize, when SIGTERM, SIGINT or SIGHUP ends it (unless it handles them itself), and after each \
        report of the watchdog. In a job of several processes, process 0 writes the events of all processes to its \
        file at finalize, with arrows for tasks that are sent and bytes that are fetched; where only one process \
        writes, process 1 appends .1 to the path, and so on.",
};
const TRACE_EVENTS: Knob = Knob {
    name: "trace_events",
    variable: "DVM_TRACE_EVENTS",
    kind: ValueKind::Number { least: 1, most: 100_000_000 },
    unit: "events per worker",
    default: "200000",
    documentation: "How many events a trace keeps for each worker, 64 bytes each; each argument of a task counts as one. \
        If there are more, it drops the earliest, and says how many.",
};
const SUMMARY: Knob = Knob {
    name: "summary",
    variable: "DVM_SUMMARY",
    kind: ValueKind::Flag,
    unit: "",
    default: "0",
    documentation: "Prints a table on stderr at finalize: time per processing and graph; tasks, tiles, busy, idle and \
        sleeping time and steals of each worker; the bytes published and copied; the peak memory of the process. In a \
        job of several processes, process 0 prints one table of all of them, also with the messages and bytes of each \
        pair, fetches, copies that were used again or evicted, and waits for other processes.",
};
const PROFILE: Knob = Knob {
    name: "profile",
    variable: "DVM_PROFILE",
    kind: ValueKind::Path,
    unit: "file",
    default: "no report",
    documentation: "Writes a report of the run to this file, whose name ends in .html or .json; docs/report.md says how to \
        read it. The HTML file needs no network: the timeline of each worker with arrows from tasks to readers of their \
        data, how busy the workers were and the memory over time, tiles in their space, tables, the critical path, and \
        what to try. JSON has the same data. The file is opened and written when that of DVM_TRACE would be, and keeps \
        DVM_TRACE_EVENTS events for each worker; each argument of a task counts as an event. In a job of several \
        processes, process 0 writes one file of all; where only one process writes, the file of process 1 ends in \
        .1.html or .1.json, and so on.",
};
const DOT: Knob = Knob {
    name: "dot",
    variable: "DVM_DOT",
    kind: ValueKind::Path,
    unit: "file",
    default: "no drawing",
    documentation: "Writes the graph of all tasks to this file, in Graphviz's dot language: a node for each task and \
        for each tile of a parameterised graph, an edge for each datum that one task reads from another and for each \
        order between tiles. The file is opened at init, and written when that of DVM_TRACE would be: at finalize, at an \
        exit without it, at one of those signals, and after each report of the watchdog. In a job of several \
        processes, each draws the tasks that it schedules for its own workers; process 1 appends .1 to the path, and so on.",
};
const DOT_NODES: Knob = Knob {
    name: "dot_nodes",
    variable: "DVM_DOT_NODES",
    kind: ValueKind::Number { least: 1, most: 10_000_000 },
    unit: "nodes",
    default: "5000",
    documentation: "How many nodes DVM_DOT draws. Later tasks and tiles are only counted, and a node gives their \
        number: layout programs need minutes for a few thousand nodes.",
};
const WATCHDOG: Knob = Knob {
    name: "watchdog",
    variable: "DVM_WATCHDOG",
    kind: ValueKind::Number { least: 0, most: 1_000_000 },
    unit: "seconds",
    default: "0",
    documentation: "If no task and no tile ends for this long while some are outstanding, or while a thread sleeps in \
        dvm_data_get, libdvm prints on stderr what waits for what, as dvm_explain does, and again after each further \
        period. 0: no watchdog. The report also names a task that runs longer than this; the watchdog never ends \
        anything.",
};
const EXPLAIN_SIGNAL: Knob = Knob {
    name: "explain_signal",
    variable: "DVM_EXPLAIN_SIGNAL",
    kind: ValueKind::Signal,
    unit: "signal",
    default: "no signal",
    documentation: "On this signal the process prints on stderr what waits for what, as dvm_explain does, and goes on. \
        Init fails if the program already handles the signal; a handler that the program sets later replaces \
        libdvm's.",
};
const VERBOSE: Knob = Knob {
    name: "verbose",
    variable: "DVM_VERBOSE",
    kind: ValueKind::Flag,
    unit: "",
    default: "0",
    documentation: "Whether libdvm prints notes on stderr: the machine found, why a region ran sequentially, and the \
        like. Without it, the library prints nothing.",
};
const CHECK: Knob = Knob {
    name: "check",
    variable: "DVM_CHECK",
    kind: ValueKind::Flag,
    unit: "",
    default: "0",
    documentation: "Whether each region of generated code is checked: it runs as tiles, then what it wrote is put \
        back and the original loops run; where the two differ, a message on stderr names the array, the \
        subscripts, both values, and the file and line of the region. What the loops computed is kept. A \
        loop of a region with `independent` runs backwards, an iteration at a time, so that a false \
        assertion shows. Slow; not for production.",
};

const SEED: Knob = Knob {
    name: "seed",
    variable: "DVM_SEED",
    kind: ValueKind::Number { least: 0, most: u64::MAX },
    unit: "",
    default: "the order of readiness",
    documentation: "For debugging: each worker takes its ready tasks in an order drawn from this number, instead of \
        the order in which they became ready. A correct program tolerates any such order, unless it relies on the \
        order of its tasks on one PU. With one worker (`DVM_WORKERS=1`), the same number gives the same order each \
        time: tasks then run only while a thread of the program waits, in dvm_wait, dvm_finalize, dvm_graph_run or for \
        a datum in dvm_data_get; a program with one scheduling thread repeats exactly. If a program waits in some \
        other way, tasks run after one second, and their order does not repeat. Slow; not for production.",
};

const PROCESS: Knob = Knob {
    name: "process",
    variable: "DVM_PROCESS",
    kind: ValueKind::Number { least: 0, most: MAX_PROCESSES - 1 },
    unit: "",
    default: "a process of its own",
    documentation: "The index of this process among those that dvmrun started together. Set by dvmrun, not by users; a \
        program may read it.",
};
const PROCESSES: Knob = Knob {
    name: "processes",
    variable: "DVM_PROCESSES",
    kind: ValueKind::Number { least: 1, most: MAX_PROCESSES },
    unit: "processes",
    default: "a process of its own",
    documentation: "The number of processes that dvmrun started together. Set by dvmrun, not by users; a program may \
        read it. With more than one, dvm_init joins the others.",
};
const JOB: Knob = Knob {
    name: "job",
    variable: "DVM_JOB",
    kind: ValueKind::Text,
    unit: "",
    default: "a process of its own",
    documentation: "How the process reaches the others that dvmrun started with it: the number of an inherited socket, \
        and the job's identity. Set by dvmrun, not by users. The first program of the process that joins the job takes \
        what the socket holds; a later one is refused.",
};
const PULL: Knob = Knob {
    name: "pull",
    variable: "DVM_PULL",
    kind: ValueKind::Choice(&["heap", "vm", "ring"]),
    unit: "",
    default: "heap",
    documentation: "How a process reads the larger data of another one on the same host. With `heap` data of more than \
        64 KiB that libdvm allocates lie in memory files, and tasks of other processes read them where they lie. All other \
        larger data are copied: with `heap` and `vm` by the system call process_vm_readv, which some containers forbid; \
        with `ring`, and wherever that does not work, by messages.",
};

const CACHE: Knob = Knob {
    name: "cache",
    variable: "DVM_CACHE",
    kind: ValueKind::Number { least: 0, most: 1 << 40 },
    unit: "MiB",
    default: "a quarter of the memory, divided by the processes of the host",
    documentation: "How much memory the copies of other processes' data may take. Copies that no task uses go first, \
        those unused for longest; tasks that need more than the limit run one after the other. Data of at most \
        DVM_EAGER bytes are not kept: they come along with each task.",
};
const EAGER: Knob = Knob {
    name: "eager",
    variable: "DVM_EAGER",
    kind: ValueKind::Number { least: 0, most: 16384 },
    unit: "bytes",
    default: "4096",
    documentation: "Data of up to this size go to another process together with the task that reads them, and with the \
        message that they exist; the process asks for larger ones.",
};
const PEER_TIMEOUT: Knob = Knob {
    name: "peer_timeout",
    variable: "DVM_PEER_TIMEOUT",
    kind: ValueKind::Number { least: 1, most: 1 << 20 },
    unit: "seconds",
    default: "5",
    documentation: "How long another process of the same host may be silent before it counts as lost: one that is \
        stopped, or gets no CPU. A process whose tasks compute is not silent. A process that ends is lost at once. \
        Process 0 judges, and the others judge process 0.",
};
const TRANSPORT: Knob = Knob {
    name: "transport",
    variable: "DVM_TRANSPORT",
    kind: ValueKind::Choice(&["auto", "none", "embedded", "mpi"]),
    unit: "",
    default: "auto",
    documentation: "How the process reaches the others of its job. `auto`: as dvmrun has prepared it; else by MPI, if the \
        program has initialised one, or a launcher such as mpirun has started several processes; else it is alone. \
        `none`: it is alone, whatever has started it. `embedded`: dvmrun must have started it. `mpi`: by MPI, also for \
        one process. `dvm-info --transports` says what is chosen, and why.",
};
const PLUGIN_DIR: Knob = Knob {
    name: "plugin_dir",
    variable: "DVM_PLUGIN_DIR",
    kind: ValueKind::Path,
    unit: "folder",
    default: "that of libdvm.so",
    documentation: "The folder of the plugins for MPI: `libdvm_mpi_openmpi.so`, `libdvm_mpi_mpich.so` and \
        `libdvm_mpi_abi.so`.",
};
const RINGS: Knob = Knob {
    name: "rings",
    variable: "DVM_RINGS",
    kind: ValueKind::Flag,
    unit: "",
    default: "1",
    documentation: "Whether processes that an MPI has started reach those of their own host by shared memory. 0: by MPI, \
        as those of other hosts: slower, for tests.",
};

const SHIP_CODE: Knob = Knob {
    name: "ship_code",
    variable: "DVM_SHIP_CODE",
    kind: ValueKind::Flag,
    unit: "",
    default: "0",
    documentation: "Whether shared objects are sent to processes of the job that have not loaded them, and loaded there: \
        1 must be set where the object is and where it goes to. An object goes to each host once, in pieces of 256 KiB; its \
        SHA-256, machine and build-id are checked before anything of it is loaded. Programs are not sent.",
};
const CODE_DIR: Knob = Knob {
    name: "code_dir",
    variable: "DVM_CODE_DIR",
    kind: ValueKind::Path,
    unit: "folder",
    default: "sealed memory files",
    documentation: "A folder for the shared objects that DVM_SHIP_CODE=1 brings: each is loaded from a file of its own name \
        in `<build-id>/`, where debuggers find it. Nobody else may be able to write there.",
};
const RECOVER: Knob = Knob {
    name: "recover",
    variable: "DVM_RECOVER",
    kind: ValueKind::Flag,
    unit: "",
    default: "0",
    documentation: "1, in all processes: tasks of a process that is lost run again in the others, if they only read their \
        inputs and write their outputs. docs/several-processes.md says which programs survive what. Where process 0 alone \
        runs main, it runs a region again by itself that was lost with a process that served it. Outputs are copied to \
        their homes at once, and no output of a task of another process takes over the memory of an input.",
};

/// All knobs, in the order of docs/environment.md.
const KNOBS: &[&Knob] = &[
    &WORKERS,
    &SYNTHETIC,
    &BIND,
    &SPIN,
    &STACK,
    &WINDOW,
    &TILE,
    &MODEL,
    &TUNE,
    &TUNE_FILE,
    &ACROSS,
    &KEEP,
    &PLACE,
    &REGION_STEPS,
    &FORECAST,
    &TRACE,
    &TRACE_EVENTS,
    &SUMMARY,
    &PROFILE,
    &DOT,
    &DOT_NODES,
    &WATCHDOG,
    &EXPLAIN_SIGNAL,
    &VERBOSE,
    &CHECK,
    &SEED,
    &PROCESS,
    &PROCESSES,
    &JOB,
    &PULL,
    &CACHE,
    &EAGER,
    &PEER_TIMEOUT,
    &TRANSPORT,
    &PLUGIN_DIR,
    &RINGS,
    &SHIP_CODE,
    &CODE_DIR,
    &RECOVER,
];

#[allow(clippy::struct_excessive_bools, reason = "independent switches of the environment")]
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Config {
    workers: Option<usize>,
    synthetic: Option<String>,
    bind: bool,
    spin: Duration,
    stack: Option<usize>,
    window: u64,
    tile: TileSizes,
    model: Option<PathBuf>,
    tune: bool,
    tune_file: Option<PathBuf>,
    across: bool,
    across_always: bool,
    keep: bool,
    place: Option<String>,
    region_steps: u64,
    forecast: Option<String>,
    trace: Option<PathBuf>,
    trace_events: usize,
    summary: bool,
    profile: Option<PathBuf>,
    dot: Option<PathBuf>,
    dot_nodes: usize,
    watchdog: Option<Duration>,
    explain_signal: Option<i32>,
    verbose: bool,
    seed: Option<u64>,
    process: Option<usize>,
    processes: Option<usize>,
    job: Option<String>,
    pull: String,
    cache: Option<u64>,
    eager: usize,
    peer_timeout: Duration,
    transport: String,
    plugin_dir: Option<PathBuf>,
    rings: bool,
    ship_code: bool,
    code_dir: Option<PathBuf>,
    recover: bool,
}

impl Config {
    /// Reads the process's environment.
    ///
    /// # Errors
    /// `DVM_ERR_ARGUMENT` if the value of a variable is not allowed.
    pub fn load() -> Result<Config, Error> {
        Config::read(|variable| env::var_os(variable))
    }

    /// Reads an environment given as a function from variable to value.
    pub fn read(environment: impl Fn(&str) -> Option<OsString>) -> Result<Config, Error> {
        let get = |knob: &Knob| environment(knob.variable).filter(|value| !value.is_empty());
        // Generated code reads it, too.
        flag(&CHECK, get(&CHECK))?;
        Ok(Config {
            workers: get(&WORKERS).map(|value| number(&WORKERS, &value)).transpose()?.map(|n| n as usize),
            synthetic: get(&SYNTHETIC).map(|value| text(&SYNTHETIC, &value).map(str::to_owned)).transpose()?,
            bind: flag(&BIND, get(&BIND))?,
            spin: Duration::from_micros(number(&SPIN, &or_default(&SPIN, get(&SPIN)))?),
            stack: get(&STACK)
                .map(|value| number(&STACK, &value))
                .transpose()?
                .map(|n| (n as usize).saturating_mul(1024)),
            window: number(&WINDOW, &or_default(&WINDOW, get(&WINDOW)))?,
            tile: get(&TILE).map(|value| sizes(&TILE, &value)).transpose()?.unwrap_or_default(),
            model: get(&MODEL).map(PathBuf::from),
            tune: flag(&TUNE, get(&TUNE))?,
            tune_file: get(&TUNE_FILE).map(PathBuf::from),
            across: flag(&ACROSS, get(&ACROSS))?,
            across_always: get(&ACROSS).is_some() && flag(&ACROSS, get(&ACROSS))?,
            keep: flag(&KEEP, get(&KEEP))?,
            place: get(&PLACE).map(|value| text(&PLACE, &value).map(str::to_owned)).transpose()?,
            region_steps: number(&REGION_STEPS, &or_default(&REGION_STEPS, get(&REGION_STEPS)))?,
            forecast: get(&FORECAST).map(|value| text(&FORECAST, &value).map(str::to_owned)).transpose()?,
            trace: get(&TRACE).map(PathBuf::from),
            trace_events: number(&TRACE_EVENTS, &or_default(&TRACE_EVENTS, get(&TRACE_EVENTS)))? as usize,
            summary: flag(&SUMMARY, get(&SUMMARY))?,
            profile: get(&PROFILE).map(PathBuf::from),
            dot: get(&DOT).map(PathBuf::from),
            dot_nodes: number(&DOT_NODES, &or_default(&DOT_NODES, get(&DOT_NODES)))? as usize,
            watchdog: Some(Duration::from_secs(number(&WATCHDOG, &or_default(&WATCHDOG, get(&WATCHDOG)))?))
                .filter(|period| !period.is_zero()),
            explain_signal: get(&EXPLAIN_SIGNAL).map(|value| signal(&EXPLAIN_SIGNAL, &value)).transpose()?,
            verbose: flag(&VERBOSE, get(&VERBOSE))?,
            process: get(&PROCESS).map(|value| number(&PROCESS, &value)).transpose()?.map(|n| n as usize),
            processes: get(&PROCESSES).map(|value| number(&PROCESSES, &value)).transpose()?.map(|n| n as usize),
            job: get(&JOB).map(|value| text(&JOB, &value).map(str::to_owned)).transpose()?,
            pull: choice(&PULL, &or_default(&PULL, get(&PULL)))?.to_owned(),
            cache: get(&CACHE).map(|value| number(&CACHE, &value)).transpose()?.map(|mebibytes| mebibytes << 20),
            peer_timeout: Duration::from_secs(number(&PEER_TIMEOUT, &or_default(&PEER_TIMEOUT, get(&PEER_TIMEOUT)))?),
            eager: number(&EAGER, &or_default(&EAGER, get(&EAGER)))? as usize,
            transport: choice(&TRANSPORT, &or_default(&TRANSPORT, get(&TRANSPORT)))?.to_owned(),
            plugin_dir: get(&PLUGIN_DIR).map(PathBuf::from),
            rings: flag(&RINGS, get(&RINGS))?,
            ship_code: flag(&SHIP_CODE, get(&SHIP_CODE))?,
            code_dir: get(&CODE_DIR).map(PathBuf::from),
            recover: flag(&RECOVER, get(&RECOVER))?,
            seed: get(&SEED).map(|value| number(&SEED, &value)).transpose()?,
        })
    }

    pub fn workers(&self) -> Option<usize> {
        self.workers
    }

    pub fn synthetic(&self) -> Option<&str> {
        self.synthetic.as_deref()
    }

    pub fn bind(&self) -> bool {
        self.bind
    }

    pub fn spin(&self) -> Duration {
        self.spin
    }

    /// The requested stack of a worker, in bytes.
    pub fn stack(&self) -> Option<usize> {
        self.stack
    }

    /// Scheduled, unfinished tasks at which the scheduling thread waits; 0 for no limit.
    pub fn window(&self) -> u64 {
        self.window
    }

    pub fn tile(&self) -> &TileSizes {
        &self.tile
    }

    /// The file of the machine's speed; `None`: what hwloc tells.
    pub fn model(&self) -> Option<&std::path::Path> {
        self.model.as_deref()
    }

    /// Whether regions learn how to run.
    pub fn tune(&self) -> bool {
        self.tune
    }

    /// Whether regions may run on several processes.
    pub fn across(&self) -> bool {
        self.across
    }

    /// Whether those without the clause `across` run so, too, even where that does not pay.
    pub fn across_always(&self) -> bool {
        self.across_always
    }

    /// Whether their arrays stay on the processes within a loop of regions.
    pub fn keep(&self) -> bool {
        self.keep
    }

    /// How their tiles are dealt out, if the environment says so.
    pub fn place(&self) -> Option<&str> {
        self.place.as_deref()
    }

    /// How many steps tiles run ahead of the processes that they send to.
    pub fn region_steps(&self) -> u64 {
        self.region_steps
    }

    /// What is to be foretold of regions on several processes.
    pub fn forecast(&self) -> Option<&str> {
        self.forecast.as_deref()
    }

    /// The file of what regions have learnt; `None`: nothing is kept.
    pub fn tune_file(&self) -> Option<&std::path::Path> {
        self.tune_file.as_deref()
    }

    /// The file of the timeline; `None`: no timeline.
    pub fn trace(&self) -> Option<&PathBuf> {
        self.trace.as_ref()
    }

    pub fn trace_events(&self) -> usize {
        self.trace_events
    }

    /// This process's index in its job, from the launcher.
    #[cfg(not(loom))]
    pub fn process(&self) -> Option<usize> {
        self.process
    }

    /// The number of processes of the job.
    pub fn processes(&self) -> Option<usize> {
        self.processes
    }

    /// How the process joins its job.
    #[cfg(not(loom))]
    pub fn job(&self) -> Option<&str> {
        self.job.as_deref()
    }

    /// How the data of other processes are read: a word of the table.
    #[cfg(not(loom))]
    pub fn pull(&self) -> &str {
        &self.pull
    }

    /// The limit of the copies of other processes' data, in bytes.
    #[cfg(not(loom))]
    pub fn cache(&self) -> Option<u64> {
        self.cache
    }

    /// The largest data that go with a task, in bytes.
    #[cfg(not(loom))]
    pub fn eager(&self) -> usize {
        self.eager
    }

    /// How long a process may be silent.
    #[cfg(not(loom))]
    pub fn peer_timeout(&self) -> Duration {
        self.peer_timeout
    }

    /// Which transport is to be used: a word of the table.
    #[cfg(not(loom))]
    pub fn transport(&self) -> &str {
        &self.transport
    }

    /// Where the plugins for MPI are; `None`: around libdvm.
    #[cfg(not(loom))]
    pub fn plugin_dir(&self) -> Option<&std::path::Path> {
        self.plugin_dir.as_deref()
    }

    /// Whether tasks of a lost process run again.
    pub fn recover(&self) -> bool {
        self.recover
    }

    /// Whether processes of one host reach each other by rings, whoever has started them.
    #[cfg(not(loom))]
    pub fn rings(&self) -> bool {
        self.rings
    }

    /// Whether shared objects are sent, and loaded.
    #[cfg(not(loom))]
    pub fn ship_code(&self) -> bool {
        self.ship_code
    }

    /// Where shared objects that have come are put; `None`: memory files.
    #[cfg(not(loom))]
    pub fn code_dir(&self) -> Option<&std::path::Path> {
        self.code_dir.as_deref()
    }

    pub fn seed(&self) -> Option<u64> {
        self.seed
    }

    pub fn summary(&self) -> bool {
        self.summary
    }

    /// The file of the report; `None`: no report.
    pub fn profile(&self) -> Option<&PathBuf> {
        self.profile.as_ref()
    }

    /// The file of the task graph's drawing; `None`: no drawing.
    pub fn dot(&self) -> Option<&PathBuf> {
        self.dot.as_ref()
    }

    pub fn dot_nodes(&self) -> usize {
        self.dot_nodes
    }

    /// Time without the end of a task after which the watchdog reports; `None`: no watchdog.
    pub fn watchdog(&self) -> Option<Duration> {
        self.watchdog
    }

    pub fn explain_signal(&self) -> Option<i32> {
        self.explain_signal
    }

    /// Whether notes are printed on stderr.
    pub fn verbose(&self) -> bool {
        self.verbose
    }

    /// Prints on stderr what the user has to know.
    pub fn warn(text: &str) {
        print(text);
    }

    /// Prints a note on stderr with `DVM_VERBOSE=1`; otherwise does not call `text`.
    pub fn note(&self, text: impl FnOnce() -> String) {
        if self.verbose {
            print(&text());
        }
    }
}

/// In one piece: other processes of the job print, too.
fn print(text: &str) {
    let _ = std::io::stderr().lock().write_all(format!("libdvm: {text}\n").as_bytes());
}

pub(crate) mod option_report;
pub(crate) mod spelling;
mod values;

#[cfg(test)]
mod tests;
