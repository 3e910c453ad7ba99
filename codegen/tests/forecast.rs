//! What DVM_FORECAST counts is what processes send, and what brute force finds: tiles whose accesses are watched
//! (`across/trace.c`), each value of an element once for each process that reads it.

#[path = "across/built.rs"]
mod built;

use built::Built;
use std::path::{Path, PathBuf};
use std::process::Command;
use testkit::Scratch;

/// A region's bytes and messages between tiles, each time when it was entered.
type Traffic = Vec<(String, u64, u64)>;

/// How tiles are dealt out, as `DVM_PLACE` has it and as the tracer does.
struct Setting {
    processes: u32,
    tile: &'static str,
    place: &'static str,
    traced: [&'static str; 2],
}

const SETTINGS: [Setting; 4] = [
    Setting { processes: 2, tile: "4x3x5", place: "block@2", traced: ["b", "2"] },
    Setting { processes: 3, tile: "3", place: "cyclic@3", traced: ["1", "3"] },
    Setting { processes: 4, tile: "2x4x3", place: "cyclic(2),block@2x2", traced: ["2,b", "2,2"] },
    Setting { processes: 16, tile: "3x2x2", place: "cyclic,cyclic@4x4", traced: ["1,1", "4,4"] },
];

fn tests() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests")
}

fn passes(command: &mut Command) -> (String, String) {
    let output = command.output().expect("it runs");
    let [out, err] = [&output.stdout, &output.stderr].map(|text| String::from_utf8_lossy(text).into_owned());
    assert!(output.status.success(), "{command:?}: {}\n{err}", output.status);
    (out, err)
}

/// A program whose accesses are watched.
fn watched(built: &Built, name: &str) -> Scratch {
    let folder = testkit::scratch(&[]);
    let include = tests().join("../../include");
    let source = tests().join("forecasts").join(format!("{name}.c"));
    let tiled = folder.join("tiled.c");
    passes(
        Command::new(env!("CARGO_BIN_EXE_dvm-codegen")).args(["tile", "--strict"]).arg(&source).arg("-o").arg(&tiled),
    );
    let mut compile = Command::new("gcc");
    compile.current_dir(&*folder).args(["-O1", "-w", "-fsanitize=thread", "-c", "tiled.c"]);
    passes(compile.arg("-I").arg(&include).arg("-I").arg(tests().join("forecasts")));
    let mut tracer = Command::new("gcc");
    tracer.current_dir(&*folder).args(["-O2", "-std=c11", "-Wall", "-Wextra", "-Werror", "-c"]);
    passes(tracer.arg("-I").arg(&include).arg(tests().join("across/trace.c")));
    let mut link = Command::new("gcc");
    link.current_dir(&*folder).args(["tiled.o", "trace.o", "-o", "watched", "-ldvm", "-lm"]);
    passes(link.arg("-L").arg(&*built.library));
    folder
}

/// The number before a word of a line.
fn before(line: &str, word: &str) -> u64 {
    let words = line.split(word).next().unwrap_or_default().split_whitespace();
    words.last().and_then(|number| number.parse().ok()).unwrap_or_else(|| panic!("no number before `{word}`: {line}"))
}

/// What the lines with `mark` say of each region.
fn traffic(text: &str, mark: &str) -> Traffic {
    let of = |line: &str| {
        let name = line.split('\'').nth(1).unwrap_or_default().to_owned();
        (name, before(line, " bytes in "), before(line, " messages"))
    };
    text.lines().filter(|line| line.contains(mark)).map(of).collect()
}

fn forecasts(name: &str, regions: usize) {
    let built = Built::new();
    let folder = watched(&built, name);
    let command = |program: &Path, setting: &Setting| {
        let mut command = Command::new("timeout");
        command.args(["-s", "KILL", "100"]).arg(program).current_dir(&*folder);
        command.env("LD_LIBRARY_PATH", &*built.library).env("DVM_TUNE", "0").env("DVM_WORKERS", "1");
        command.env("DVM_TILE", setting.tile).env("DVM_PLACE", setting.place);
        command
    };
    for setting in &SETTINGS {
        let mut forecast = command(&folder.join("watched"), setting);
        forecast.env("DVM_FORECAST", setting.processes.to_string());
        forecast.env("TRACE_PLACE", setting.traced[0]).env("TRACE_GRID", setting.traced[1]);
        let (printed, told) = passes(&mut forecast);
        let (foretold, traced) = (traffic(&told, " would take "), traffic(&told, "traced "));
        assert_eq!(foretold.len(), regions, "{told}");
        assert_eq!(foretold, traced, "{name}, {} processes, {}", setting.processes, setting.place);
        assert!(foretold.iter().any(|(_, bytes, _)| *bytes > 0), "{told}");
        if setting.processes > 4 {
            continue;
        }
        // The processes themselves count the same, and the forecast has computed what they compute.
        let mut real = command(&built.run, setting);
        real.args(["-n", &setting.processes.to_string()]).arg("./watched").env("DVM_VERBOSE", "1");
        let (expected, told) = passes(&mut real);
        assert_eq!(printed, expected, "{name}, {} processes", setting.processes);
        let sent = traffic(&told, " has sent ");
        for (region, bytes, messages) in foretold {
            let own = || sent.iter().filter(|(name, ..)| *name == region);
            let sum = (own().map(|(_, bytes, _)| bytes).sum::<u64>(), own().map(|(.., count)| count).sum::<u64>());
            assert_eq!(sum, (bytes, messages), "{region}, {} processes, {}", setting.processes, setting.place);
        }
    }
}

#[test]
fn stencils_send_what_is_foretold_and_traced() {
    forecasts("stencils", 3);
}

#[test]
fn matrices_send_what_is_foretold_and_traced() {
    forecasts("matrices", 5);
}

#[test]
fn regions_without_tiles_and_with_few_are_told_as_such() {
    let text = "static double a[100][100];\n\
        void z(int n)\n{\n#pragma dvm region across name(z)\n\
        for (int i = 0; i < n; i++)\nfor (int j = 0; j < 100; j++)\na[i][j] += 1;\n}\n\
        int main(void) { z(0); z(1); z(100); return 0; }\n";
    let built = Built::new();
    let folder = testkit::scratch(&[("few.c", text)]);
    let mut compile = Command::new(env!("CARGO_BIN_EXE_dvmcc"));
    compile.current_dir(&*folder).args(["-O1", "few.c", "-o", "few", "-ldvm", "-I"]).arg(tests().join("../../include"));
    passes(compile.arg("-L").arg(&*built.library));
    let mut forecast = Command::new("timeout");
    forecast.args(["-s", "KILL", "100"]).arg(folder.join("few")).env("LD_LIBRARY_PATH", &*built.library);
    let (_, told) = passes(forecast.env("DVM_FORECAST", "64").env("DVM_TUNE", "0").env("DVM_TILE", "10"));
    let lines: Vec<&str> = told.lines().filter(|line| line.contains("region 'z'")).collect();
    assert!(lines.len() == 3 && lines[0].contains("has no tiles"), "{told}");
    for line in &lines[1..] {
        let part = |word: &str| {
            let words = line.split(word).next().unwrap_or_default().split_whitespace();
            words.last().and_then(|part| part.parse::<f64>().ok()).unwrap_or_else(|| panic!("{line}"))
        };
        let parts = [" goes into asking", " into copying", " into waiting"].map(part);
        assert!(parts.iter().sum::<f64>() <= 1.001, "{line}");
    }
}
