//! The codes of refusals: one table from which the messages, `--explain` and docs/refusals.md are made.
//!
//! A code keeps its meaning from version to version; a code that is given up is not given again. Each has two files in
//! `examples`: one is refused with this code, and the other one says the same in a form that is accepted. A line
//! `/* File NAME: */` begins a file of that name.

use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// What shows a code's meaning.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Example {
    /// Two C files.
    Files {
        /// A text that is refused with the code.
        refused: &'static str,
        /// Its mended form, which is accepted.
        accepted: &'static str,
    },
    /// A case that no C file shows, in words.
    Words(&'static str),
}

macro_rules! example {
    ($code:literal) => {
        Example::Files {
            refused: include_str!(concat!("examples/", $code, ".refused.c")),
            accepted: include_str!(concat!("examples/", $code, ".accepted.c")),
        }
    };
    ($code:literal $words:literal) => {
        Example::Words($words)
    };
}

macro_rules! codes {
    ($($code:literal $name:ident $(($words:literal))? $meaning:literal, $why:literal;)*) => {
        /// The kind of a refusal.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
        pub enum Code {
            $(#[doc = $meaning] $name,)*
        }

        impl Code {
            /// All codes, in their order.
            pub const ALL: &[Code] = &[$(Code::$name,)*];

            /// The code as it stands in messages, such as `DVM012`.
            pub fn text(self) -> &'static str {
                match self { $(Code::$name => $code,)* }
            }

            /// The code's name in this program.
            pub fn name(self) -> &'static str {
                match self { $(Code::$name => stringify!($name),)* }
            }

            /// What the refusal says, without its names.
            pub fn meaning(self) -> &'static str {
                match self { $(Code::$name => $meaning,)* }
            }

            /// Why the tool refuses that, and what helps.
            pub fn why(self) -> &'static str {
                match self { $(Code::$name => $why,)* }
            }

            /// A failing text and a mended one.
            pub fn example(self) -> Example {
                match self { $(Code::$name => example!($code $($words)?),)* }
            }
        }
    };
}

