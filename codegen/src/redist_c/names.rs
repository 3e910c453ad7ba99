//! The names in a generated function, and the expressions for memory numbers and addresses.

use super::c_arithmetic::{affine, divided, nested, sum};
use dvm_redist::distribution::domain::Domain;
use dvm_redist::integer::affine::AffineForm;
use dvm_redist::nest::{Known, Nest};
use dvm_redist::plan::descriptor::Addressing;
use dvm_redist::{Bound, Case, Distribution, Kind};
use std::collections::BTreeSet;

/// C identifiers for all parts of a nest.
pub struct NestNames {
    parameters: Vec<(String, String)>,
    known: Vec<String>,
    sides: [SideNames; 2],
    definitions: Vec<(String, String)>,
}

/// One side's variables: names, minima, and both weights, as C text.
struct SideNames {
    variables: Vec<String>,
    arch: Vec<bool>,
    low: Vec<String>,
    /// `None`: the variable has only one value.
    weight: Vec<Option<String>>,
}

const RESERVED: [&str; 44] = [
    "auto", "break", "case", "char", "const", "continue", "default", "do", "double", "else", "enum", "extern", "float",
    "for", "goto", "if", "inline", "int", "long", "register", "restrict", "return", "short", "signed", "sizeof",
    "static", "struct", "switch", "typedef", "union", "unsigned", "void", "volatile", "while", "dma", "cut", "to",
    "bool", "asm", "typeof", "true", "false", "nullptr", "main",
];

impl NestNames {
    /// Names all parts; variables keep their names if C and the other side allow it.
    pub fn new(case: &Case, nest: &Nest) -> dvm_redist::Result<Self> {
        let mut taken: BTreeSet<String> = RESERVED.iter().map(|&s| s.to_owned()).collect();
        let mut fresh = |wanted: &str| {
            let clean = |c: char| if c.is_ascii_alphanumeric() || c == '_' { c } else { '_' };
            let mut name: String = wanted.chars().map(clean).collect();
            let own = |n: &str| {
                let rest = n.strip_prefix('k').unwrap_or("");
                let made = ["inf_", "sup_", "lo_", "hi_", "size_", "step_", "rest_", "dvm_", "DMA_", "INT", "int"];
                (!rest.is_empty() && rest.bytes().all(|b| b.is_ascii_digit())) || made.iter().any(|p| n.starts_with(p))
            };
            if own(&name) {
                name.insert_str(0, "v_");
            }
            while !taken.insert(name.clone()) {
                name.push('_');
            }
            name
        };
        let parameters: Vec<(String, String)> = case.parameters.keys().map(|n| (n.clone(), fresh(n))).collect();
        let known = nest.known.iter().map(|k| match k {
            Known::Parameter(n) => parameters.iter().find(|p| p.0 == *n).map_or_else(String::new, |p| p.1.clone()),
            Known::Quotient { dimension, .. } => format!("rest_{}", dimension + 1),
        });
        let known = known.collect();
        let mut side = |d: &Distribution| -> Vec<String> { d.variables().map(|(_, v)| fresh(&v.name)).collect() };
        let variables = [side(&case.source), side(&case.target)];
        let mut definitions = Vec::new();
        let [source, target] = variables;
        let sides = if case.parameters.is_empty() {
            [numeric(&case.source, case, source)?, numeric(&case.target, case, target)?]
        } else {
            [
                symbolic(&case.source, &parameters, source, &mut definitions),
                symbolic(&case.target, &parameters, target, &mut definitions),
            ]
        };
        Ok(Self { parameters, known, sides, definitions })
    }

    /// The name of column `i` of [`AffineForm::parameter`].
    pub fn known(&self, i: usize) -> String {
        self.known[i].clone()
    }

    /// The name of a parameter of the case.
    pub fn parameter(&self, name: &str) -> String {
        self.parameters.iter().find(|p| p.0 == name).map_or_else(|| name.to_owned(), |p| p.1.clone())
    }

