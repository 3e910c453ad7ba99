//! Sums, quotients, minima and maxima as C text.

/// A sum of products and a constant.
pub fn affine(terms: impl Iterator<Item = (i64, String)>, constant: i64) -> String {
    let mut text = String::new();
    for (c, name) in terms.filter(|t| t.0 != 0) {
        let magnitude = c.unsigned_abs();
        let product = if magnitude == 1 { name } else { format!("{magnitude}*{name}") };
        text.push_str(match (text.is_empty(), c < 0) {
            (true, true) => "-",
            (true, false) => "",
            (false, true) => " - ",
            (false, false) => " + ",
        });
        text.push_str(&product);
    }
    if text.is_empty() {
        return constant.to_string();
    }
    match constant {
        0 => text,
        c if c < 0 => format!("{text} - {}", c.unsigned_abs()),
        c => format!("{text} + {c}"),
    }
}

/// A quotient rounded up (`lower`) or down.
pub fn divided(text: &str, d: i64, lower: bool) -> String {
    match (d, lower) {
        (1, _) => text.to_owned(),
        (_, true) => format!("dvm_ceil_div({text}, {d})"),
        (_, false) => format!("dvm_floor_div({text}, {d})"),
    }
}

/// The maximum (`greatest`) or minimum of some texts.
pub fn nested(texts: impl Iterator<Item = String>, greatest: bool) -> String {
    let name = if greatest { "dvm_max" } else { "dvm_min" };
    texts.reduce(|a, b| format!("{name}({a}, {b})")).unwrap_or_else(|| "0".to_owned())
}

/// The i-th summand with its sign.
fn term(i: usize, text: &str) -> String {
    match (i, text.strip_prefix('-')) {
        (0, _) => text.to_owned(),
        (_, Some(rest)) => format!(" - {rest}"),
        (_, None) => format!(" + {text}"),
    }
}

/// A sum of `factor * name` texts.
pub fn sum(terms: &[String]) -> String {
    if terms.is_empty() { "0".to_owned() } else { terms.iter().enumerate().map(|(i, t)| term(i, t)).collect() }
}
