//! A region lowered to loops, bounds and conditions: what `emit` prints. Nothing here is a set or a relation any more.

use dvm_isl::{AstExpr, AstNode};
use std::collections::{BTreeSet, HashMap};
use std::fmt::{self, Write};

/// isl's names for what the sets of a region's tiles depend on.
pub struct TileSymbols {
    /// Values of the host loops.
    pub hosts: Vec<String>,
    /// The tile's least coordinates.
    pub origins: Vec<String>,
    /// The tile's sizes.
    pub sizes: Vec<String>,
    /// Counters of the loops over the instances.
    pub counters: Vec<String>,
    /// By iterator of a statement: its first value in a box of instances.
    pub box_first: Vec<String>,
    /// By iterator of a statement: its last value in a box of instances.
    pub box_last: Vec<String>,
    /// Values of loops whose rounds run one after another, the outermost first.
    pub rounds: Vec<String>,
}

/// The isl name of a statement's `k`-th iterator in its guard.
pub fn guard_name(k: usize) -> String {
    format!("dvm__iterator_{k}")
}

/// The isl name of the function that runs phase `at`.
pub fn phase_name(at: usize) -> String {
    format!("phase{at}")
}

/// The phase whose function has this isl name.
pub fn phase_of(name: &str) -> Option<usize> {
    name.strip_prefix("phase")?.parse().ok()
}

/// The least and the greatest value of an integer.
pub struct Ends {
    /// The least value.
    pub least: AstExpr,
    /// The greatest value.
    pub greatest: AstExpr,
}

impl fmt::Display for Ends {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} to {}", self.least, self.greatest)
    }
}

/// The loops over the instances of a tile, or of a sequential phase.
pub struct Loops {
    /// isl's syntax tree.
    pub tree: AstNode,
    /// The names of the statements that have instances.
    pub statements: BTreeSet<String>,
    /// By the number in a loop's note: the iterations touch nothing in common. Only innermost loops are asked.
    pub independent: Vec<bool>,
    /// By statement: the condition under which an instance exists, in `guard_name`s. A statement without a guard always
    /// has one.
    pub guards: HashMap<String, AstExpr>,
}

/// The loops of the calling thread.
pub struct HostLoops {
    /// isl's syntax tree; it calls each phase by its `phase_name`, with the values of the phase's host loops.
    pub tree: AstNode,
    /// A subscript leaves its row: the original loops have to run. `None`: no subscript does.
    pub leaves_row: Option<AstExpr>,
    /// Boxes around the instances of statements, each once: their volumes tell how much there is to do.
    pub work: Vec<Vec<Ends>>,
}

/// The instances of a tile, or of one round, that run before others: as blocks if they may.
pub struct Component {
    /// The statements that may run as blocks, one of them at a time.
    pub blocks: Vec<Block>,
    /// What runs where no blocks do.
    pub order: Ordered,
}

impl Component {
    /// Some statement may run as blocks.
    pub fn has_blocks(&self) -> bool {
        !self.blocks.is_empty() || matches!(self.order, Ordered::Rounds { .. })
    }
}

/// The order of a component's instances where they do not run as blocks.
pub enum Ordered {
    /// Loops over all instances.
    Loops(Loops),
    /// The values of a loop around all statements, one after another; some statement may run as blocks there.
    Rounds {
        /// The user's name of the loop's counter.
        counter: String,
        /// isl's name of a value.
        symbol: String,
        /// There are values.
        exists: AstExpr,
        /// The first and the last value.
        ends: Ends,
        /// The loop counts down.
        falls: bool,
        /// What runs for one value, in this order.
        components: Vec<Component>,
    },
}

/// A statement whose instances in a tile may run as blocks: some values of one loop, in vectors, by some of another,
/// for all values of the serial loops. The elements that the block updates stay in registers meanwhile, and so do the
/// scalars of a chain.
pub struct Block {
    /// Index of the statement in the model.
    pub statement: usize,
    /// The tile has instances of the statement.
    pub exists: AstExpr,
    /// They fill the box between their ends (`box_first`, `box_last`), and blocks keep their dependences.
    pub full: AstExpr,
    /// By iterator: its first and last value in the tile.
    pub ends: Vec<Ends>,
    /// The iterator whose values are in a vector.
    pub vector: usize,
    /// The iterator whose values are the rows of a block; if there is none, a block is one row.
    pub rows: Option<usize>,
    /// The iterators that a block has all values of, the outermost first.
    pub serial: Vec<usize>,
    /// By operand of the statement's arithmetic, or of its chain.
    pub roles: Vec<Role>,
    /// By iterator: the coordinate of the band that counts this iterator, and nothing else.
    pub coordinates: Vec<Option<usize>>,
}

