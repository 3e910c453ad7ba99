//! The program's output: word for word on imagined machines, as far as it is known on this one.

use std::path::PathBuf;
use std::process::{Command, Output, Stdio};

use serde_json::Value;

/// Runs the program with these arguments, and with only these variables of libdvm's environment.
fn run(arguments: &[&str], environment: &[(&str, &str)]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_dvm-info"));
    command.args(arguments).envs(environment.iter().copied());
    for (name, _) in std::env::vars_os() {
        let name = name.to_string_lossy().into_owned();
        let launcher = ["DVM_", "OMPI_", "PMI", "SLURM_"].iter().any(|prefix| name.starts_with(prefix));
        if launcher && !environment.iter().any(|(set, _)| *set == name) {
            command.env_remove(name);
        }
    }
    command.output().unwrap()
}

fn text(output: &Output) -> String {
    assert!(output.status.success(), "{output:?}");
    String::from_utf8(output.stdout.clone()).unwrap()
}

fn json(arguments: &[&str], environment: &[(&str, &str)]) -> Value {
    serde_json::from_str(&text(&run(&[arguments, &["--json"]].concat(), environment))).unwrap()
}

/// Imagined machines, each with the name of the file of its expected text.
const MACHINES: [(&str, &[(&str, &str)]); 4] = [
    ("laptop", &[("DVM_SYNTHETIC", "l3:1(size=8388608) l2:4(size=524288) core:1 pu:2")]),
    ("server", &[("DVM_SYNTHETIC", "pack:2 [numa(memory=34359738368)] l3:2(size=16777216) core:3 pu:1")]),
    ("wide", &[("DVM_SYNTHETIC", "numa:4(memory=8589934592) core:16 pu:1")]),
    ("part", &[("DVM_SYNTHETIC", "pack:2 core:2 pu:2"), ("DVM_WORKERS", "5")]),
];

#[test]
fn imagined_machines_are_told_word_for_word() {
    for (name, environment) in MACHINES {
        let shown = text(&run(&["--machine"], environment));
        // Whether there are more workers than CPUs depends on this machine.
        let lines: Vec<&str> = shown.lines().filter(|line| !line.starts_with("There are more workers")).collect();
        let shown = lines.join("\n") + "\n";
        let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(format!("tests/machines/{name}.txt"));
        testkit::expect(path, &shown);
    }
}

#[test]
fn text_and_json_tell_the_same_machine() {
    for (_, environment) in MACHINES {
        let machine = &json(&[], environment)["machine"];
        let shown = text(&run(&["--machine"], environment));
        let ranks = machine["ranks"].as_array().unwrap();
        assert_eq!(machine["workers"].as_u64().unwrap() as usize, ranks.len());
        for (worker, rank) in ranks.iter().enumerate() {
            let rank: Vec<String> = rank.as_array().unwrap().iter().map(Value::to_string).collect();
            assert!(shown.contains(&format!("worker {worker}, rank {}", rank.join(" "))), "{worker} {rank:?}: {shown}");
        }
        let distances = machine["distances"].as_array().unwrap();
        for (a, row) in distances.iter().enumerate() {
            for (b, distance) in row.as_array().unwrap().iter().enumerate() {
                assert_eq!(distance, &distances[b][a]);
                assert_eq!(distance == 0, a == b);
            }
        }
    }
}

#[test]
fn this_machine_has_its_cpus_as_leaves() {
    let machine = &json(&[], &[])["machine"];
    assert_eq!(machine["real"], true);
    let mut workers = Vec::new();
    let mut open = vec![&machine["tree"]];
    while let Some(object) = open.pop() {
        let below = object["below"].as_array().unwrap();
        assert_eq!(object["cpu"].is_null(), !below.is_empty(), "{object}");
        workers.extend(object["workers"].as_array().unwrap().iter().map(|worker| worker.as_u64().unwrap()));
        open.extend(below);
    }
    workers.sort_unstable();
    assert_eq!(workers, (0..machine["workers"].as_u64().unwrap()).collect::<Vec<_>>());
}

