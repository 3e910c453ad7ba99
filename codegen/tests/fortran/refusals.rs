//! What stays as it was: the line, the reason and a remedy, and the program prints the same.

use super::{can_run, compiled, dvmfc, printed, run, said};
use std::process::Command;

/// Declarations, statements of the region and what follows it; the line of the message, counted from the mark, and a part
/// of the reason.
const CASES: [(&str, &str, i64, &str); 93] = [
    (
        "call",
        "do i = 1, n\na(i) = 1\ncall mvbits(k(i), 0, 4, k(i), 1)\nend do",
        3,
        "a call of a subroutine whose text is not",
    ),
    ("function", "do i = 1, n\na(i) = distant(a(i))\nend do", 2, "`distant(...)` is neither"),
    ("effect", "do i = 1, n\na(i) = heard(a(i))\nend do", 2, "a call of `heard`, which is not taken at line"),
    ("changed", "do i = 1, n\na(i) = moved(a(i))\nend do", 2, "a call of `moved`, which is not taken at line"),
    ("kept", "do i = 1, n\na(i) = counted(a(i))\nend do", 2, "a call of `counted`"),
    ("host", "do i = 1, n\na(i) = around(a(i))\nend do", 2, "which uses variables of the procedure around it"),
    ("module", "do i = 1, n\na(i) = scaled(a(i))\nend do", 2, "it needs `scale`, a variable of the module `kinds`"),
    ("array", "do i = 1, n\na(i) = first(b(:,i))\nend do", 2, "a section or a whole array as an argument of `first`"),
    ("whole array", "do i = 1, n\na(i) = first(a)\nend do", 2, "a section or a whole array as an argument of `first`"),
    ("gaps", "do i = 1, n\na(i) = extents(b(i,:), n)\nend do", 2, "a section or a whole array as an argument of"),
    ("first of many", "do i = 1, n\na(i) = extents(b(1,i), n)\nend do", 2, "a whole array as an argument of `extents`"),
    (
        "doubled",
        "do i = 1, n\na(i) = first(b(:,i)*2)\nend do",
        2,
        "a section or a whole array as an argument of `first`",
    ),
    ("held array", "do i = 1, n\na(i) = first(w)\nend do", 2, "a section or a whole array as an argument of `first`"),
    ("object", "do i = 1, n\na(i) = number(p)\nend do", 2, "an object of a derived type as an argument of `number`"),
    ("written", "do i = 1, n\na(i) = moved(a(i))\nend do", 2, "it writes its argument `x`"),
    ("kept value", "do i = 1, n\na(i) = counted(a(i))\nend do", 2, "`calls`, which keeps its value between calls"),
    ("written module", "do i = 1, n\na(i) = setting(a(i))\nend do", 2, "it writes `scale`, a variable of the module"),
    ("by value", "do i = 1, n\na(i) = valued(a(i))\nend do", 2, "its argument `x` has the attribute `value`"),
    ("left out", "do i = 1, n\na(i) = perhaps(a(i))\nend do", 2, "an argument that is left out"),
    (
        "long mod",
        "do i = 1, n\na(i) = real(mod(real(a(i), 10), 2._10), 8)\nend do",
        2,
        "`mod` of real numbers of another",
    ),
    ("associated", "do i = 1, n\nv => u\nend do", 2, "a pointer is associated"),
    ("short", "do i = 1, n\ntiny_numbers(i) = 1_2\nend do", 2, "`tiny_numbers` has elements of type integer(2)"),
    ("recursion", "do i = 1, n\na(i) = halved(a(i))\nend do", 2, "it calls itself"),
    ("sometimes set", "do i = 1, n\na(i) = maybe(a(i))\nend do", 2, "not every path"),
    ("own constant", "do i = 1, n\na(i) = third(a(i))\nend do", 2, "the real constant `part` is not one of the region"),
    ("leaving", "do i = 1, n\na(i) = early(a(i))\nend do", 2, "a `return`"),
    ("called subscript", "do i = 1, n\na(position(i)) = 1\nend do", 0, "which elements is not known"),
    ("folded power", "do i = 1, n\na(i) = a(i)*0.3d0**3\nend do", 2, "`0.3d0**3`, a power of constants"),
    ("folded in function", "do i = 1, n\na(i) = cubed(a(i))\nend do", 2, "a call of `cubed`"),
    (
        "goto",
        "do i = 1, n\nif (a(i) > 900) goto 10\na(i) = 2\nend do\n10 continue",
        2,
        "`goto` out of the outermost loop",
    ),
    ("back", "do i = 1, n\n10 a(i) = a(i) + 2\nif (a(i) < 9) go to 10\nend do", 3, "a `goto` that leaves its loop"),
    ("computed goto", "do i = 1, n\ngoto (10, 20), k(i)\n10 a(i) = 2\n20 continue\nend do", 2, "a computed `goto`"),
    ("arithmetic", "do i = 1, n\nif (a(i) - 4) 10, 20, 20\n10 a(i) = 2\n20 continue\nend do", 2, "an arithmetic `if`"),
    ("exit", "do i = 1, n\nif (a(i) > 900) exit\na(i) = 2\nend do", 2, "an `exit`"),
    (
        "cycle",
        "do i = 1, n\nif (a(i) > 1) then\nif (a(i) > 2) cycle\na(i) = 2\nend if\ndo near = 1, 3\nb(near,i) = 3\nend do\nend do",
        3,
        "a `cycle` in a block of its loop, behind which loops",
    ),
    ("return", "do i = 1, n\nif (a(i) > 900) return\na(i) = 2\nend do", 2, "a `return`"),
    ("stop", "do i = 1, n\nif (a(i) > 900) stop\na(i) = 2\nend do", 2, "a `stop`"),
    ("output", "do i = 1, n\na(i) = 2\nprint *, a(i)\nend do", 3, "input or output"),
    ("list output", "do i = 1, n\na(i) = 2\nif (a(i) > 3) write (*,*) 'a', a(i)\nend do", 3, "input or output"),
    ("error", "do i = 1, n\nif (a(i) > 900) error stop 'large'\na(i) = 2\nend do", 2, "an `error stop`"),
    ("while", "do while (k(1) < 45)\nk(1) = k(1) + 1\nend do", 1, "a `do while`"),
    (
        "same name",
        "do i = 1, n\ndo concurrent (near = 1:3)\nb(near,i) = 1\nend do\nb(near,i) = 2\nend do",
        0,
        "another variable",
    ),
    (
        "two counters",
        "do i = 1, n\ndo concurrent (i = 1:n)\na(i) = 1\nend do\nend do",
        2,
        "the name of another variable",
    ),
    ("character", "do i = 1, n\nif (word == 'x') a(i) = 1\nend do", 2, "characters"),
    ("varying object", "do i = 1, 4\na(i) = q(i)%x(1)\nend do", 2, "a subscript of `q`, an array of objects, changes"),
    ("number of an object", "do i = 1, n\np%n = i\nend do", 2, "a number in an object is written"),
    (
        "kind of a component",
        "do i = 1, n\nif (p%short_on) a(i) = 1\nend do",
        2,
        "the component `short_on` of `p` has a",
    ),
    ("logical of an object", "do i = 1, n\np%on = a(i) > 3\nend do", 2, "a number in an object is written"),
    ("components", "do i = 1, n\na(i) = a(i) + sum(q%n)\nend do", 2, "`sum`"),
    ("polymorphic", "do i = 1, n\na(i) = any_pair%x(i)\nend do", 2, "a polymorphic type"),
    ("scalar pointer", "do i = 1, n\na(i) = lone\nend do", 2, "`lone` is a scalar behind a descriptor"),
    ("indirect", "do i = 1, n\na(k(i)) = i\nend do", 0, "which elements is not known"),
    ("quotient", "do i = 1, n\na(i/2 + 1) = i\nend do", 0, "no parallelism was found"),
    ("bound", "do i = 1, k(k(2))\na(i) = i\nend do", 1, "a bound of the loop over `i`"),
    ("step", "do i = 1, n, k(40)\na(i) = i\nend do", 1, "a step"),
    ("truth that goes on", "do i = 1, n\nif (odd) a(i) = 1\nodd = i > 3\nend do", 2, "`odd` is read where"),
    (
        "out of both loops",
        "rows: do near = 1, n\ndo i = 1, n\nif (a(i) > 3) exit rows\na(i) = 1\nend do\nend do rows",
        3,
        "an `exit` or `goto` out of the outermost loop",
    ),
    ("complex", "do i = 1, n\nz(i) = z(i)*wide\nend do", 2, "`wide` has type complex"),
    ("complex power", "do i = 1, n\nz(i) = z(i)**3\nend do", 2, "library"),
    ("complex root", "do i = 1, n\nz(i) = sqrt(z(i))\nend do", 2, "a call of a function that is not taken"),
    ("complex magnitude", "do i = 1, n\na(i) = a(i)*abs(wide4)\nend do", 2, "`abs` of a complex number that all"),
    (
        "copied magnitude",
        "do i = 1, n\nwide4 = (0.5, 0.25)\na(i) = a(i)*abs(wide4)\nend do",
        3,
        "`abs` of a complex number that all",
    ),
    ("unrolled", "do i = 1, 4\na(i) = abs(z(i))\nend do", 2, "`cabsf` is called with what all iterations share"),
    ("complex sum", "do i = 1, n\nwide4 = wide4 + z(i)\nend do", 2, "`wide4` is read where"),
    ("logical", "do i = 1, n\nshort_flags(i) = a(i) > 1\nend do", 2, "`short_flags` has elements of type logical"),
    ("reserved", "do i = 1, n\nflags(i) = a(i) > transfer\nend do", 0, "the name `transfer`, which the call needs"),
    ("two ways", "do i = 1, n\nb(2:n-1,i) = b(1:n-2,i) + b(3:n,i)\nend do", 2, "`b` is read at other elements"),
    ("transposed", "do i = 1, n\nb(i,1:n) = b(1:n,i)\nend do", 2, "`b` is read at other elements"),
    ("reversed", "do i = 1, n\nb(1:n,i) = b(n:1:-1,i)\nend do", 2, "`b` is read at other elements"),
    ("first element", "do i = 1, n\nb(:,i) = b(:,i)/b(1,i)\nend do", 2, "`b` is read at other elements"),
    ("moved mask", "do i = 1, n\nwhere (b(1:n-1,i) > 1) b(2:n,i) = 2\nend do", 2, "`b` is read at other elements"),
    (
        "moved elsewhere",
        "do i = 1, n\nwhere (b(1:n-1,i) > 1)\nb(1:n-1,i) = 2\nelsewhere\nb(2:n,i) = 3\nend where\nend do",
        3,
        "`b` is read at other elements",
    ),
    ("pointed", "do i = 1, n\nv(1:n) = u(1:n)*2\nend do", 2, "may be the same memory"),
    ("allocated", "do i = 1, n\nw = a\nend do", 2, "may allocate `w` anew"),
    ("stride", "do i = 1, n\nb(1:n:2,i) = 1\nend do", 2, "with a step that is not 1 or -1"),
    ("sum", "do i = 1, n\na(i) = sum(b(:,i))\nend do", 2, "`sum`"),
    ("vector", "do i = 1, n\nb(k(1:n),i) = 1\nend do", 2, ""),
    ("constructor", "do i = 1, n\nb(1:2,i) = [1, 2]\nend do", 2, "a constructor"),
    ("nested", "do i = 1, n\nwhere (b > 1)\nwhere (b < 3) b = 2\nend where\nend do", 3, "a `where` inside"),
    ("name", "x: do i = 1, n\na(i) = 1\nexit x\nend do x", 3, "an `exit`"),
    (
        "select",
        "do i = 1, n\nselect case (int(i, 2))\ncase (1)\na(i) = 1\nend select\nend do",
        2,
        "a `select case` of an integer that has neither 4 nor 8 bytes",
    ),
    ("select type", "do i = 1, n\nselect case (word)\ncase ('x')\na(i) = 1\nend select\nend do", 3, "characters"),
    (
        "leaving a select",
        "do i = 1, n\nwhich: select case (k(i))\ncase (1)\nif (i > 3) exit which\na(i) = 1\nend select which\nend do",
        4,
        "an `exit`",
    ),
    ("sine", "do i = 1, n\na(i) = sin(a(i))\nend do", 2, "`sin`"),
    ("power", "do i = 1, n\na(i) = a(i)**1.5d0\nend do", 2, "a power"),
    ("shared", "do i = 1, n\nr = r + a(i)\nend do", 2, "`r` is "),
    ("unwritten", "do i = 1, n\nif (a(i) > 2) s = a(i)\na(i) = s\nend do", 3, "`s` is read"),
    ("later", "do i = 1, n\na(i) = a(i) + 1\nend do\n!$dvm end region\na(1) = i", 5, "`i` is used here"),
    (
        "between",
        "do i = 1, n\na(i) = 1\nend do\ns = 3\ndo i = 1, n\na(i) = a(i) + s\nend do\n!$dvm end region\na(1) = s",
        9,
        "`s` is used here",
    ),
    ("directive", "!GCC$ ivdep\ndo i = 1, n\na(i) = 1\nend do", 1, "directly before a loop"),
    ("two", "do i = 1, n; a(i) = 1; end do; s = 3", 1, "several statements on the line"),
    ("clause", "do i = 1, n\na(i) = 1\nend do", 0, "is not a clause"),
    ("carried", "do i = 2, n\na(i) = a(i-1)/2 + a(i)\nend do", 0, "no parallelism was found"),
];

