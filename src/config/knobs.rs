//! The environment variables: their names, values and texts.

use super::values::{Knob, ValueKind};

/// Maximum number of workers of one process: limits what a mistyped number can cost.
pub(crate) const MAX_WORKERS: usize = 4096;

/// Maximum number of processes of a job.
const MAX_PROCESSES: u64 = 1 << 20;

pub(super) const WORKERS: Knob = Knob {
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
pub(super) const SYNTHETIC: Knob = Knob {
    name: "synthetic",
    variable: "DVM_SYNTHETIC",
    kind: ValueKind::Text,
    unit: "hwloc's synthetic syntax",
    default: "the real machine",
    documentation: "Runs on an imagined machine: `pack:4 core:4 pu:2` has 32 workers on 4 packages of 4 cores of 2 \
        PUs. The workers are real threads, not bound; neither the cpuset nor the CPU quota limits their number. At \
        most 4096 PUs.",
};
pub(super) const BIND: Knob = Knob {
    name: "bind",
    variable: "DVM_BIND",
    kind: ValueKind::Flag,
    unit: "",
    default: "1",
    documentation: "Whether each worker is bound to its PU. 0 leaves the placement to the system: for a machine whose \
        PUs are shared with other busy programs, or for containers with a CPU quota but no cpuset, which would all \
        bind to the same first PUs.",
};
pub(super) const SPIN: Knob = Knob {
    name: "spin",
    variable: "DVM_SPIN",
    kind: ValueKind::Number { least: 0, most: 1_000_000 },
    unit: "microseconds",
    default: "20",
    documentation: "How long an idle worker looks for work before it sleeps. 0 sleeps at once. With more workers than \
        CPUs, an idle worker lets other threads run after each look, and looks longer, in proportion to the number of \
        workers per CPU.",
};
pub(super) const STACK: Knob = Knob {
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
pub(super) const WINDOW: Knob = Knob {
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
pub(super) const TILE: Knob = Knob {
    name: "tile",
    variable: "DVM_TILE",
    kind: ValueKind::Sizes,
    unit: "iterations",
    default: "from the caches",
    documentation: "The tile sizes of generated code, one for each tile coordinate, outermost first: `32,64` or \
        `32x64`. A single number holds for all coordinates. Coordinates beyond the list, and all of them by default, \
        get their size from a model of the caches. A size that the source fixes (`tile(...)`) does not change.",
};
pub(super) const MODEL: Knob = Knob {
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
pub(super) const TUNE: Knob = Knob {
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
pub(super) const TUNE_FILE: Knob = Knob {
    name: "tune_file",
    variable: "DVM_TUNE_FILE",
    kind: ValueKind::Path,
    unit: "",
    default: "nothing is kept",
    documentation: "A file that keeps what DVM_TUNE=1 has learnt, for later runs of the program on the same machine. It \
        is read when the first region begins, and replaced whenever something has been learnt. A file that is not \
        there, or not of this version, counts as empty.",
};
pub(super) const ACROSS: Knob = Knob {
    name: "across",
    variable: "DVM_ACROSS",
    kind: ValueKind::Flag,
    unit: "",
    default: "1",
    documentation: "Whether regions with the clause `across` run on all processes of the job. 0: each process runs \
        main and the whole region itself, as it does without the clause. 1, if it is set: regions without a clause that \
        were compiled with `dvmcc --across` run on all, too, even where that does not pay. All processes need the same value.",
};
pub(super) const KEEP: Knob = Knob {
    name: "keep",
    variable: "DVM_KEEP",
    kind: ValueKind::Flag,
    unit: "",
    default: "1",
    documentation: "Whether arrays of regions on several processes stay there from one region to the next in a loop in which \
        nothing but regions uses them, and come back when it has ended. 0: they come back after each region. The clause \
        `keep` is not affected.",
};
pub(super) const PLACE: Knob = Knob {
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
pub(super) const REGION_STEPS: Knob = Knob {
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
pub(super) const FORECAST: Knob = Knob {
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
pub(super) const TRACE: Knob = Knob {
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
        writes, or where processes of one launcher are in no job, process 1 appends .1 to the path, and so on.",
};
pub(super) const TRACE_EVENTS: Knob = Knob {
    name: "trace_events",
    variable: "DVM_TRACE_EVENTS",
    kind: ValueKind::Number { least: 1, most: 100_000_000 },
    unit: "events per worker",
    default: "200000",
    documentation: "How many events a trace keeps for each worker, 64 bytes each; each argument of a task counts as one. \
        If there are more, it drops the earliest, and says how many.",
};
pub(super) const SUMMARY: Knob = Knob {
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
pub(super) const PROFILE: Knob = Knob {
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
        .1.html or .1.json, and so on. So do processes that one launcher has started and that are in no job, such as \
        those of an MPI program whose regions start libdvm.",
};
pub(super) const DOT: Knob = Knob {
    name: "dot",
    variable: "DVM_DOT",
    kind: ValueKind::Path,
    unit: "file",
    default: "no drawing",
    documentation: "Writes the graph of all tasks to this file, in Graphviz's dot language: a node for each task and \
        for each tile of a parameterised graph, an edge for each datum that one task reads from another and for each \
        order between tiles. The file is opened at init, and written when that of DVM_TRACE would be: at finalize, at an \
        exit without it, at one of those signals, and after each report of the watchdog. In a job of several \
        processes, each draws the tasks that it schedules for its own workers; process 1 appends .1 to the path, and so on; \
        also where they are in no job.",
};
pub(super) const DOT_NODES: Knob = Knob {
    name: "dot_nodes",
    variable: "DVM_DOT_NODES",
    kind: ValueKind::Number { least: 1, most: 10_000_000 },
    unit: "nodes",
    default: "5000",
    documentation: "How many nodes DVM_DOT draws. Later tasks and tiles are only counted, and a node gives their \
        number: layout programs need minutes for a few thousand nodes.",
};
pub(super) const WATCHDOG: Knob = Knob {
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
pub(super) const EXPLAIN_SIGNAL: Knob = Knob {
    name: "explain_signal",
    variable: "DVM_EXPLAIN_SIGNAL",
    kind: ValueKind::Signal,
    unit: "signal",
    default: "no signal",
    documentation: "On this signal the process prints on stderr what waits for what, as dvm_explain does, and goes on. \
        Init fails if the program already handles the signal; a handler that the program sets later replaces \
        libdvm's.",
};
pub(super) const VERBOSE: Knob = Knob {
    name: "verbose",
    variable: "DVM_VERBOSE",
    kind: ValueKind::Flag,
    unit: "",
    default: "0",
    documentation: "Whether libdvm prints notes on stderr: the machine found, why a region ran sequentially, and the \
        like. Without it, the library prints nothing.",
};
pub(super) const CHECK: Knob = Knob {
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

pub(super) const SEED: Knob = Knob {
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

pub(super) const PROCESS: Knob = Knob {
    name: "process",
    variable: "DVM_PROCESS",
    kind: ValueKind::Number { least: 0, most: MAX_PROCESSES - 1 },
    unit: "",
    default: "a process of its own",
    documentation: "The index of this process among those that dvmrun started together. Set by dvmrun, not by users; a \
        program may read it.",
};
pub(super) const PROCESSES: Knob = Knob {
    name: "processes",
    variable: "DVM_PROCESSES",
    kind: ValueKind::Number { least: 1, most: MAX_PROCESSES },
    unit: "processes",
    default: "a process of its own",
    documentation: "The number of processes that dvmrun started together. Set by dvmrun, not by users; a program may \
        read it. With more than one, dvm_init joins the others.",
};
pub(super) const JOB: Knob = Knob {
    name: "job",
    variable: "DVM_JOB",
    kind: ValueKind::Text,
    unit: "",
    default: "a process of its own",
    documentation: "How the process reaches the others that dvmrun started with it: the number of an inherited socket, \
        and the job's identity. Set by dvmrun, not by users. The first program of the process that joins the job takes \
        what the socket holds; a later one is refused.",
};
pub(super) const PULL: Knob = Knob {
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

pub(super) const CACHE: Knob = Knob {
    name: "cache",
    variable: "DVM_CACHE",
    kind: ValueKind::Number { least: 0, most: 1 << 40 },
    unit: "MiB",
    default: "a quarter of the memory, divided by the processes of the host",
    documentation: "How much memory the copies of other processes' data may take. Copies that no task uses go first, \
        those unused for longest; tasks that need more than the limit run one after the other. Data of at most \
        DVM_EAGER bytes are not kept: they come along with each task.",
};
pub(super) const EAGER: Knob = Knob {
    name: "eager",
    variable: "DVM_EAGER",
    kind: ValueKind::Number { least: 0, most: 16384 },
    unit: "bytes",
    default: "4096",
    documentation: "Data of up to this size go to another process together with the task that reads them, and with the \
        message that they exist; the process asks for larger ones.",
};
pub(super) const PEER_TIMEOUT: Knob = Knob {
    name: "peer_timeout",
    variable: "DVM_PEER_TIMEOUT",
    kind: ValueKind::Number { least: 1, most: 1 << 20 },
    unit: "seconds",
    default: "5",
    documentation: "How long another process of the same host may be silent before it counts as lost: one that is \
        stopped, or gets no CPU. A process whose tasks compute is not silent. A process that ends is lost at once. \
        Process 0 judges, and the others judge process 0.",
};
pub(super) const TRANSPORT: Knob = Knob {
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
pub(super) const PLUGIN_DIR: Knob = Knob {
    name: "plugin_dir",
    variable: "DVM_PLUGIN_DIR",
    kind: ValueKind::Path,
    unit: "folder",
    default: "that of libdvm.so",
    documentation: "The folder of the plugins for MPI: `libdvm_mpi_openmpi.so`, `libdvm_mpi_mpich.so` and \
        `libdvm_mpi_abi.so`.",
};
pub(super) const RINGS: Knob = Knob {
    name: "rings",
    variable: "DVM_RINGS",
    kind: ValueKind::Flag,
    unit: "",
    default: "1",
    documentation: "Whether processes that an MPI has started reach those of their own host by shared memory. 0: by MPI, \
        as those of other hosts: slower, for tests.",
};

pub(super) const SHIP_CODE: Knob = Knob {
    name: "ship_code",
    variable: "DVM_SHIP_CODE",
    kind: ValueKind::Flag,
    unit: "",
    default: "0",
    documentation: "Whether shared objects are sent to processes of the job that have not loaded them, and loaded there: \
        1 must be set where the object is and where it goes to. An object goes to each host once, in pieces of 256 KiB; its \
        SHA-256, machine and build-id are checked before anything of it is loaded. Programs are not sent.",
};
pub(super) const CODE_DIR: Knob = Knob {
    name: "code_dir",
    variable: "DVM_CODE_DIR",
    kind: ValueKind::Path,
    unit: "folder",
    default: "sealed memory files",
    documentation: "A folder for the shared objects that DVM_SHIP_CODE=1 brings: each is loaded from a file of its own name \
        in `<build-id>/`, where debuggers find it. Nobody else may be able to write there.",
};
pub(super) const RECOVER: Knob = Knob {
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
pub(super) const KNOBS: &[&Knob] = &[
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
