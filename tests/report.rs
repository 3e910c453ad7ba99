//! The report of a run (`DVM_PROFILE`): its data against what the program did, and its page in a browser.
#![allow(unsafe_code, reason = "calls the C interface")]
#![allow(
    clippy::undocumented_unsafe_blocks,
    reason = "all for one reason: what is passed lives until the call, or the task, has ended"
)]

#[path = "report/browser.rs"]
mod browser;
mod support;

use std::collections::BTreeSet;
use std::ffi::{CString, c_int, c_void};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use browser::Browser;
use dvm::ffi::c_functions::{dvm_graph_run, dvm_graph_sizes, dvm_graph_t};
use serde_json::{Value, json};
use support::*;
use testkit::{Random, Scratch, part, playing, scratch};

/// Says which program of random tasks runs.
const SEED: &str = "DVM_TEST_TASKS";

/// Plays the part of a test with a report to a file of this name.
fn play(test: &str, name: &str, environment: &[(&str, &str)]) -> (Scratch, PathBuf) {
    let folder = scratch(&[]);
    let path = folder.join(name);
    let mut part = part(test);
    part.env("DVM_SYNTHETIC", "pu:2").env("DVM_PROFILE", &path).envs(environment.iter().copied());
    let output = part.output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    (folder, path)
}

fn end() -> ! {
    finalize().unwrap();
    std::process::exit(0)
}

fn read(path: &Path) -> Value {
    serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap()
}

/// What each task of a random program reads: data of earlier tasks. Task `k` makes datum `k`.
fn reads(seed: u64) -> Vec<BTreeSet<usize>> {
    let mut random = Random::new(seed);
    (0..60).map(|task| (0..random.below(4)).map(|_| random.below(task + 1)).filter(|&it| it < task).collect()).collect()
}

/// Runs them; each is a processing of its own.
fn run_random_tasks(seed: u64) {
    init().unwrap();
    let tasks = reads(seed);
    let data: Vec<Id> = tasks.iter().map(|_| promise(8).unwrap()).collect();
    for (task, inputs) in tasks.iter().enumerate() {
        let modes: Vec<c_int> = inputs.iter().map(|_| IN).chain([OUT]).collect();
        let description = CString::new(format!("task {task}")).unwrap();
        let body = processing(&modes, &description, |_| 0);
        for &input in inputs {
            acquire(data[input]).unwrap();
        }
        let ids: Vec<Id> = inputs.iter().map(|&input| data[input]).chain([data[task]]).collect();
        near(body, &ids).unwrap();
    }
    wait().unwrap();
    for datum in data {
        relax(datum).unwrap();
    }
    end();
}

#[test]
fn arrows_go_from_the_task_that_makes_a_datum_to_all_that_read_it() {
    if playing() {
        run_random_tasks(std::env::var(SEED).unwrap().parse().unwrap());
    }
    for seed in testkit::seeds(8) {
        let test = "arrows_go_from_the_task_that_makes_a_datum_to_all_that_read_it";
        let (_folder, path) = play(test, "run.json", &[(SEED, &seed.to_string())]);
        let file = read(&path);
        let process = &file["processes"][0];
        let name = |line: &Value, place: &Value| {
            let line = &process["lines"][line.as_u64().unwrap() as usize];
            let number = line["name"][place.as_u64().unwrap() as usize].as_u64().unwrap();
            process["names"][number as usize].as_str().unwrap().to_owned()
        };
        let arrows = process["arrows"].as_array().unwrap();
        let found: BTreeSet<_> =
            arrows.chunks(4).map(|arrow| (name(&arrow[0], &arrow[1]), name(&arrow[2], &arrow[3]))).collect();
        let tasks = reads(seed);
        let pairs = tasks.iter().enumerate().flat_map(|(to, inputs)| inputs.iter().map(move |from| (from, to)));
        let expected = pairs.map(|(from, to)| (format!("task {from}"), format!("task {to}"))).collect();
        assert_eq!(found, expected);
        assert_eq!(arrows.len(), 4 * found.len());
        let kinds = process["kinds"].as_array().unwrap();
        for (task, inputs) in tasks.iter().enumerate() {
            let named =
                |kind: &&Value| process["names"][kind["name"].as_u64().unwrap() as usize] == format!("task {task}");
            let kind = kinds.iter().find(named).unwrap();
            let sums = ["count", "read_bytes", "written_bytes"].map(|sum| kind[sum].as_u64().unwrap());
            assert_eq!(sums, [1, 8 * inputs.len() as u64, 8]);
        }
    }
}