/// Functions that are not taken.
const FUNCTIONS: &str = "real(8) :: scale = 2
contains
real(8) function heard(x)
real(8) :: x
if (x > 900) print *, x
heard = x
end function
real(8) function moved(x)
real(8) :: x
x = x + 1
moved = x
end function
real(8) function cubed(x)
real(8) :: x
cubed = x + 1.1d0**(-3)
end function
real(8) function counted(x)
real(8) :: x
real(8), save :: calls = 0
calls = calls + 1
counted = x + calls
end function
real(8) function setting(x)
real(8) :: x
scale = x
setting = x
end function
real(8) function valued(x)
real(8), value :: x
valued = x
end function
real(8) function perhaps(x, y)
real(8) :: x
real(8), optional :: y
perhaps = x
end function
real(8) function extents(x, n)
integer :: n
real(8) :: x(n)
extents = x(1)
end function
real(8) function number(x)
type(pair) :: x
number = x%n
end function
real(8) function scaled(x)
real(8) :: x
scaled = x*scale
end function
real(8) function first(x)
real(8) :: x(:)
first = x(1)
end function
recursive real(8) function halved(x) result(y)
real(8) :: x
y = x
if (x > 1) y = halved(x*0.5d0)
end function
real(8) function maybe(x)
real(8) :: x
if (x > -900) maybe = x*2
end function
real(8) function third(x)
real(8) :: x
real(8), parameter :: part = 1.0d0/3
third = x*part
end function
real(8) function early(x)
real(8) :: x
early = x
if (x > 3) return
early = x*2
end function
logical function large(x)
real(8) :: x
large = x > 4
end function
integer function position(i)
integer :: i
position = mod(i, 40) + 1
end function
";