/// What an operand is in a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// The element, or the scalar, that stays in a register.
    Kept,
    /// Elements that follow each other, in a vector.
    Vector,
    /// Elements that lie apart: copied first, for some steps of the serial loop, so that they follow each other.
    Packed,
    /// Elements that lie apart, gathered where they are used.
    Gathered,
    /// One element for all parts of a vector.
    Single,
    /// A number of another type.
    Number,
}

/// Values of a strip's coordinate: a vector of the widest doubles. The cache lines that their chains use at a time stay in the
/// near cache from one step of the chains to the next. Measured for line sweeps in two directions: 4.5 s with 4, 4.0 s with
/// 8, 3.8 s with 16, 5.4 s with 64 values, 10.8 s without strips. With rows of 16 KiB, which compete for the same lines, sums
/// along them take 0.081 s with 8, 0.199 s with 16 values, 0.056 s without strips.
pub const STRIP: i64 = 8;

/// Order of the instances of a tile.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BodyOrder {
    /// As in the source.
    Original,
    /// The band's coordinates in this order, outermost first, then what the schedule has below the band.
    Permuted(Vec<usize>),
    /// In strips of `STRIP` values of a free coordinate of the band; in a strip, this coordinate is inside of the others.
    Jammed {
        /// The coordinate.
        free: usize,
        /// Its place in the order of the other coordinates and of what the schedule has below the band.
        place: usize,
    },
}

/// A limit of a coordinate of a tile that depends on the coordinates before it: a sum that no tile of the graph makes
/// negative.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Link {
    /// The last coordinate in the sum.
    pub coordinate: usize,
    /// By coordinate up to the last: the factor of the tile's origin.
    pub origins: Vec<i64>,
    /// By coordinate up to the last: the factor of the tile's size.
    pub sizes: Vec<i64>,
    /// isl's names of parameters with their factors.
    pub parameters: Vec<(String, i64)>,
    /// What is added.
    pub constant: i64,
}

impl Link {
    /// The sum as isl reads it.
    pub fn text(&self, symbols: &TileSymbols) -> String {
        let mut text = self.constant.to_string();
        let parameters = self.parameters.iter().map(|(name, factor)| (name, factor));
        let origins = symbols.origins.iter().zip(&self.origins);
        let sizes = symbols.sizes.iter().zip(&self.sizes);
        for (name, factor) in parameters.chain(origins).chain(sizes).filter(|(_, factor)| **factor != 0) {
            let _ = write!(text, " + {factor} * {name}");
        }
        text
    }
}

/// The box of a graph's tiles.
pub struct TileBox {
    /// By coordinate of the band: a tile waits for the one before it.
    pub carried: Vec<bool>,
    /// Order of the instances of a tile.
    pub order: BodyOrder,
    /// By statement: its name, and its instances' host values and coordinates as text.
    pub coordinates: Vec<(String, String)>,
    /// By coordinate of the band: the ends of the box.
    pub ends: Vec<Ends>,
    /// The limits of inner coordinates by outer ones.
    pub links: Vec<Link>,
    /// A tile within all limits has an instance. `None`: always, or too long to tell.
    pub exists: Option<AstExpr>,
}

impl fmt::Display for TileBox {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (statement, coordinates) in &self.coordinates {
            writeln!(f, "  {statement} at ({coordinates})")?;
        }
        self.ends.iter().try_for_each(|ends| writeln!(f, "  {ends}"))?;
        for Link { origins, sizes, parameters, constant, .. } in &self.links {
            writeln!(f, "  origins {origins:?} sizes {sizes:?} {parameters:?} {constant:+} >= 0")?;
        }
        self.exists.as_ref().map_or(Ok(()), |exists| writeln!(f, "  runs if {exists}"))
    }
}

/// The number of values of a subscript in a tile.
pub enum Factor {
    /// `1 + spread + the sum of weight * (size - 1)` over the coordinates of the band.
    Linear {
        /// By coordinate: the change of the subscript in one step.
        weights: Vec<i64>,
        /// Greatest difference between accesses of one point.
        spread: i64,
    },
    /// The tile's sizes do not bound it: its ends in the whole phase, by isl's pieces.
    Whole(Vec<Ends>),
}

impl fmt::Display for Factor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Factor::Linear { weights, spread } => write!(f, "[{weights:?} spread {spread}]"),
            Factor::Whole(ends) => {
                let ends: Vec<String> = ends.iter().map(ToString::to_string).collect();
                write!(f, "[{}]", ends.join(" or "))
            }
        }
    }
}

/// What a tile touches of one array.
pub enum ArrayFootprint {
    /// For each group of accesses whose subscripts have the same extents: a factor for each subscript.
    Groups(Vec<Vec<Factor>>),
    /// The analysis takes too long: an element for each point of the tile.
    EveryPoint,
}

