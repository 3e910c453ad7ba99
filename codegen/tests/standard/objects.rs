//! Declarations (6.7): arrays, scalars, sizes, functions and macros that a program's regions use.

use super::expression::Of;
use super::program::{Access, Odd, Program, Role, Scalar, Var, View};
use super::statements::role_of;
use super::types::Ty;

/// Elements before and after what a parameter points to.
const GUARD: i128 = 16;
/// Elements of a buffer that parameters point into.
const BUFFER: i128 = 1200;

fn extents(dims: &[i128]) -> String {
    dims.iter().fold(String::new(), |all, d| all + &format!("[{d}]"))
}

impl Program {
    /// Macros and enumerators with values.
    pub fn constants(&mut self) {
        if self.has(Odd::Macros) {
            let name = self.name("K");
            let (text, value) =
                self.pick(&[("2", 2), ("(1)", 1), ("(5 - 4)", 1), ("3u", 3), ("0x2", 2), ("(2 ? 3 : 4)", 3)]);
            self.file.push(format!("#define {name} {text}"));
            self.known.push((name, if value == 3 && text == "3u" { Ty::UInt } else { Ty::Int }, value));
        }
        if self.has(Odd::Enums) {
            let (a, b, c) = (self.name("E"), self.name("E"), self.name("E"));
            let text = match self.choices.below(4) {
                0 => format!("enum {{ {a} = 1, {b}, {c} = {b} + 1 }};"),
                1 => format!("typedef enum {{ {a} = 3 - 2, {b} = 'b' - '`', {c} }} enum{c};"),
                2 => format!("enum __attribute__((packed)) tag{c} {{ {a} = 1, {b} = 2, {c} = 3 }};"),
                _ => format!("enum tag{c} {{ {a} = 1u, {b} = sizeof(short), {c} = 0xffu & 3 }};"),
            };
            self.file.push(text);
            self.known.extend([(a, Ty::Int, 1), (b, Ty::Int, 2), (c, Ty::Int, 3)]);
        }
        if self.has(Odd::LineMacro) {
            self.known.push(("(__LINE__ * 0 + 2)".into(), Ty::Int, 2));
        }
    }

    /// The sizes that bounds are made of.
    pub fn bounds(&mut self) {
        for name in ["n", "m"] {
            let mut ty = Ty::Int;
            if self.odd(Odd::Parameters, 60) || self.odd(Odd::Unsigned, 30) {
                ty = self.pick(&[Ty::Long, Ty::UInt, Ty::ULong, Ty::Short, Ty::UChar, Ty::LLong, Ty::SChar]);
            }
            let qualifier = if self.odd(Odd::Qualifiers, 50) { "const " } else { "" };
            let spelled = ty.spelled(&mut self.choices);
            // Without a prototype nothing converts an argument to the parameter's type (6.5.2.2).
            let argument = if ty == Ty::Int { name.to_owned() } else { format!("({}){name}", ty.name()) };
            self.parameters.push((format!("{qualifier}{spelled} {name}"), name.into(), argument));
            self.sizes.push(Var::new(name, ty, 0, 12));
        }
        if self.odd(Odd::Bounds, 50) {
            let name = self.name("N");
            let ty = self.pick(&[Ty::Int, Ty::Long, Ty::UInt, Ty::Short]);
            match self.choices.below(5) {
                0 => {
                    self.file.push(format!("static {} {name};", ty.name()));
                    self.fills.push(format!("{name} = m;"));
                    self.sizes.push(Var::new(name, ty, 0, 12));
                }
                1 => {
                    self.locals.push(format!("const {} h = (n + 1) / 2;", ty.name()));
                    self.sizes.push(Var::new("h", ty, 0, 6));
                }
                2 => {
                    self.file.push(format!("static struct {{ char c; {} n; }} {name};", ty.name()));
                    self.fills.push(format!("{name}.n = m;"));
                    let mut var = Var::new(format!("{name}.n"), ty, 0, 12);
                    var.binds = 15;
                    self.sizes.push(var);
                }
                3 => {
                    self.file.push(format!("#define {name} (n - 1)"));
                    if self.sizes[0].ty.signed() {
                        self.sizes.push(Var::new(name, self.sizes[0].ty.promoted(), -1, 11));
                    }
                }
                _ => {
                    self.file.push(format!("static const {} {name} = 9;", ty.name()));
                    self.sizes.push(Var::new(name, ty, 9, 9));
                }
            }
        }
    }