unsafe extern "C" fn run_tile(_: *mut c_void, _: *const i64) -> c_int {
    spin(Duration::from_micros(20));
    0
}

/// The bytes of a tile of so many points.
unsafe extern "C" fn footprint(_: *mut c_void, sizes: *const i64) -> i64 {
    100 * unsafe { *sizes * *sizes.add(1) }
}

fn spin(time: Duration) {
    let end = Instant::now() + time;
    while Instant::now() < end {
        std::hint::spin_loop();
    }
}

/// A wave of 8 by 8 tiles, each of 3 by 5 points.
fn wave() {
    let (lower, upper, carried) = ([0_i64; 2], [7_i64; 2], [1 as c_int; 2]);
    let (extent, mut sizes, context) = ([24_i64, 40], [3_i64, 5], std::ptr::null_mut());
    let (name, carried_at) = (c"wave".as_ptr(), carried.as_ptr());
    let chosen =
        unsafe { dvm_graph_sizes(name, 2, extent.as_ptr(), carried_at, Some(footprint), context, sizes.as_mut_ptr()) };
    assert_eq!((chosen, sizes), (Code::DVM_SUCCESS, [3, 5]), "{}", last_error());
    let graph = dvm_graph_t {
        size: size_of::<dvm_graph_t>(),
        name: c"wave".as_ptr(),
        dimension: 2,
        lower: lower.as_ptr(),
        upper: upper.as_ptr(),
        carried: carried.as_ptr(),
        run: Some(run_tile),
        predecessors: None,
        successors: None,
        context: std::ptr::null_mut(),
        bounds: None,
        exists: None,
    };
    assert_eq!(unsafe { dvm_graph_run(&raw const graph) }, Code::DVM_SUCCESS, "{}", last_error());
}

/// Many short tasks, then one that is slow and one that waits for it, and a wave of tiles.
fn run_with_a_slow_task() {
    init().unwrap();
    let quick = processing(&[IN, OUT], c"quick </script>", |_| {
        spin(Duration::from_micros(50));
        0
    });
    let slow = processing(&[IN, OUT], c"slow one", |_| {
        std::thread::sleep(Duration::from_millis(120));
        0
    });
    let mut datum = number(1);
    for turn in 0..100 {
        let made = promise(8).unwrap();
        near(if turn == 60 { slow } else { quick }, &[datum, made]).unwrap();
        datum = made;
    }
    wait().unwrap();
    wave();
    // The last datum is never relaxed.
}

#[test]
fn a_planted_slow_task_is_named_in_what_to_try() {
    if playing() {
        run_with_a_slow_task();
        end();
    }
    let (_folder, path) = play("a_planted_slow_task_is_named_in_what_to_try", "run.json", &[]);
    let file = read(&path);
    let advice = file["processes"][0]["advice"].as_array().unwrap();
    let texts: Vec<&str> = advice.iter().map(|advice| advice["text"].as_str().unwrap()).collect();
    assert!(texts.iter().any(|text| text.contains("one run of task 'slow one' alone took")), "{texts:?}");
    assert!(texts.iter().any(|text| text.contains("1 data of 8 bytes were never relaxed")), "{texts:?}");
    let kinds = file["processes"][0]["kinds"].as_array().unwrap();
    let touched: Vec<_> =
        kinds.iter().filter(|kind| kind["what"] == "tile").map(|kind| &kind["touched_bytes"]).collect();
    assert_eq!(touched, [&json!(64 * 3 * 5 * 100)]);
}

#[test]
fn a_program_that_ends_without_finalize_leaves_its_report() {
    if playing() {
        run_with_a_slow_task();
        std::process::exit(0);
    }
    let (_folder, path) = play("a_program_that_ends_without_finalize_leaves_its_report", "run.json", &[]);
    assert_eq!(read(&path)["format"], "dvm-report");
}