codes! {
    "DVM001" UnknownPragma
        "`#pragma dvm` is followed by a word that is not known",
        "The only pragma of this name is `#pragma dvm region`. A misspelt one would otherwise be ignored.";
    "DVM002" WrongClause
        "a clause of the pragma is not known, or its argument has not the form that the clause needs",
        "A clause that is not understood might state what makes the region right, so it is never skipped.";
    "DVM003" UnpairedScop
        "`#pragma scop` and `#pragma endscop` do not enclose whole statements",
        "The pair marks the statements between its lines: both must stand in the same block.";
    "DVM004" MisplacedPragma
        "the pragma does not stand before a loop or block of a function, or marks nothing",
        "The region is the statement after the pragma. There must be one, among the ordinary statements of a function.";
    "DVM005" HiddenPragma
        "the pragma comes from a macro or from `_Pragma`",
        "The tool changes the file's text, so the pragma must stand in it, on a line of its own.";
    "DVM006" IncludedPragma
        "the pragma stands in an included file",
        "Only the file that is compiled is transformed: an included one may be part of several programs.";
    "DVM007" LineNumbers
        "the file sets line numbers that only the preprocessor knows",
        "Places in clang's syntax tree are found by line. Behind a `#line` inside `#if` they are not certain.";
    "DVM008" OtherPragma
        "another pragma is about the same loop, or would reach the function but not its tiles",
        "The tiles are functions of their own. A pragma that changes how the region is compiled must hold for them, too.";
    "DVM009" OpenMp
        "OpenMP is on, and its pragma is about the region or stands inside it",
        "Either OpenMP or libdvm runs a loop in parallel. Which of them is meant is the author's decision.";
    "DVM010" NotC
        "the pragma stands in a file that is not C",
        "The front end reads C only: neither C++ nor text from standard input nor preprocessed files.";
    "DVM011" Unreadable
        "clang could not read the file, or the transformed file cannot be put in its place",
        "The syntax tree comes from clang. Whatever the compiler itself accepts is still compiled, without tiles.";
    "DVM012" ForeignTarget ("A compiler for another machine, whose types clang does not give the same sizes: say which with --target=.")
        "clang and the compiler do not agree on the machine or on its types",
        "Sizes of types, and with them which values wrap around, would be judged for a machine that does not run the code.";
    "DVM013" TooLarge
        "the file, the region or the nesting is larger than the tool reads",
        "Limits keep the compiler's time and memory in bounds. Mark each nest with a pragma of its own.";
    "DVM014" OtherView
        "a conditional or a value in the file's text depends on which compiler reads it",
        "Clang's syntax tree is analysed, and your compiler compiles the text: both must see the same program.";

    "DVM020" LoopHeader
        "the loop's header does not set, compare and step one counter",
        "The iterations of a loop must be known before it runs: `for (i = first; i < last; i += step)` tells them.";
    "DVM021" LoopCondition
        "the loop's condition does not tell where its counter ends",
        "The condition must compare the counter with a value, in the direction of the step, so that the loop certainly ends there.";
    "DVM022" LoopStep
        "the loop's step may change, or is not known",
        "The step must be a constant, or a variable that the region leaves alone and that is 1 at run time (that is checked).";
    "DVM023" CounterType
        "the loop's counter is not of an integer type that is certain",
        "Sets of iterations are sets of whole numbers.";
    "DVM024" CounterAssigned
        "a loop's counter is assigned outside of its loop's header",
        "Only a counter that its header alone changes has the values that the header tells.";
    "DVM025" CounterShared
        "a loop has the counter of a loop around it, or begins with a value that is not known",
        "Each loop of a nest counts by itself; a loop without a first value may run once only, from the value at entry.";
    "DVM026" CounterWraps
        "the counter's type may overflow at the end of the loop",
        "With a defined overflow the loop might never end, or run through other values than its bounds tell.";
    "DVM027" CounterLeft
        "the counter's value is used after its loop",
        "Tiles have counters of their own. Where the last value can be set after the region, it is; elsewhere keep it yourself.";
    "DVM028" CounterReached
        "a pointer of the region may point to the counter of a loop",
        "The tiles have counters of their own, which such a pointer would not reach.";
    "DVM029" WhileLoop
        "the region has a `while` or `do` loop that is not inside a `for` loop",
        "How often such a loop runs is known only while it runs, but tiles are laid out before. Inside of a `for` loop it is a part of an iteration.";
    "DVM030" Jump
        "the region has a jump out of its outermost loop, a `goto` backwards, or a `switch` outside of its loops",
        "Which iterations run must follow from bounds and conditions, not from what earlier iterations met. Inside of a `for` loop `continue`, `goto` forward, `switch`, and the `break` of a loop inside are parts of an iteration.";
    "DVM031" Construct
        "the region has a construct that is not in the language of regions",
        "The tool lists what it understands: assignments, `for`, `if`, expressions of numbers, calls of functions without effects.";
    "DVM032" NotAffine
        "an expression of a bound, a condition or a subscript is not affine",
        "Affine expressions are sums of counters and unchanging integers with constant factors. For these, dependences can be computed exactly.";
    "DVM033" ChangingValue
        "a variable that changes in the region stands in a bound, a condition or a subscript",
        "Which iterations run, and which elements they touch, must not depend on what the region computes.";
    "DVM034" ValueWraps
        "a value of an index may leave the range of its type and wrap around",
        "C defines the wrapped value of unsigned and narrow types, and it is not the sum that the analysis assumes.";
    "DVM035" UnclearValue ("A scalar that counts by a value the region loads from memory, and that is used after the region; copy that value to a local variable first.")
        "the value of a scalar at this place is no sum of counters and unchanging integers",
        "A variable that counts along with the loops is replaced by its closed form. This one has none that is known.";
    "DVM036" DataSubscript
        "a subscript depends on data",
        "Which elements are touched would be known only while the region runs.";
    "DVM037" RowLeft
        "a subscript may leave its row, or leaves it whatever the sizes are",
        "C forbids subscripts beyond a row, and compilers rely on that. The analysis takes rows for separate, as C does.";
    "DVM038" NoShape
        "the subscripts of an array have no common shape",
        "`a[i * n + j]` is read as an array with rows of n elements. All accesses must agree on one such shape.";
    "DVM039" UnknownLength
        "the length of the array that a subscript belongs to is not known",
        "Whether a subscript stays inside its row cannot be checked without the row's length.";
    "DVM040" WideNumbers
        "numbers of bounds or subscripts may exceed 64 bits",
        "The generated code computes with 64 bits, and never risks an overflow.";
    "DVM041" BoundWritten
        "what bounds or subscripts read may be written by the region",
        "Sizes, and pointers to rows, are read once, when the region is entered.";

    "DVM050" AddressUsed
        "an address is taken, or used as a value",
        "Through a stored address anything may be read or written, which no subscript shows.";
    "DVM051" PointerMoves
        "a pointer changes in the region",
        "Which element a pointer means would depend on what ran before.";
    "DVM052" PointerUntraced
        "a pointer cannot be traced to one array",
        "Dependences are computed between elements of named arrays.";
    "DVM053" PointerInMemory
        "an array is reached through a pointer in memory",
        "Nothing says that two such pointers differ, or that the region's writes leave them alone.";
    "DVM054" VolatileOrAtomic
        "an object is volatile or atomic",
        "The order of its accesses is a part of the program's meaning, and tiles run in another order.";
    "DVM055" ThreadLocal
        "an object is thread-local",
        "Tiles run on other threads, which have another object of that name.";
    "DVM056" UnionMember
        "a member of a union is used",
        "Members of a union share their bytes, so that a write to one changes the others.";
    "DVM057" AliasedName
        "an object may have a second name",
        "Aliases, assembler labels and weak symbols give one storage several names, which the analysis takes for different arrays.";
    "DVM058" ElementType
        "an object is neither a number nor a struct of numbers",
        "The region's accesses are reads and writes of numbers and structs.";
    "DVM059" RegisterVariable
        "a register variable is written, and tiles need its address",
        "C forbids taking the address of a register variable.";
    "DVM060" LocalObject
        "a declaration in the region cannot be repeated in each tile",
        "Variables of the region's blocks become variables of the tiles. Static ones, arrays of computed length, and those that are used after the region cannot.";
    "DVM061" LocalName
        "a type or a name that is declared inside the function is used in the region",
        "Tiles are functions before the enclosing one, where such a name is not known.";
    "DVM062" ChangingType
        "a type depends on a variable that the region sets",
        "The size of such a type would change from iteration to iteration.";
    "DVM063" Size
        "the size or alignment of something is taken that a tile does not know",
        "In a tile the operand may have another type: an array, for example, is a pointer there.";
    "DVM064" Attribute
        "an attribute may change what the region computes",
        "Tiles are functions of their own, for which the attribute would not hold.";
    "DVM065" StackSpace
        "the region's variables need more stack than workers have",
        "Each tile has its own copy of the region's local variables, on the stack of a worker.";
    "DVM066" HiddenName
        "one name means two variables in one statement",
        "A statement moves into a tile with its variables, which must have different names there.";
    "DVM067" Designators
        "values in braces with designators may replace each other",
        "Which of two values for one member counts, and which of them is evaluated, is not the same for all compilers.";

    "DVM070" UnseenFunction
        "a function is called that may have effects",
        "Tiles run in another order, and several at a time. A function that writes, prints, or keeps something would be noticed.";
    "DVM071" FunctionPointer
        "a function is called or passed through a pointer",
        "It is not known which function runs.";
    "DVM072" CallNotFollowed
        "the call of a function that writes arrays cannot be followed",
        "The body of such a function is read as if it stood in the region; it must be static, simple, and in the file or in one that it includes.";
    "DVM073" PureConflict
        "a pure function may read what the region writes",
        "A pure function may read memory, but the analysis does not see which elements.";
    "DVM074" WrittenByFunction
        "a variable is written by a called function, and not in the region's own text",
        "The region's variables are passed to the tiles by what its own text says about them.";
    "DVM075" KnownArguments
        "a mathematical function is called with what all iterations share",
        "Where a compiler knows the arguments it rounds the exact value; the library that tiles call may have another last bit.";

    "DVM080" MacroStatements
        "a macro holds statements or parts of loops",
        "Statements are moved as text, so they must stand in it. Macros inside of expressions are fine.";
    "DVM081" MacroScalar
        "a scalar that the region writes is named inside a macro",
        "The tile reaches such a scalar through a pointer, and its name must be replaced in the text.";
    "DVM082" Directive
        "a line for the preprocessor stands where the region's text is moved",
        "Conditionals must enclose whole statements or heads of loops; macros and includes belong before the region.";
    "DVM083" PlaceMacro
        "a value depends on the line, the function or the time",
        "The statement moves to another line and another function, where `__LINE__` or `__func__` would say something else.";
    "DVM084" GeneratedName
        "a name is one that the generated code needs",
        "Generated names begin with `dvm__`; the code also uses a few names of C and of the library.";
    "DVM085" Spelling
        "a name is spelt with `\\u`, or a text means different things in different versions of C",
        "The tool finds names by their letters, and must read the text as the compiler does.";

    "DVM090" ReductionClause
        "`reduction(op:x)` does not name a local variable that the loop after the pragma updates",
        "Each tile updates its own copy, and the copies are combined in the end: nothing else may see the variable meanwhile.";
    "DVM091" ReductionType
        "the operator of a reduction does not fit the variable's type",
        "Integers have all operators; real numbers have +, *, min and max.";
    "DVM092" ReductionUpdate
        "a variable of a reduction is used otherwise than to update it with its operator",
        "Another use would see the copy of one tile instead of the whole value.";
    "DVM093" ReductionDown
        "a loop with a reduction counts down",
        "Copies are combined in the order of rising counters.";
    "DVM094" PrivateClause
        "`private(x)` names what cannot be a variable of each iteration",
        "The variable must be local, and be used only between its being written in an iteration and that iteration's end.";
    "DVM095" PrivateReadFirst
        "an iteration reads a private variable before it writes it",
        "Then it needs what an earlier iteration, or the text before the region, has left there.";
    "DVM096" IndependentClause
        "`independent(i)` names a counter that no loop of the region has at the outside",
        "The clause states a fact about the iterations of that loop, and is of use only if they can become tiles.";
    "DVM097" SharedByIterations
        "all iterations of an independent loop write one variable",
        "Then they are not independent.";
    "DVM098" PureClause
        "`pure(f)` names a function that the file does not declare",
        "Probably the name is misspelt.";
    "DVM099" ReassociateClause
        "`reassociate` finds no reduction that it could divide",
        "The clause lets each iteration update one of several values of a floating-point `reduction`, in a loop without inner loops.";

    "DVM100" NoParallelism
        "no parallelism was found: the iterations depend on each other",
        "Each iteration needs what the one before it made, in every order of the loops that was tried.";
    "DVM101" ScatteredOverlap
        "a subscript depends on data, so it is not known whether two objects overlap",
        "Overlap is checked when the region is entered, from the bounds of what it touches. Here these are not known.";
    "DVM102" ScatteredDependence
        "the iterations may depend on each other through a subscript that depends on data",
        "Only the author knows whether two iterations meet in one element. If none do, say so with `independent`.";
    "DVM103" NoSchedule ("Subscripts whose distances are near the limits of their types; move the statements into loops of their own.")
        "no order of the statements was found that tiles could have",
        "The scheduler found none, or only one whose numbers are as large as the types allow.";
    "DVM104" AnalysisLimit ("A nest of many statements with many different subscripts; mark its parts with pragmas of their own.")
        "the analysis took more operations, time or memory than it may",
        "Integer sets can become very large. Limits keep the compiler's time in bounds, and the region stays as it was.";
    "DVM105" Drawing ("`dvm-codegen draw --set m=20`, where neither the region nor its file has an `m`: the message lists the names.")
        "a drawing is not possible for these sizes",
        "`--set` knows the region's parameters and the file's constants. The drawing has a point for each iteration and a line for each dependence; of large regions it shows a part.";
    "DVM106" FlowUnknown
        "which value each read sees is not known, or tiles of another process could not compute it",
        "Messages between tiles would need to know which tile has written a value, of all that may have. A region with `across` then runs in its own process, as without the clause.";
    "DVM109" Defect ("There is none that is known.")
        "a check of the tool's own results failed",
        "This is a defect of the tool. The region stays as it was, so the program is right; please report the region.";
    "DVM110" InlineFunction
        "the function is `inline` and not `static`",
        "Of such a function the compiler need not make code that can be called: the program links only where every call is inlined, and a function that starts tiles is too large for that. The tiles belong to this file, too, which such a function may not refer to (C11, 6.7.4).";
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.text())
    }
}

impl FromStr for Code {
    type Err = String;

    /// Reads `DVM012`, also in small letters, and `12`.
    fn from_str(text: &str) -> Result<Code, String> {
        let digits = text.to_ascii_uppercase();
        let number = digits.strip_prefix("DVM").unwrap_or(&digits).parse::<u32>().ok();
        let same = |code: &Code| code.text()[3..].parse::<u32>().ok() == number;
        let found = Code::ALL.iter().copied().find(|code| number.is_some() && same(code));
        found.ok_or_else(|| {
            format!(
                "`{text}` is no code of a message; codes are {} to {}",
                Code::ALL[0],
                Code::ALL[Code::ALL.len() - 1]
            )
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_rise_and_are_read_back() {
        for pair in Code::ALL.windows(2) {
            assert!(pair[0].text() < pair[1].text(), "{} {}", pair[0], pair[1]);
        }
        for code in Code::ALL {
            assert_eq!(code.text().to_lowercase().parse(), Ok(*code));
        }
        assert_eq!("12".parse(), Ok(Code::ForeignTarget));
        for wrong in ["DVM000", "", "DVM", "x", "-1"] {
            assert!(wrong.parse::<Code>().unwrap_err().contains("no code"), "{wrong}");
        }
    }
}