impl fmt::Display for ArrayFootprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ArrayFootprint::Groups(groups) = self else { return f.write_str("an element for each point") };
        let groups: Vec<String> =
            groups.iter().map(|factors| factors.iter().map(ToString::to_string).collect()).collect();
        f.write_str(&groups.join(" + "))
    }
}

/// A box around what the region touches of an array.
pub struct ArrayHull {
    /// The region touches an element.
    pub exists: AstExpr,
    /// By subscript.
    pub ends: Vec<Ends>,
}

impl fmt::Display for ArrayHull {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.ends.iter().try_for_each(|ends| write!(f, "[{ends}]"))?;
        write!(f, " if {}", self.exists)
    }
}

/// The comparisons of arrays that may share storage.
pub struct OverlapChecks {
    /// Indices of two arrays of which the region writes one.
    pub pairs: Vec<(usize, usize)>,
    /// Indices of the arrays of the pairs, by name, with what the region touches of them; `None`: nothing.
    pub hulls: Vec<(usize, Option<ArrayHull>)>,
    /// Indices of the arrays that the region writes, with what it touches of them.
    pub written: Vec<(usize, WrittenExtent)>,
    /// What the region touches of rows that tables of pointers name.
    pub tables: Vec<TableHull>,
    /// Indices of the arrays without tables that are compared with those rows.
    pub beside: Vec<usize>,
}

/// The names of subscripts that others depend on: those that choose a pointer of a table, or a row.
pub fn place_in_table(level: usize) -> String {
    format!("dvm__place{level}")
}

/// What the region touches of an array that is reached through tables of pointers.
pub struct TableHull {
    /// Index of the array.
    pub array: usize,
    /// The region touches an element.
    pub exists: AstExpr,
    /// By table, the outermost first.
    pub levels: Vec<TableLevel>,
    /// What is touched of a row.
    pub row: Ends,
    /// The region writes the rows.
    pub written: bool,
}

/// The pointers of a table that the region reads, for each choice in the tables before it.
pub struct TableLevel {
    /// The first and last of them.
    pub ends: Ends,
    /// The region reads the pointer at this place.
    pub inside: AstExpr,
}

/// The first and the last element that a region may touch of an array, in the order of memory.
pub struct ArraySpan {
    /// The region touches an element.
    pub exists: AstExpr,
    /// By subscript: the least value of the first element, the greatest of the last one. Both may name the subscripts
    /// before (see [`place_in_table`]) of their element.
    pub ends: Vec<Ends>,
}

/// What a region may touch of an array that it writes.
pub enum WrittenExtent {
    /// The whole object, whose lengths are numbers.
    Whole,
    /// What lies between two elements; `None`: nothing.
    Span(Option<ArraySpan>),
    /// It depends on data.
    Unknown,
}

/// isl's names for the two tiles that a value flows between.
pub struct FlowSymbols {
    /// The tile that writes.
    pub writer: TileEnd,
    /// The tile that reads.
    pub reader: TileEnd,
    /// Counters of the loops over instances and elements.
    pub counters: Vec<String>,
}

/// isl's names for the box of a tile: the values of its host loops, then its coordinates.
pub struct TileEnd {
    /// By coordinate: the least value.
    pub first: Vec<String>,
    /// By coordinate: the least value beyond.
    pub end: Vec<String>,
}

/// The least and the greatest distance along a coordinate, each if it has a constant bound.
pub type Distances = (Option<i64>, Option<i64>);

/// A sum of names with factors, which are not 0, and a constant.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sum {
    /// Names with their factors.
    pub terms: Vec<(String, i64)>,
    /// What is added.
    pub constant: i64,
}

impl Sum {
    /// The value for these values of the names.
    pub fn value(&self, of: &dyn Fn(&str) -> i64) -> i64 {
        self.terms.iter().fold(self.constant, |sum, (name, factor)| sum + factor * of(name))
    }
}

impl fmt::Display for Sum {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, (name, factor)) in self.terms.iter().enumerate() {
            let sign = match (at, *factor < 0) {
                (0, true) => "-",
                (0, false) => "",
                (_, true) => " - ",
                (_, false) => " + ",
            };
            match factor.unsigned_abs() {
                1 => write!(f, "{sign}{name}")?,
                factor => write!(f, "{sign}{factor} * {name}")?,
            }
        }
        match (self.terms.is_empty(), self.constant) {
            (true, constant) => write!(f, "{constant}"),
            (false, 0) => Ok(()),
            (false, constant) if constant < 0 => write!(f, " - {}", constant.unsigned_abs()),
            (false, constant) => write!(f, " + {constant}"),
        }
    }
}