#[test]
fn every_part_is_there_without_arguments() {
    let shown = text(&run(&[], &[]));
    for part in [
        concat!("libdvm ", env!("CARGO_PKG_VERSION")),
        "rustc 1.",
        "release",
        "hwloc",
        "Machine:",
        "Distances",
        "cpuset",
        "quota",
        "DVM_SPIN",
    ] {
        let release_only = part == "release" && cfg!(debug_assertions);
        assert!(release_only || shown.contains(part), "{part}: {shown}");
    }
}

#[test]
fn options_have_their_value_and_its_origin() {
    let environment = [("DVM_SPIN", "7"), ("DVM_TILE", "")];
    let options = json(&["--options"], &environment)["options"].as_array().unwrap().clone();
    let shown = text(&run(&["--options"], &environment));
    assert_eq!(options.len(), dvm::report::options().len());
    for option in &options {
        let name = option["variable"].as_str().unwrap();
        let (value, origin) =
            if name == "DVM_SPIN" { ("7", "environment") } else { (option["default"].as_str().unwrap(), "default") };
        assert_eq!((option["value"].as_str(), option["origin"].as_str()), (Some(value), Some(origin)), "{name}");
        assert!(shown.contains(&format!("{name:<19} {value} [{origin}]\n")), "{name}: {shown}");
        let words = option["documentation"].as_str().unwrap().split_whitespace();
        let unbroken = shown.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(unbroken.contains(&words.collect::<Vec<_>>().join(" ")), "{name}");
    }
}

#[test]
fn exit_codes_tell_success_refused_values_and_wrong_command_lines() {
    let code = |arguments: &[&str], environment: &[(&str, &str)]| run(arguments, environment).status.code();
    for arguments in
        [&[][..], &["--options"], &["--machine"], &["--transports"], &["--json"], &["--help"], &["--version"]]
    {
        assert_eq!(code(arguments, &[]), Some(0), "{arguments:?}");
    }
    assert_eq!(code(&["--what"], &[]), Some(2));
    assert_eq!(code(&["--machine", "--options"], &[]), Some(2));
    let refused = run(&[], &[("DVM_SPIN", "soon")]);
    assert_eq!(refused.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&refused.stderr).contains("DVM_SPIN"), "{refused:?}");
    assert!(String::from_utf8_lossy(&refused.stdout).contains("soon [environment; not allowed]"), "{refused:?}");
    let refused = run(&["--machine"], &[("DVM_SYNTHETIC", "nonsense")]);
    assert_eq!(refused.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&refused.stdout).contains("cannot be read"), "{refused:?}");
}

#[test]
fn a_reader_that_stops_early_is_no_failure() {
    let mut program = Command::new(env!("CARGO_BIN_EXE_dvm-info"))
        .arg("--json")
        .env("DVM_SYNTHETIC", "pu:500")
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    drop(program.stdout.take());
    assert!(program.wait().unwrap().success());
}

#[test]
fn an_output_that_cannot_be_written_is_told() {
    let full = std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
    let output = Command::new(env!("CARGO_BIN_EXE_dvm-info")).stdout(full).output().unwrap();
    assert_eq!(output.status.code(), Some(3), "{output:?}");
}

#[test]
fn transports_are_told_with_what_is_chosen_and_why() {
    let scratch = testkit::scratch(&[("libdvm_mpi_mpich.so", "")]);
    let folder = scratch.to_str().unwrap();
    let alone = text(&run(&["--transports"], &[("DVM_PLUGIN_DIR", folder), ("DVM_TRANSPORT", "none")]));
    assert!(alone.starts_with("Transport: none, one process: DVM_TRANSPORT is none\n"), "{alone}");
    assert!(alone.contains("libdvm_mpi_openmpi.so  for Open MPI: not there\n"), "{alone}");
    assert!(alone.contains(&format!(": {folder}/libdvm_mpi_mpich.so\n")), "{alone}");
    let started = [("DVM_PLUGIN_DIR", folder), ("PMI_SIZE", "2")];
    let told = json(&["--transports"], &started);
    let chosen = told["transports"]["chosen"].as_str().unwrap();
    assert!(chosen.contains("libdvm_mpi_mpich.so") && chosen.contains("PMI_SIZE"), "{chosen}");
    assert!(told["options"].is_null());
    let refused = run(&["--transports"], &[("DVM_PLUGIN_DIR", folder), ("OMPI_COMM_WORLD_SIZE", "2")]);
    assert_eq!(refused.status.code(), Some(1));
    assert!(
        String::from_utf8_lossy(&refused.stderr).contains("there is no plugin libdvm_mpi_openmpi.so"),
        "{refused:?}"
    );
}

