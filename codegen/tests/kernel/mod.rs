//! Kernels for tests: one description gives both the C text and the model.
#![allow(dead_code, clippy::format_collect, clippy::format_push_string)]

use dvm_codegen::model::{Access, AccessKind, Array, Iterator, Parameter, Region, Statement, Storage};

pub mod loops;
pub mod program;
pub mod random;
pub mod table;
pub mod trace;

/// A piece of a loop nest.
#[derive(Clone, Debug)]
pub enum Node {
    /// `for (it = first; it < end; it += step)`, or `it > end` when the step is negative.
    Loop { it: String, first: String, end: String, step: i64, body: Vec<Node> },
    /// `if (cond)`.
    If { cond: String, body: Vec<Node> },
    /// A statement and what it touches: array and subscripts.
    Stmt { text: String, reads: Vec<(String, String)>, writes: Vec<(String, String)>, may: Vec<(String, String)> },
}

/// Where an array lives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// A parameter of the function, with its lengths.
    Restrict,
    /// A plain pointer parameter.
    Pointer,
    /// At file scope, of constant lengths.
    Global,
    /// A scalar of the enclosing function.
    Scalar,
}

/// An array of a kernel.
#[derive(Clone, Debug)]
pub struct Storehouse {
    pub name: String,
    pub element: String,
    /// Lengths as C expressions of the parameters.
    pub dims: Vec<String>,
    pub place: Place,
}

/// A kernel.
#[derive(Clone, Debug)]
pub struct Kernel {
    pub name: String,
    pub parameters: Vec<String>,
    pub arrays: Vec<Storehouse>,
    pub body: Vec<Node>,
    pub iterator_type: String,
    pub context: String,
}

/// `for (it = first; it < end; it++)`.
pub fn up(it: &str, first: &str, end: &str, body: Vec<Node>) -> Node {
    Node::Loop { it: it.into(), first: first.into(), end: end.into(), step: 1, body }
}

/// A statement; `reads` and `writes` are lists such as `A[i, j]; B[j]`.
pub fn stmt(text: &str, reads: &str, writes: &str) -> Node {
    Node::Stmt { text: text.into(), reads: touched(reads), writes: touched(writes), may: Vec::new() }
}

/// `A[i, j]; s[]` as names and subscripts.
pub fn touched(list: &str) -> Vec<(String, String)> {
    list.split(';')
        .map(str::trim)
        .filter(|item| !item.is_empty())
        .map(|item| {
            let (name, rest) = item.split_once('[').expect("a subscript in brackets");
            (name.trim().to_owned(), rest.trim_end_matches(']').trim().to_owned())
        })
        .collect()
}

/// Walks the nests and collects statements.
struct Walk<'a> {
    kernel: &'a Kernel,
    depth: usize,
    statements: Vec<Statement>,
}

struct Way {
    iterators: Vec<String>,
    conditions: Vec<String>,
    order: Vec<String>,
}

impl Kernel {
    /// The C text of the loops.
    pub fn text(&self) -> String {
        let mut text = String::new();
        self.body.iter().for_each(|node| self.write(node, 1, &mut text));
        text
    }

    fn write(&self, node: &Node, indent: usize, text: &mut String) {
        let pad = "  ".repeat(indent);
        match node {
            Node::Loop { it, first, end, step, body } => {
                let compare = if *step > 0 { "<" } else { ">" };
                let ctype = &self.iterator_type;
                text.push_str(&format!("{pad}for ({ctype} {it} = {first}; {it} {compare} {end}; {it} += {step}) {{\n"));
                for node in body {
                    self.write(node, indent + 1, text);
                }
                text.push_str(&format!("{pad}}}\n"));
            }
            Node::If { cond, body } => {
                text.push_str(&format!("{pad}if ({cond}) {{\n"));
                for node in body {
                    self.write(node, indent + 1, text);
                }
                text.push_str(&format!("{pad}}}\n"));
            }
            Node::Stmt { text: own, .. } => {
                // A scalar is `(*s)` in the model's text and `s` in the source.
                let mut own = own.clone();
                for array in self.arrays.iter().filter(|array| array.place == Place::Scalar) {
                    own = own.replace(&format!("(*{})", array.name), &array.name);
                }
                text.push_str(&format!("{pad}{own}\n"));
            }
        }
    }

    /// The model.
    pub fn region(&self) -> Region {
        let mut walk = Walk { kernel: self, depth: 2 * depth(&self.body) + 1, statements: Vec::new() };
        let mut way = Way { iterators: Vec::new(), conditions: Vec::new(), order: Vec::new() };
        walk.visit(&self.body, &mut way);
        Region {
            name: self.name.clone(),
            file: format!("{}.c", self.name),
            line: 1,
            function: "transformed".into(),
            parameters: self.parameters.iter().map(|name| parameter(name)).collect(),
            context: format!("[{}] -> {{ : {} }}", self.parameters.join(", "), self.context),
            arrays: self.arrays.iter().map(array).collect(),
            statements: walk.statements,
            ..Region::default()
        }
    }
}

