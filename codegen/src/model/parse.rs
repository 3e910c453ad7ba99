//! Parses a model from its text.

use super::{
    Access, AccessKind, Arithmetic, Array, Chain, ChainStep, Condition, Entry, ExtremeForm, Iterator, Kept, Named,
    Operand, Parameter, Reduction, Region, Row, Statement, Storage, Value,
};
use std::{fmt, str::FromStr};

/// An error in a model's text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParseError {
    /// Line of the text, from 1.
    pub line: usize,
    /// What the parser expected there.
    pub message: String,
}

impl TryFrom<String> for Region {
    type Error = ParseError;

    fn try_from(text: String) -> Result<Region, ParseError> {
        text.parse()
    }
}

impl fmt::Display for ParseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {} of the model: {}", self.line, self.message)
    }
}

impl std::error::Error for ParseError {}

impl FromStr for Region {
    type Err = ParseError;

    fn from_str(text: &str) -> Result<Region, ParseError> {
        let mut region = Region::default();
        for (at, line) in text.lines().enumerate() {
            let mut words = Words(line.trim());
            if !words.0.is_empty() {
                item(&mut region, &mut words).map_err(|message| ParseError { line: at + 1, message })?;
            }
        }
        if region.name.is_empty() {
            return Err(ParseError { line: 1, message: "a model begins with `region NAME`".into() });
        }
        Ok(region)
    }
}

/// Parses one line of a region.
fn item(region: &mut Region, words: &mut Words) -> Result<(), String> {
    match words.word()? {
        "region" => region.name = words.word()?.to_owned(),
        "source" => (region.file, region.line) = (words.quoted()?, words.number()?),
        "function" => region.function = words.quoted()?,
        "c90" => region.c90 = true,
        "tile" => region.options.tile.push(words.quoted()?),
        "across" => region.options.across = true,
        "offered" => region.options.offered = true,
        "in_loop" => region.options.in_loop = true,
        "keep" => region.options.keep.push(words.quoted()?),
        "buffers" => region.options.buffers = words.number()?,
        "ahead" => region.options.ahead = Some(words.number()?),
        "serial" => region.options.serial = Some(words.quoted()?),
        "context" => region.context = words.rest(),
        "parameter" => {
            let (symbol, name, ctype) = (words.word()?.to_owned(), words.quoted()?, words.quoted()?);
            let global = words.has("global");
            let expression = if words.has("captured") { Some(words.quoted()?) } else { None };
            region.parameters.push(Parameter { symbol, name, ctype, global, expression });
        }
        "value" => {
            let (name, ctype) = (words.quoted()?, words.quoted()?);
            region.values.push(Value { name, ctype, global: words.has("global") });
        }
        "array" => region.arrays.push(array(words)?),
        "condition" => region.conditions.push(Condition::new(words.quoted()?, words.quoted()?)),
        "reduction" => region.reductions.push(Reduction {
            operation: words.word()?.parse()?,
            name: words.quoted()?,
            ctype: words.quoted()?,
            partial: words.quoted()?,
            neutral: words.quoted()?,
            form: if words.has("takes") {
                ExtremeForm::Takes
            } else if words.has("function") {
                ExtremeForm::Function
            } else {
                ExtremeForm::Keeps
            },
            or_equal: words.has("or-equal"),
            parts: if words.has("parts") { words.number()? } else { 1 },
        }),
        "entry-condition" => region.entry.push(Entry::Condition(words.quoted()?)),
        "entry-read" => {
            let (name, ctype, guard) = (words.quoted()?, words.quoted()?, words.quoted()?);
            let (expression, text) = (words.quoted()?, words.quoted()?);
            region.entry.push(Entry::Read { name, ctype, guard, expression, text });
        }
        "kept" => {
            let (object, text) = (words.quoted()?, words.quoted()?);
            region.kept.push(Kept {
                object,
                text,
                against: words.rest().split_whitespace().map(str::to_owned).collect(),
            });
        }
        "entry-array" => region.entry_arrays.push(words.word()?.to_owned()),
        "tie" => region.ties.push(words.quoted()?),
        "outside" => region.rows.push(Row { text: words.quoted()?, outside: words.rest() }),
        "statement" => {
            let (name, line, column) = (words.word()?.to_owned(), words.number()?, words.number()?);
            region.statements.push(Statement {
                name,
                line,
                column,
                iterators: Vec::new(),
                domain: String::new(),
                schedule: String::new(),
                accesses: Vec::new(),
                text: String::new(),
                locals: String::new(),
                independent: None,
                arithmetic: None,
                chain: None,
            });
        }
        word => {
            let Some(statement) = region.statements.last_mut() else {
                return Err(format!("`{word}` is not known here, before the first statement"));
            };
            part(statement, word, words)?;
        }
    }
    if words.0.is_empty() { Ok(()) } else { Err(format!("`{}` is too much", words.0)) }
}

fn array(words: &mut Words) -> Result<Array, String> {
    let (symbol, name, element) = (words.word()?.to_owned(), words.quoted()?, words.quoted()?);
    let element_size = words.number()?;
    let storage = match words.word()? {
        "object" => Storage::Object,
        "restrict" => Storage::Restrict,
        "pointer" => Storage::Pointer,
        word => return Err(format!("`{word}` is no storage: object, restrict or pointer")),
    };
    let global = words.has("global");
    let linearised = words.has("linearised");
    let tables = if words.has("tables") { words.number()? } else { 0 };
    let unsure_tables = words.has("unsure");
    let scattered = if words.has("scattered") { Some((words.quoted()?, words.quoted()?)) } else { None };
    let mut dims = Vec::new();
    while !words.0.is_empty() {
        dims.push(if words.has("-") { None } else { Some(words.quoted()?) });
    }
    Ok(Array {
        symbol,
        name,
        element,
        element_size,
        dims,
        global,
        storage,
        linearised,
        tables,
        unsure_tables,
        scattered,
    })
}