/// The text of `dvm-info --model`, on an imagined machine of few workers: on this one the test would disturb others.
fn measured() -> String {
    let environment = [("DVM_SYNTHETIC", "l3:1(size=4194304) l2:2(size=262144) l1d:1(size=32768) core:1 pu:1")];
    text(&run(&["--model"], &environment))
}

#[test]
fn the_model_is_measured_and_read_back() {
    let model = measured();
    for key in ["[caches.l1d]", "bytes = 32768", "[caches.l2]", "[caches.l3]", "sharers = 2", "[memory]", "[peak]"] {
        assert!(model.contains(key), "{key}: {model}");
    }
    assert_eq!(model.matches("\nbandwidth = ").count(), 4, "{model}");
    let folder = testkit::scratch(&[("model.toml", &model)]);
    let file = folder.join("model.toml");
    let environment = [("DVM_MODEL", file.to_str().unwrap())];
    text(&run(&["--machine"], &environment));
    // What a model says of the caches holds for what is measured with it.
    let sizes = model.replace("bytes = 32768", "bytes = 16384");
    folder.write("model.toml", sizes);
    assert!(text(&run(&["--model"], &environment)).contains("bytes = 16384"));
}

#[test]
fn a_model_that_is_wrong_is_told_with_its_line() {
    let folder = testkit::scratch(&[]);
    let file = folder.join("model.toml");
    let path = file.to_str().unwrap();
    for (text, line) in [("version = 1\n[memory]\nspeed = 1\n", "line 3"), ("[caches.l1d]\nbytes = 0\n", "line 2")] {
        folder.write("model.toml", text);
        let output = run(&["--machine"], &[("DVM_MODEL", path)]);
        assert_eq!(output.status.code(), Some(1), "{output:?}");
        let told = String::from_utf8(output.stderr).unwrap();
        assert!(told.contains(path) && told.contains(line) && told.contains("DVM_MODEL"), "{told}");
    }
    let output = run(&["--machine"], &[("DVM_MODEL", "/nowhere/model.toml")]);
    assert!(String::from_utf8(output.stderr).unwrap().contains("cannot be read"));
}

#[test]
fn a_check_says_what_to_do() {
    let fine = text(&run(&["--check"], &[("DVM_SYNTHETIC", "core:4 pu:1"), ("DVM_WORKER", "2")]));
    for part in
        ["ok    machine         4 workers", "note  options         DVM_WORKER is set", "-> did you mean DVM_WORKERS?"]
    {
        assert!(fine.contains(part), "{part}: {fine}");
    }
    for subject in ["binding", "quota", "clang", "isl", "transport", "MPI plugin"] {
        assert!(fine.lines().any(|line| line[6..].starts_with(subject)), "{subject}: {fine}");
    }
    assert!(fine.lines().all(|line| !line.starts_with("note") || fine.contains("-> ")), "{fine}");
    let wrong = run(&["--check"], &[("DVM_WORKERS", "many"), ("DVM_CLANG", "/nonexistent/clang")]);
    let said = String::from_utf8_lossy(&wrong.stdout);
    assert_eq!(wrong.status.code(), Some(1), "{said}");
    assert!(said.contains("WRONG options") && said.contains("WRONG clang") && said.contains("DVM_WORKERS"), "{said}");
}