fn program(name: &str, body: &str) -> String {
    let mark = if name == "clause" { "!$dvm region serial(n > 3)" } else { "!$dvm region" };
    format!(
        "module kinds\ntype pair\nreal(8) :: x(40)\ninteger :: n = 3\nlogical :: on = .true.\nlogical(2) :: short_on = .true.\nend type\n{FUNCTIONS}end module\n\
         subroutine kernel(n, a, b, k, r, z, flags, p, m)\nuse kinds\nimplicit none\n\
         integer :: n, k(40), i, m\nreal(8) :: a(40), b(40,40), r, s\ncomplex :: z(40), wide4\ncomplex(10) :: wide\nlogical :: flags(40)\n\
         type(pair) :: p\ntype(pair) :: q(5)\nclass(pair), allocatable :: any_pair\nreal(8), pointer :: lone, v(:)\nreal(8), target :: u(40)\nreal(8), allocatable :: w(:)\ncharacter :: word\nlogical :: odd\ninteger :: near\nreal(8) :: transfer\nlogical(2) :: short_flags(40)\ninteger(2) :: tiny_numbers(40)\ninterface\nfunction distant(x) bind(c, name='fabs')\nreal(8), value :: x\nreal(8) :: distant\nend function\nend interface\n\
         allocate(any_pair, lone, w(40))\nlone = 2\nu = 2\nv => u\nany_pair%x = 4\nq = p\nword = 'x'\nnear = 1\ns = 0\nwide = (1, 0)\nwide4 = 0\nodd = .true.\ntransfer = 3\n{mark}\n{body}\ncontains\nreal(8) function around(x)\nreal(8), intent(in) :: x\naround = x + near\nend function\nend subroutine\n\
         \
         program main\nuse kinds\ninteger :: k(40), i\nreal(8) :: a(40), b(40,40), r\ncomplex :: z(40)\nlogical :: flags(40)\n\
         type(pair) :: p\na = [(i*0.5d0, i = 1, 40)]\nb = 1\nr = 0\nz = (1, 2)\nflags = .false.\np%x = 3\nk = [(41 - i, i = 1, 40)]\n\
         call kernel(30, a, b, k, r, z, flags, p, 3)\nprint *, a, sum(b), r, z, flags, p%x\nend program\n"
    )
}

