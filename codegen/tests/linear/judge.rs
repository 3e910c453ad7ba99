//! The judge: gcc's sanitizers on the original, and all bytes of what the tiles leave behind.

use crate::prefix;
use std::path::Path;
use std::process::Command;

const FLAGS: [&str; 3] = ["-std=gnu99", "-O1", "-w"];

/// What came of a program: its accepted regions, and the tiles that ran.
#[derive(Debug, Default)]
pub struct Seen {
    pub accepted: usize,
    pub tiles: u64,
    /// Statements whose tiles may run as blocks.
    pub blocks: usize,
}

fn printed(program: &Path, environment: &[(&str, String)]) -> Result<(String, String), String> {
    let mut command = prefix::program(program);
    let output = command.envs(environment.iter().map(|(name, value)| (*name, value))).output().expect("it runs");
    if !output.status.success() {
        return Err(format!("{environment:?}: it ends by {:?}", output.status));
    }
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    Ok((text(&output.stdout), text(&output.stderr)))
}

/// Whether gcc makes the same of the original with the flags that dvmcc gets. (gcc 12 -O1 drops some stores that
/// it makes at -O0, -O2 and -O3.)
fn gcc_alone_prints(source: &Path, found: &str) -> bool {
    let alone = source.with_file_name("alone");
    let gcc = Command::new("gcc").args(FLAGS).arg(source).arg("-o").arg(&alone).status();
    gcc.expect("gcc runs").success() && printed(&alone, &[]).is_ok_and(|(printed, _)| printed == found)
}

/// Compares what gcc and dvmcc make of a program.
pub fn judge_text(seeds: &[u64], text: &str) -> Result<Seen, String> {
    let folder = testkit::scratch(&[("case.c", text)]);
    let (source, plain, tiled) = (folder.join("case.c"), folder.join("plain"), folder.join("tiled"));
    // The original leaves no array, and computes nothing that C does not define.
    let sanitizers = ["-fsanitize=address,undefined", "-fno-sanitize-recover=all"];
    let gcc = Command::new("gcc").args(FLAGS).args(sanitizers).arg(&source).arg("-o").arg(&plain).status();
    assert!(gcc.expect("gcc runs").success(), "{seeds:?}: gcc");
    let (expected, _) = printed(&plain, &[("ASAN_OPTIONS", "detect_leaks=0".into())])?;
    let made = prefix::dvmcc().args(FLAGS).arg("--show").arg(&source).arg("-o").arg(&tiled).output();
    let made = made.expect("dvmcc runs");
    let said = String::from_utf8_lossy(&made.stderr);
    if !made.status.success() {
        return Err(format!("dvmcc: {said}"));
    }
    let shown = std::fs::read_to_string(folder.join("case.dvm.c")).unwrap_or_default();
    let mut seen = Seen { accepted: shown.matches("/* dvm: region ").count(), ..Seen::default() };
    seen.blocks = shown.matches("_block(const struct").count();
    for (tile, seed, workers) in [(1, 0, 1), (3, 5, 1), (9, 3, 2), (2, 9, 3), (100, 0, 2)] {
        let setting = |name, value: u32| (name, value.to_string());
        let environment = [
            setting("STANDIN_SIZE", tile),
            setting("STANDIN_SEED", seed),
            setting("STANDIN_WORKERS", workers),
            setting("STANDIN_TELL", 1),
        ];
        let (found, told) = printed(&tiled, &environment)?;
        seen.tiles += told.split_whitespace().last().and_then(|t| t.parse::<u64>().ok()).unwrap_or(0);
        let differing = found.lines().zip(expected.lines()).find(|(found, expected)| found != expected);
        if let Some((now, expected)) = differing {
            if gcc_alone_prints(&source, &found) {
                println!("{seeds:?}: gcc {FLAGS:?} alone differs from its sanitized program; not the tool's");
                return Ok(Seen::default());
            }
            return Err(format!("tile {tile}, seed {seed}, workers {workers}: {now}, expected {expected}"));
        }
        assert_eq!(found.lines().count(), expected.lines().count());
    }
    Ok(seen)
}
