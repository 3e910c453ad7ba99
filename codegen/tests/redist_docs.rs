//! The commands of docs/redistribution.md do what the page shows: each block `console` is a command and what it prints, or
//! a file that it writes. `DVM_BLESS=1` writes both anew.

use std::path::{Path, PathBuf};
use std::process::Command;

/// One block: the command, what the page shows of its output.
struct Block {
    command: String,
    shown: String,
}

fn blocks(text: &str) -> Vec<Block> {
    let parts = text.split("```console\n$ ").skip(1);
    parts
        .map(|part| {
            let body = part.split("```").next().unwrap();
            let (command, shown) = body.split_once('\n').unwrap_or((body, ""));
            Block { command: command.to_owned(), shown: shown.to_owned() }
        })
        .collect()
}

/// Runs a command of the page in the workspace's root; a file that it would write goes to `out` instead.
fn run(root: &Path, command: &str, out: &Path) -> (String, Option<PathBuf>) {
    let words: Vec<&str> = command.split_whitespace().collect();
    assert_eq!(words[0], "dvm-codegen", "a command of another program");
    let mut arguments: Vec<String> = words[1..].iter().map(|&w| w.to_owned()).collect();
    let mut file = None;
    if let Some(k) = words[1..].iter().position(|&w| w == "--out") {
        file = Some(root.join(&arguments[k + 1]));
        arguments[k + 1] = out.to_string_lossy().into_owned();
    }
    let output = Command::new(env!("CARGO_BIN_EXE_dvm-codegen")).args(arguments).current_dir(root).output().unwrap();
    assert!(output.status.success(), "{command}: {}", String::from_utf8_lossy(&output.stderr));
    (String::from_utf8(output.stdout).unwrap(), file)
}

#[test]
fn every_command_of_the_page_does_what_it_shows() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let page = root.join("docs/redistribution.md");
    let text = std::fs::read_to_string(&page).unwrap();
    let folder = testkit::scratch(&[]);
    let out = folder.join("drawing.svg");
    let (found, mut written) = (blocks(&text), text.clone());
    assert!(found.len() >= 8, "{} commands", found.len());
    for block in found {
        let (printed, file) = run(root, &block.command, &out);
        let old = format!("$ {}\n{}```", block.command, block.shown);
        written = written.replace(&old, &format!("$ {}\n{printed}```", block.command));
        if let Some(file) = file {
            testkit::expect(&file, &std::fs::read_to_string(&out).unwrap());
            let name = file.strip_prefix(root.join("docs")).unwrap().to_string_lossy().into_owned();
            assert!(text.contains(&format!("]({name})")), "{name} is drawn and not shown");
        }
    }
    testkit::expect(&page, &written);
}