#[test]
fn what_is_not_taken_is_refused_with_line_reason_and_remedy() {
    if !can_run("refusals of Fortran") {
        return;
    }
    for (name, body, line, reason) in CASES {
        let text = program(name, body);
        let mark = text.lines().position(|l| l.starts_with("!$dvm region")).expect("a mark") as i64 + 1;
        let folder = testkit::scratch(&[("in.f90", &text)]);
        let output = dvmfc(&folder, "-O1 --dvm-remarks in.f90 -o tiled");
        let messages = said(&output);
        assert!(output.status.success(), "{name}: {messages}");
        let begin = format!("in.f90:{}:1: warning: region '", mark + line);
        let first =
            messages.lines().find(|l| l.contains("warning: region")).unwrap_or_else(|| panic!("{name}: {messages}"));
        assert!(first.starts_with(&begin) && first.contains(reason), "{name}: {messages}");
        assert!(messages.contains(&format!("in.f90:{}:1: note: ", mark + line)), "{name} has no remedy: {messages}");
        assert!(messages.contains("dvmfc: 0 of 1 regions tiled"), "{name}: {messages}");
        // Words of flang's text say nothing to the user.
        for word in ["fir.", "hlfir.", "arith.", "HLFIR"] {
            assert!(!messages.contains(word), "{name}: {messages}");
        }
        let plain = run(&folder, "gfortran", "-O1 -w in.f90 -o plain");
        assert!(plain.status.success(), "{name}: {}", said(&plain));
        assert_eq!(printed(&folder, "tiled", "3", "2").0, printed(&folder, "plain", "3", "2").0, "{name}");
        if name == "call" {
            let strict = dvmfc(&folder, "-O1 --dvm-strict in.f90 -o strict");
            assert_eq!(strict.status.code(), Some(1), "{}", said(&strict));
            assert!(!folder.join("strict").exists() && said(&strict).contains("error: region"), "{}", said(&strict));
            assert_eq!(said(&dvmfc(&folder, "-O1 -Wno-dvm in.f90 -o quiet")), "");
        }
    }
}

