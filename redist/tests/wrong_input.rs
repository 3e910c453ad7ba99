//! Wrong input gets an error that names the place.
#![allow(clippy::many_single_char_names, clippy::needless_for_each)]

use dvm_redist::distribution::json::parse_cases;
use dvm_redist::distribution::layouts;
use dvm_redist::{Options, Plan};

/// The error of a case whose source dimension is `dim`, with `more` in the case.
fn error(dim: &str, more: &str) -> String {
    let target = r#"{"dims":[{"vars":[{"name":"r","coef":1,"lo":0,"hi":9,"kind":"data"}]}]}"#;
    let text = format!(r#"{{"cases":[{{"id":"c","source":{{"dims":[{dim}]}},"target":{target}{more}}}]}}"#);
    let found = parse_cases(&text).and_then(|c| Plan::new(&c[0], Options::default()).map(|_| ()));
    found.expect_err("must be refused").to_string()
}

fn variable(name: &str, coef: &str, lo: &str, hi: &str) -> String {
    format!(r#"{{"name":"{name}","coef":{coef},"lo":{lo},"hi":{hi},"kind":"data"}}"#)
}

#[test]
fn each_mistake_names_its_place() {
    let dim = |vars: &[String]| format!(r#"{{"vars":[{}]}}"#, vars.join(","));
    let good = variable("a", "1", "0", "3");
    let of = |name: &str| format!(r#"{{"const":3,"coef":{{"{name}":1}}}}"#);
    let circle =
        dim(&[variable("a", "1", "0", &of("b")), variable("b", "1", &of("c"), "9"), variable("c", "1", "0", &of("a"))]);
    // Every location of a triangle is listed.
    let past = r#"{"const":99999,"coef":{"a":1}}"#;
    let cases = [
        (error(&circle, ""), "source.dims[0].vars", "in a circle: "),
        (error(&dim(&[variable("a", "1", "0", &of("zz"))]), ""), "source.dims[0].vars[0].hi", "unknown name 'zz'"),
        (error(&dim(&[good.clone(), good.clone()]), ""), "source.dims[0].vars[1]", "already declared"),
        (error(&dim(&[variable("a", "4611686018427387905", "0", "3")]), ""), "source.dims[0].vars[0].coef", "2^62"),
        (error(&dim(&[variable("a", "4611686018427387904", "0", "3")]), ""), "source.dims[0]", "2^62"),
        (error(&dim(&[variable("a", "99999999999999999999", "0", "3")]), ""), "vars[0].coef", "not an integer"),
        (error(&dim(&[variable("a", "1.5", "0", "3")]), ""), "vars[0].coef", "not an integer"),
        (error(&dim(&[variable("a", "1", "[]", "3")]), ""), "vars[0].lo", "no bound"),
        (error(&dim(&[variable("a", "1", "0", r#"{"const":3,"div":0}"#)]), ""), "vars[0].hi.div", "not positive"),
        (error(&dim(&[variable("a", "1", "0", "99999"), variable("b", "1", "0", past)]), ""), "source", "more than"),
        (error(&format!("{},{}", dim(std::slice::from_ref(&good)), dim(&[])), ""), "target.dims", "1 dimensions"),
        (error(&dim(std::slice::from_ref(&good)), r#","element_size":-8"#), "element_size", "-8"),
        (
            error(&dim(std::slice::from_ref(&good)), r#","params":{"a":3}"#),
            "source.dims[0].vars[0]",
            "variable and a parameter",
        ),
        (error(r#"{"offset":{"coef":{"a":1}},"vars":[]}"#, ""), "source.dims[0].offset", "unknown name 'a'"),
        (error(r#"{"vars":[{"name":"a"}]}"#, ""), "source.dims[0].vars[0]", "missing"),
    ];
    for (found, place, what) in &cases {
        assert!(found.contains(place) && found.contains(what), "expected {place} and {what}: {found}");
    }
    let unnamed = parse_cases("{\"cases\": [{}]}").expect_err("empty").to_string();
    assert!(unnamed.starts_with("cases[0]"), "{unnamed}");
    assert!(parse_cases("[1").expect_err("broken").to_string().starts_with("file: not JSON"));
}

/// Too many progressions to be folded: refused before all rows were looked at, which would take hours.
#[test]
fn what_is_too_large_is_refused_at_once() {
    let n = 1_000_000_000_000_000;
    let side = |d: dvm_redist::Result<dvm_redist::Dimension>| dvm_redist::Distribution {
        dimensions: vec![d.unwrap()],
        layout: None,
    };
    let case = dvm_redist::Case {
        id: "c".to_owned(),
        parameters: dvm_redist::Parameters::new(),
        family: None,
        element_size: 8,
        source: side(layouts::block_cyclic(n, 70_000, 7)),
        target: side(layouts::block_cyclic(n, 3, 5)),
    };
    let error = Plan::new(&case, Options::default()).map(|_| ()).expect_err("too large").to_string();
    assert!(error.contains("more than") && error.contains("smaller part"), "{error}");
}

#[test]
fn constructors_refuse_what_they_cannot_build() {
    let place = |r: dvm_redist::Result<dvm_redist::Dimension>| r.expect_err("must be refused").place;
    assert_eq!(place(layouts::block(-1, 2)), "n");
    assert_eq!(place(layouts::cyclic(10, 0)), "processes");
    assert_eq!(place(layouts::block_cyclic(10, 2, 0)), "size");
    assert_eq!(place(layouts::halo(10, 2, -1, 0)), "before");
    assert_eq!(place(layouts::block_cyclic(10, 1 << 40, 1 << 40)), "size");
    let descriptor = |at: usize, value: i64| {
        let mut d = [1, 0, 100, 80, 8, 8, 0, 0, 100];
        d[at] = value;
        layouts::scalapack(&d, 2, 3).expect_err("must be refused").place
    };
    assert_eq!(descriptor(0, 501), "descriptor[0]");
    assert_eq!(descriptor(6, 2), "descriptor[6]");
    assert_eq!(descriptor(7, -1), "descriptor[7]");
    assert_eq!(descriptor(8, 0), "descriptor[8]");
    assert_eq!(descriptor(4, 0), "rows.size");
}

#[test]
fn constructors_hold_each_element_where_they_should() {
    use dvm_redist::distribution::domain::Domain;
    use dvm_redist::{Distribution, Parameters};
    let held = |d: dvm_redist::Dimension| {
        let domain = Domain::new(&Distribution { dimensions: vec![d], layout: None }, &Parameters::new()).unwrap();
        let mut all = Vec::new();
        domain.rows(|at, inner, lo, hi| {
            for v in lo..=hi {
                let mut next = at.to_vec();
                inner.into_iter().for_each(|i| next[i] = v);
                all.push((next[0], domain.element(&next)[0]));
            }
        });
        all.sort_unstable();
        all
    };
    for n in 0..40 {
        for p in 1..5 {
            let by = |owner: &dyn Fn(i64) -> i64| {
                let mut all: Vec<(i64, i64)> = (0..n).map(|t| (owner(t), t)).collect();
                all.sort_unstable();
                all
            };
            assert_eq!(held(layouts::block(n, p).unwrap()), by(&|t| t / ((n + p - 1) / p)));
            assert_eq!(held(layouts::cyclic(n, p).unwrap()), by(&|t| t % p));
            assert_eq!(held(layouts::block_cyclic(n, p, 3).unwrap()), by(&|t| t / 3 % p));
            let own = ((n + p - 1) / p).max(1);
            let mut halo: Vec<(i64, i64)> = (0..p)
                .flat_map(|q| (q * own - 2..=(q + 1) * own).filter(|t| (0..n).contains(t)).map(move |t| (q, t)))
                .collect();
            halo.sort_unstable();
            assert_eq!(held(layouts::halo(n, p, 2, 1).unwrap()), halo, "{n} {p}");
        }
    }
}