#[test]
fn a_name_that_says_no_format_is_refused_in_words() {
    if playing() {
        assert_eq!(init(), Err(Code::DVM_ERR_ARGUMENT));
        println!("{}", last_error());
        std::process::exit(0);
    }
    for name in ["run.txt", "run", "run.html.gz", ".json"] {
        let folder = scratch(&[]);
        let mut part = part("a_name_that_says_no_format_is_refused_in_words");
        let output = part.env("DVM_PROFILE", folder.join(name)).output().unwrap();
        let told = String::from_utf8(output.stdout).unwrap();
        assert_eq!(output.status.code(), Some(0), "{told}");
        for part in ["DVM_PROFILE", name, "must end in .html", "or .json", "run.html"] {
            assert!(told.contains(part), "{told}");
        }
        assert!(!folder.join(name).exists());
    }
}

#[test]
fn what_is_left_out_without_a_browser_is_said_by_name() {
    let mut tests = std::process::Command::new(std::env::current_exe().unwrap());
    tests
        .args(["--exact", "the_page_is_one_file_without_network", "a_browser_opens_a_million_events"])
        .env("PATH", "/");
    let output = tests.output().unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success(), "{said}");
    for what in ["the page in a browser", "a page of a million events in a browser"] {
        let line = format!("left out: cargo test report: {what} (apt-get install chromium)");
        assert!(said.lines().any(|said| said == line), "{line}, not {said}");
    }
}

#[test]
fn the_page_is_one_file_without_network() {
    if playing() {
        run_with_a_slow_task();
        end();
    }
    let (folder, path) = play("the_page_is_one_file_without_network", "run.html", &[]);
    let page = std::fs::read_to_string(&path).unwrap();
    assert!(!page.contains("://") && !page.contains("<!--"), "all is in the page");
    assert_eq!(page.matches("</script>").count(), 2, "no name ends the element of the data");
    let Some(program) = browser::program("the page in a browser") else { return };
    let mut browser = Browser::start(program, &folder);
    browser.open(&path);
    assert!(browser.text("document.getElementById('advice').textContent").contains("task 'slow one' alone took"));
    assert!(browser.text("document.getElementById('kinds').textContent").contains("quick </script>"));
    for canvas in ["timeline", "use", "memory", "space"] {
        let colours = format!(
            "(() => {{ const c = document.getElementById('{canvas}'), d = c.getContext('2d').getImageData(0, 0, c.width, \
             c.height).data; const seen = new Set(); for (let i = 0; i < d.length; i += 4) seen.add(d[i] << 16 | d[i + 1] \
             << 8 | d[i + 2]); return seen.size; }})()"
        );
        assert!(browser.value(&colours).as_u64().unwrap() > 3, "{canvas} is drawn");
    }
    assert_eq!(browser.text("document.getElementById('space').dataset.shown"), "64");
    browser.picture(&folder.join("light.png"));
    check_keys(&mut browser);
    browser.picture(&folder.join("chosen.png"));
    let back = "getComputedStyle(document.body).backgroundColor";
    let light = browser.text(back);
    browser
        .call("Emulation.setEmulatedMedia", &json!({"features": [{"name": "prefers-color-scheme", "value": "dark"}]}));
    assert_ne!(browser.text(back), light);
    browser.picture(&folder.join("dark.png"));
    let narrow = json!({"width": 380, "height": 700, "deviceScaleFactor": 1, "mobile": false});
    browser.call("Emulation.setDeviceMetricsOverride", &narrow);
    assert_eq!(
        browser.value("document.documentElement.scrollWidth <= 380"),
        true,
        "a narrow page needs no scrolling aside"
    );
    browser.picture(&folder.join("narrow.png"));
    assert_eq!(browser.complaints(), Vec::<&Value>::new());
}

/// Compiles an example by dvmcc, if cargo has built that; else says what is left out.
fn example(name: &str, folder: &Path) -> Option<PathBuf> {
    let deps = std::env::current_exe().unwrap();
    let built = deps.parent().and_then(Path::parent).unwrap();
    if !built.join("dvmcc").is_file() {
        browser::left_out(&format!("the page of {name}"), "cargo build --release --workspace");
        return None;
    }
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut compiler = Command::new(built.join("dvmcc"));
    compiler.arg("-O2").arg("-I").arg(root.join("include")).arg("-L").arg(built);
    compiler.arg(root.join("examples").join(name)).arg("-o").arg(folder.join("program")).args(["-ldvm", "-lm"]);
    let output = compiler.output().unwrap();
    assert!(output.status.success(), "{output:?}");
    Some(folder.join("program"))
}

