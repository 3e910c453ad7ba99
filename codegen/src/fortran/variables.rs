//! The variables of a procedure, as flang declares them.

use super::constant_arrays::{ConstantArray, of_global, of_module};
use super::hlfir::{HlfirOp, base};
use super::modules::{FileModules, ModuleConstant};
use super::name_meanings::NameMeaning;
use super::types::{Content, Element, Holder, SpelledType};
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// An array: what the generated C must know.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FortranArray {
    /// The type of its elements.
    pub element: Element,
    /// The extents, first dimension first; `None`: known at run time.
    pub extents: Vec<Option<i64>>,
    /// The lower bounds; `None`: known at run time.
    pub lower: Vec<Option<i64>>,
    /// How it is held.
    pub holder: Holder,
    /// A pointer may reach it.
    pub target: bool,
    /// A named constant: its elements in their order in memory, as literals of Fortran.
    pub values: Option<Vec<String>>,
}

impl FortranArray {
    /// The declaration of an array of constant shape in C.
    pub fn c_declaration(&self, name: &str) -> String {
        let extents = self.extents.iter().rev();
        let extents: String = extents.map(|extent| format!("[{}]", extent.unwrap_or_default())).collect();
        format!("{} {name}{extents}", self.element.c_type())
    }

    /// Whether no pointer reaches it: then, by Fortran's rules, nothing else that a procedure writes is the same memory.
    pub fn is_alone(&self) -> bool {
        !self.target && self.holder != Holder::Pointer
    }
}

/// What a variable is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FortranKind {
    /// A scalar; `private`: a local one that nothing else can reach; `target`: a pointer may reach it.
    Scalar { element: Element, private: bool, target: bool },
    /// An array.
    Array(FortranArray),
    /// An object of a derived type, or an array of such objects, whose rank is not 0.
    Object { holder: Holder, rank: usize },
    /// A named constant: its value, as flang prints it; `true` or `false` of a logical one, both parts of a complex one with a comma.
    Constant { element: Element, value: String },
    /// Something that is not taken: a reason and a remedy.
    Other(String, &'static str),
}

/// A variable.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FortranVariable {
    /// Its name, lower case.
    pub name: String,
    /// What it is.
    pub kind: FortranKind,
    /// Where it belongs: flang's name without the last part.
    pub scope: String,
}

/// What is known about a file and a procedure.
pub struct Declared<'a> {
    /// Operations of the outermost block by the names of their results.
    pub definitions: HashMap<&'a str, &'a HlfirOp>,
    /// Variables by the name of the declaring operation's result.
    pub variables: HashMap<&'a str, FortranVariable>,
    /// Named constants of modules, of which flang shows only the values; none has the name of a variable.
    pub constants: BTreeMap<String, FortranKind>,
    /// Scalars that an `associate` names.
    pub associated: BTreeSet<&'a str>,
    /// Variables whose names mean other variables where the region stands.
    pub hidden: HashMap<&'a str, String>,
    /// Names of `associate` for parts of variables, and variables of blocks around, are taken: what names mean where a region stands.
    names: Option<BTreeMap<String, NameMeaning>>,
}

