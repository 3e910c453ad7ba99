//! Kernels executed step by step, without isl: what each instance touches, in the order of the source.

use super::{Kernel, Node};
use std::collections::HashMap;

/// One executed instance.
pub struct Event {
    /// `S0[1, 2]`.
    pub instance: String,
    /// Elements that are read, such as `A[0, 1]`.
    pub reads: Vec<String>,
    /// Elements that are or may be written.
    pub writes: Vec<String>,
    /// Those of them that may be written.
    pub may: Vec<String>,
}

type Values = HashMap<String, i64>;

/// All instances of a kernel in the order of the source.
pub fn run(kernel: &Kernel, parameters: &[i64]) -> Vec<Event> {
    let mut values: Values = kernel.parameters.iter().cloned().zip(parameters.iter().copied()).collect();
    let mut events = Vec::new();
    block(&kernel.body, 0, &mut values, &mut Vec::new(), &mut events);
    events
}

/// Number of statements in some nodes.
fn statements(body: &[Node]) -> usize {
    body.iter()
        .map(|node| match node {
            Node::Loop { body, .. } | Node::If { body, .. } => statements(body),
            Node::Stmt { .. } => 1,
        })
        .sum()
}

fn block(body: &[Node], mut number: usize, values: &mut Values, around: &mut Vec<String>, events: &mut Vec<Event>) {
    for node in body {
        match node {
            Node::Loop { it, first, end, step, body } => {
                let mut value = evaluate(first, values);
                loop {
                    let end = evaluate(end, values);
                    if (*step > 0 && value >= end) || (*step < 0 && value <= end) {
                        break;
                    }
                    values.insert(it.clone(), value);
                    around.push(it.clone());
                    block(body, number, values, around, events);
                    around.pop();
                    value += step;
                }
                values.remove(it);
            }
            Node::If { cond, body } => {
                if cond.split("&&").all(|part| holds(part, values)) {
                    block(body, number, values, around, events);
                }
            }
            Node::Stmt { reads, writes, may, .. } => {
                let list = |list: &[(String, String)]| -> Vec<String> {
                    list.iter().map(|(name, at)| format!("{name}[{}]", at_values(at, values))).collect()
                };
                let counters: Vec<String> = around.iter().map(|it| values[it].to_string()).collect();
                let touched = [writes.clone(), may.clone()].concat();
                events.push(Event {
                    instance: format!("S{number}[{}]", counters.join(", ")),
                    reads: list(reads),
                    writes: list(&touched),
                    may: list(may),
                });
            }
        }
        number += statements(std::slice::from_ref(node));
    }
}

fn at_values(subscripts: &str, values: &Values) -> String {
    let subscripts = without_division(subscripts, values);
    let all = subscripts.split(',').filter(|text| !text.trim().is_empty());
    all.map(|text| evaluate(text, values).to_string()).collect::<Vec<_>>().join(", ")
}

fn holds(condition: &str, values: &Values) -> bool {
    for operator in ["<=", ">=", "==", "!=", "<", ">"] {
        if let Some((left, right)) = condition.split_once(operator) {
            let (left, right) = (evaluate(left, values), evaluate(right, values));
            return match operator {
                "<=" => left <= right,
                ">=" => left >= right,
                "==" => left == right,
                "!=" => left != right,
                "<" => left < right,
                _ => left > right,
            };
        }
    }
    panic!("a comparison: {condition}")
}

/// The text with numbers in place of `quot(e, k)` and `rest(e, k)`, innermost first.
fn without_division(text: &str, values: &Values) -> String {
    let mut text = text.to_owned();
    while let Some(at) = ["quot(", "rest("].iter().filter_map(|word| text.rfind(word)).max() {
        let close = at + text[at..].find(')').expect("a closing parenthesis");
        let (value, divisor) = text[at + 5..close].split_once(',').expect("two arguments");
        let (value, divisor) = (evaluate(value, values), evaluate(divisor, values));
        let number = if text[at..].starts_with("quot") { value / divisor } else { value % divisor };
        text.replace_range(at..=close, &number.to_string());
    }
    text
}

/// Sums of products of names and numbers, and quotients and remainders of such.
fn evaluate(text: &str, values: &Values) -> i64 {
    let text = without_division(text, values);
    let spaced = text.replace('-', " - ").replace('+', " + ").replace('*', " * ");
    let (mut sum, mut product, mut sign) = (0, None, 1);
    for word in spaced.split_whitespace() {
        match word {
            "+" | "-" => {
                sum += sign * product.take().unwrap_or(0);
                sign = if word == "-" { -1 } else { 1 };
            }
            "*" => {}
            _ => {
                let value = word.parse().unwrap_or_else(|_| values[word]);
                product = Some(product.unwrap_or(1) * value);
            }
        }
    }
    sum + sign * product.unwrap_or(0)
}