/// Clauses, statements of the region, the line of the message, counted from the mark, and a part of the reason.
const CLAUSES: [(&str, &str, i64, &str); 14] = [
    ("reduction(-:s)", "do i = 1, n\ns = s - a(i)\nend do", 0, "is not a clause"),
    ("reduction(+:a)", "do i = 1, n\na(1) = a(1) + b(i,1)\nend do", 0, "updates no scalar `a`"),
    ("reduction(+:s)", "do i = 1, n\na(i) = 1\nend do", 0, "updates no scalar `s`"),
    ("reduction(+:nowhere)", "do i = 1, n\na(i) = 1\nend do", 0, "updates no scalar `nowhere`"),
    ("reduction(+:i)", "do i = 1, n\na(i) = 1\nend do", 0, "updates no scalar `i`"),
    ("reduction(+:t)", "do i = 1, n\nt = t + a(i)\nend do", 2, "a pointer may reach it"),
    ("reduction(+:s) private(s)", "do i = 1, n\ns = s + a(i)\nend do", 0, "stands in two clauses"),
    ("reduction(*:s)", "do i = 1, n\ns = s + a(i)\nend do", 2, "no update with that operator"),
    ("reduction(+:s)", "do i = 1, n\ns = s + a(i)\na(i) = s\nend do", 3, "no update with that operator"),
    ("reduction(max:s)", "do i = 1, n\ns = max(s, a(i), s*0.5d0 + 1)\nend do", 2, "no update with that operator"),
    ("independent(j)", "do i = 1, n\na(k(i)) = 1\nend do", 0, "no loop of the region has this counter"),
    ("private(a)", "do i = 1, n\na(i) = 1\nend do", 0, "`private(a)`: the array is an argument"),
    ("private(r)", "do i = 1, n\nif (a(i) > 9) r = 1\na(i) = r\nend do", 3, "`r` is read"),
    ("private(r)", "do i = 1, n\nr = a(i)\na(i) = r*2\nend do\n!$dvm end region\na(1) = r", 6, "`r` is used here"),
];

/// Whole numbers of which C does not find what they are: as `CASES`.
const COMPUTED: [(&str, &str, i64, &str); 4] = [
    ("looked up", "do i = 1, n\nj = k(i)\na(j) = i\nend do", 0, "which elements is not known"),
    ("sometimes", "do i = 1, n\nif (i > m) j = i\na(j) = i\nend do", 0, "no parallelism"),
    ("own bound", "do i = 1, n\nj = i\ndo l = 1, j\nj = j - 1\na(l) = a(l)*j\nend do\nend do", 0, "no parallelism"),
    ("target", "do i = 1, n\nh = h + 1\na(h) = i\nend do", 2, "`h` is read where the same iteration has not"),
];

#[test]
fn whole_numbers_that_are_not_understood_are_refused() {
    if !can_run("whole numbers of Fortran") {
        return;
    }
    for (name, body, line, reason) in COMPUTED {
        let text = program("", body)
            .replace("integer :: n, k(40), i, m\n", "integer :: n, k(40), i, j, l, m\ninteger, target :: h\n");
        let text = text.replace("s = 0\n", "s = 0\nj = 1\nh = 0\n");
        let mark = text.lines().position(|l| l.starts_with("!$dvm region")).expect("a mark") as i64 + 1;
        let folder = testkit::scratch(&[("in.f90", &text)]);
        let output = dvmfc(&folder, "-O1 --dvm-remarks in.f90 -o tiled");
        let messages = said(&output);
        let first =
            messages.lines().find(|l| l.contains("warning: region")).unwrap_or_else(|| panic!("{name}: {messages}"));
        assert!(first.starts_with(&format!("in.f90:{}:", mark + line)) && first.contains(reason), "{name}: {messages}");
        assert!(messages.contains("dvmfc: 0 of 1 regions tiled"), "{name}: {messages}");
        let plain = run(&folder, "gfortran", "-O1 -w in.f90 -o plain");
        assert!(plain.status.success(), "{name}: {}", said(&plain));
        assert_eq!(printed(&folder, "tiled", "3", "2").0, printed(&folder, "plain", "3", "2").0, "{name}");
    }
}