impl<'a> Declared<'a> {
    /// Reads the declarations of `function`; `modules` tells whose variables are known.
    pub fn read(function: &'a HlfirOp, globals: &'a [HlfirOp], modules: &FileModules) -> Declared<'a> {
        let blocks: Vec<&[HlfirOp]> = function.regions.iter().map(Vec::as_slice).collect();
        Declared::of_blocks(function, &blocks, None, globals, modules)
    }

    /// What a region at a line sees: the declarations of `function` in the blocks around it, the outermost first, with names of
    /// `associate` for parts of variables. `names` are those that mean something of their own there, as [`names_around`] has them.
    ///
    /// [`names_around`]: super::scopes::names_around
    pub fn of_region(
        function: &'a HlfirOp,
        blocks: &[&'a [HlfirOp]],
        (line, names): (u32, &BTreeMap<String, NameMeaning>),
        globals: &'a [HlfirOp],
        modules: &FileModules,
    ) -> Declared<'a> {
        let mut declared = Declared::of_blocks(function, blocks, Some(names), globals, modules);
        declared.expose_associated();
        let order: Vec<&str> =
            blocks.iter().copied().flatten().filter_map(|op| Some(op.results.first()?.as_str())).collect();
        let scope = scope_of(&function.text);
        declared.hide_dummies_of_others(&scope);
        declared.hide_closed_blocks(&scope);
        declared.hide(line, names, &order, &scope);
        declared
    }

    /// Hides dummies of procedures that are called: they stand where flang computes the shape of a result, and may have the
    /// name of a variable.
    fn hide_dummies_of_others(&mut self, scope: &str) {
        let may_be_meant = |variable: &FortranVariable| {
            let own = without_submodules(&variable.scope);
            match own.strip_prefix(scope) {
                Some(rest) => !rest.contains('F'),
                None => !own.contains('F') || is_around(&own, scope),
            }
        };
        let meant: BTreeSet<String> =
            self.variables.values().filter(|v| may_be_meant(v)).map(|v| v.name.clone()).collect();
        let all = self.variables.iter().filter(|(_, v)| meant.contains(&v.name) && !may_be_meant(v));
        let all: Vec<(&'a str, String)> = all.map(|(key, variable)| (*key, variable.name.clone())).collect();
        for (key, name) in all {
            self.variables.remove(key);
            self.hidden.insert(key, name);
        }
    }

    /// Hides variables of blocks that do not hold the region, if their names mean others.
    fn hide_closed_blocks(&mut self, scope: &str) {
        let is_closed = |key: &str, v: &FortranVariable| {
            block_of(&v.scope, scope).is_some() && !self.is_of_open_block(key, v, scope)
        };
        let all = self.variables.iter().filter(|(key, variable)| is_closed(key, variable));
        let all: Vec<(&'a str, String)> = all.map(|(key, variable)| (*key, variable.name.clone())).collect();
        for (key, name) in all {
            let is_other = |(other, v): (&&'a str, &FortranVariable)| v.name == name && *other != key;
            if self.variables.iter().any(is_other) {
                self.variables.remove(key);
                self.hidden.insert(key, name);
            }
        }
    }

    /// Whether a variable is one of a block around the region, as the innermost one that declares its name.
    fn is_of_open_block(&self, key: &str, variable: &FortranVariable, scope: &str) -> bool {
        self.definitions.get(key).is_some_and(|op| self.is_in_open_block(op, &variable.name, &variable.scope, scope))
    }

    fn is_in_open_block(&self, op: &HlfirOp, name: &str, own_scope: &str, scope: &str) -> bool {
        let meaning = self.names.as_ref().and_then(|names| names.get(name));
        let Some(NameMeaning::OfBlock(lines)) = meaning.filter(|_| block_of(own_scope, scope).is_some()) else {
            return false;
        };
        op.is_own && lines.iter().any(|lines| lines.contains(&op.place.0))
    }

    /// Says of variables whose names mean something else at a line that they do; `order` has all keys as flang shows them.
    fn hide(&mut self, line: u32, names: &BTreeMap<String, NameMeaning>, order: &[&str], scope: &str) {
        let names_part = |key: &str, variable: &FortranVariable| {
            let is_own = without_submodules(&variable.scope) == scope && !is_of_call(&variable.name);
            is_own && self.definitions.get(key).is_some_and(|op| !self.is_declared(op))
        };
        // The innermost `associate` with a name is the last before the line.
        let mut visible: HashMap<&str, &str> = HashMap::new();
        for key in order {
            let is_before = self.definitions.get(key).is_some_and(|op| op.place.0 <= line);
            if let Some(variable) = self.variables.get(key).filter(|variable| is_before && names_part(key, variable))
                && let Some((name, NameMeaning::OfConstruct)) = names.get_key_value(&variable.name)
            {
                visible.insert(name, key);
            }
        }
        let is_hidden = |key: &str, variable: &FortranVariable| match names.get(&variable.name) {
            Some(NameMeaning::OfConstruct) => visible.get(variable.name.as_str()) != Some(&key),
            Some(NameMeaning::OfBlock(_)) => !self.is_of_open_block(key, variable, scope),
            None => names_part(key, variable),
        };
        let known = self.variables.iter().filter(|(_, variable)| !matches!(variable.kind, FortranKind::Other(..)));
        let all: Vec<&'a str> = known.filter(|(key, variable)| is_hidden(key, variable)).map(|(key, _)| *key).collect();
        for key in all {
            let Some(mut variable) = self.variables.remove(key) else { continue };
            if self.variables.values().any(|other| other.name == variable.name) {
                self.hidden.insert(key, variable.name);
            } else {
                variable.kind = other(HIDDEN.0, HIDDEN.1);
                self.variables.insert(key, variable);
            }
        }
    }

    /// Whether an operation declares a variable, not a name of `associate`: flang names the memory of variables.
    fn is_declared(&self, op: &HlfirOp) -> bool {
        // A dummy with `value` is a copy without a name.
        if attribute(&op.text, "var_attrs<", '>').is_some_and(|all| all.split(", ").any(|word| word == "value")) {
            return true;
        }
        match self.reach(op) {
            Some("fir.alloca") => {
                let memory = op.operands().first().and_then(|operand| self.definitions.get(base(operand)));
                memory.is_some_and(|memory| memory.text.contains("bindc_name = "))
            }
            reach => reach.is_some(),
        }
    }

    fn of_blocks(
        function: &'a HlfirOp,
        blocks: &[&'a [HlfirOp]],
        names: Option<&BTreeMap<String, NameMeaning>>,
        globals: &'a [HlfirOp],
        modules: &FileModules,
    ) -> Declared<'a> {
        let mut definitions = HashMap::new();
        // Names are unique in blocks that hold each other; those of two others may be equal.
        let all = || blocks.iter().copied().flatten();
        for op in all() {
            for result in &op.results {
                definitions.insert(result.as_str(), op);
            }
        }
        let mut declared = Declared {
            definitions,
            variables: HashMap::new(),
            constants: BTreeMap::new(),
            associated: BTreeSet::new(),
            hidden: HashMap::new(),
            names: names.cloned(),
        };
        let scope = scope_of(&function.text);
        for op in all().filter(|op| op.name == "hlfir.declare") {
            if let (Some(result), Some(unique)) = (op.results.first(), attribute(&op.text, "uniq_name = \"", '"')) {
                let variable = declared.variable(op, unique, &scope, globals, modules);
                declared.variables.insert(result.as_str(), variable);
            }
        }
        declared.shared_blocks();
        declared.without_hidden(&scope);
        declared.module_constants(modules);
        declared
    }

    /// Says of members of a COMMON block that has several lists of names here that it has: two names may be the same memory.
    fn shared_blocks(&mut self) {
        let block_of = |key: &&str| self.definitions.get(*key).and_then(|declare| self.block(declare));
        let mut lists: BTreeMap<String, BTreeSet<&str>> = BTreeMap::new();
        for (key, variable) in &self.variables {
            if let Some(block) = block_of(key) {
                lists.entry(block).or_default().insert(&variable.scope);
            }
        }
        lists.retain(|_, scopes| scopes.len() > 1);
        let is_shared = |key: &&&str| block_of(key).is_some_and(|block| lists.contains_key(&block));
        let shared: Vec<&str> = self.variables.keys().filter(is_shared).copied().collect();
        for key in shared {
            if let Some(variable) = self.variables.get_mut(key) {
                variable.kind = other(
                    "is in a COMMON block that has several lists of names here, by `use` or of its own",
                    "use one of the lists only",
                );
            }
        }
    }

    /// The COMMON block of which a declaration is a member, by flang's name.
    fn block(&self, declare: &HlfirOp) -> Option<String> {
        let convert = self.definitions.get(base(declare.operands().first()?)).filter(|op| op.name == "fir.convert")?;
        let block = self.definitions.get(base(self.common(convert)?.operands().first()?))?;
        let address =
            if block.name == "fir.convert" { self.definitions.get(base(block.operands().first()?))? } else { block };
        Some(address.name.clone())
    }

    /// Leaves out variables of the procedure and constants of the module around that the procedure's own variables hide: flang
    /// shows all constants, and all that some inner procedure uses.
    fn without_hidden(&mut self, scope: &str) {
        let own = |variable: &FortranVariable| without_submodules(&variable.scope) == scope;
        let names: BTreeSet<String> =
            self.variables.values().filter(|variable| own(variable)).map(|variable| variable.name.clone()).collect();
        self.variables.retain(|_, variable| !(holds(&variable.scope, scope) && names.contains(&variable.name)));
    }

    fn module_constants(&mut self, modules: &FileModules) {
        for (name, constant) in &modules.constants {
            let is_free = self.variables.values().all(|variable| variable.name != *name);
            let Some(ModuleConstant { spelling, bounds, value }) = constant.as_ref().filter(|_| is_free) else {
                continue;
            };
            let kind = match Element::of_fortran(spelling) {
                Some(_) if modules.renamed.contains(name) => other(RENAMED.0, RENAMED.1),
                _ if !bounds.is_empty() => constant_array(of_module(spelling, bounds, value)),
                Some(element) => {
                    let parts = value.trim_start_matches('(').trim_end_matches(')').split(',');
                    let parts: Vec<&str> =
                        parts.map(|part| part.rsplit_once('_').map_or(part, |(value, _)| value)).collect();
                    FortranKind::Constant { element, value: parts.join(",") }
                }
                None if spelling.starts_with("logical(") && !modules.renamed.contains(name) => {
                    let value = value.trim_start_matches('.').split('.').next().unwrap_or_default();
                    FortranKind::Constant { element: Element::Condition, value: value.to_owned() }
                }
                None => other(UNTAKEN.0, UNTAKEN.1),
            };
            self.constants.insert(name.clone(), kind);
        }
    }

    fn variable(
        &self,
        op: &HlfirOp,
        unique: &str,
        scope: &str,
        globals: &[HlfirOp],
        modules: &FileModules,
    ) -> FortranVariable {
        let at = unique.rfind('E').unwrap_or(0);
        let (own_scope, name) = (&unique[..at], &unique[(at + 1).min(unique.len())..]);
        let attributes = attribute(&op.text, "var_attrs<", '>').unwrap_or_default();
        let module = own_scope.strip_prefix("_QM").filter(|module| !module.contains(|c: char| c.is_ascii_uppercase()));
        let of_module = module.is_some_and(|module| modules.known.contains(module));
        let kind = if module.is_some() && !of_module {
            other(
                "belongs to a module that flang cannot read as gfortran does",
                "copy it to a variable before the region",
            )
        } else if module.is_some() && modules.renamed.contains(name.trim_start_matches('C')) {
            other(RENAMED.0, RENAMED.1)
        } else if attributes.contains("parameter") {
            let is_visible = of_module || self.is_in_open_block(op, name.trim_start_matches('C'), own_scope, scope);
            let is_visible = is_visible || without_submodules(own_scope) == scope || is_around(own_scope, scope);
            self.constant(op, unique, globals, is_visible)
        } else if self.is_in_open_block(op, name, own_scope, scope) {
            self.kind(op, attributes)
        } else if block_of(own_scope, scope).is_some() {
            other("belongs to a `block`", "declare it in the procedure")
        } else if without_submodules(own_scope) != scope && !of_module && !is_around(own_scope, scope) {
            other("belongs to another procedure", "pass it as an argument")
        } else {
            self.kind(op, attributes)
        };
        // Constants are named with `EC`. Values of scalars of other modules are found elsewhere, by their own names.
        let is_constant = matches!(kind, FortranKind::Constant { .. });
        let is_array = attributes.contains("parameter") && op.types().contains("!fir.array<");
        let name = if is_constant || is_array { name.trim_start_matches('C') } else { name };
        FortranVariable { name: name.to_owned(), kind, scope: own_scope.to_owned() }
    }

    fn constant(&self, op: &HlfirOp, unique: &str, globals: &[HlfirOp], is_visible: bool) -> FortranKind {
        let is_it = |g: &&HlfirOp| g.name == "fir.global" && names_global(&g.text, unique);
        let global = globals.iter().find(is_it);
        if op.types().starts_with("(!fir.ref<!fir.logical<") {
            let value = global.and_then(|g| Some(g.regions.first()?.first()?.text.as_str()));
            return match value {
                Some("true" | "false") => {
                    FortranKind::Constant { element: Element::Condition, value: value.unwrap_or_default().to_owned() }
                }
                _ => other(UNTAKEN.0, UNTAKEN.1),
            };
        }
        let spelled = op.types().strip_prefix('(').and_then(SpelledType::read);
        if let Some(SpelledType { extents, content: Content::Number(element), .. }) = &spelled
            && !extents.is_empty()
        {
            let dense = global.filter(|_| is_visible).and_then(|global| dense_of(&global.text));
            let lower = self.lower(op, extents.len()).and_then(|all| all.into_iter().collect::<Option<Vec<i64>>>());
            let extents = extents.iter().copied().collect::<Option<Vec<i64>>>();
            let array = dense.zip(lower.zip(extents));
            let array = array.and_then(|(dense, (lower, extents))| of_global(dense, *element, lower, extents));
            return constant_array(array);
        }
        let value = global.and_then(|g| match g.regions.first()?.as_slice() {
            [one, last] if last.name == "fir.has_value" => constant_text(one),
            [one, two, none, first, second, last]
                if last.name == "fir.has_value"
                    && none.name == "fir.undefined"
                    && first.text.contains("[0 : index]")
                    && second.text.contains("[1 : index]") =>
            {
                let part = |put: &HlfirOp| {
                    let from = [one, two]
                        .into_iter()
                        .find(|op| op.results.first().map(String::as_str) == put.operands().get(1).copied());
                    constant_text(from?)
                };
                Some(format!("{},{}", part(first)?, part(second)?))
            }
            _ => None,
        });
        let element = spelled.and_then(|s| if let Content::Number(element) = s.content { Some(element) } else { None });
        match (element, value) {
            (Some(element), Some(value)) => FortranKind::Constant { element, value },
            _ => other(UNTAKEN.0, UNTAKEN.1),
        }
    }

    /// Variables of which an `associate` names a part are reached by two names, as targets are.
    fn expose_associated(&mut self) {
        let declares = self.variables.keys().filter_map(|key| self.definitions.get(key));
        let roots: Vec<&str> = declares.filter_map(|op| self.root_of(op.operands().first()?)).collect();
        for root in roots {
            match self.variables.get_mut(root).map(|variable| &mut variable.kind) {
                Some(FortranKind::Scalar { private, target, .. }) => {
                    (*private, *target) = (false, true);
                    self.associated.insert(root);
                }
                Some(FortranKind::Array(array)) => array.target = true,
                _ => {}
            }
        }
    }

    /// The variable of which an address is a component, an element, a section or the whole, or what its descriptor holds.
    fn root_of(&self, operand: &str) -> Option<&'a str> {
        let mut definition = self.definitions.get(base(operand))?;
        loop {
            match definition.name.as_str() {
                "hlfir.declare" => {
                    let (root, variable) = self.variables.get_key_value(definition.results.first()?.as_str())?;
                    let is_known = !matches!(variable.kind, FortranKind::Other(..) | FortranKind::Constant { .. });
                    return is_known.then_some(*root);
                }
                "hlfir.designate" | "fir.load" | "fir.box_addr" => {
                    definition = self.definitions.get(base(definition.operands().first()?))?;
                }
                _ => return None,
            }
        }
    }

    /// What a name of `associate` for a part of a variable is: other names may reach the same memory, and arrays are as
    /// gfortran has them when the loops begin.
    fn part(op: &HlfirOp, attributes: &str) -> FortranKind {
        let mut text = op.types().trim_start_matches('(');
        for held in ["!fir.ref<", "!fir.box<", "!fir.heap<", "!fir.ptr<"] {
            text = text.strip_prefix(held).unwrap_or(text);
        }
        let plain = attributes.is_empty() || attributes == "target";
        if plain && text.starts_with("!fir.logical<") {
            return FortranKind::Scalar { element: Element::Condition, private: false, target: true };
        }
        let spelled = SpelledType::read(text).filter(|spelled| plain && spelled.holder == Holder::Itself);
        let Some(spelled) = spelled else {
            return other("is a name of `associate` for what is not taken", "write what it stands for");
        };
        let rank = spelled.extents.len();
        let (holder, target) = (if rank > 0 { Holder::AssumedShape } else { Holder::Itself }, true);
        match spelled.content {
            Content::Object => FortranKind::Object { holder, rank },
            Content::Number(element) if rank == 0 => FortranKind::Scalar { element, private: false, target },
            Content::Number(element) => {
                let (extents, lower) = (vec![None; rank], vec![None; rank]);
                FortranKind::Array(FortranArray { element, extents, lower, holder, target, values: None })
            }
        }
    }

    fn kind(&self, op: &HlfirOp, attributes: &str) -> FortranKind {
        const TAKEN: [&str; 9] = [
            "intent_in",
            "intent_out",
            "intent_inout",
            "contiguous",
            "value",
            "allocatable",
            "pointer",
            "target",
            "host_assoc",
        ];
        if let Some(word) = attributes.split(", ").find(|word| !word.is_empty() && !TAKEN.contains(word)) {
            let remedy = "pass it to a subroutine as an array of explicit shape, and put the region there";
            return FortranKind::Other(format!("is `{word}`, which is not taken yet"), remedy);
        }
        let Some(reach) = self.reach(op) else {
            let part = op.operands().first().and_then(|operand| self.root_of(operand));
            if self.names.is_some() && part.is_some() {
                return Self::part(op, attributes);
            }
            return other("is reached through another variable", "pass it as an argument");
        };
        let kinds = "use integer(4), integer(8), or real or complex of kind 4 or 8";
        let Some(operand) = op.types().strip_prefix('(') else {
            return other("has a type that is not taken", kinds);
        };
        if operand.starts_with("!fir.ref<!fir.logical<") {
            let private = reach == "fir.alloca" && attributes.is_empty();
            return FortranKind::Scalar { element: Element::Condition, private, target: attributes.contains("target") };
        }
        let Some(spelled) = SpelledType::read(operand) else {
            let what = if operand.contains("!fir.array<") { "elements of type" } else { "type" };
            return FortranKind::Other(format!("has {what} {}", spoken(operand)), kinds);
        };
        let (holder, rank) = (spelled.holder, spelled.extents.len());
        let is_held = matches!(holder, Holder::Allocatable | Holder::Pointer);
        let declared = attributes.split(", ").any(|word| ["allocatable", "pointer"].contains(&word));
        match spelled.content {
            // Flang holds some variables in descriptors by itself, such as those of COMMON that have a pointer.
            _ if is_held != declared => other("has a descriptor of an unknown kind", "pass it as an argument"),
            Content::Object if holder == Holder::Itself && spelled.extents.contains(&None) => {
                other("is an array of objects with extents of the run", "pass it as an array of assumed shape")
            }
            Content::Object => FortranKind::Object { holder, rank },
            Content::Number(_) if rank == 0 && holder != Holder::Itself => {
                other("is a scalar behind a descriptor", "copy it to a variable before the region")
            }
            Content::Number(element) if rank == 0 => {
                let private = reach == "fir.alloca" && attributes.is_empty();
                FortranKind::Scalar { element, private, target: attributes.contains("target") }
            }
            Content::Number(element) => {
                let lower = if is_held { Some(vec![None; rank]) } else { self.lower(op, rank) };
                match lower {
                    Some(lower) => {
                        let target = attributes.contains("target");
                        let extents = spelled.extents;
                        FortranKind::Array(FortranArray { element, extents, lower, holder, target, values: None })
                    }
                    None => other("has bounds that are not recognised", "declare its shape with plain bounds"),
                }
            }
        }
    }

    /// Where the storage is: an argument, or the operation that gives its address.
    fn reach(&self, op: &HlfirOp) -> Option<&'static str> {
        let operand = *op.operands().first()?;
        if operand.starts_with("%arg") {
            return Some("argument");
        }
        let definition = self.definitions.get(base(operand))?;
        match definition.name.as_str() {
            "fir.alloca" => Some("fir.alloca"),
            _ if definition.name.starts_with("fir.address_of") => Some("fir.address_of"),
            "fir.convert" if !definition.text.contains("!fir.ptr") => self.common(definition).map(|_| "fir.address_of"),
            "fir.load" | "fir.box_addr" if op.text.contains("host_assoc") => self.around(definition),
            _ => None,
        }
    }

    /// A variable of the procedure around, whose address is in a tuple that is the last argument.
    fn around(&self, mut definition: &'a HlfirOp) -> Option<&'static str> {
        while ["fir.load", "fir.box_addr"].contains(&definition.name.as_str()) {
            definition = self.definitions.get(base(definition.operands().first()?))?;
        }
        let is_member = definition.name == "fir.coordinate_of" && definition.types().contains("tuple<");
        (is_member && definition.operands().first()?.starts_with("%arg")).then_some("host")
    }

    /// The operation that finds a member of a COMMON block.
    fn common(&self, convert: &HlfirOp) -> Option<&'a HlfirOp> {
        let member = *self.definitions.get(base(convert.operands().first()?))?;
        if member.name != "fir.coordinate_of" {
            return None;
        }
        let block = self.definitions.get(base(member.operands().first()?))?;
        let address =
            if block.name == "fir.convert" { self.definitions.get(base(block.operands().first()?))? } else { block };
        address.name.starts_with("fir.address_of").then_some(member)
    }

    fn lower(&self, op: &HlfirOp, rank: usize) -> Option<Vec<Option<i64>>> {
        let shape = op.operands().get(1).and_then(|o| self.definitions.get(base(o)));
        let Some(shape) = shape.filter(|s| s.name.starts_with("fir.sh")) else {
            return op.types().contains("!fir.box<").then(|| vec![Some(1); rank]);
        };
        let operands = shape.operands();
        let bounds = |step: usize| operands.iter().step_by(step).map(|o| self.number(o)).collect::<Vec<_>>();
        let lower = match shape.name.as_str() {
            "fir.shape" => vec![Some(1); operands.len()],
            "fir.shape_shift" => bounds(2),
            "fir.shift" => bounds(1),
            _ => return None,
        };
        (lower.len() == rank).then_some(lower)
    }

    /// The value of a constant.
    pub fn number(&self, operand: &str) -> Option<i64> {
        let op = self.definitions.get(base(operand))?;
        match op.name.as_str() {
            "arith.constant" => op.text.split(' ').next()?.parse().ok(),
            "fir.convert" => self.number(op.operands().first()?),
            _ => None,
        }
    }
}

