//! What a program under construction knows: its names, and which oddities of the language it uses.

use super::choices::Choices;
use super::types::Ty;
use std::collections::BTreeSet;

/// An expression (6.5) with its type and what its values can be.
#[derive(Clone, Debug)]
pub struct Ex {
    pub text: String,
    /// How tightly its operator binds: 16 primary, 15 postfix, 14 unary, 13 cast, 12 `*` ... 1 assignment, 0 comma.
    pub binds: u8,
    pub ty: Ty,
    /// Bounds of an integer value.
    pub low: i128,
    pub high: i128,
    /// Bound of a floating value's magnitude.
    pub most: f64,
}

impl Ex {
    pub fn integer(text: impl Into<String>, binds: u8, ty: Ty, low: i128, high: i128) -> Ex {
        let most = low.abs().max(high.abs()) as f64;
        Ex { text: text.into(), binds, ty, low, high, most }
    }

    pub fn real(text: impl Into<String>, binds: u8, ty: Ty, most: f64) -> Ex {
        Ex { text: text.into(), binds, ty, low: 0, high: 0, most }
    }

    /// The text as an operand of something that binds at least so tightly.
    pub fn operand(&self, binds: u8) -> String {
        if self.binds >= binds { self.text.clone() } else { format!("({})", self.text) }
    }
}

/// Which values an object holds: kept by every statement that writes it, so that nothing overflows.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Role {
    /// Filled by the harness and never written.
    Input,
    /// Filled with subscripts 0 .. 11 and never written.
    Index,
    /// Any value of a type that cannot overflow, or of a floating type.
    Free,
    /// A signed type as wide as `int`, kept within 4096.
    Small,
    /// The same, to which only small values are added.
    Sum,
}

impl Role {
    pub fn written(self) -> bool {
        !matches!(self, Role::Input | Role::Index)
    }
}

/// A scalar or the element of an array, as a value.
pub fn value(text: impl Into<String>, binds: u8, ty: Ty, role: Role) -> Ex {
    if ty.floating() {
        return Ex::real(text, binds, ty, if role == Role::Input { 200.0 } else { f64::INFINITY });
    }
    let (low, high) = match role {
        Role::Input if ty == Ty::Bool => (0, 1),
        Role::Input if ty.signed() => (-60, 60),
        Role::Input => (0, 60),
        Role::Index => (0, 11),
        Role::Free => ty.range(),
        Role::Small => (-4096, 4095),
        Role::Sum => (-(1 << 30), 1 << 30),
    };
    Ex::integer(text, binds, ty, low, high)
}

/// How elements of an array are named.
#[derive(Clone, Debug)]
pub enum Access {
    /// `name[i][j]`, or anything that means the same.
    Subscripts,
    /// A macro with arguments.
    Macro,
    /// A member of the element: `name[i].member`.
    Member(&'static str),
    /// An array in one dimension that is seen as two: `name[i * 26 + j]`.
    Flat,
}

/// A name for a piece of storage with elements.
#[derive(Clone, Debug)]
pub struct View {
    pub name: String,
    pub ty: Ty,
    pub dims: Vec<i128>,
    pub role: Role,
    pub access: Access,
    /// Another view may name the same elements.
    pub shared: bool,
}

/// A counter, a size, or another integer that is not written where it is used.
#[derive(Clone, Debug)]
pub struct Var {
    pub text: String,
    pub binds: u8,
    pub ty: Ty,
    pub low: i128,
    pub high: i128,
}

impl Var {
    pub fn new(text: impl Into<String>, ty: Ty, low: i128, high: i128) -> Var {
        Var { text: text.into(), binds: 16, ty, low, high }
    }

