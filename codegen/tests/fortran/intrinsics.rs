//! Intrinsic functions: those that are not taken are told by that name, and a program's own functions may have their names.

use super::{agree, can_run, compiled, dvmfc, kernels, printed, said};

/// Functions that have the names of intrinsic ones, and one that calls such a one.
const MODULE: &str = "\
module own
contains
real(8) function gamma(x)
real(8) :: x
gamma = x*3
end function
real(8) function third(x)
real(8) :: x
third = x/3
end function
real(8) function told(x)
real(8) :: x
told = erfc(x)
end function
end module
real(8) function scale(x)
real(8) :: x
scale = x*0.5d0
end function
real(8) function dim(x)
real(8) :: x
dim = x + 2
end function
integer function ibits(i)
integer :: i
ibits = i*3
end function
";

/// Statements of `use` and declarations, the clause of the mark, the statement of the loop, and a part of the reason; `None`: the region is
/// tiled.
const CASES: [(&str, &str, &str, Option<&str>); 27] = [
    ("", "", "a(i) = erfc(a(i))", Some("the intrinsic function `erfc` is not taken")),
    ("", "pure(erfc)", "a(i) = erfc(a(i))", Some("the intrinsic function `erfc` is not taken")),
    // The function of the module is not seen there.
    ("", "", "a(i) = gamma(a(i))", Some("the intrinsic function `gamma` is not taken")),
    ("", "pure(gamma)", "a(i) = gamma(a(i)) + abs(a(i))", Some("the intrinsic function `gamma` is not taken")),
    ("", "pure(exponent)", "a(i) = a(i)*exponent(a(i))", Some("the intrinsic function `exponent` is not taken")),
    ("", "", "a(i) = a(i) + maxval(b)", Some("the intrinsic function `maxval` is not taken")),
    ("", "pure(sqrt)", "a(i) = sqrt(a(i))", Some("the intrinsic function `sqrt` needs no `pure`")),
    ("", "pure(erfc)", "a(i) = a(i)*2", Some("the region calls no function `erfc`")),
    ("", "", "a(i) = modulo(a(i), 2d0)", None),
    ("", "", "a(i) = real(mod(real(a(i), 10), 2._10), 8)", Some("`mod` of real numbers of another kind")),
    ("", "pure(popcnt)", "a(i) = a(i) + popcnt(i)", Some("the intrinsic function `popcnt` needs no `pure`")),
    ("", "", "a(i) = a(i) + poppar(i)", Some("the intrinsic function `poppar` is not taken")),
    ("integer, external :: ibits", "", "a(i) = ibits(1*i)", None),
    ("integer :: shiftl, y\nshiftl(y) = y*2", "", "a(i) = shiftl(i)", Some("`shiftl` is a statement function")),
    ("", "pure(dim)", "a(i) = dim(a(i), 1d0)", Some("the intrinsic function `dim` needs no `pure`")),
    ("real(8), external :: dim", "", "a(i) = dim(1*a(i))", None),
    ("", "", "a(i) = dim(a(i), b(41 - i))", None),
    ("real(8) :: dim, y\ndim(y) = y*2", "", "a(i) = dim(a(i))", Some("`dim` is a statement function")),
    ("use own", "", "a(i) = gamma(a(i))", None),
    ("use own", "pure(gamma)", "a(i) = gamma(a(i))", None),
    ("use own", "", "a(i) = told(a(i))", Some("line 13: the intrinsic function `erfc` is not taken")),
    ("use own", "pure(told)", "a(i) = told(a(i))", None),
    ("use own, erfc => third", "", "a(i) = erfc(a(i))", Some("`erfc(...)` is neither an array nor a function of this")),
    ("real(8), external :: scale", "pure(scale)", "a(i) = scale(1*a(i))", None),
    ("real(8) :: fraction(40) = 2", "", "a(i) = a(i) + fraction(i)", None),
    (
        "real(8) :: fraction, y\nfraction(y) = y*2",
        "",
        "a(i) = fraction(a(i))",
        Some("`fraction` is a statement function"),
    ),
    ("real(8) :: sqrt, y\nsqrt(y) = y*2", "pure(sqrt)", "a(i) = sqrt(a(i))", Some("`sqrt` is a statement function")),
];

fn program(declared: &str, clause: &str, statement: &str) -> String {
    let (uses, declared) = if declared.starts_with("use") { (declared, "") } else { ("", declared) };
    format!(
        "{MODULE}subroutine s(a, b)\n{uses}\nreal(8) :: a(40), b(40)\ninteger :: i\n{declared}\n\
         !$dvm region {clause}\ndo i = 1, 40\n{statement}\nend do\nend subroutine\n\
         program main\nreal(8) :: a(40), b(40)\na = [(0.05d0*i - 1.1d0, i = 1, 40)]\nb = a\ncall s(a, b)\n\
         print '(z16.16)', a\nend program\n"
    )
}

#[test]
fn intrinsic_functions_are_told_from_those_of_the_program() {
    if !can_run("intrinsic functions of Fortran") {
        return;
    }
    for (declared, clause, statement, reason) in CASES {
        let folder = testkit::scratch(&[("in.f90", &program(declared, clause, statement))]);
        let messages = compiled(&folder, "--dvm-remarks");
        match reason {
            Some(reason) => {
                assert!(messages.contains(reason) && messages.contains(": note: "), "{statement}: {messages}");
                assert!(messages.contains("0 of 1 regions tiled"), "{statement}: {messages}");
            }
            None => assert!(messages.contains("1 of 1 regions tiled"), "{declared} {statement}: {messages}"),
        }
        assert_eq!(printed(&folder, "tiled", "3", "2").0, printed(&folder, "plain", "1", "1").0, "{statement}");
    }
}