/// What is said of a variable that another one hides.
pub const HIDDEN: (&str, &str) =
    ("has a name that means something else where the region stands", "give one of the two another name");

const UNTAKEN: (&str, &str) = (
    "is a named constant of a type that is not taken, or an array of more than 512 elements or of values that are not",
    "copy it to a variable before the region, and use that",
);

const RENAMED: (&str, &str) =
    ("has a name that a `use` statement gives or takes by `=>`", "use it by its own name everywhere");

fn other(reason: &str, remedy: &'static str) -> FortranKind {
    FortranKind::Other(reason.to_owned(), remedy)
}

/// What a user calls a type.
fn spoken(spelling: &str) -> String {
    let known = [
        ("!fir.char", "character"),
        ("complex", "complex"),
        ("!fir.complex", "complex"),
        ("!fir.type", "a derived type"),
        ("!fir.class", "a polymorphic type"),
        ("!fir.logical", "logical"),
        ("i8", "integer(1)"),
        ("i16", "integer(2)"),
        ("i128", "integer(16)"),
        ("f16", "real(2)"),
        ("bf16", "real(3)"),
        ("f80", "real(10)"),
        ("f128", "real(16)"),
    ];
    let mut bare = spelling;
    while let Some(rest) =
        ["!fir.ref<", "!fir.box<", "!fir.heap<", "!fir.ptr<", "!fir.array<"].iter().find_map(|b| bare.strip_prefix(b))
    {
        bare = rest;
        while let Some((extent, rest)) = bare.split_once('x')
            && !extent.is_empty()
            && extent.bytes().all(|b| b.is_ascii_digit() || b == b'?')
        {
            bare = rest;
        }
    }
    match known.iter().find(|(begin, _)| bare.starts_with(begin)) {
        Some((_, name)) => (*name).to_owned(),
        None => "that is not known".to_owned(),
    }
}

