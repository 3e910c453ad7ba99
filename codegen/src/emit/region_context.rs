//! The region's context, which all generated functions share, and the locals that they load from it.

use super::{
    expression::CScope,
    generated_names::{CounterType, FreshNames, Mentions, declare, declare_const},
};
use crate::{
    lowered::{FlowSymbols, TileEnd, TileSymbols},
    model::{Array, Reduction, Region, Storage},
};
use std::fmt::Write;

/// Greatest distances from 0 of the coordinates of a phase's tiles.
#[derive(Clone, Copy, Debug, Default)]
pub struct Reach {
    /// Values of the host loops.
    pub hosts: i128,
    /// Coordinates of the band.
    pub band: i128,
}

/// The names of a region's generated functions, types and variables.
pub struct RegionContext<'a> {
    /// The region.
    pub region: &'a Region,
    /// By statement: how many statements the group has that it begins; 0: it belongs to the one before.
    pub groups: Vec<usize>,
    /// Structure tag of the context.
    pub context: String,
    /// Pointer to the context in the functions.
    pub own: String,
    /// isl's names.
    pub symbols: TileSymbols,
    /// isl's names for two tiles that a value flows between.
    pub flow: FlowSymbols,
    /// Member of the context that holds the tiles.
    pub tiles: String,
    /// Parameter of the functions that libdvm calls: the context.
    pub argument: String,
    /// Parameter of a tile's function: the tile's coordinates.
    pub tile: String,
    /// Parameter of a footprint's function: the tile's sizes.
    pub size: String,
    /// The launcher's locals: least and greatest coordinates of the band, and along which tiles wait.
    pub corners: [String; 3],
    /// The first part of the names of hoisted bounds.
    pub limit: String,
    /// Parameters of the function that narrows the ends of a coordinate: which one, and its ends.
    pub coordinate: String,
    /// See `coordinate`.
    pub ends: String,
    /// Local of the region's function: how much there is to do.
    pub work: String,
    /// Names in the functions of register tiling.
    pub block: BlockNames,
    /// Local of a tile's function: a component has run as blocks.
    pub done: String,
    /// Local of a tile's function: where its strips end.
    pub strip_end: String,
}

/// The names of the variables in the functions of register tiling.
pub struct BlockNames {
    /// By iterator: the value where a block begins.
    pub at: Vec<String>,
    /// Row and column of a block.
    pub place: [String; 2],
    /// Numbers of rows and columns.
    pub extent: [String; 2],
    /// The updated elements.
    pub kept: String,
    /// The type of a vector.
    pub vector: String,
    /// By operand: copies of elements that lie apart.
    pub packed: Vec<String>,
    /// A part of a vector.
    pub lane: String,
    /// A vector that is gathered.
    pub gathered: String,
    /// The first and last step of the serial loop for which there are copies.
    pub part: [String; 2],
}

/// Maximum nesting of the generated loops.
const COUNTERS: usize = 64;

/// Maximum number of loops around each other whose rounds run one after another.
const ROUNDS: usize = 2;

