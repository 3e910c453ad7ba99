//! Drawings show every location, hatch the copies that do not serve, and draw every transfer.

use dvm_codegen::redist_c::lattice_drawing::draw;
use dvm_redist::distribution::json::parse_cases;
use dvm_redist::{Options, Plan, Strategy};

#[test]
fn every_location_and_every_transfer_is_drawn() {
    for case in parse_cases(include_str!("../../redist/tests/data/cases.json")).unwrap() {
        if case.source.dimensions.len() > 1 {
            continue;
        }
        for strategy in [Strategy::Exact, Strategy::Windows] {
            let options = Options { strategy, balance: false };
            let f = Plan::new(&case, options).unwrap().figures;
            let svg = draw(&case, options, 1).unwrap();
            let count = |text: &str| svg.matches(text).count() as i64;
            let planes = if count(" right, ") > 0 { 2 } else { 1 };
            assert_eq!(count("<title>"), planes * f.source_locations + f.target_locations, "{}", case.id);
            assert_eq!(count("<line "), f.min_transfers, "{}", case.id);
            assert_eq!(count("stroke=\"#c00\""), f.missing_locations, "{}", case.id);
            if f.missing_locations == 0 && f.target_locations == f.source_elements {
                assert_eq!(count("class=\"copy\""), planes * (f.source_locations - f.source_elements), "{}", case.id);
            }
        }
    }
}

#[test]
fn a_dimension_that_is_not_there_is_refused() {
    let cases = parse_cases(include_str!("../../redist/tests/data/cases.json")).unwrap();
    for dimension in [0, 2] {
        assert_eq!(draw(&cases[0], Options::default(), dimension).unwrap_err().place, "dimension");
    }
}
