//! What the environment may say, and what is refused.

use super::*;
use crate::error::dvm_retcode_t;

fn config(variables: &[(&str, &str)]) -> Result<Config, Error> {
    Config::read(|name| variables.iter().find(|(variable, _)| *variable == name).map(|(_, value)| value.into()))
}

#[test]
fn an_empty_environment_gives_the_defaults() {
    let defaults = config(&[]).unwrap();
    assert_eq!((defaults.workers(), defaults.synthetic(), defaults.trace()), (None, None, None));
    assert_eq!((defaults.spin(), defaults.verbose(), defaults.bind()), (Duration::from_micros(20), false, true));
    assert_eq!(defaults.trace_events(), 200_000);
    assert_eq!(defaults.tile().size(0), None);
    assert_eq!((defaults.summary(), defaults.dot(), defaults.watchdog()), (false, None, None));
    assert_eq!(defaults.explain_signal(), None);
    let empty: Vec<_> = KNOBS.iter().map(|knob| (knob.variable, "")).collect();
    assert_eq!(config(&empty).unwrap(), defaults);
}

#[test]
fn every_knob_is_read() {
    let config = config(&[
        ("DVM_WORKERS", "3"),
        ("DVM_SYNTHETIC", "core:2 pu:2"),
        ("DVM_BIND", "0"),
        ("DVM_SPIN", "0"),
        ("DVM_STACK", "100"),
        ("DVM_TILE", "32x64"),
        ("DVM_TRACE", "a/b.json"),
        ("DVM_TRACE_EVENTS", "7"),
        ("DVM_SUMMARY", "1"),
        ("DVM_DOT", "a.dot"),
        ("DVM_DOT_NODES", "8"),
        ("DVM_WATCHDOG", "9"),
        ("DVM_EXPLAIN_SIGNAL", "USR1"),
        ("DVM_VERBOSE", "1"),
        ("DVM_SEED", "18446744073709551615"),
    ])
    .unwrap();
    assert_eq!((config.workers(), config.synthetic()), (Some(3), Some("core:2 pu:2")));
    assert_eq!((config.bind(), config.spin(), config.verbose()), (false, Duration::ZERO, true));
    assert_eq!((config.trace(), config.trace_events()), (Some(&PathBuf::from("a/b.json")), 7));
    assert_eq!(config.stack(), Some(100 << 10));
    assert_eq!((config.tile(), config.seed()), (&TileSizes(vec![32, 64]), Some(u64::MAX)));
    assert_eq!(config.tile(), &TileSizes(vec![32, 64]));
    assert_eq!((config.summary(), config.dot(), config.dot_nodes()), (true, Some(&PathBuf::from("a.dot")), 8));
    assert_eq!(config.watchdog(), Some(Duration::from_secs(9)));
    assert_eq!(config.explain_signal(), Some(libc::SIGUSR1));
}

#[test]
fn one_tile_size_holds_for_all_coordinates_and_a_list_for_its_own() {
    let tile = |value| config(&[("DVM_TILE", value)]).unwrap().tile().clone();
    assert_eq!([0, 1, 15].map(|k| tile("8").size(k)), [Some(8); 3]);
    assert_eq!([0, 1, 2].map(|k| tile("8, 9").size(k)), [Some(8), Some(9), None]);
}

#[test]
fn bad_values_are_refused_with_variable_value_and_remedy() {
    let bad = [
        ("DVM_WORKERS", "0"),
        ("DVM_WORKERS", "-1"),
        ("DVM_WORKERS", "+1"),
        ("DVM_WORKERS", "two"),
        ("DVM_WORKERS", "4097"),
        ("DVM_WORKERS", "99999999999999999999"),
        ("DVM_BIND", "yes"),
        ("DVM_VERBOSE", "2"),
        ("DVM_SPIN", "1.5"),
        ("DVM_STACK", "63"),
        ("DVM_STACK", "8M"),
        ("DVM_TILE", "0"),
        ("DVM_TILE", "32,"),
        ("DVM_TILE", "32;32"),
        ("DVM_TILE", "1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1"),
        ("DVM_TRACE_EVENTS", "0"),
        ("DVM_SEED", "-1"),
        ("DVM_SEED", "18446744073709551616"),
        ("DVM_SUMMARY", "no"),
        ("DVM_DOT_NODES", "0"),
        ("DVM_WATCHDOG", "1s"),
        ("DVM_EXPLAIN_SIGNAL", "SIGKILL"),
        ("DVM_EXPLAIN_SIGNAL", "10"),
    ];
    for (variable, value) in bad {
        let error = config(&[(variable, value)]).unwrap_err();
        let knob = KNOBS.iter().find(|knob| knob.variable == variable).unwrap();
        assert_eq!(error.code(), dvm_retcode_t::DVM_ERR_ARGUMENT);
        for part in [variable, value, &knob.kind.allowed()] {
            assert!(error.message().contains(part), "{part:?} is not in {:?}", error.message());
        }
    }
}

#[test]
fn the_table_has_each_name_and_variable_once_and_says_everything() {
    for (i, knob) in KNOBS.iter().enumerate() {
        assert!(knob.variable.starts_with("DVM_") && !knob.default.is_empty() && knob.documentation.ends_with('.'));
        assert_eq!(knob.variable, format!("DVM_{}", knob.name.to_uppercase()));
        assert!(KNOBS[..i].iter().all(|other| other.variable != knob.variable));
    }
}