    fn array_type(&mut self) -> Ty {
        let ty = self.scalar_type();
        if ty == Ty::Bool && !self.has(Odd::Bools) { Ty::Double } else { ty }
    }

    fn array_role(&mut self, ty: Ty, first: bool) -> Role {
        if !first && self.choices.chance(40) {
            return Role::Input;
        }
        match role_of(ty) {
            Role::Small if self.choices.chance(30) => Role::Sum,
            role => role,
        }
    }

    /// The arrays.
    pub fn arrays(&mut self) {
        let count = 2 + self.choices.weighted(&[5, 4, 1]);
        for k in 0..count {
            let shares = self.has(Odd::Overlap) || self.has(Odd::Derived) || self.has(Odd::Pointees);
            if k > 0 && shares && self.choices.chance(60) {
                self.second_name();
            } else {
                self.array(k == 0);
            }
        }
        if self.has(Odd::DataSubscripts) {
            let name = self.name("at");
            self.file.push(format!("static int {name}[40];"));
            self.fills.push(format!("fill_elements({name}, 'q', 40, 5);"));
            self.views.push(View {
                name,
                ty: Ty::Int,
                dims: vec![40],
                role: Role::Index,
                access: Access::Subscripts,
                shared: false,
            });
        }
    }

    fn array(&mut self, first: bool) {
        let ty = self.array_type();
        let role = self.array_role(ty, first);
        let flat = self.choices.chance(40);
        let row = self.pick(&[27, 30]);
        let dims = if flat { vec![40] } else { vec![26, row] };
        let has = |odd: Odd, weight: usize| if self.has(odd) { weight } else { 0 };
        let weights = [
            8,
            8,
            2 + has(Odd::Locals, 4),
            has(Odd::Members, 12),
            has(Odd::Flat, 10),
            has(Odd::Rows, 14),
            has(Odd::MacroArguments, 10),
            has(Odd::Unions, 10),
            has(Odd::Literals, 6),
        ];
        match self.choices.weighted(&weights) {
            0 => self.file_array(ty, role, &dims),
            1 => self.parameter_array(ty, role, &dims),
            2 => self.automatic_array(ty, role, &dims),
            3 => self.member_array(ty, role, &dims),
            4 => {
                let name = self.name("A");
                self.file.push(format!("static {} {name}[26 * 26];", ty.name()));
                self.filled(&name, ty, 26 * 26);
                self.views.push(View { name, ty, dims: vec![26, 26], role, access: Access::Flat, shared: false });
            }
            5 => self.row_parameter(ty, role),
            6 => {
                self.file_array(ty, role, &dims);
                let name = self.name("AT");
                let Some(view) = self.views.last_mut() else { return };
                let text = if view.dims.len() == 2 { "(p, q) A[p][q]" } else { "(p) A[p]" };
                self.file.push(format!("#define {name}{}", text.replace('A', &view.name)));
                view.name = name;
                view.access = Access::Macro;
            }
            7 => {
                let name = self.name("u");
                self.file.push(format!("static union {{ {} v[40]; char bytes[700]; }} {name};", ty.name()));
                self.view_of(&format!("{name}.v"), ty, vec![40], role);
            }
            _ => {
                let name = format!("lit{}", self.number());
                self.locals.push(format!("{} *{name} = ({}[40]){{ 0 }};", ty.name(), ty.name()));
                self.locals_filled(&name, ty, 40);
                self.views.push(View { name, ty, dims: vec![40], role, access: Access::Subscripts, shared: false });
            }
        }
    }

    fn filled(&mut self, name: &str, ty: Ty, count: i128) {
        let seed = self.number();
        self.fills.push(format!("fill_elements({name}, '{}', {count}, {seed});", ty.letter()));
        self.shows.push(format!("show_elements(\"{name}\", {name}, '{}', {count});", ty.letter()));
    }

    fn locals_filled(&mut self, name: &str, ty: Ty, count: i128) {
        let seed = self.number();
        self.locals.push(format!("fill_elements({name}, '{}', {count}, {seed});", ty.letter()));
        self.tells.push(format!("show_elements(\"{name}\", {name}, '{}', {count});", ty.letter()));
    }

    fn view_of(&mut self, name: &str, ty: Ty, dims: Vec<i128>, role: Role) {
        let count = dims.iter().product();
        self.filled(name, ty, count);
        self.views.push(View { name: name.into(), ty, dims, role, access: Access::Subscripts, shared: false });
    }

