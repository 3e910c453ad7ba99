//! Whether a call passes what a procedure of another file takes: no compiler compares the two.

use super::hlfir::HlfirOp;

/// What differs between a call and the procedure.
pub fn difference(call: &HlfirOp, procedure: &HlfirOp) -> Option<String> {
    let (passed, taken) = (types_of_call(call), types_of_procedure(procedure));
    if passed.0.len() != taken.0.len() {
        return Some(format!("{} arguments are passed, and it has {}", passed.0.len(), taken.0.len()));
    }
    for (at, (one, other)) in (1..).zip(passed.0.iter().zip(&taken.0)) {
        if !alike(one, other) {
            return Some(format!("argument {at} has another type than it declares, or is passed in another way"));
        }
    }
    (passed.1 != taken.1).then(|| "its result has another type here than it declares".to_owned())
}

fn types_of_call(call: &HlfirOp) -> (Vec<String>, String) {
    let types = call.text.split_once(" : (").map_or("", |(_, types)| types);
    let (arguments, result) = types.rsplit_once(") -> ").unwrap_or((types, ""));
    (split(arguments), if result == "()" { String::new() } else { result.to_owned() })
}

fn types_of_procedure(procedure: &HlfirOp) -> (Vec<String>, String) {
    let arguments = procedure.text.split("%arg").skip(1).filter_map(|rest| rest.split_once(": ").map(|(_, rest)| rest));
    let ends = [" {", " loc(", ", ", ") -> ", ") attributes"];
    let plain = |rest: &str| {
        let mut text = rest;
        // Commas between braces and angles belong to the type.
        if let Some(length) = (0..text.len()).find(|at| {
            let nested = text[..*at].matches(['<', '{']).count() > text[..*at].matches(['>', '}']).count();
            text.is_char_boundary(*at) && !nested && ends.iter().any(|end| text[*at..].starts_with(end))
        }) {
            text = &text[..length];
        }
        text.trim_end_matches([')', ',', ' ']).to_owned()
    };
    let result = procedure.text.rsplit_once(") -> ").map_or("", |(_, rest)| rest.split(' ').next().unwrap_or_default());
    (arguments.map(plain).collect(), result.to_owned())
}

/// The parts between commas outside of braces and angles.
fn split(list: &str) -> Vec<String> {
    let (mut all, mut depth) = (vec![String::new()], 0_i32);
    for c in list.chars() {
        depth += i32::from("<{(".contains(c)) - i32::from(">})".contains(c));
        match (c, all.last_mut()) {
            (',', _) if depth == 0 => all.push(String::new()),
            (c, Some(last)) => last.push(c),
            _ => {}
        }
    }
    all.into_iter().map(|one| one.trim().to_owned()).filter(|one| !one.is_empty()).collect()
}

/// Whether two types are passed in the same way: shapes behind a plain address may differ.
fn alike(one: &str, other: &str) -> bool {
    let element = |spelling: &str| {
        let inner = spelling.strip_prefix("!fir.ref<")?.strip_suffix('>')?;
        let inner = match inner.strip_prefix("!fir.array<") {
            // The shape is before the last `x`, outside of the names of types.
            Some(rest) => {
                rest.trim_start_matches(|c: char| c.is_ascii_digit() || c == '?' || c == 'x').strip_suffix('>')?
            }
            None => inner,
        };
        let is_number = ["i32", "i64", "f32", "f64"].contains(&inner);
        is_number.then(|| inner.to_owned())
    };
    one == other || element(one).is_some_and(|one| element(other) == Some(one))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn op(text: &str) -> HlfirOp {
        HlfirOp { text: text.to_owned(), ..HlfirOp::default() }
    }

    #[test]
    fn what_is_passed_must_be_what_is_taken() {
        let procedure = op("@_QPs(%arg0: !fir.ref<f64> {fir.bindc_name = \"x\"} loc(\"own\":1:1), %arg1: \
             !fir.ref<!fir.array<?x5xi32>> {fir.bindc_name = \"k\"}) attributes {a}");
        let call =
            |types: &str| difference(&op(&format!("@_QPs(%1, %2) fastmath<contract> : ({types}) -> ()")), &procedure);
        assert_eq!(call("!fir.ref<f64>, !fir.ref<!fir.array<3xi32>>"), None);
        assert_eq!(call("!fir.ref<!fir.array<4xf64>>, !fir.ref<i32>"), None);
        assert!(call("!fir.ref<f32>, !fir.ref<i32>").is_some_and(|why| why.contains("argument 1")));
        assert!(call("!fir.ref<f64>, !fir.box<!fir.array<?xi32>>").is_some_and(|why| why.contains("argument 2")));
        assert!(call("!fir.ref<f64>").is_some_and(|why| why.contains("1 arguments")));
        let function = op("@_QPf(%arg0: !fir.ref<f64> loc(\"own\":1:1)) -> f64 attributes {a}");
        assert_eq!(difference(&op("@_QPf(%1) : (!fir.ref<f64>) -> f64"), &function), None);
        assert!(difference(&op("@_QPf(%1) : (!fir.ref<f64>) -> f32"), &function).is_some());
    }
}
