//! The clauses of `#pragma dvm region`.

use crate::clause_form::ClauseForm;

/// All clauses; the parser knows no other ones.
pub const CLAUSES: [ClauseForm; 12] = [
    ClauseForm {
        word: "tile",
        forms: &["tile(32,auto)", "tile(auto)"],
        grammar: r#""tile" "(" size { "," size } ")""#,
        meaning: "sizes of the tiles, outermost loop first; auto: chosen at run time",
    },
    ClauseForm {
        word: "name",
        forms: &["name(x)"],
        grammar: r#""name" "(" identifier ")""#,
        meaning: "the region's name in messages, reports and generated code",
    },
    ClauseForm {
        word: "serial",
        forms: &["serial(e)"],
        grammar: r#""serial" "(" C expression ")""#,
        meaning: "a condition of C at entry under which the original loops run",
    },
    ClauseForm {
        word: "pure",
        forms: &["pure(f,g)"],
        grammar: r#""pure" "(" function { "," function } ")""#,
        meaning: "you assert: these functions only compute a value",
    },
    ClauseForm {
        word: "independent",
        forms: &["independent", "independent(i,j)"],
        grammar: r#""independent" [ "(" counter { "," counter } ")" ]"#,
        meaning: "you assert: no iteration touches what another one writes; independent(i): of the loop with the \
                  counter i",
    },
    ClauseForm {
        word: "private",
        forms: &["private(x,y)"],
        grammar: r#""private" "(" variable { "," variable } ")""#,
        meaning: "each iteration of the outermost loops has a variable of its own",
    },
    ClauseForm {
        word: "reduction",
        forms: &["reduction(+:x)"],
        grammar: r#""reduction" "(" operator ":" variable { "," variable } ")""#,
        meaning: "the updates of x may be joined in another order (+ * min max & ^ | && ||)",
    },
    ClauseForm {
        word: "reassociate",
        forms: &["reassociate"],
        grammar: r#""reassociate""#,
        meaning: "reductions of floating point update several values in turn",
    },
    ClauseForm {
        word: "across",
        forms: &["across", "across(never)"],
        grammar: r#""across" [ "(" "never" ")" ]"#,
        meaning: "all processes of a job run the region together; across(never): it stays in its process also \
                  with --across",
    },
    ClauseForm {
        word: "keep",
        forms: &["keep(a,b)"],
        grammar: r#""keep" "(" array { "," array } ")""#,
        meaning: "with across: these arrays stay in the processes that have written them, until another one \
                  needs them",
    },
    ClauseForm {
        word: "buffers",
        forms: &["buffers(2)"],
        grammar: r#""buffers" "(" steps ")""#,
        meaning: "with across: tiles run at most so many steps ahead of the processes that they send to",
    },
    ClauseForm {
        word: "ahead",
        forms: &["ahead(1)"],
        grammar: r#""ahead" "(" steps ")""#,
        meaning: "with buffers: a message leaves at most so many steps before the step of its first reader",
    },
];