#[test]
fn misused_clauses_are_refused() {
    if !can_run("misused clauses of Fortran") {
        return;
    }
    for (clause, body, line, reason) in CLAUSES {
        let text = program("", body).replace("!$dvm region", &format!("!$dvm region {clause}"));
        let text = text
            .replace("real(8) :: a(40), b(40,40), r, s\n", "real(8) :: a(40), b(40,40), r, s\nreal(8), target :: t\n");
        let text = text.replace("s = 0\n", "s = 0\nt = 0\n");
        let mark = text.lines().position(|l| l.starts_with("!$dvm region")).expect("a mark") as i64 + 1;
        let folder = testkit::scratch(&[("in.f90", &text)]);
        let output = dvmfc(&folder, "-O1 --dvm-remarks in.f90 -o tiled");
        let messages = said(&output);
        assert!(output.status.success(), "{clause}: {messages}");
        let first =
            messages.lines().find(|l| l.contains("warning: region")).unwrap_or_else(|| panic!("{clause}: {messages}"));
        assert!(
            first.starts_with(&format!("in.f90:{}:", mark + line)) && first.contains(reason),
            "{clause}: {messages}"
        );
        assert!(messages.contains(&format!("in.f90:{}:1: note: ", mark + line)), "{clause} has no remedy: {messages}");
        assert!(messages.contains("dvmfc: 0 of 1 regions tiled"), "{clause}: {messages}");
        let plain = run(&folder, "gfortran", "-O1 -w in.f90 -o plain");
        assert!(plain.status.success(), "{clause}: {}", said(&plain));
        assert_eq!(printed(&folder, "tiled", "3", "2").0, printed(&folder, "plain", "3", "2").0, "{clause}");
    }
}

/// Such an option keeps a file as it is: its regions are counted all the same, also where another file's are tiled.
#[test]
fn regions_of_files_that_an_option_refuses_are_counted() {
    if !can_run("counts of refused files") {
        return;
    }
    let part = "subroutine part(n, a)\nreal a(n)\n!$dvm region\ndo i = 1, n\na(i) = a(i) + 1\nend do\nend\n";
    let folder =
        testkit::scratch(&[("in.f90", &program("plain", "do i = 1, n\na(i) = a(i)*2\nend do")), ("part.f90", part)]);
    for (line, count) in [
        ("-fcheck=all -c in.f90", "0 of 1"),
        ("-c part.f90", "1 of 1"),
        ("in.o part.o -o both", "1 of 2"),
        ("-fcheck=all in.f90 part.f90 -o all", "0 of 2"),
        ("-fcheck=all in.f90 part.o -o mixed", "1 of 2"),
    ] {
        let output = dvmfc(&folder, &format!("--dvm-remarks {line}"));
        let messages = said(&output);
        assert!(output.status.success(), "{line}: {messages}");
        assert!(messages.ends_with(&format!("dvmfc: {count} regions tiled\n")), "{line}: {messages}");
    }
}

#[test]
fn options_that_change_the_meaning_refuse_all_regions() {
    if !can_run("options of Fortran") {
        return;
    }
    let folder = testkit::scratch(&[("in.f90", &program("plain", "do i = 1, n\na(i) = a(i)*2\nend do"))]);
    let own = Command::new(env!("CARGO_BIN_EXE_dvmfc"))
        .current_dir(&*folder)
        .env("DVM_FC", "gfortran -fopenmp")
        .args(["-c", "in.f90", "-o", "own.o"])
        .output()
        .expect("dvmfc runs");
    assert!(own.status.success() && said(&own).contains("the option `-fopenmp`"), "{}", said(&own));
    for option in ["-ffast-math", "-fdefault-integer-8", "-fcheck=all", "-fopenmp", "-Ofast"] {
        let output = dvmfc(&folder, &format!("{option} -c in.f90 -o in.o"));
        let first = option.split(' ').next().unwrap_or_default();
        assert!(
            output.status.success() && said(&output).contains(&format!("the option `{first}`")),
            "{}",
            said(&output)
        );
    }
    // As mpifort of MPICH calls the compiler: only where there is such a constant, of which flang makes another number.
    let taken = dvmfc(&folder, "-fallow-invalid-boz --dvm-strict -c in.f90 -o in.o");
    assert!(taken.status.success() && said(&taken).is_empty(), "{}", said(&taken));
    folder.write("boz.f90", program("plain", "do i = 1, n\na(i) = z'3ff8000000000000'\nend do"));
    let refused = dvmfc(&folder, "-fallow-invalid-boz -c boz.f90 -o boz.o");
    assert!(
        refused.status.success() && said(&refused).contains("the option `-fallow-invalid-boz`"),
        "{}",
        said(&refused)
    );
}