    fn file_array(&mut self, ty: Ty, role: Role, dims: &[i128]) {
        let name = self.name("A");
        let extents = extents(dims);
        let spelled = ty.spelled(&mut self.choices);
        if self.odd(Odd::Typedefs, 60) {
            let alias = self.name("T");
            self.file.push(format!("typedef {spelled} {alias}{extents};\nstatic {alias} {name};"));
        } else {
            let prefix = self.storage();
            let before = if prefix.is_empty() && self.choices.chance(50) {
                format!("extern {spelled} {name}{extents};\n")
            } else {
                String::new()
            };
            self.file.push(format!("{before}{prefix}{spelled} {name}{extents};"));
            if prefix.is_empty() && self.choices.chance(30) {
                // A tentative definition (6.9.2) once more.
                self.file.push(format!("{spelled} {name}{extents};"));
            }
        }
        self.view_of(&name, ty, dims.to_vec(), role);
    }

    fn storage(&mut self) -> String {
        if self.odd(Odd::Threads, 60) {
            return "static _Thread_local ".into();
        }
        if self.odd(Odd::Aligned, 70) {
            return "static _Alignas(64) ".into();
        }
        if self.odd(Odd::Volatile, 50) {
            return "static volatile ".into();
        }
        if self.choices.chance(25) { String::new() } else { "static ".into() }
    }

    /// A buffer at file scope, between guards; gives the text of its first element's address.
    fn buffer(&mut self, ty: Ty) -> String {
        let name = self.name("buf");
        let total = BUFFER + 2 * GUARD;
        self.file.push(format!("static {} {name}[{total}];", ty.name()));
        self.filled(&name, ty, total);
        format!("{name} + {GUARD}")
    }

    /// How a parameter is declared that points to rows or elements.
    fn pointer(&mut self, name: &str, ty: Ty, dims: &[i128], role: Role, shared: bool) -> String {
        let restrict =
            if (self.odd(Odd::Restrict, 70) || self.choices.chance(35)) && !shared { "restrict " } else { "" };
        let constant = if !role.written() && self.choices.chance(30) { "const " } else { "" };
        let ty = ty.spelled(&mut self.choices);
        let row = dims.get(1).map_or(String::new(), |d| format!("[{d}]"));
        let inside = if self.odd(Odd::Qualifiers, 50) { "const " } else { "" };
        match self.choices.weighted(&[6, 2, if self.has(Odd::Statics) { 8 } else { 0 }]) {
            0 if row.is_empty() => format!("{constant}{ty} *{inside}{restrict}{name}"),
            0 => format!("{constant}{ty} (*{inside}{restrict}{name}){row}"),
            1 => format!("{ty} {constant}{name}[{inside}{restrict}]{row}"),
            _ => format!("{constant}{ty} {name}[{restrict}static {inside}{}]{row}", dims[0]),
        }
    }

    fn parameter_array(&mut self, ty: Ty, role: Role, dims: &[i128]) {
        let name = format!("p{}", self.number());
        let buffer = self.buffer(ty);
        let shared = self.has(Odd::Overlap);
        let open = shared || self.odd(Odd::Derived, 60);
        let declared = self.pointer(&name, ty, dims, role, open);
        let argument = if dims.len() == 2 { format!("(void *)({buffer})") } else { buffer };
        self.parameters.push((declared, name.clone(), argument));
        self.views.push(View { name, ty, dims: dims.to_vec(), role, access: Access::Subscripts, shared });
    }

    /// A parameter of variably modified type (6.7.6.2): its rows have m + 20 elements.
    fn row_parameter(&mut self, ty: Ty, role: Role) {
        let name = format!("p{}", self.number());
        let buffer = self.buffer(ty);
        let text = ty.name();
        let (many, row) =
            self.pick(&[("n + 20", "m + 20"), ("20 + n", "32"), ("m + 20", "n + 20"), ("(n + 20)", "20 + m")]);
        let restrict = if self.odd(Odd::Restrict, 70) || self.choices.chance(40) { "restrict " } else { "" };
        let declared = match self.choices.below(4) {
            0 => format!("{text} {name}[{restrict}{many}][{row}]"),
            1 => format!("{text} {name}[{restrict}][{row}]"),
            2 => format!("{text} (*{restrict}{name})[{row}]"),
            _ => format!("{text} {name}[{restrict}static {many}][{row}]"),
        };
        self.parameters.push((declared, name.clone(), format!("(void *)({buffer})")));
        self.views.push(View { name, ty, dims: vec![20, 20], role, access: Access::Subscripts, shared: false });
    }