impl<'a> RegionContext<'a> {
    /// Names for a region of at most `hosts` host loops and bands of at most `dimension` coordinates.
    pub fn of(
        region: &'a Region,
        groups: &[usize],
        original: &str,
        hosts: usize,
        dimension: usize,
    ) -> RegionContext<'a> {
        let mut names = FreshNames::of(region, original);
        let depth = region.statements.iter().map(|statement| statement.iterators.len()).max().unwrap_or(0);
        let operands = region.statements.iter().filter_map(|statement| statement.arithmetic.as_ref());
        let operands = operands.map(|arithmetic| arithmetic.operands.len()).max().unwrap_or(0);
        RegionContext {
            region,
            groups: groups.to_vec(),
            context: names.fresh(&format!("dvm__{}_context", region.name)),
            own: names.fresh("dvm__self"),
            symbols: TileSymbols {
                hosts: names.series("dvm__h", hosts),
                origins: names.series("dvm__o", dimension),
                sizes: names.series("dvm__b", dimension),
                counters: names.series("dvm__c", COUNTERS),
                box_first: names.series("dvm__first", depth),
                box_last: names.series("dvm__last_of", depth),
                rounds: names.series("dvm__round", ROUNDS),
            },
            flow: FlowSymbols {
                writer: TileEnd {
                    first: names.series("dvm__from", hosts + dimension),
                    end: names.series("dvm__from_end", hosts + dimension),
                },
                reader: TileEnd {
                    first: names.series("dvm__to", hosts + dimension),
                    end: names.series("dvm__to_end", hosts + dimension),
                },
                counters: names.series("dvm__x", COUNTERS),
            },
            tiles: names.fresh("dvm__tiles"),
            argument: names.fresh("dvm__context"),
            tile: names.fresh("dvm__tile"),
            size: names.fresh("dvm__size"),
            corners: ["dvm__lowest", "dvm__highest", "dvm__carried"].map(|name| names.fresh(name)),
            limit: names.fresh("dvm__last"),
            coordinate: names.fresh("dvm__coordinate"),
            ends: names.fresh("dvm__ends"),
            work: names.fresh("dvm__work"),
            block: BlockNames {
                at: names.series("dvm__at", depth),
                place: ["dvm__row", "dvm__column"].map(|name| names.fresh(name)),
                extent: ["dvm__rows", "dvm__columns"].map(|name| names.fresh(name)),
                kept: names.fresh("dvm__kept"),
                vector: names.fresh("dvm__vector"),
                packed: names.series("dvm__packed", operands),
                lane: names.fresh("dvm__lane"),
                gathered: names.fresh("dvm__gathered"),
                part: ["dvm__begin", "dvm__end"].map(|name| names.fresh(name)),
            },
            done: names.fresh("dvm__done"),
            strip_end: names.fresh("dvm__strip_end"),
        }
    }

    /// The context's structure.
    pub fn structure(&self) -> String {
        let region = self.region;
        let mut text =
            format!("/* What the tiles of region `{}` need to know. */\nstruct {} {{\n", region.name, self.context);
        let _ = writeln!(text, "  struct dvm__tiles {};", self.tiles);
        for parameter in &region.parameters {
            let _ = writeln!(text, "  {};", declare(&parameter.ctype, &parameter.name));
        }
        for value in &region.values {
            let _ = writeln!(text, "  {};", declare(&value.ctype, &value.name));
        }
        for array in with_lengths(region) {
            if !array.global {
                let _ = writeln!(text, "  void *{};", array.name);
            }
            for at in runtime_lengths(array) {
                let _ = writeln!(text, "  dvm__int64 {};", length_name(array, at));
            }
        }
        for at in 0..region.kept.len() {
            let _ = writeln!(text, "  dvm__address {}[2];", kept_member(at));
        }
        if !self.symbols.hosts.is_empty() {
            let _ = writeln!(
                text,
                "  dvm__int64 {}; /* values of the loops around the tiles */",
                self.symbols.hosts.join(", ")
            );
        }
        text.push_str(&block_members(region));
        text.push_str("};\n\n");
        text
    }

    /// The initialiser of the context, in the enclosing function.
    pub fn initialiser(&self) -> String {
        let region = self.region;
        let mut fields = Vec::new();
        if !region.options.tile.is_empty() {
            fields.push(format!(".{} = {{ .dvm__fixed = {{ {} }} }}", self.tiles, region.options.tile.join(", ")));
        }
        fields.extend(region.parameters.iter().map(|parameter| {
            format!(".{} = {}", parameter.name, parameter.expression.as_ref().unwrap_or(&parameter.name))
        }));
        fields.extend(region.values.iter().map(|value| format!(".{0} = {0}", value.name)));
        for array in with_lengths(region) {
            let address = if array.dims.is_empty() { "&" } else { "" };
            if !array.global {
                fields.push(format!(".{0} = (void *){address}{0}", array.name));
            }
            for at in runtime_lengths(array) {
                let length = array.dims[at].as_deref().unwrap_or("0");
                fields.push(format!(".{} = (dvm__int64)({length})", length_name(array, at)));
            }
        }
        for (at, kept) in region.kept.iter().enumerate() {
            let object = &kept.object;
            let place = format!("(dvm__address)&{object}");
            fields.push(format!(".{} = {{ {place}, {place} + sizeof({object}) }}", kept_member(at)));
        }
        if fields.is_empty() { "{ 0 }".to_owned() } else { format!("{{ {} }}", fields.join(", ")) }
    }

    /// C names of the parameters. A parameter that the statements' text may use keeps the user's type.
    pub fn scope(&self, mentions: &Mentions) -> CScope {
        let mut scope = CScope::default();
        for parameter in &self.region.parameters {
            let integer =
                if mentions.perhaps(&parameter.name) { CounterType::of(&parameter.ctype) } else { CounterType::Wide };
            scope.bind(&parameter.symbol, &parameter.name, integer);
            // A guard before the region checks the limit of wider types.
            let bound = match CounterType::of(&parameter.ctype) {
                CounterType::Int | CounterType::Unsigned => 1 << 32,
                _ => i128::from(crate::model::WIDE_LIMIT),
            };
            scope.limit(&parameter.symbol, bound);
        }
        scope
    }

    /// The scope of a tile's functions, whose hosts and coordinates have bounds.
    pub fn scope_of_tile(&self, mentions: &Mentions, reach: Reach) -> CScope {
        let mut scope = self.scope(mentions);
        self.symbols.hosts.iter().for_each(|host| scope.own(host, reach.hosts));
        self.symbols.origins.iter().for_each(|origin| scope.own(origin, reach.band));
        self.symbols.sizes.iter().for_each(|size| scope.own(size, 2 * reach.band + 1));
        scope
    }

    /// Declarations of what a function's expressions and statements use.
    pub fn locals(&self, scope: &CScope, mentions: &Mentions) -> String {
        let mut text = String::new();
        let own = &self.own;
        for parameter in &self.region.parameters {
            let name = &parameter.name;
            let used = scope.has_used(&parameter.symbol);
            if mentions.perhaps(name) {
                let _ = writeln!(text, "  {} = {own}->{name};", declare_const(&parameter.ctype, name));
                if !used && !mentions.surely(name) {
                    let _ = writeln!(text, "  (void){name};");
                }
            } else if used {
                let _ = writeln!(text, "  const dvm__int64 {name} = {own}->{name};");
            }
        }
        for value in &self.region.values {
            if mentions.perhaps(&value.name) {
                let _ = writeln!(text, "  {} = {own}->{};", declare_const(&value.ctype, &value.name), value.name);
                if !mentions.surely(&value.name) {
                    let _ = writeln!(text, "  (void){};", value.name);
                }
            }
        }
        for array in passed(self.region) {
            if mentions.perhaps(&array.name) {
                text.push_str(&self.array_local(array));
                if !mentions.surely(&array.name) {
                    let _ = writeln!(text, "  (void){};", array.name);
                }
            }
        }
        for host in self.symbols.hosts.iter().filter(|host| scope.has_used(host)) {
            let _ = writeln!(text, "  const dvm__int64 {host} = {own}->{host};");
        }
        text
    }

    fn array_local(&self, array: &Array) -> String {
        let own = &self.own;
        let mut text = String::new();
        // Nothing compares the arrays of an independent loop. A reduction runs its tiles in order if arrays overlap.
        let region = self.region;
        let overlaps = region.is_independent() || !region.reductions.is_empty();
        let compared = !overlaps || array.storage != Storage::Pointer;
        let restrict = match (compared, region.c90) {
            (false, _) => "",
            (true, false) => "restrict ",
            (true, true) => "__restrict__ ",
        };
        if array.tables > 0 {
            let stars = "*".repeat(array.tables + 1);
            return format!("  {} {stars}{} = {own}->{};\n", array.element, array.name, array.name);
        }
        if array.linearised {
            return format!("  {} *{restrict}{} = {own}->{};\n", array.element, array.name, array.name);
        }
        for at in runtime_lengths(array) {
            let length = length_name(array, at);
            let _ = writeln!(text, "  const dvm__int64 {length} = {own}->{length};");
        }
        let lengths: String = (1..array.dims.len()).map(|at| format!("[{}]", length_text(array, at))).collect();
        let (element, name) = (&array.element, &array.name);
        let _ = if lengths.is_empty() {
            writeln!(text, "  {element} *{restrict}{name} = {own}->{name};")
        } else {
            writeln!(text, "  {element} (*{restrict}{name}){lengths} = {own}->{name};")
        };
        text
    }
}