/// A subprogram with an EQUIVALENCE, one without, and one that calls the first in its region.
const UNITS: &str = "\
subroutine both(n, z)
  integer :: n, u(5), v(5), z(n)
  equivalence (u, v)
  u = 3
  !$dvm region name(own)
  do i = 1, n
    z(i) = z(i) + 1
  end do
  z(1) = v(2)
end subroutine
subroutine none(n, x, y)
  integer :: i, n, x(n), y(n)
  !$dvm region name(other)
  do i = 2, n
    x(i) = y(i - 1) + 1
  end do
end subroutine
subroutine calls(n, x)
  integer :: i, n, x(n,n)
  !$dvm region name(call)
  do i = 1, n
    call both(n, x(:,i))
  end do
end subroutine
";

#[test]
fn an_equivalence_concerns_its_own_subprogram() {
    if !can_run("EQUIVALENCE") {
        return;
    }
    let main = "program main\ninteger :: x(40), y(40), z(6,6)\nx = 0; y = [(i, i = 1, 40)]; z = 1\ncall none(40, x, y)\n\
        call both(40, y)\ncall calls(6, z)\nprint '(8i4)', x, y, z\nend program\n";
    let module = "module shared\ninteger :: e(5), f(5)\nequivalence (e, f)\nend module\n";
    for (name, begin, tiled) in [("alone", "", 1), ("shared", module, 0)] {
        let folder = testkit::scratch(&[("in.f90", &format!("{begin}{UNITS}{main}"))]);
        let messages = compiled(&folder, "--dvm-remarks");
        assert_eq!(messages.matches("is tiled").count(), tiled, "{name}: {messages}");
        let refused = "region 'own' stays sequential: the subprogram or the file has an EQUIVALENCE";
        assert!(messages.contains(refused), "{name}: {messages}");
        assert_eq!(printed(&folder, "tiled", "3", "2").0, printed(&folder, "plain", "1", "1").0, "{name}");
    }
}

#[test]
fn reasons_have_the_names_of_the_source() {
    if !can_run("names in messages") {
        return;
    }
    let text = "subroutine s(n, u, v, double)\ninteger n, k\nreal(8), allocatable :: u(:,:)\nreal(8) v(n), double\n!$dvm region reduction(+:double)\n\
                do i = 1, n\ndouble = double*2 + u(i,1)\nend do\n!$dvm region\ndo i = 1, n\nk = int(v(i))\nu(1,k) = v(i)\nend do\n\
                end subroutine\n";
    let folder = testkit::scratch(&[("in.f90", text)]);
    let output = said(&dvmfc(&folder, "-c in.f90 -o in.o"));
    for reason in ["`double` has the clause reduction(+:double), and this is no update", "lbound(u,2)]"] {
        assert!(output.contains(reason), "{reason}: {output}");
    }
}

/// Named constants that are arrays: those that are not taken are said to be that, and none hides anything of the name. Where gfortran has
/// other elements than flang, the original loops run.
#[test]
fn constant_arrays_are_named() {
    if !can_run("constant arrays") {
        return;
    }
    let module = "module tables\nlogical, parameter :: v(2) = [.true., .false.]\nreal(8), parameter :: w(513) = 1d0\n\
                  contains\nsubroutine s(n, a)\nreal(8) a(n)\n\
                  !$dvm region\ndo i = 1, n\na(i) = a(i)*w(mod(i, 3) + 1)\nend do\nend subroutine\nsubroutine t(n, w)\nreal(8) w(n)\n\
                  !$dvm region\ndo i = 1, n\nw(i) = w(i)*2\nend do\nend subroutine\nend module\n";
    let user = "subroutine u(n, a)\nuse tables\nreal(8) a(n)\n!$dvm region\ndo i = 1, n\na(i) = a(i)*w(2)\nend do\n\
                !$dvm region\ndo i = 1, n\nif (v(1)) a(i) = 1\nend do\nend subroutine\n";
    let folder = testkit::scratch(&[("tables.f90", module), ("user.f90", user)]);
    let output = said(&dvmfc(&folder, "-c --dvm-remarks tables.f90 user.f90"));
    for (line, name) in [("tables.f90:9:1", "w"), ("user.f90:6:1", "w"), ("user.f90:10:1", "v")] {
        let reason = format!("{line}: warning: region");
        let lines: Vec<&str> = output.lines().filter(|text| text.starts_with(&reason)).collect();
        let named = format!("`{name}` is a named constant of a type that is not taken, or an array of more than 512");
        assert!(lines.len() == 1 && lines[0].contains(&named), "{line}: {output}");
    }
    assert!(output.contains("tables.f90:14:1: remark: region 't_14' is tiled"), "{output}");
}

