//! Each strategy follows its rule where it can, and says so where it cannot.
#![allow(clippy::many_single_char_names, clippy::needless_for_each)]

use dvm_redist::{Affine, Case, Dimension, Distribution, Options, Parameters, Plan, Strategy, Variable};

fn case(source: Vec<Variable>, target: i64) -> Case {
    let side = |variables| Distribution { dimensions: vec![Dimension { offset: 0.into(), variables }], layout: None };
    Case {
        id: "strategies".to_owned(),
        parameters: Parameters::new(),
        family: None,
        element_size: 8,
        source: side(source),
        target: side(vec![Variable::data("t", 1, 0, target)]),
    }
}

fn notes(case: &Case, strategy: Strategy) -> Vec<String> {
    Plan::new(case, Options { strategy, balance: false }).unwrap().figures.notes
}

#[test]
fn the_recursive_cuts_follow_the_paper_for_three_variables() {
    // The paper's Figure 11, moved away from 0.
    let three =
        case(vec![Variable::data("x", 3, 2, 17), Variable::data("y", 5, -1, 3), Variable::data("z", 19, 4, 6)], 200);
    assert_eq!(notes(&three, Strategy::Recursive), Vec::<String>::new());
    let f = Plan::new(&three, Options { strategy: Strategy::Recursive, balance: false }).unwrap().figures;
    assert_eq!((f.source_locations, f.source_elements, f.min_transfers), (240, 96, 96));
}

#[test]
fn a_strategy_that_cannot_be_followed_is_told() {
    let one = case(vec![Variable::data("x", 1, 0, 9)], 9);
    for strategy in [Strategy::Sliding, Strategy::Windows, Strategy::Recursive] {
        let found = notes(&one, strategy);
        assert!(found.len() == 1 && found[0].contains(strategy.name()) && found[0].contains("instead"), "{found:?}");
    }
    assert!(notes(&one, Strategy::CutA).is_empty());
    // A bound that couples variables of one coefficient leaves more differences of copies than are listed.
    let mut many: Vec<Variable> = (0..4).map(|k| Variable::data(&format!("a{k}"), 1, 0, 36)).collect();
    many[3] = many[3].clone().up_to(Affine::constant(36).plus(1, "a0"));
    let many = case(many, 150);
    for strategy in [Strategy::CutA, Strategy::CutB] {
        let found = notes(&many, strategy);
        assert!(found.len() == 1 && found[0].contains(strategy.name()) && found[0].contains("table"), "{found:?}");
    }
}