/// Also where the procedure stands in another one, whose statement functions it has.
#[test]
fn statement_functions_of_the_host_are_told() {
    if !can_run("statement functions of the host") {
        return;
    }
    let text = "program main\nreal(8) :: a(40), fraction, y\nfraction(y) = y*2\na = 3\ncall inner\nprint *, a\ncontains\n\
                subroutine inner\ninteger :: i\n!$dvm region\ndo i = 1, 40\na(i) = fraction(a(i))\nend do\nend subroutine\n\
                end program\n";
    let folder = testkit::scratch(&[("in.f90", text)]);
    let messages = said(&dvmfc(&folder, "-c in.f90 -o in.o"));
    assert!(messages.contains("in.f90:12:1: warning") && messages.contains("`fraction` is a statement"), "{messages}");
}

/// Values at the limits of types, each shift and position, and NaNs, as each level of gfortran has them.
#[test]
fn functions_of_bits_and_differences_are_exact() {
    if !can_run("functions of bits") {
        return;
    }
    for options in ["-O0", "-O1", "-O2", "-O3 -march=native -ffp-contract=off"] {
        agree(&kernels().join("words_of_bits.f90"), options);
        agree(&kernels().join("bits.f90"), options);
    }
}

/// Flang looks at a difference that wraps as gfortran does; a compiler of C would compare the operands.
#[test]
fn differences_that_wrap_are_those_of_gfortran() {
    if !can_run("differences that wrap") {
        return;
    }
    let text = "subroutine s(x, y, d)\ninteger :: x(3), y(3), d(3)\n!$dvm region\ndo i = 1, 3\nd(i) = dim(x(i), y(i))\nend do\n\
                end subroutine\nprogram main\ninteger :: x(3), y(3), d(3)\nx = [-huge(1), huge(1), -5]\ny = [3, -4, huge(1)]\n\
                call s(x, y, d)\nprint *, d\nend program\n";
    for option in ["-O0", "-O2"] {
        let folder = testkit::scratch(&[("in.f90", text)]);
        compiled(&folder, &format!("{option} --dvm-strict"));
        assert_eq!(printed(&folder, "tiled", "3", "2").0, printed(&folder, "plain", "1", "1").0, "{option}");
    }
}

/// Gfortran shifts by the length, which C leaves open where it is the number of bits: its value depends on its options.
#[test]
fn parts_that_are_the_whole_word_are_those_of_fortran() {
    if !can_run("parts of words") {
        return;
    }
    let text = "subroutine s(x, y, long, of)\ninteger :: x(40), of(40), i\ninteger(8) :: y(40), long(40)\n!$dvm region\ndo i = 1, 40\n\
                of(i) = ibits(x(i), 0, x(40) + i - i)\nlong(i) = ibits(y(i), x(39), x(40)*2)\nend do\nend subroutine\n\
                program main\ninteger :: x(40), of(40), i\ninteger(8) :: y(40), long(40)\nx = [(7 - i*i*i, i = 1, 38), 0, 32]\n\
                y = x*5000000000_8\ncall s(x, y, long, of)\nprint *, all(of == x), all(long == y)\nend program\n";
    let folder = testkit::scratch(&[("in.f90", text)]);
    for option in ["-O0", "-O2"] {
        compiled(&folder, &format!("{option} --dvm-strict"));
        assert_eq!(printed(&folder, "tiled", "3", "2").0, " T T\n", "{option}");
    }
}

/// Which elements `a(i, modulo(j, 2) + 1)` are is seen in C, which knows operators. By a number of the run, or of data, they may be any.
#[test]
fn subscripts_modulo_constants_are_those_of_operators() {
    if !can_run("subscripts that are remainders") {
        return;
    }
    let body = |by: &str| {
        format!(
            "subroutine s(n, m, b)\ninteger :: n, m, i, j\nreal(8) :: b(n,m)\n!$dvm region name(r)\ndo j = 1, n\ndo i = 2, n - 1\n\
             b(i,modulo(j,{by})+1) = b(i-1,modulo(j-1,{by})+1)+b(i+1,modulo(j-1,{by})+1)\nend do\nend do\nend subroutine\n"
        )
    };
    let of = |by: &str| {
        let folder = testkit::scratch(&[("in.f90", &body(by))]);
        let output = dvmfc(&folder, "--dvm-strict --show -c in.f90");
        assert!(output.status.success(), "{by}: {}", said(&output));
        std::fs::read_to_string(folder.join("in.4.dvm.c")).expect("the generated C")
    };
    let has_operators = |text: &str| text.contains("((j % 2 + 2) % 2)");
    let calls = |text: &str| text.contains("_n_modulo_i((j - 1), ");
    for (by, is_seen) in [("2", true), ("m", false), ("1073741825", false), ("-2", false)] {
        let text = of(by);
        assert!(has_operators(&text) == is_seen && calls(&text) != is_seen, "{by}: {text}");
    }
}
