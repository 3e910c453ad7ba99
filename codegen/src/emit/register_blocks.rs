//! Prints the functions of register tiling: one for a block, whose updated elements are local vectors, and one that
//! covers the box of a tile with blocks, with rows and columns that are left over. `chain_blocks` prints the blocks of
//! chains.

use super::{
    expression::CScope,
    generated_names::{Mentions, declare_const},
    region_context::{BlockNames, Reach, RegionContext},
    text_mark::TextMark,
};
use crate::{
    lowered::{Block, Role},
    model::{Arithmetic, Chain, Statement},
};
use std::fmt::Write;

/// Prints the functions of one statement.
pub struct BlockWriter<'a> {
    pub(super) shared: &'a RegionContext<'a>,
    pub(super) block: &'a Block,
    pub(super) statement: &'a Statement,
    form: BlockForm<'a>,
    /// The function that covers a box.
    pub(super) name: String,
}

/// How many values of a coordinate a block has, in C.
pub enum Multiple {
    /// As many as it has rows.
    Rows(String),
    /// As many as its vectors have parts: a multiple of the number of rows.
    Vectors(String),
}

/// What a statement is to its blocks.
enum BlockForm<'a> {
    Update(&'a Arithmetic),
    Chain(&'a Chain),
}

impl<'a> BlockWriter<'a> {
    /// For a block of the phase whose function is `phase`; nothing for a statement that is not arithmetic.
    pub fn of(shared: &'a RegionContext<'a>, block: &'a Block, phase: &str) -> Option<BlockWriter<'a>> {
        let statement = shared.region.statements.get(block.statement)?;
        let form = match (&statement.arithmetic, &statement.chain) {
            (Some(arithmetic), _) => BlockForm::Update(arithmetic),
            (None, chain) => BlockForm::Chain(chain.as_ref()?),
        };
        let name = format!("{phase}_{}", statement.name);
        Some(BlockWriter { shared, block, statement, form, name })
    }

    /// For each coordinate of the band whose values are rows or vectors of blocks: how many a block has, in C. Blocks that
    /// keep nothing over the steps of a serial loop want no tile of their own size.
    pub fn multiples(&self) -> Vec<(usize, Multiple)> {
        let Some(row) = self.block.rows.filter(|_| !self.block.serial.is_empty()) else { return Vec::new() };
        let [rows, columns] = self.extent();
        let columns = format!("{columns} * {}", self.lanes());
        let wanted = [(row, Multiple::Rows(rows.to_owned())), (self.block.vector, Multiple::Vectors(columns))];
        let placed = wanted.into_iter().filter_map(|(k, multiple)| Some((self.block.coordinates[k]?, multiple)));
        placed.collect()
    }

    /// Copies serve several rows: a condition in C; empty if there are none.
    pub fn worth_copies(&self) -> String {
        let (Some(row), Some(_)) = (self.block.rows, self.packed().next()) else { return String::new() };
        let symbols = &self.shared.symbols;
        format!(" && {} - {} >= DVM__BLOCK_ROWS - 1", symbols.box_last[row], symbols.box_first[row])
    }

    /// The call that runs all instances in the box between the ends.
    pub fn call(&self) -> String {
        let symbols = &self.shared.symbols;
        let ends = (0..self.depth()).map(|k| format!(", {}, {}", symbols.box_first[k], symbols.box_last[k]));
        format!("{}({}{})", self.name, self.shared.own, ends.collect::<String>())
    }

    /// Both functions.
    pub fn functions(&self) -> String {
        let block = match self.form {
            BlockForm::Update(arithmetic) => self.block_function(arithmetic),
            BlockForm::Chain(chain) => self.chain_function(chain),
        };
        block + &self.box_function()
    }

    /// How many rows and columns a block has: so many that its vectors fit the registers, and that no result waits for
    /// the one before.
    pub(super) fn extent(&self) -> [&'static str; 2] {
        let scalars = if let BlockForm::Chain(chain) = self.form { chain.scalars } else { 1 };
        let gathers = self.block.roles.contains(&Role::Gathered);
        match (self.block.rows, scalars) {
            (Some(_), 0 | 1) => ["DVM__BLOCK_ROWS", "DVM__BLOCK_COLUMNS"],
            (Some(_), 2) => ["(DVM__BLOCK_ROWS / 2)", "DVM__BLOCK_COLUMNS"],
            (None, 0 | 1) if !gathers => ["1", "DVM__BLOCK_ROWS"],
            (None, 2) if !gathers => ["1", "(DVM__BLOCK_ROWS / 2)"],
            _ => ["1", "2"],
        }
    }

    pub(super) fn element_type(&self) -> &str {
        match self.form {
            BlockForm::Update(arithmetic) => &arithmetic.element,
            BlockForm::Chain(chain) => &chain.element,
        }
    }

    pub(super) fn depth(&self) -> usize {
        self.statement.iterators.len()
    }

    pub(super) fn iterator(&self, k: usize) -> &str {
        &self.statement.iterators[k].name
    }

    pub(super) fn lanes(&self) -> String {
        format!("DVM__LANES({})", self.element_type())
    }

    /// What a part of the statement's text names, or may name.
    pub(super) fn mentions(&self, part: &str) -> Mentions {
        let own = Statement { text: part.to_owned(), ..self.statement.clone() };
        Mentions::of(self.shared.region, [&own])
    }

    /// The variables that a part of the statement's text names.
    pub(super) fn locals(&self, part: &str) -> String {
        let mentions = self.mentions(part);
        let scope: CScope = self.shared.scope_of_tile(&mentions, Reach::default());
        self.shared.locals(&scope, &mentions)
    }

    /// Declares the iterators that a part of the statement's text, or a macro in it, may name and that have a value.
    pub(super) fn iterators(&self, indent: &str, part: &str, value: impl Fn(usize) -> Option<String>) -> String {
        let mentions = self.mentions(part);
        let (mut text, mut unnamed) = (String::new(), String::new());
        for (k, iterator) in self.statement.iterators.iter().enumerate() {
            let Some(value) = value(k).filter(|_| mentions.perhaps(&iterator.name)) else { continue };
            let declared = declare_const(&iterator.ctype, &iterator.name);
            let _ = writeln!(text, "{indent}{declared} = ({}){value};", iterator.ctype);
            if !mentions.surely(&iterator.name) {
                let _ = writeln!(unnamed, "{indent}(void){};", iterator.name);
            }
        }
        text + &unnamed
    }

    /// The value of an iterator at a place of the block.
    pub(super) fn in_block(&self, k: usize) -> String {
        let BlockNames { at, place: [row, column], .. } = &self.shared.block;
        match k {
            _ if Some(k) == self.block.rows => format!("({} + {row})", at[k]),
            _ if k == self.block.vector => format!("({} + {column} * {})", at[k], self.lanes()),
            _ => at[k].clone(),
        }
    }

    /// The statement's text with something in the place of each operand.
    fn with_operands(&self, operand: impl Fn(usize, Role, &str) -> String) -> String {
        let mut text = String::new();
        let mut done = 0;
        let BlockForm::Update(arithmetic) = self.form else { return text };
        for (at, ((begin, end, _), role)) in arithmetic.operands.iter().zip(&self.block.roles).enumerate() {
            text.push_str(&self.statement.text[done..*begin]);
            text.push_str(&operand(at, *role, &self.statement.text[*begin..*end]));
            done = *end;
        }
        text + &self.statement.text[done..]
    }

    /// The statement's text without the operands of some roles: what stands for them names nothing of the source.
    fn without(&self, roles: &[Role]) -> String {
        self.with_operands(|_, role, own| if roles.contains(&role) { String::new() } else { own.to_owned() })
    }

    /// The statement's text on vectors, with its place in the source.
    fn vector_text(&self, indent: &str) -> String {
        let text = self.with_operands(|at, role, own| match role {
            Role::Kept => self.kept(),
            Role::Vector => format!("(*(const {} *)&{own})", self.shared.block.vector),
            Role::Packed => self.copied(at),
            // Only chains gather.
            Role::Single | Role::Gathered => own.to_owned(),
            Role::Number => format!("({})({own})", self.element_type()),
        });
        self.marked(indent, &text)
    }

    pub(super) fn marked(&self, indent: &str, text: &str) -> String {
        let mark = TextMark::At(self.statement.line, self.statement.column);
        format!("{mark}\n{indent}{}\n{}\n", text.trim(), TextMark::End)
    }

    fn kept(&self) -> String {
        let BlockNames { place: [row, column], kept, .. } = &self.shared.block;
        format!("{kept}[{row}][{column}]")
    }

    /// The operands whose elements are copied.
    fn packed(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.block.roles.len()).filter(|at| self.block.roles[*at] == Role::Packed)
    }

    /// For how many steps of the serial loop there are copies: together they fit a small stack.
    fn depth_of_copies(&self) -> String {
        match self.packed().count() {
            1 => "DVM__BLOCK_DEPTH".to_owned(),
            several => format!("(DVM__BLOCK_DEPTH / {several})"),
        }
    }

    /// The vector of an operand's copies at a place of the block.
    fn copied(&self, operand: usize) -> String {
        let BlockNames { at, place: [_, column], extent: [_, columns], vector, packed, .. } = &self.shared.block;
        let k = self.block.serial[0];
        let step = format!("({} - {})", at[k], self.shared.symbols.box_first[k]);
        format!("(*(const {vector} *)&{}[({step} * {columns} + {column}) * {}])", packed[operand], self.lanes())
    }

    /// Copies the elements that lie apart, for a part of the serial loop and so many columns.
    fn copies(&self, indent: &str, columns: &str) -> String {
        let BlockNames { at, place: [_, column], packed, part: [begin, end], .. } = &self.shared.block;
        let (k, v) = (self.block.serial[0], self.block.vector);
        let mut text = format!(
            "{indent}for ({column} = 0; {column} < {columns} * {lanes}; ++{column})\n\
             {indent}  for ({at} = {begin}; {at} <= {end}; ++{at}) {{\n",
            lanes = self.lanes(),
            at = at[k]
        );
        let parts = self.packed().map(|operand| self.operand(operand)).collect::<Vec<_>>().join(" ");
        let value = |own: usize| Some(if own == v { format!("({} + {column})", at[v]) } else { at[own].clone() });
        text.push_str(&self.iterators(&format!("{indent}    "), &parts, value));
        for operand in self.packed() {
            let place = format!("({} - {begin}) * ({columns} * {}) + {column}", at[k], self.lanes());
            let _ = writeln!(text, "{indent}    {}[{place}] = {};", packed[operand], self.operand(operand));
        }
        text + indent + "  }\n"
    }

    fn operand(&self, at: usize) -> &str {
        let BlockForm::Update(arithmetic) = self.form else { return "" };
        arithmetic.operands.get(at).map_or("", |(begin, end, _)| &self.statement.text[*begin..*end])
    }

    /// The text of the element that the statement updates.
    fn target(&self) -> &str {
        self.operand(0)
    }

    /// Loops over the rows and columns of a block around some text, which names what `part` names.
    fn each_place(&self, indent: &str, part: &str, text: &str) -> String {
        let BlockNames { place: [row, column], extent: [rows, columns], .. } = &self.shared.block;
        format!(
            "{indent}DVM__UNROLL\n{indent}for ({row} = 0; {row} < {rows}; ++{row}) {{\n\
             {indent}  DVM__UNROLL\n{indent}  for ({column} = 0; {column} < {columns}; ++{column}) {{\n\
             {declared}{text}{indent}  }}\n{indent}}}\n",
            declared = self.iterators(&format!("{indent}    "), part, |k| Some(self.in_block(k)))
        )
    }

    fn block_function(&self, Arithmetic { element, .. }: &Arithmetic) -> String {
        let (shared, block) = (self.shared, self.block);
        let BlockNames { at, place: [row, column], extent: [rows, columns], kept, vector, .. } = &shared.block;
        let (first, last) = (&shared.symbols.box_first, &shared.symbols.box_last);
        let mut text = format!(
            "/* {} for {}vectors of {}",
            self.statement.name,
            self.rows_in_words(),
            self.iterator(block.vector)
        );
        let serial: Vec<&str> = block.serial.iter().map(|k| self.iterator(*k)).collect();
        if serial.is_empty() {
            text.push_str(". */\n");
        } else {
            let _ = writeln!(text, ", and all of {}: {} stays in registers. */", serial.join(", "), self.target());
        }
        let arguments: String = (0..self.depth())
            .map(|k| {
                if block.serial.contains(&k) {
                    format!(", const dvm__int64 {}, const dvm__int64 {}", first[k], last[k])
                } else {
                    format!(", const dvm__int64 {}", at[k])
                }
            })
            .collect();
        let copies: String =
            self.packed().map(|at| format!(", const {element} *{}", shared.block.packed[at])).collect();
        let _ = writeln!(
            text,
            "static __inline__ __attribute__((__always_inline__)) void {}_block(const struct {} *{}{arguments}{copies}, \
             const int {rows}, const int {columns})\n{{",
            self.name, shared.context, shared.own
        );
        let _ = writeln!(text, "  typedef {element} {vector} DVM__VECTOR({element});");
        text.push_str(&self.locals(&self.without(&[Role::Packed])));
        let [most_rows, most_columns] = self.extent();
        let _ = writeln!(text, "  {vector} {kept}[{most_rows}][{most_columns}];");
        let _ = writeln!(text, "  int {row}, {column};");
        for k in &block.serial {
            let _ = writeln!(text, "  dvm__int64 {};", at[*k]);
        }
        // The element's subscripts do not name the serial loops' counters; only a declaration does.
        for k in &block.serial {
            let _ = writeln!(text, "  {} = {};", at[*k], first[*k]);
        }
        let (place, element) = (self.kept(), self.target());
        text.push_str(&self.each_place("  ", element, &format!("      {place} = *(const {vector} *)&{element};\n")));
        let mut indent = "  ".to_owned();
        for k in &block.serial {
            let _ = writeln!(text, "{indent}for ({0} = {1}; {0} <= {2}; ++{0}) {{", at[*k], first[*k], last[*k]);
            indent.push_str("  ");
        }
        let body = self.vector_text(&format!("{indent}    "));
        text.push_str(&self.each_place(&indent, &self.without(&[Role::Packed, Role::Kept]), &body));
        for _ in &block.serial {
            indent.truncate(indent.len() - 2);
            let _ = writeln!(text, "{indent}}}");
        }
        text.push_str(&self.each_place("  ", element, &format!("      *({vector} *)&{element} = {place};\n")));
        text + "}\n\n"
    }

    fn box_function(&self) -> String {
        let (shared, block) = (self.shared, self.block);
        let at = &shared.block.at;
        let (first, last) = (&shared.symbols.box_first, &shared.symbols.box_last);
        let ends: String = (0..self.depth())
            .map(|k| format!(", const dvm__int64 {}, const dvm__int64 {}", first[k], last[k]))
            .collect();
        let mut text =
            format!("/* {} in a box: blocks, then the rows and columns that are left. */\n", self.statement.name);
        let _ = writeln!(text, "static void {}(const struct {} *{}{ends})\n{{", self.name, shared.context, shared.own);
        text.push_str(&self.locals(&self.statement.text));
        for at in &at[..self.depth()] {
            let _ = writeln!(text, "  dvm__int64 {at};");
        }
        let element = self.element_type();
        let BlockNames { place: [_, column], packed, part: [begin, _], .. } = &shared.block;
        for operand in self.packed() {
            let room = format!("{} * DVM__BLOCK_COLUMNS * {}", self.depth_of_copies(), self.lanes());
            let _ = writeln!(text, "  {element} {}[{room}] DVM__ALIGNED;", packed[operand]);
        }
        if self.packed().next().is_some() {
            let _ = writeln!(text, "  dvm__int64 {begin};\n  int {column};");
        }
        let mut indent = "  ".to_owned();
        let outer: Vec<usize> = (0..self.depth())
            .filter(|k| block.rows != Some(*k) && block.vector != *k && !block.serial.contains(k))
            .collect();
        for k in &outer {
            let _ = writeln!(text, "{indent}for ({0} = {1}; {0} <= {2}; ++{0}) {{", at[*k], first[*k], last[*k]);
            indent.push_str("  ");
        }
        let vector = block.vector;
        let _ = writeln!(text, "{indent}{} = {};", at[vector], first[vector]);
        for columns in [self.extent()[1], "1"] {
            text.push_str(&self.columns(&indent, columns));
        }
        let left = format!("for (; {0} <= {1}; ++{0})", at[vector], last[vector]);
        let _ = writeln!(text, "{indent}{left}");
        let mut inner = format!("{indent}  ");
        for k in block.rows.iter().chain(&block.serial) {
            let _ = writeln!(text, "{inner}for ({0} = {1}; {0} <= {2}; ++{0})", at[*k], first[*k], last[*k]);
            inner.push_str("  ");
        }
        let _ = writeln!(text, "{inner}{{");
        text.push_str(&self.iterators(&format!("{inner}  "), &self.statement.text, |k| Some(at[k].clone())));
        if !self.statement.locals.is_empty() {
            let _ = writeln!(text, "{inner}  {}", self.statement.locals);
        }
        text.push_str(&self.marked(&format!("{inner}  "), &self.statement.text));
        let _ = writeln!(text, "{inner}}}");
        for _ in &outer {
            indent.truncate(indent.len() - 2);
            let _ = writeln!(text, "{indent}}}");
        }
        text + "}\n\n"
    }

    /// Loops over the vectors of a box, so many at a time.
    fn columns(&self, indent: &str, columns: &str) -> String {
        let BlockNames { at, part: [begin, end], .. } = &self.shared.block;
        let (first, last) = (&self.shared.symbols.box_first, &self.shared.symbols.box_last);
        let vector = self.block.vector;
        let step = if columns == "1" { self.lanes() } else { format!("{columns} * {}", self.lanes()) };
        let mut text =
            format!("{indent}for (; {0} <= {1} - ({step} - 1); {0} += {step}) {{\n", at[vector], last[vector]);
        let packs = self.packed().next().is_some();
        let inner = if packs { format!("{indent}  ") } else { indent.to_owned() };
        if packs {
            let k = self.block.serial[0];
            let _ = writeln!(
                text,
                "{inner}for ({begin} = {first}; {begin} <= {last}; {begin} += {depth}) {{\n\
                 {inner}  const dvm__int64 {end} = dvm__min({begin} + {depth} - 1, {last});",
                depth = self.depth_of_copies(),
                first = first[k],
                last = last[k]
            );
        }
        if let Some(row) = self.block.rows {
            let _ = writeln!(text, "{inner}  {} = {};", at[row], first[row]);
        }
        if packs {
            text.push_str(&self.copies(&format!("{inner}  "), columns));
        }
        match self.block.rows {
            Some(row) => {
                let rows = self.extent()[0];
                let some = format!("{inner}  for (; {0} <= {1} - ({rows} - 1); {0} += {rows})", at[row], last[row]);
                let _ = writeln!(text, "{some}\n{inner}    {};", self.block_call(rows, columns));
                let one = format!("{inner}  for (; {0} <= {1}; ++{0})", at[row], last[row]);
                let _ = writeln!(text, "{one}\n{inner}    {};", self.block_call("1", columns));
            }
            None => {
                let _ = writeln!(text, "{inner}  {};", self.block_call("1", columns));
            }
        }
        if packs {
            let _ = writeln!(text, "{inner}}}");
        }
        text + indent + "}\n"
    }

    /// For the comment on a block: `some values of i and `.
    pub(super) fn rows_in_words(&self) -> String {
        self.block.rows.map(|row| format!("some values of {} and ", self.iterator(row))).unwrap_or_default()
    }

    fn block_call(&self, rows: &str, columns: &str) -> String {
        let (symbols, at) = (&self.shared.symbols, &self.shared.block.at);
        let BlockNames { packed, part: [begin, end], .. } = &self.shared.block;
        let copies: String = self.packed().map(|at| format!(", {}", packed[at])).collect();
        let arguments: String = (0..self.depth())
            .map(|k| match self.block.serial.contains(&k) {
                true if !copies.is_empty() => format!(", {begin}, {end}"),
                true => format!(", {}, {}", symbols.box_first[k], symbols.box_last[k]),
                false => format!(", {}", at[k]),
            })
            .collect();
        format!("{}_block({}{arguments}{copies}, {rows}, {columns})", self.name, self.shared.own)
    }
}