    fn automatic_array(&mut self, ty: Ty, role: Role, dims: &[i128]) {
        let name = format!("a{}", self.number());
        let text = ty.name();
        let total: i128 = dims.iter().product();
        if self.odd(Odd::Rows, 60) {
            self.locals.push(format!("{text} {name}[n + 20][m + 20];"));
            self.locals_filled(&name, ty, 400);
            // What lies behind the first 400 elements is set as well.
            self.locals.push(format!("fill_elements(&{name}[0][0], '{}', (long)(n + 20) * (m + 20), 3);", ty.letter()));
            self.views.push(View { name, ty, dims: vec![20, 20], role, access: Access::Subscripts, shared: false });
            return;
        }
        let extents = extents(dims);
        let keyword = if self.choices.chance(20) { "static " } else { "" };
        self.locals.push(format!("{keyword}{text} {name}{extents};"));
        self.locals_filled(&name, ty, total);
        self.views.push(View { name, ty, dims: dims.to_vec(), role, access: Access::Subscripts, shared: false });
    }

    fn member_array(&mut self, ty: Ty, role: Role, dims: &[i128]) {
        let name = self.name("s");
        let tag = self.name("tag");
        let extents = extents(dims);
        let text = ty.name();
        match self.choices.below(4) {
            0 => {
                self.file.push(format!("static struct {{ char c; {text} v{extents}; int d; }} {name};"));
                self.view_of(&format!("{name}.v"), ty, dims.to_vec(), role);
            }
            1 => {
                self.file.push(format!("struct {tag} {{ int c; {text} v{extents}; }};\nstatic struct {tag} {name};"));
                let total: i128 = dims.iter().product();
                self.filled(&format!("{name}.v"), ty, total);
                let q = format!("q{}", self.number());
                self.parameters.push((format!("struct {tag} *{q}"), q.clone(), format!("&{name}")));
                self.views.push(View {
                    name: format!("{q}->v"),
                    ty,
                    dims: dims.to_vec(),
                    role,
                    access: Access::Subscripts,
                    shared: false,
                });
            }
            2 => {
                // An array of structures without padding.
                self.file.push(format!("static struct {{ {text} x, y; }} {name}{extents};"));
                let total: i128 = 2 * dims.iter().product::<i128>();
                self.filled(&name, ty, total);
                for member in ["x", "y"] {
                    self.views.push(View {
                        name: name.clone(),
                        ty,
                        dims: dims.to_vec(),
                        role,
                        access: Access::Member(member),
                        shared: false,
                    });
                }
            }
            _ => {
                // A structure that the function copies; a pointer to its array may be made before.
                let z = format!("zs{}", self.number());
                self.locals.push(format!("struct {{ char c; {text} v[40]; }} {z};"));
                self.locals_filled(&format!("{z}.v"), ty, 40);
                self.views.push(View {
                    name: format!("{z}.v"),
                    ty,
                    dims: vec![40],
                    role,
                    access: Access::Subscripts,
                    shared: false,
                });
                if self.has(Odd::Derived) || self.choices.chance(30) {
                    self.locals.push(format!("{text} *{z}p = {z}.v + 1;"));
                    self.views.push(View {
                        name: format!("{z}p"),
                        ty,
                        dims: vec![39],
                        role,
                        access: Access::Subscripts,
                        shared: true,
                    });
                }
            }
        }
    }

