//! What compilers compute of constants, and of what they know: flang, gfortran and the compiler of C may compute other last bits, and
//! behind `int` other whole numbers. Also memory with two names that no text shows.

use super::{can_run, dvmfc, printed, run, said};

/// A name, a module before the program, its declarations, statements before the region, its clause, and the statement in `do i = 1, 40`.
const PROGRAMS: [(&str, &str, &str, &str, &str, &str); 23] = [
    ("a bound", "", "integer, parameter :: m = int(0.3d0**3*1000)", "", "", "if (i <= m) a(i) = m"),
    ("a truth", "", "logical, parameter :: l = 0.3d0**3*1000 < 27", "", "", "if (l) a(i) = -a(i)"),
    (
        "an extent",
        "",
        "real(8) d(int(0.3d0**3*1000),3)",
        "d = 0\ncall sees(d)",
        "",
        "d(mod(i, 26) + 1,2) = 7\na(i) = i",
    ),
    ("asked", "", "real(8) d(int(0.3d0**3*1000))", "d = 0\ncall sees(d)", "", "a(i) = size(d)"),
    ("a whole table", "", "integer, parameter :: q(2) = [int(0.3d0**3*1000), 5]", "", "", "a(i) = a(i)*q(1)"),
    ("a table", "", "real(8), parameter :: q(2) = [0.3d0**3, 1.1d0**5]", "", "", "a(i) = a(i)*q(1)"),
    (
        "a constant of a function",
        "module m\ncontains\nreal(8) function f(x)\nreal(8), intent(in) :: x\ninteger, parameter :: k = int(0.3d0**3*1000)\n\
         f = x + k\nend function\nend module\n",
        "",
        "",
        "",
        "a(i) = f(a(i))",
    ),
    (
        "a statement function",
        "module m\ncontains\nreal(8) function f(x)\nreal(8) x\nf = x\nend function\nend module\n",
        "real(8) f, y\nf(y) = y*0.8d0**5",
        "",
        "",
        "a(i) = f(a(i))",
    ),
    (
        "a power of a function of constants",
        "module m\ncontains\nreal(8) function f(x)\nreal(8), intent(in) :: x\nf = x/(1.5d0 + abs(x))\nend function\nend module\n",
        "",
        "",
        "",
        "a(i) = f(0.3d0)**4",
    ),
    (
        "an intrinsic function",
        "module m\ncontains\nreal(8) function tanh(x)\nreal(8) x\ntanh = x\nend function\nend module\n",
        "",
        "",
        "",
        "a(i) = a(i)*tanh(0.14754d0)",
    ),
    ("a function of a constant", "", "", "", "pure(tanh)", "a(i) = a(i)*tanh(0.14754d0)"),
    (
        "a quotient of complex constants",
        "",
        "complex(8) z(40)",
        "z = (0.5d0, 2d0)",
        "",
        "z(i) = z(i)*a(i) - (2/(0.7 + (3., 1.)))\na(i) = a(i) + real(z(i)) + aimag(z(i))",
    ),
    (
        "a product of named parts",
        "",
        "real(8), parameter :: q = -2.193815d0, r = 2.084602d0, s = 1.582648d0, t = -1.469586d0",
        "",
        "",
        "a(i) = a(i) + real((q,r)*(s,t)) + aimag((q,r)*(s,t))",
    ),
    (
        "a product beside a section",
        "",
        "complex(8) z(3,40)\ninteger n",
        "n = 3",
        "",
        "z(1:n,i) = (-2.193815d0,2.084602d0)*(1.582648d0,-1.469586d0)\na(i) = a(i) + real(z(2,i)) + aimag(z(2,i))",
    ),
    (
        "squares of complex constants",
        "",
        "complex(8), parameter :: q = (0.157822d0,-0.134643d0)",
        "",
        "",
        "a(i) = real(q**2) + aimag((-1.219418d0,-1.610236d0)**2)",
    ),
    (
        "values of complex constants",
        "",
        "real(8), parameter :: q = -2.193815d0, r = 2.084602d0",
        "",
        "",
        "a(i) = abs((q,r))",
    ),
    ("a power by an extent", "", "real(8) d(5)", "", "", "a(i) = a(i)*0.8d0**size(d)"),
    ("a power by a sum", "", "", "", "", "a(i) = a(i)*0.8d0**(5 + 0*i)"),
    ("a known base", "", "real(8) c", "c = 0.8d0", "", "a(i) = a(i)*c**5"),
    ("a known element", "", "real(8) c(2)", "c(1) = 0.8d0", "", "a(i) = a(i)*c(1)**5"),
    ("a known exponent", "", "integer k", "k = 15", "", "a(i) = a(i)**k"),
    (
        "a known argument",
        "module m\ncontains\nreal(8) function f(x)\nreal(8), intent(in) :: x\nf = x**5\nend function\nend module\n",
        "real(8) c",
        "c = 0.8d0",
        "",
        "a(i) = a(i)*f(c)",
    ),
    (
        "two lists of one block",
        "module m\nreal(8) s, t(40)\ncommon /c/ s, t\nend module\nmodule o\nreal(8) u(41)\ncommon /c/ u\nend module\n",
        "",
        "u = 1",
        "",
        "u(i) = u(i) + s\na(i) = u(i)",
    ),
];