/// A power in the value of a constant array, which flang and gfortran round differently.
#[test]
fn constant_arrays_are_compared() {
    if !can_run("constant arrays that differ") {
        return;
    }
    let text = "program p\nreal(8), parameter :: q(2) = [0.3d0**3, 1.1d0**5]\nreal(8) a(9)\na = 1\n!$dvm region\ndo i = 1, 9\n\
                a(i) = a(i)*q(1)\nend do\n!$dvm region\ndo i = 1, 9\na(i) = a(i)*q(1 + mod(i, 2))\nend do\n\
                print '(z16.16)', a\nend program\n";
    let folder = testkit::scratch(&[("p.f90", text)]);
    let tiles = dvmfc(&folder, "--dvm-strict p.f90 -o p");
    assert!(tiles.status.success(), "{}", said(&tiles));
    assert!(run(&folder, "gfortran", "p.f90 -o plain").status.success());
    let [tiles, plain] = ["p", "plain"].map(|program| printed(&folder, program, "1", "2"));
    assert_eq!(tiles.0, plain.0);
    assert!(!tiles.1.contains("tiles of"), "{}", tiles.1);
}

/// A counter behind an `entry`, whose name is one of the procedure before.
#[test]
fn names_of_entries_are_told() {
    if !can_run("entries") {
        return;
    }
    let text = "subroutine one(n, a)\ninteger n, i\nreal a(n)\na = 1\n!$dvm region\ndo i = 1, n\na(i) = a(i) + i\nend do\nreturn\n\
                entry two(n, a)\n!$dvm region\ndo i = 1, n\na(i) = a(i)*2\nend do\nend subroutine\n\
                program main\nreal a(40)\ncall one(40, a)\ncall two(40, a)\nprint *, a\nend program\n";
    let folder = testkit::scratch(&[("in.f90", text)]);
    let messages = compiled(&folder, "--dvm-remarks");
    assert!(
        messages.contains("in.f90:11:1: warning") && messages.contains("behind the `entry` of `two`"),
        "{messages}"
    );
    assert!(messages.contains("into a procedure of its own") && messages.contains("1 of 2 regions"), "{messages}");
    assert_eq!(printed(&folder, "tiled", "3", "2").0, printed(&folder, "plain", "1", "1").0);
}

/// In fixed form blanks do not count, also in the head of a loop.
#[test]
fn heads_of_loops_need_no_blanks_in_fixed_form() {
    if !can_run("heads without blanks") {
        return;
    }
    let lines = [
        "      SUBROUTINE S(N,A)",
        "      REAL*8 A(N,N)",
        "C$DVM REGION",
        "      DO20J=1,N",
        "      DO10I=1,N",
        "      A(I,J)=A(I,J)*2+I",
        "   10 CONTINUE",
        "   20 CONTINUE",
        "C$DVM REGION",
        "      D O J=1,N",
        "      A(J,1)=A(J,N)+1",
        "      ENDDO",
        "C$DVM REGION",
        "      DOJ=1,N",
        "      A(J,2)=A(J,N)+1",
        "      END DO",
        "      END",
        "      PROGRAM MAIN",
        "      REAL*8 A(9,9)",
        "      A=1",
        "      CALL S(9,A)",
        "      PRINT*,A",
        "      END\n",
    ];
    let text = lines.join("\n");
    let folder = testkit::scratch(&[("in.f", &text)]);
    assert!(run(&folder, "gfortran", "in.f -o plain").status.success());
    let tiled = said(&dvmfc(&folder, "--dvm-remarks in.f -o tiled"));
    assert_eq!(tiled.matches("is tiled").count(), 3, "{tiled}");
    assert_eq!(printed(&folder, "tiled", "3", "2").0, printed(&folder, "plain", "1", "1").0);
}

/// gfortran takes no call in such a procedure: the other regions of the file are tiled.
#[test]
fn a_region_in_a_pure_procedure_stays_alone() {
    if !can_run("regions of pure procedures") {
        return;
    }
    let loops = "integer, intent(in) :: n\nreal(8), intent(inout) :: a(n)\ninteger i\n!$dvm region\ndo i = 1, n\na(i) = i\nend do\nend\n";
    let text = format!("subroutine plain(n, a)\n{loops}pure subroutine clean(n, a)\n{loops}");
    let folder = testkit::scratch(&[("in.f90", &text)]);
    let output = dvmfc(&folder, "-O1 --dvm-remarks -c in.f90");
    let messages = said(&output);
    assert!(output.status.success() && messages.ends_with("1 of 2 regions tiled\n"), "{messages}");
    assert!(messages.contains("in.f90:14:1: warning") && messages.contains("`pure` or `elemental`"), "{messages}");
}