    /// Another name for elements that have one: a parameter, a pointer made of it, or a pointer to rows.
    fn second_name(&mut self) {
        let known: Vec<View> = self
            .views
            .iter()
            .filter(|v| matches!(v.access, Access::Subscripts) && v.role != Role::Index)
            .cloned()
            .collect();
        let argument = |p: &Program, v: &View| p.parameters.iter().find(|q| q.1 == v.name).map(|q| q.2.clone());
        let Some(view) = known.first().cloned() else { return self.array(true) };
        let (ty, role) = (view.ty, view.role);
        let number = self.number();
        let shift = self.pick(&[0, 1, 3, 2, 7]);
        let passed = argument(self, &view);
        if self.has(Odd::Overlap) && view.shared && passed.is_some() {
            let name = format!("p{number}");
            let two = view.dims.len() == 2 && self.choices.chance(60);
            let dims = if two { view.dims.clone() } else { vec![40] };
            let declared = self.pointer(&name, ty, &dims, role, true);
            let base = passed.unwrap_or_default().replace("(void *)(", "").replace(')', "");
            let argument = if two { format!("(void *)({base} + {shift})") } else { format!("{base} + {shift}") };
            self.parameters.push((declared, name.clone(), argument));
            self.views.push(View { name, ty, dims, role, access: Access::Subscripts, shared: true });
            return;
        }
        if let Some(first) = self.views.iter_mut().find(|v| v.name == view.name) {
            first.shared = true;
        }
        let name = format!("d{number}");
        let constant = if role.written() { "" } else { "const " };
        let text = ty.name();
        let base = &view.name;
        if view.dims.len() == 2 {
            let rows = view.dims[0] - shift;
            let plain = self.locals.iter().all(|l| !l.contains(&format!(" {base}[n + 20]"))) && !self.is_row(base);
            if plain && self.choices.chance(60) {
                self.locals.push(format!("{constant}{text} (*{name})[{}] = {base} + {shift};", view.dims[1]));
                self.views.push(View {
                    name,
                    ty,
                    dims: vec![rows, view.dims[1]],
                    role,
                    access: Access::Subscripts,
                    shared: true,
                });
            } else {
                let form = self.pick(&["&A[2][0]", "A[2]", "*(A + 2)"]).replace('A', base);
                self.locals.push(format!("{constant}{text} *{name} = {form};"));
                self.views.push(View { name, ty, dims: vec![20], role, access: Access::Subscripts, shared: true });
            }
            return;
        }
        let form = self.pick(&["A + S", "&A[S]", "&S[A]", "S + A"]).replace('A', base).replace('S', &shift.to_string());
        let restrict = if passed.is_none() || !self.choices.chance(10) || role.written() { "" } else { "restrict " };
        self.locals.push(format!("{constant}{text} *{restrict}{name} = {form};"));
        self.views.push(View {
            name,
            ty,
            dims: vec![view.dims[0] - shift],
            role,
            access: Access::Subscripts,
            shared: true,
        });
    }

    fn is_row(&self, name: &str) -> bool {
        self.parameters
            .iter()
            .any(|p| p.1 == name && (p.0.contains("+ 20") || p.0.contains("20 +") || p.0.contains("[32]")))
    }

    /// The scalars.
    pub fn scalars(&mut self) {
        let count = 1 + self.choices.below(3);
        for k in 0..count {
            let ty = self.scalar_type();
            let role = if self.choices.chance(30) { Role::Input } else { role_of(ty) };
            let name = ["s", "t", "u"][k].to_owned();
            let has = |odd: Odd, weight: usize| if self.has(odd) { weight } else { 0 };
            let weights = [
                10,
                3,
                2,
                has(Odd::Members, 10),
                has(Odd::BitFields, 20),
                has(Odd::Pointees, 12),
                has(Odd::Statics, 4),
                has(Odd::Threads, 10),
                has(Odd::Atomics, 10),
                has(Odd::Unions, 8),
            ];
            let spelled = ty.spelled(&mut self.choices);
            match self.choices.weighted(&weights) {
                0 => {
                    self.locals.push(format!("{spelled} {name} = 5;"));
                    self.scalar(name, 16, ty, role, false);
                }
                1 => self.file_scalar("static", ty, role),
                2 => {
                    self.parameters.push((format!("{spelled} {name}"), name.clone(), format!("({})3", ty.name())));
                    self.scalar(name, 16, ty, role, false);
                }
                3 => {
                    self.locals.push(format!("struct {{ char c; {spelled} x; }} z{k} = {{ 1, 5 }};"));
                    self.scalar(format!("z{k}.x"), 15, ty, role, false);
                }
                4 => {
                    let file = self.name("bits");
                    let width = self.pick(&[(3, 1), (7, 3), (5, 20)]);
                    self.file.push(format!(
                        "static struct {{ unsigned a : {}, b : 4; int : 0; unsigned c : {}; }} {file};",
                        width.0, width.1
                    ));
                    self.fills.push(format!("{file}.a = 5, {file}.b = 9, {file}.c = 1;"));
                    for (member, bits) in [("a", width.0), ("b", 4), ("c", width.1)] {
                        let text = format!("{file}.{member}");
                        self.shows.push(format!("show_integer(\"{text}\", {text});"));
                        // A bit-field is promoted to int (6.3.1.1).
                        self.sizes
                            .extend((bits == 3).then(|| Var { binds: 15, ..Var::new(text.clone(), Ty::UShort, 0, 7) }));
                        if bits > 3 {
                            self.scalars.push(Scalar {
                                text,
                                binds: 15,
                                ty: Ty::UShort,
                                role: Role::Free,
                                constant: false,
                            });
                        }
                    }
                }
                5 => {
                    let file = self.name("cell");
                    self.file.push(format!("static {} {file}[3];", ty.name()));
                    self.filled(&file, ty, 3);
                    self.parameters.push((format!("{spelled} *c{k}"), format!("c{k}"), format!("{file} + 1")));
                    let (text, binds) = self.pick(&[("*c", 14), ("c[0]", 15), ("(*c)", 16)]);
                    self.scalars.push(Scalar {
                        text: text.replace('c', &format!("c{k}")),
                        binds,
                        ty,
                        role,
                        constant: false,
                    });
                }
                6 => self.file_scalar("", ty, role),
                7 => self.file_scalar("static _Thread_local", ty, role),
                8 if !ty.floating() && ty != Ty::Bool => self.file_scalar("static _Atomic", ty, role),
                _ => {
                    self.locals.push(format!("union {{ {spelled} x; unsigned char b[16]; }} v{k} = {{ 5 }};"));
                    self.scalar(format!("v{k}.x"), 15, ty, role, false);
                }
            }
        }
    }