    /// The variables in memory numbers and addresses, with their forms.
    pub fn variables<'a>(&'a self, nest: &'a Nest) -> impl Iterator<Item = (&'a String, &'a AffineForm)> {
        let rows = [&nest.source, &nest.target];
        self.sides.iter().zip(rows).flat_map(|(s, rows)| {
            let used = s.variables.iter().zip(rows).zip(&s.weight).filter(|(_, w)| w.is_some());
            used.map(|(nr, _)| nr)
        })
    }

    /// The expression for the memory number on a side (0: source, 1: target).
    pub fn memory(&self, side: usize) -> String {
        self.address(side, true)
    }

    /// The expression for the place in the memory.
    pub fn offset(&self, side: usize) -> String {
        self.address(side, false)
    }

    fn address(&self, side: usize, arch: bool) -> String {
        let s = &self.sides[side];
        let term = |i: usize| {
            let weight = s.weight[i].as_ref()?;
            let low = &s.low[i];
            let value = match low.strip_prefix('-') {
                _ if low == "0" => s.variables[i].clone(),
                Some(up) => format!("({} + {up})", s.variables[i]),
                None => format!("({} - {low})", s.variables[i]),
            };
            Some(if weight == "1" { value } else { format!("{value}*{weight}") })
        };
        let terms: Vec<String> = (0..s.variables.len()).filter(|&i| s.arch[i] == arch).filter_map(term).collect();
        if let [one] = &terms[..] {
            return one.strip_prefix('(').and_then(|t| t.strip_suffix(')')).unwrap_or(one).to_owned();
        }
        sum(&terms)
    }

    /// The change of the place per step of counter `k`.
    pub fn stride(&self, side: usize, k: usize, nest: &Nest) -> String {
        let (s, rows) = (&self.sides[side], if side == 0 { &nest.source } else { &nest.target });
        let (mut number, mut terms) = (0, Vec::new());
        for i in (0..rows.len()).filter(|&i| !s.arch[i] && rows[i].counter[k] != 0) {
            let (Some(weight), c) = (&s.weight[i], rows[i].counter[k]) else { continue };
            match weight.parse::<i64>() {
                Ok(w) => number += c * w,
                Err(_) => terms.push((c, weight.clone())),
            }
        }
        affine(terms.into_iter(), number)
    }

    /// The definitions that `text` uses, in order.
    pub fn definitions(&self, text: &str) -> String {
        let (mut needed, mut seen) = (Vec::new(), text.to_owned());
        for (name, value) in self.definitions.iter().rev() {
            if mentions(&seen, name) {
                seen.push(' ');
                seen.push_str(value);
                needed.push(format!("  const int64_t {name} = {value};\n"));
            }
        }
        needed.into_iter().rev().collect()
    }
}

/// The name of a counter.
pub fn counter(k: usize) -> String {
    format!("k{}", k + 1)
}

/// Whether an identifier occurs in a text.
pub fn mentions(text: &str, name: &str) -> bool {
    text.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).any(|word| word == name)
}

fn numeric(d: &Distribution, case: &Case, variables: Vec<String>) -> dvm_redist::Result<SideNames> {
    let domain = Domain::new(d, &case.parameters)?;
    let addressing = Addressing::new(d, &domain)?;
    let weight = |i: usize| {
        let w = if domain.arch[i] { addressing.memory[i] } else { addressing.place[i] };
        (domain.bounding[i].0 < domain.bounding[i].1).then(|| w.to_string())
    };
    Ok(SideNames {
        weight: (0..domain.len()).map(weight).collect(),
        low: addressing.low.iter().map(i64::to_string).collect(),
        arch: domain.arch.clone(),
        variables,
    })
}

/// Minima and maxima, by interval arithmetic on the bounds, sizes and steps, each defined as a name.
fn symbolic(
    d: &Distribution,
    parameters: &[(String, String)],
    variables: Vec<String>,
    definitions: &mut Vec<(String, String)>,
) -> SideNames {
    let all: Vec<_> = d.variables().map(|(_, v)| v).collect();
    let index = |name: &str| all.iter().position(|v| v.name == name);
    let end = |b: &Bound, least: bool| {
        let text = |(name, c): &(String, i64)| match index(name) {
            Some(i) => (*c, format!("{}_{}", if (*c > 0) == least { "lo" } else { "hi" }, variables[i])),
            None => (*c, parameters.iter().find(|p| p.0 == *name).map_or_else(|| name.clone(), |p| p.1.clone())),
        };
        divided(&affine(b.affine.terms.iter().map(text), b.affine.constant), b.divisor, least)
    };
    for i in d.order().unwrap_or_default() {
        let (v, name) = (all[i], &variables[i]);
        definitions.push((format!("lo_{name}"), nested(v.lower.iter().map(|b| end(b, true)), true)));
        definitions.push((format!("hi_{name}"), nested(v.upper.iter().map(|b| end(b, false)), false)));
        definitions.push((format!("size_{name}"), format!("hi_{name} - lo_{name} + 1")));
    }
    let layout: Vec<usize> = d.layout().iter().filter_map(|n| index(n)).collect();
    let arch: Vec<usize> = (0..all.len()).filter(|&i| all[i].kind == Kind::Arch).collect();
    let mut weight = vec![None; all.len()];
    for order in [&layout, &arch] {
        let mut inner: Option<usize> = None;
        for &i in order.iter().rev() {
            let text = inner.map(|k| {
                let value = match &weight[k] {
                    Some(w) if w != "1" => format!("size_{}*{w}", variables[k]),
                    _ => format!("size_{}", variables[k]),
                };
                definitions.push((format!("step_{}", variables[i]), value));
                format!("step_{}", variables[i])
            });
            weight[i] = Some(text.unwrap_or_else(|| "1".to_owned()));
            inner = Some(i);
        }
    }
    let constant = |i: usize| match &all[i].lower[..] {
        [b] if b.affine.terms.is_empty() && b.divisor == 1 => b.affine.constant.to_string(),
        _ => format!("lo_{}", variables[i]),
    };
    let low = (0..all.len()).map(constant).collect();
    SideNames { arch: all.iter().map(|v| v.kind == Kind::Arch).collect(), low, weight, variables }
}