fn depth(body: &[Node]) -> usize {
    let deepest = body.iter().map(|node| match node {
        Node::Loop { body, .. } => 1 + depth(body),
        Node::If { body, .. } => depth(body),
        Node::Stmt { .. } => 0,
    });
    deepest.max().unwrap_or(0)
}

fn parameter(name: &str) -> Parameter {
    Parameter { symbol: name.into(), name: name.into(), ctype: "int".into(), global: false, expression: None }
}

fn array(array: &Storehouse) -> Array {
    let pointer = matches!(array.place, Place::Restrict | Place::Pointer);
    let dims = array.dims.iter().enumerate().map(|(at, length)| (at > 0 || !pointer).then(|| length.clone())).collect();
    let storage = match array.place {
        Place::Restrict => Storage::Restrict,
        Place::Pointer => Storage::Pointer,
        Place::Global | Place::Scalar => Storage::Object,
    };
    Array {
        symbol: array.name.clone(),
        name: array.name.clone(),
        element: array.element.clone(),
        element_size: 8,
        dims,
        global: array.place == Place::Global,
        storage,
        linearised: false,
        tables: 0,
        unsure_tables: false,
        scattered: None,
    }
}

/// isl's words for `quot(e, k)` and `rest(e, k)`, which are macros for C's `e / k` and `e % k` of an e that is at least 0.
fn isl(text: &str) -> String {
    let found = ["quot(", "rest("].iter().filter_map(|word| text.find(word)).min();
    let Some(at) = found else { return text.to_owned() };
    let (mut depth, mut comma, mut close) = (0, at, at);
    for (k, byte) in text.bytes().enumerate().skip(at + 4) {
        depth += i32::from(byte == b'(') - i32::from(byte == b')');
        if byte == b',' && depth == 1 {
            comma = k;
        }
        if depth == 0 {
            close = k;
            break;
        }
    }
    let (value, divisor) = (isl(&text[at + 5..comma]), text[comma + 1..close].trim());
    let own = if text[at..].starts_with("quot") {
        format!("floor(({value})/{divisor})")
    } else {
        format!("(({value}) mod {divisor})")
    };
    format!("{}{own}{}", &text[..at], isl(&text[close + 1..]))
}

impl Walk<'_> {
    fn visit(&mut self, body: &[Node], way: &mut Way) {
        for (place, node) in body.iter().enumerate() {
            way.order.push(place.to_string());
            match node {
                Node::Loop { it, first, end, step, body } => {
                    let (first, end) = (isl(first), isl(end));
                    way.conditions.push(if *step > 0 {
                        format!("{first} <= {it} < {end}")
                    } else {
                        format!("{end} < {it} <= {first}")
                    });
                    if step.abs() != 1 {
                        way.conditions.push(format!("({it} - ({first})) mod {} = 0", step.abs()));
                    }
                    way.iterators.push(it.clone());
                    way.order.push(if *step > 0 { it.clone() } else { format!("-{it}") });
                    self.visit(body, way);
                    way.order.pop();
                    way.iterators.pop();
                    way.conditions.truncate(way.conditions.len() - 1 - usize::from(step.abs() != 1));
                }
                Node::If { cond, body } => {
                    way.conditions.push(isl(cond).replace("&&", "and").replace("==", "="));
                    // The statements of an `if` follow one another at a place of their own.
                    way.order.push("0".into());
                    self.visit(body, way);
                    way.order.pop();
                    way.conditions.pop();
                }
                Node::Stmt { text, reads, writes, may } => self.add(text, [reads, writes, may], way),
            }
            way.order.pop();
        }
    }

    fn add(&mut self, text: &str, [reads, writes, may]: [&Vec<(String, String)>; 3], way: &Way) {
        let name = format!("S{}", self.statements.len());
        let parameters = self.kernel.parameters.join(", ");
        let tuple = format!("{name}[{}]", way.iterators.join(", "));
        let condition = if way.conditions.is_empty() { "true".to_owned() } else { way.conditions.join(" and ") };
        let mut order = way.order.clone();
        order.resize(self.depth + 8, "0".into());
        let accesses = [(reads, AccessKind::Read), (writes, AccessKind::Write), (may, AccessKind::MayWrite)];
        let accesses = accesses.iter().flat_map(|(list, kind)| {
            list.iter().map(|(array, subscripts)| Access {
                array: array.clone(),
                kind: *kind,
                relation: format!("[{parameters}] -> {{ {tuple} -> {array}[{}] }}", isl(subscripts)),
            })
        });
        let iterators =
            way.iterators.iter().map(|it| Iterator { name: it.clone(), ctype: self.kernel.iterator_type.clone() });
        self.statements.push(Statement {
            independent: None,
            arithmetic: None,
            chain: None,
            line: self.statements.len() as u32 + 1,
            column: 1,
            iterators: iterators.collect(),
            domain: format!("[{parameters}] -> {{ {tuple} : {condition} }}"),
            schedule: format!("[{parameters}] -> {{ {tuple} -> [{}] }}", order.join(", ")),
            accesses: accesses.collect(),
            text: text.into(),
            locals: String::new(),
            name,
        });
    }
}