    fn file_scalar(&mut self, keyword: &str, ty: Ty, role: Role) {
        let name = self.name("g");
        self.file.push(format!("{keyword} {} {name};", ty.name()).trim_start().to_owned());
        self.fills.push(format!("{name} = 4;"));
        self.scalar(name, 16, ty, role, true);
    }

    fn scalar(&mut self, text: String, binds: u8, ty: Ty, role: Role, file: bool) {
        let show = if ty == Ty::Complex {
            format!("show_real(\"{text}\", __real__ {text}), show_real(\"{text}\", __imag__ {text});")
        } else if ty.floating() {
            format!("show_real(\"{text}\", {text});")
        } else {
            format!("show_integer(\"{text}\", (long long){text});")
        };
        if file {
            self.shows.push(show);
        } else {
            self.tells.push(show);
        }
        self.scalars.push(Scalar { text, binds, ty, role, constant: false });
    }

    /// Functions that regions call: gives the options that the pragma needs for them.
    pub fn helpers(&mut self) -> String {
        if !self.has(Odd::Calls) {
            return String::new();
        }
        let name = self.name("g");
        let ty = self.pick(&[Ty::Double, Ty::Int]);
        let text = ty.name();
        let sees = self
            .views
            .iter()
            .find(|v| {
                v.name.ends_with('@')
                    && v.dims.len() == 1
                    && matches!(v.access, Access::Subscripts)
                    && v.ty != Ty::Complex
            })
            .cloned();
        let (body, reads) = match (self.choices.below(6), sees) {
            (3, Some(v)) if ty.floating() == v.ty.floating() && (v.ty.floating() || v.role == Role::Input) => {
                (format!("return x + {}[3];", v.name), true)
            }
            (4, _) => {
                let count = self.name("count");
                self.file.push(format!("static int {count};"));
                self.shows.push(format!("show_integer(\"{count}\", {count});"));
                (format!("{count}++; return x + 1;"), true)
            }
            (1, _) => ("return x < 0 ? -x : x + 1;".to_owned(), false),
            (2, _) => (format!("{text} y = x; for (int i = 0; i < 3; i++) y += i; return y;"), false),
            _ => ("return x + 1;".to_owned(), false),
        };
        let attribute = if reads {
            ""
        } else {
            self.pick(&["", "", "__attribute__((const)) ", "inline ", "__attribute__((pure)) "])
        };
        self.file.push(format!("static {attribute}{text} {name}({text} x) {{ {body} }}"));
        self.functions.push((name.clone(), ty, ty.floating()));
        if !reads && self.choices.chance(50) { format!(" pure({name})") } else { String::new() }
    }

    /// A statement that reads or changes what the region reads or changes.
    pub fn other_statement(&mut self) -> String {
        let e = self.expression(Of::Integers, 1);
        match self.choices.below(3) {
            0 => format!("show_integer(\"there\", (long long){});", e.operand(13)),
            1 if self.scalars.iter().any(|s| !s.constant && s.role.written()) => {
                let list: Vec<Scalar> =
                    self.scalars.iter().filter(|s| !s.constant && s.role.written()).cloned().collect();
                let s = &list[self.choices.below(list.len())];
                format!("{} = 7;", s.text)
            }
            _ => self.store(),
        }
    }
}