/// The member of the context that counts the blocks of a reduction.
pub const BLOCKS: &str = "dvm__parts";

/// The member of the context with the blocks' values.
pub fn block_values(reduction: &Reduction) -> String {
    format!("dvm__part_{}", reduction.name)
}

/// The members of the context that reductions need.
fn block_members(region: &Region) -> String {
    let mut text = String::new();
    for reduction in &region.reductions {
        let _ = writeln!(text, "  {} {}[256];", reduction.partial, block_values(reduction));
    }
    if !region.reductions.is_empty() {
        let _ = writeln!(text, "  int {BLOCKS};");
    }
    text
}

/// The arrays that the context passes: the functions cannot reach them by name.
pub fn passed(region: &Region) -> impl Iterator<Item = &Array> {
    region.arrays.iter().filter(|array| !array.global)
}

/// The arrays whose lengths the context has: those that it passes, and global ones whose text does not tell them.
pub fn with_lengths(region: &Region) -> impl Iterator<Item = &Array> {
    region.arrays.iter().filter(|array| !array.global || array.linearised)
}

/// The member of the context with the first byte of what keeps its value, and the byte after it.
pub fn kept_member(at: usize) -> String {
    format!("dvm__kept{at}")
}

/// The dimensions after the first whose lengths are known only at run time.
fn runtime_lengths(array: &Array) -> impl Iterator<Item = usize> {
    (1..array.dims.len()).filter(|at| array.tables == 0 && number(array, *at).is_none())
}

fn number(array: &Array, at: usize) -> Option<&str> {
    array.dims[at].as_deref().filter(|length| !length.is_empty() && length.bytes().all(|byte| byte.is_ascii_digit()))
}

fn length_name(array: &Array, at: usize) -> String {
    format!("dvm__{}_length{at}", array.name)
}

/// A dimension's length in a generated function that has the array's locals.
pub fn length_text(array: &Array, at: usize) -> String {
    number(array, at).map_or_else(|| length_name(array, at), str::to_owned)
}

/// The lengths of all dimensions after the first.
pub fn lengths(array: &Array) -> Vec<String> {
    (1..array.dims.len()).map(|at| length_text(array, at)).collect()
}