/// Parses one line of a statement's chain.
fn chain_part(statement: &mut Statement, word: &str, words: &mut Words) -> Result<(), String> {
    if word == "chain" {
        let (element, scalars, counters) = (words.quoted()?, words.number()?, words.quoted()?);
        statement.chain = Some(Chain { element, scalars, counters, uneven: Vec::new(), steps: Vec::new() });
        return Ok(());
    }
    let Some(chain) = &mut statement.chain else { return Err("`chain` comes first".into()) };
    match word {
        "uneven" => {
            while !words.0.is_empty() {
                chain.uneven.push(words.number()?);
            }
        }
        "step" => {
            let place = (words.number()?, words.number()?);
            let operator = words.quoted()?;
            let value = (words.number()?, words.number()?);
            let target = Operand { place, named: Named::Number };
            chain.steps.push(ChainStep { place, operator, target, value, operands: Vec::new() });
        }
        _ => {
            let Some(step) = chain.steps.last_mut() else { return Err("`step` comes first".into()) };
            let operand = chain_operand(words)?;
            if word == "target" { step.target = operand } else { step.operands.push(operand) }
        }
    }
    Ok(())
}

fn chain_operand(words: &mut Words) -> Result<Operand, String> {
    let place = (words.number()?, words.number()?);
    let named = match words.word()? {
        "number" => Named::Number,
        "scalar" => Named::Scalar(words.number()?),
        "element" => {
            let mut steps = Vec::new();
            while !words.0.is_empty() {
                if words.has("-") {
                    steps.push(Vec::new());
                    continue;
                }
                let numbers = words.word()?.split(',').map(|number| number.parse().map_err(|_| "no number".to_owned()));
                steps.push(numbers.collect::<Result<_, String>>()?);
            }
            Named::Element(steps)
        }
        word => return Err(format!("`{word}` is no operand: number, scalar or element")),
    };
    Ok(Operand { place, named })
}

/// Parses one line of a statement.
fn part(statement: &mut Statement, word: &str, words: &mut Words) -> Result<(), String> {
    let kind = match word {
        "iterator" => {
            statement.iterators.push(Iterator { name: words.quoted()?, ctype: words.quoted()? });
            return Ok(());
        }
        "domain" => {
            statement.domain = words.rest();
            return Ok(());
        }
        "schedule" => {
            statement.schedule = words.rest();
            return Ok(());
        }
        "text" => {
            statement.text = words.quoted()?;
            return Ok(());
        }
        "locals" => {
            statement.locals = words.quoted()?;
            return Ok(());
        }
        "arithmetic" => {
            statement.arithmetic = Some(Arithmetic { element: words.quoted()?, operands: Vec::new() });
            return Ok(());
        }
        "operand" => {
            let Some(arithmetic) = &mut statement.arithmetic else { return Err("`arithmetic` comes first".into()) };
            let (begin, end) = (words.number()?, words.number()?);
            let relation = if words.has("-") { None } else { Some(words.rest()) };
            arithmetic.operands.push((begin, end, relation));
            return Ok(());
        }
        "chain" | "uneven" | "step" | "target" | "names" => return chain_part(statement, word, words),
        "independent" => {
            statement.independent = Some(words.number()?);
            return Ok(());
        }
        "read" => AccessKind::Read,
        "write" => AccessKind::Write,
        "may-write" => AccessKind::MayWrite,
        word => return Err(format!("`{word}` is not known")),
    };
    statement.accesses.push(Access { array: words.word()?.to_owned(), kind, relation: words.rest() });
    Ok(())
}

/// The rest of a line.
struct Words<'a>(&'a str);

impl<'a> Words<'a> {
    fn word(&mut self) -> Result<&'a str, String> {
        let end = self.0.find(char::is_whitespace).unwrap_or(self.0.len());
        let (word, rest) = self.0.split_at(end);
        self.0 = rest.trim_start();
        if word.is_empty() { Err("a word is missing".into()) } else { Ok(word) }
    }

    /// Consumes `expected` if it comes next.
    fn has(&mut self, expected: &str) -> bool {
        let mut ahead = Words(self.0);
        let found = ahead.word() == Ok(expected);
        if found {
            self.0 = ahead.0;
        }
        found
    }

    fn number<T: FromStr>(&mut self) -> Result<T, String> {
        let word = self.word()?;
        word.parse().map_err(|_| format!("`{word}` is not a number that fits"))
    }

    fn rest(&mut self) -> String {
        std::mem::take(&mut self.0).to_owned()
    }

    fn quoted(&mut self) -> Result<String, String> {
        let mut text = String::new();
        let mut chars = self.0.char_indices();
        if chars.next().map(|(_, c)| c) != Some('"') {
            return Err(format!("text in quotes is missing before `{}`", self.0));
        }
        while let Some((at, c)) = chars.next() {
            match c {
                '"' => {
                    self.0 = self.0[at + 1..].trim_start();
                    return Ok(text);
                }
                '\\' => match chars.next().map(|(_, c)| c) {
                    Some('n') => text.push('\n'),
                    Some('t') => text.push('\t'),
                    Some('r') => text.push('\r'),
                    Some(c @ ('"' | '\\')) => text.push(c),
                    _ => return Err("an escape is not known: \\n, \\t, \\r, \\\" and \\\\ are".into()),
                },
                c => text.push(c),
            }
        }
        Err("the closing quote is missing".into())
    }
}