    pub fn ex(&self) -> Ex {
        Ex::integer(self.text.clone(), self.binds, self.ty, self.low, self.high)
    }
}

/// A scalar object.
#[derive(Clone, Debug)]
pub struct Scalar {
    pub text: String,
    pub binds: u8,
    pub ty: Ty,
    pub role: Role,
    /// Is only read.
    pub constant: bool,
}

impl Scalar {
    /// The text as an operand of a postfix operator.
    pub fn operand(&self) -> String {
        if self.binds >= 15 { self.text.clone() } else { format!("({})", self.text) }
    }
}

macro_rules! odds {
    ($($name:ident $weight:literal,)*) => {
        /// Oddities: what the standard allows and ordinary programs seldom do. A program uses a few of them.
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
        pub enum Odd { $($name),* }
        const ODDS: &[(Odd, usize)] = &[$((Odd::$name, $weight)),*];
    };
}
odds! {
    // Lexical elements (6.4) and the preprocessor (6.10).
    Constants 3, Characters 2, Splices 2, Digraphs 1, UniversalNames 1, Macros 3, MacroArguments 3, Pasted 1,
    Conditionals 1, LineMacro 1, LineDirective 1, PragmaOperator 1, IsolatedNames 2,
    // Expressions (6.5).
    Subscripts 4, Commas 2, Choice 4, Chains 2, Increments 3, Sizes 2, Casts 3, Logic 2, Bits 3, Shifts 2, Remainders 4,
    Literals 1, Puzzles 3, Calls 3, Generic 1,
    // Types and declarations (6.2, 6.7).
    Unsigned 4, Narrow 4, Mixed 4, Bools 2, Wide 2, Enums 3, Typedefs 2, Shadows 3, Members 3, BitFields 1, Unions 1,
    Qualifiers 2, Rows 3, Statics 2, Restrict 3, Overlap 4, Derived 3, Aligned 1, Threads 1, Atomics 1, Volatile 1,
    OldStyle 2, Inline 1, Registers 1, Flat 1, Specifiers 1, Initialisers 2, Locals 3, Pointees 2,
    // Statements (6.8).
    Outside 4, Heads 4, Down 3, Strides 3, Unequal 2, Guards 4, DataGuards 3, Nulls 1, Dangling 2, Scalars 4, Reductions 4,
    BodyArrays 2, DataSubscripts 2, Around 5, Jumps 3, Switches 3, Returns 2, Parameters 4, Bounds 5, Several 3, Options 2,
    Whiles 1, After 4, CounterTypes 4, Leaves 1, Inner 5, Copies 2, Extremes 3,
}

/// A program under construction.
pub struct Program {
    pub choices: Choices,
    pub odds: BTreeSet<Odd>,
    pub counters: Vec<Var>,
    pub sizes: Vec<Var>,
    pub views: Vec<View>,
    pub scalars: Vec<Scalar>,
    /// Macros and enumerators with known values: text, type, value.
    pub known: Vec<(String, Ty, i128)>,
    /// Functions that may be called: name, type, whether it takes a floating argument.
    pub functions: Vec<(String, Ty, bool)>,
    /// Text for the file's scope, before the function.
    pub file: Vec<String>,
    /// Declarations at the start of the function.
    pub locals: Vec<String>,
    /// Statements that fill, before the call; and those that show, after it.
    pub fills: Vec<String>,
    pub shows: Vec<String>,
    /// Statements that show what the function's own objects hold, at its end.
    pub tells: Vec<String>,
    pub parameters: Vec<(String, String, String)>,
    fresh: usize,
    /// Statements that may still be made in the region.
    pub budget: usize,
}

impl Program {
    pub fn new(mut choices: Choices) -> Program {
        let count = choices.weighted(&[1, 4, 6, 5, 3, 2]);
        let total: usize = ODDS.iter().map(|o| o.1).sum();
        let mut odds = BTreeSet::new();
        for _ in 0..count {
            let mut number = choices.below(total);
            for (odd, weight) in ODDS {
                if number < *weight {
                    odds.insert(*odd);
                    break;
                }
                number -= weight;
            }
        }
        Program {
            choices,
            odds,
            counters: Vec::new(),
            sizes: Vec::new(),
            views: Vec::new(),
            scalars: Vec::new(),
            known: Vec::new(),
            functions: Vec::new(),
            file: Vec::new(),
            locals: Vec::new(),
            fills: Vec::new(),
            shows: Vec::new(),
            tells: Vec::new(),
            parameters: Vec::new(),
            fresh: 0,
            budget: 0,
        }
    }

    /// Whether the program uses an oddity.
    pub fn has(&self, odd: Odd) -> bool {
        self.odds.contains(&odd)
    }

    /// Whether an oddity is used at this place.
    pub fn odd(&mut self, odd: Odd, percent: usize) -> bool {
        self.has(odd) && self.choices.chance(percent)
    }

    /// A number that no name has yet.
    pub fn number(&mut self) -> usize {
        self.fresh += 1;
        self.fresh
    }

    /// A new name at file scope: unique in the unit.
    pub fn name(&mut self, stem: &str) -> String {
        format!("{stem}{}_@", self.number())
    }

    pub fn pick<T: Copy>(&mut self, list: &[T]) -> T {
        self.choices.pick(list)
    }
}