/// The text between `begin` and `end`.
/// A named constant that is an array, if it is taken.
fn constant_array(array: Option<ConstantArray>) -> FortranKind {
    let Some(ConstantArray { element, lower, extents, values }) = array else { return other(UNTAKEN.0, UNTAKEN.1) };
    let known = |all: Vec<i64>| all.into_iter().map(Some).collect();
    let (lower, extents, values) = (known(lower), known(extents), Some(values));
    FortranKind::Array(FortranArray { element, extents, lower, holder: Holder::Itself, target: false, values })
}

/// The value of `arith.constant`.
fn constant_text(op: &HlfirOp) -> Option<String> {
    (op.name == "arith.constant").then(|| op.text.split_once(" : ").map(|(value, _)| value.to_owned()))?
}

/// Whether the text of a `fir.global` declares the variable of this name.
fn names_global(text: &str, unique: &str) -> bool {
    let rest = text.split_once('@').and_then(|(_, rest)| rest.strip_prefix(unique));
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with([' ', '(']))
}

/// The elements of a constant as a `fir.global` has them: the text between `dense<` and `>`.
fn dense_of(text: &str) -> Option<&str> {
    let (_, rest) = text.split_once("(dense<")?;
    Some(rest.split_once("> : tensor<")?.0)
}