#[test]
fn the_page_of_the_jacobi_example_shows_its_tiles() {
    let folder = scratch(&[]);
    let Some(program) = browser::program("the page of the Jacobi example") else { return };
    let Some(jacobi) = example("06_jacobi.c", &folder) else { return };
    let path = folder.join("jacobi.html");
    let mut run = Command::new(jacobi);
    run.env("DVM_PROFILE", &path).env("DVM_SYNTHETIC", "pu:2").env("DVM_TUNE", "0");
    assert!(run.output().unwrap().status.success());
    let mut browser = Browser::start(program, &folder);
    browser.open(&path);
    assert!(browser.text("document.getElementById('kinds').textContent").contains("jacobi"));
    assert_ne!(browser.text("document.getElementById('advice').textContent"), "");
    let shown: u64 = browser.text("document.getElementById('space').dataset.shown").parse().unwrap();
    let page = std::fs::read_to_string(&path).unwrap();
    assert!(shown > 1 && page.contains("\"touched_bytes\":"), "{shown} tiles");
    assert_eq!(browser.complaints(), Vec::<&Value>::new());
}

/// The timeline is reached by Tab, and does what its keys say.
fn check_keys(browser: &mut Browser) {
    let focused = "document.activeElement.id";
    let reached = (0..12).any(|_| {
        browser.press("Tab");
        browser.text(focused) == "timeline"
    });
    assert!(reached, "Tab never reaches the timeline, but {}", browser.text(focused));
    let length = "Number(document.getElementById('timeline').dataset.to) - Number(document.getElementById('timeline').dataset.from)";
    let told = "document.getElementById('timeline-told').textContent";
    let whole = browser.value(length).as_f64().unwrap();
    browser.press("+");
    let half = browser.value(length).as_f64().unwrap();
    assert!((half / whole - 0.5).abs() < 1e-6, "{half} of {whole}");
    browser.press("Home");
    assert_eq!(browser.value(length).as_f64(), Some(whole));
    // One of the workers, or the thread that waits, has run tasks of the chain.
    let chosen = (0..3).any(|_| {
        browser.press("n");
        let found = browser.text(told).contains("task quick </script> on ");
        browser.press(if found { "n" } else { "ArrowDown" });
        found
    });
    assert!(chosen, "{}", browser.text(told));
    assert!(browser.text(told).contains("on the critical path"), "{}", browser.text(told));
    assert!(browser.text("document.getElementById('timeline').dataset.arrows").parse::<u32>().unwrap() > 0);
    browser.press("c");
    assert_eq!(browser.value("document.getElementById('show-path').checked"), true);
    browser.press("a");
    assert!(browser.text("document.getElementById('timeline').dataset.arrows").parse::<u32>().unwrap() > 90);
    browser.press("Escape");
    assert!(browser.text(told).starts_with("0 ns to "), "{}", browser.text(told));
}

/// As many events as a page is made for.
const MANY: usize = 1_000_000;

#[test]
fn a_browser_opens_a_million_events() {
    if playing() {
        init().unwrap();
        let nothing = processing(&[], c"nothing", |_| 0);
        let (read, made) = (processing(&[IN], c"reads", |_| 0), processing(&[OUT], c"makes", |_| 0));
        for turn in 0..MANY - MANY / 10 {
            near(nothing, &[]).unwrap();
            if turn % 20 == 0 {
                let datum = promise(8).unwrap();
                near(made, &[datum]).unwrap();
                near(read, &[datum]).unwrap();
            }
        }
        wait().unwrap();
        end();
    }
    let Some(program) = browser::program("a page of a million events in a browser") else { return };
    let (folder, path) = play("a_browser_opens_a_million_events", "run.html", &[("DVM_TRACE_EVENTS", "3000000")]);
    let mut browser = Browser::start(program, &folder);
    let milliseconds = browser.open(&path);
    let events = browser.text("document.getElementById('facts').textContent").replace('\u{202f}', "");
    let events: usize = events.rsplit_once("events").unwrap().1.parse().unwrap();
    let size = std::fs::metadata(&path).unwrap().len();
    println!("{events} events, {:.1} MB: drawn after {milliseconds} ms", size as f64 / 1e6);
    assert!(events >= MANY, "{events}");
    browser.value("document.getElementById('timeline').focus()");
    for key in ["+", "+", "ArrowRight", "n", "a", "Home"] {
        browser.press(key);
    }
    assert_eq!(browser.complaints(), Vec::<&Value>::new());
}