/// A sum divided by a positive number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Quotient {
    /// The sum.
    pub sum: Sum,
    /// The number.
    pub divisor: i64,
}

/// A loop over one coordinate of a convex set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScanLoop {
    /// The counter.
    pub counter: String,
    /// Its value is at least each of these, rounded up.
    pub least: Vec<Quotient>,
    /// Its value is at most each of these, rounded down.
    pub greatest: Vec<Quotient>,
}

/// Loops over the points of a convex set: each constraint stands at the innermost counter that it has. So a loop may find
/// that a loop inside it has nothing to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConvexScan {
    /// Sums that are not negative, or there is no point.
    pub guards: Vec<Sum>,
    /// The loops, outermost first.
    pub loops: Vec<ScanLoop>,
    /// Inside of them, a coordinate that needs to have any value.
    pub exists: Option<ScanLoop>,
    /// What is asked for at each point: the element's subscripts.
    pub results: Vec<Sum>,
}

impl fmt::Display for ConvexScan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let list = |all: &[Quotient]| {
            let text = |one: &Quotient| match one.divisor {
                1 => one.sum.to_string(),
                divisor => format!("({}) / {divisor}", one.sum),
            };
            all.iter().map(text).collect::<Vec<_>>().join(", ")
        };
        for guard in &self.guards {
            writeln!(f, "if {guard} >= 0")?;
        }
        for ScanLoop { counter, least, greatest } in &self.loops {
            writeln!(f, "for {counter} from {} to {}", list(least), list(greatest))?;
        }
        if let Some(ScanLoop { counter, least, greatest }) = &self.exists {
            writeln!(f, "if some {counter} is from {} to {}", list(least), list(greatest))?;
        }
        let results: Vec<String> = self.results.iter().map(Sum::to_string).collect();
        writeln!(f, "[{}]", results.join(", "))
    }
}

/// Loops over elements.
pub enum ElementLoops {
    /// Those of isl; the tree calls the array by its name, with an instance's iterators and the element's subscripts.
    Tree(AstNode),
    /// Loops over a convex set.
    Convex(ConvexScan),
}

impl fmt::Display for ElementLoops {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ElementLoops::Tree(tree) => write!(f, "{tree}"),
            ElementLoops::Convex(scan) => write!(f, "{scan}"),
        }
    }
}

/// The elements of one array that one tile hands to another, as loops over instances that write them; what comes from
/// before the region or is left behind, also as loops over the elements alone. An element may come more than once.
pub struct FlowLoops {
    /// The phase of the tile that writes; `None`: the values are there before the region.
    pub writer: Option<usize>,
    /// The phase of the tile that reads; `None`: the values are left behind.
    pub reader: Option<usize>,
    /// Index of the array.
    pub array: usize,
    /// The array's number of subscripts: the last arguments of each call.
    pub rank: usize,
    /// Within a phase, by coordinate: the least and the greatest distance from an instance that writes to one that reads.
    pub distances: Vec<Distances>,
    /// All pairs of instances with their elements, as isl text.
    pub pairs: String,
    /// The loops.
    pub elements: ElementLoops,
}

/// Where a tile belongs: the element of an array that its leading write has at a point.
pub struct PlaceForm {
    /// Index of the statement that writes.
    pub statement: usize,
    /// Index of the array.
    pub array: usize,
    /// The element's subscripts, in the host values and the tile's coordinates.
    pub subscripts: Vec<AstExpr>,
    /// By subscript: its change with each host value, then with each coordinate of the band.
    pub factors: Vec<Vec<i64>>,
    /// How the place moves with the coordinates.
    pub kind: PlaceKind,
}

/// How a tile's place moves with the coordinates of its band.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PlaceKind {
    /// Each subscript is plus or minus one coordinate, none of them twice: any distribution will do.
    Product,
    /// One coordinate lowers subscripts, each other one raises one at most: blocks will do.
    Oblique {
        /// The coordinate that lowers.
        time: usize,
    },
    /// None of these.
    Other,
}

impl fmt::Display for PlaceKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PlaceKind::Product => f.write_str("product"),
            PlaceKind::Oblique { time } => write!(f, "oblique, falling with coordinate {time}"),
            PlaceKind::Other => f.write_str("neither product nor oblique"),
        }
    }
}

/// What a region needs to run on several processes.
pub struct AcrossParts {
    /// The flows between its phases, and those that leave it; for servers also those that enter it.
    pub loops: Vec<FlowLoops>,
    /// By array: what the region touches of it (`None`: nothing), if processes can serve that have not run the program;
    /// else why they cannot.
    pub served: Result<Vec<Option<ArrayHull>>, String>,
    /// By phase: coordinates of the band along which its tiles are best dealt out, the best first.
    pub places: Vec<Vec<usize>>,
}