pub fn attribute<'t>(text: &'t str, begin: &str, end: char) -> Option<&'t str> {
    let (_, rest) = text.split_once(begin)?;
    rest.split(end).next()
}

/// A scope as the module's own procedures have it: `_QMaFp` of `_QMaSbFp`.
fn without_submodules(scope: &str) -> String {
    let mut all = String::new();
    let mut is_submodule = false;
    for (at, c) in scope.char_indices() {
        if c.is_ascii_uppercase() {
            is_submodule = c == 'S' && at > 2;
        }
        if !is_submodule {
            all.push(c);
        }
    }
    all
}

/// The number of the block that has a scope, in the procedure of another scope: `1` of `_QFfB1` in `_QFf`.
fn block_of(own: &str, scope: &str) -> Option<u32> {
    without_submodules(own).strip_prefix(scope)?.strip_prefix('B')?.parse().ok()
}

/// Whether a scope is that of the procedure or program around: `_QFf` of `_QFfFg`.
pub fn is_around(own: &str, scope: &str) -> bool {
    without_submodules(own).contains('F') && holds(own, scope)
}

/// Whether a scope is that of the procedure, program or module around: also `_QMm` of `_QMmFf`.
fn holds(own: &str, scope: &str) -> bool {
    scope.strip_prefix(without_submodules(own).as_str()).is_some_and(|rest| rest.starts_with('F'))
}

/// The scope of a function's own variables: `_QMmFp` of `@_QMmPp`.
pub fn scope_of(head: &str) -> String {
    let symbol = attribute(head, "@", '(').unwrap_or_default();
    if symbol == "_QQmain" {
        return "_QF".to_owned();
    }
    match symbol.rsplit_once('P') {
        Some((before, name)) => format!("{before}F{name}"),
        None => symbol.to_owned(),
    }
}

/// Whether a name is that of a local variable of a subroutine whose text stands for a call: no name of Fortran begins so.
pub fn is_of_call(name: &str) -> bool {
    name.starts_with("_c")
}