#[test]
fn what_compilers_know_gives_the_bytes_of_gfortran() {
    if !can_run("what compilers know") {
        return;
    }
    for (name, module, declarations, before, clause, statement) in PROGRAMS {
        let uses: Vec<String> = ["m", "o"]
            .iter()
            .filter(|one| {
                module.contains(&format!("module {one}\n"))
                    && !declarations.contains("f(y)")
                    && !name.contains("intrinsic")
            })
            .map(|one| format!("use {one}\n"))
            .collect();
        let uses = uses.concat();
        let text = format!(
            "{module}program p\n{uses}real(8) a(40)\ninteger i\n{declarations}\ndo i = 1, 40\na(i) = 0.3d0 + 1d0/i\nend do\n{before}\n\
             !$dvm region {clause}\ndo i = 1, 40\n{statement}\nend do\nprint '(z16.16)', a\nend program\n\
             subroutine sees(d)\nreal(8) d(*)\nend subroutine\n"
        );
        let folder = testkit::scratch(&[("p.f90", &text)]);
        for level in ["-O0", "-O1", "-O2 -fno-tree-vectorize"] {
            let tiles = dvmfc(&folder, &format!("{level} -ffp-contract=off p.f90 -o tiles"));
            assert!(tiles.status.success(), "{name}: {}", said(&tiles));
            let plain = run(&folder, "gfortran", &format!("{level} -ffp-contract=off p.f90 -o plain"));
            assert!(plain.status.success(), "{name}: {}", said(&plain));
            let [tiles, plain] = ["tiles", "plain"].map(|program| printed(&folder, program, "1", "2").0);
            assert_eq!(tiles, plain, "{name} {level}");
        }
    }
}

/// The declaration that gives a constant its value stands in another file, and one that names it in this one.
#[test]
fn constants_of_included_files_are_not_taken_for_seen() {
    if !can_run("constants of included files") {
        return;
    }
    let text = "module m\ncontains\nreal(8) function f(x)\nreal(8), intent(in) :: x\ninclude 'size.inc'\nreal(8) z(k)\n\
                f = x + k\nend function\nend module\nprogram p\nuse m\nreal(8) a(40)\na = 1\n!$dvm region\ndo i = 1, 40\na(i) = f(a(i))\nend do\n\
                print '(z16.16)', a\nend program\n";
    let constant = "integer, parameter :: k = int(0.3d0**3*1000)\n";
    let folder = testkit::scratch(&[("p.f90", text), ("size.inc", constant)]);
    let tiles = dvmfc(&folder, "-O1 p.f90 -o tiles");
    assert!(tiles.status.success(), "{}", said(&tiles));
    assert!(said(&tiles).contains("the constant `k` is not one of the region"), "{}", said(&tiles));
    assert!(run(&folder, "gfortran", "-O1 p.f90 -o plain").status.success());
    let [tiles, plain] = ["tiles", "plain"].map(|program| printed(&folder, program, "1", "2").0);
    assert_eq!(tiles, plain);
}
