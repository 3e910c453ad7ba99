//! Resolves lvalues: to an array (or scalar) and the subscripts of its element.

use crate::Refusal;
use crate::frontend::clang::ast::{Id, Node, Type};
use crate::frontend::clang::ctype;
use crate::frontend::clang::expression_parts;
use crate::frontend::clang::syntax_kind::SyntaxKind;
use crate::frontend::survey::region_builder::{KnownArray, RawAccess, RegionBuilder};
use crate::frontend::survey::variables::RegionVariables;
use crate::frontend::values::affine::{Affine, Cases, Formula};
use crate::frontend::values::surrounding_loops::Scope;
use crate::frontend::values::symbols;
use crate::model::{AccessKind, Array, Storage};
use crate::planted::planted;
use crate::refusal::Code;

/// The object that an lvalue designates.
#[derive(Debug, Clone)]
pub struct Lvalue<'a> {
    /// The variable at the root of the lvalue.
    pub variable: &'a Node,
    /// Subscripts, outermost first.
    pub subscripts: Vec<Cases>,
    /// Type of the object before each subscript (`None`: reached through a pointer); last, the type of the element.
    pub types: Vec<Option<Type>>,
    /// The lvalue designates only a part (a member) of the element.
    pub partial: bool,
    /// For a linearised array: the length of each dimension after the first, and where its window begins.
    pub rows: Option<Vec<(Affine, i64)>>,
    /// How many subscripts choose a pointer in memory: 1 for an element of a `double **`.
    pub tables: usize,
}

impl Lvalue<'_> {
    /// Whether the last subscript is an offset from pointer arithmetic; the next subscript is added to it.
    fn waits(&self) -> bool {
        self.types.len() == self.subscripts.len() + 2
    }
}

/// How to use an array with the shape that its subscripts mean.
pub const TO_POINTER: &str = "declare a pointer to variable-length rows before the region, e.g. `double (*A)[n] = (double (*)[n])a;`, and write `A[i][j]`";

impl<'a> RegionBuilder<'a> {
    /// Resolves an lvalue.
    pub fn place(&mut self, node: &'a Node, scope: &Scope) -> Result<Lvalue<'a>, Refusal> {
        let child = |k: usize| node.child(k).ok_or_else(|| strange(node));
        if ctype::is_untouchable(node.ty.plain()) {
            return Err(Refusal::at(
                Code::VolatileOrAtomic,
                node,
                "volatile and atomic objects keep their order of accesses",
                "use a plain object in the region",
            ));
        }
        match node.kind {
            SyntaxKind::ParenExpr => self.place(child(0)?, scope),
            SyntaxKind::ImplicitCastExpr if node.cast == "NoOp" => self.place(child(0)?, scope),
            SyntaxKind::DeclRefExpr => {
                let id = node.reference.as_ref().map_or(0, |r| r.id);
                let variable = self
                    .unit
                    .declaration(id)
                    .filter(|d| matches!(d.kind, SyntaxKind::VarDecl | SyntaxKind::ParmVarDecl));
                let variable = variable.ok_or_else(|| strange(node))?;
                Self::check_storage(variable, node)?;
                Ok(Lvalue {
                    variable,
                    subscripts: vec![],
                    types: vec![Some(node.ty.clone())],
                    partial: false,
                    rows: None,
                    tables: 0,
                })
            }
            SyntaxKind::ArraySubscriptExpr => {
                let (first, second) = (child(0)?, child(1)?);
                let swapped = self.unit.integer(first.ty.plain()).is_some();
                let (base, index) = if swapped { (second, first) } else { (first, second) };
                let place = self.pointer(base, scope)?;
                let index = self.subscript(index, place.variable.id, scope)?;
                if place.partial && index.is_unknown() {
                    return Err(data_subscript(node));
                }
                if place.partial {
                    let member = self.member_array(base).ok_or_else(|| strange(node))?;
                    self.keep_member(member, &index, node, scope)?;
                }
                stepped(place, &index, node)
            }
            SyntaxKind::UnaryOperator if node.opcode == "*" => {
                let pointer = child(0)?;
                let place = self.pointer(pointer, scope)?;
                let first = Cases::one(Affine::constant(0));
                if place.partial {
                    let member = self.member_array(pointer).ok_or_else(|| strange(node))?;
                    self.keep_member(member, &first, node, scope)?;
                }
                stepped(place, &first, node)
            }
            SyntaxKind::MemberExpr => {
                let base = child(0)?;
                let mut place = if node.arrow {
                    let pointer = self.pointer(base, scope)?;
                    let mut place = stepped(pointer, &Cases::one(Affine::constant(0)), node)?;
                    if let (Some(last), Some(pointee)) = (place.types.last_mut(), pointee(&base.ty)) {
                        *last = Some(pointee);
                    }
                    place
                } else {
                    self.place(base, scope)?
                };
                let record = place.types.last().and_then(|t| t.as_ref()).map_or("", |t| t.plain()).to_owned();
                if record.split_whitespace().any(|w| w == "union") || self.in_union(node.member) {
                    return Err(Refusal::at(
                        Code::UnionMember,
                        node,
                        "members of unions share their bytes",
                        "use a struct or plain arrays in the region",
                    ));
                }
                place.partial = true;
                Ok(place)
            }
            _ => Err(strange(node)),
        }
    }

    /// The array inside a struct whose first element a pointer points to, also through parameters and pointers of the
    /// region: `a[i].u`, and `p` where `a[i].u` is passed for it.
    fn member_array(&self, pointer: &'a Node) -> Option<&'a Node> {
        match (&pointer.kind, pointer.cast.as_str()) {
            (SyntaxKind::ParenExpr, _) | (SyntaxKind::ImplicitCastExpr | SyntaxKind::CStyleCastExpr, "NoOp") => {
                self.member_array(pointer.child(0)?)
            }
            (SyntaxKind::ImplicitCastExpr, "ArrayToPointerDecay") => pointer.child(0),
            (SyntaxKind::ImplicitCastExpr, "LValueToRValue") => {
                let id = pointer.variable()?.id;
                let passed = self.callees.values.get(&id).copied();
                self.member_array(passed.or_else(|| self.unit.declaration(id)?.initial_value())?)
            }
            _ => None,
        }
    }

    fn in_union(&self, field: Id) -> bool {
        self.unit.holder(field).is_some_and(|record| record.tag == "union")
    }

    /// Resolves a pointer value to the place that it points to, before any subscript is added.
    fn pointer(&mut self, node: &'a Node, scope: &Scope) -> Result<Lvalue<'a>, Refusal> {
        let child = |k: usize| node.child(k).ok_or_else(|| strange(node));
        match (&node.kind, node.cast.as_str()) {
            (SyntaxKind::ParenExpr, _) | (SyntaxKind::ImplicitCastExpr | SyntaxKind::CStyleCastExpr, "NoOp") => {
                self.pointer(child(0)?, scope)
            }
            (SyntaxKind::ImplicitCastExpr, "ArrayToPointerDecay") => self.place(child(0)?, scope),
            (SyntaxKind::ImplicitCastExpr, "LValueToRValue") => self.loaded_pointer(node, child(0)?, scope),
            (SyntaxKind::BinaryOperator, _) if matches!(node.opcode.as_str(), "+" | "-") => {
                let (left, right) = (child(0)?, child(1)?);
                let swapped = self.unit.integer(left.ty.plain()).is_some();
                let (base, offset) = if swapped { (right, left) } else { (left, right) };
                let mut place = self.pointer(base, scope)?;
                if place.partial {
                    let reason = "an offset is added to an array inside a struct";
                    return Err(Refusal::at(Code::PointerUntraced, node, reason, "write it as a subscript"));
                }
                let offset = self.subscript(offset, place.variable.id, scope)?;
                let sign = if node.opcode == "-" { -1 } else { 1 };
                let offset = offset.combine(&offset, |a, _| a.times(sign)).ok_or_else(|| strange(node))?;
                if place.waits() {
                    let sum = place.subscripts.pop().and_then(|o| o.combine(&offset, |a, b| a.plus(b, 1)));
                    place.subscripts.push(sum.ok_or_else(|| strange(node))?);
                    return Ok(place);
                }
                // The next subscript is added to this offset.
                place.subscripts.push(offset);
                place.types.extend([None, None]);
                Ok(place)
            }
            (SyntaxKind::UnaryOperator, _) if node.opcode == "&" => {
                let mut place = self.place(child(0)?, scope)?;
                if place.partial || place.subscripts.is_empty() {
                    return Err(Refusal::at(
                        Code::AddressUsed,
                        node,
                        "an address is taken",
                        "use subscripts instead of addresses in the region",
                    ));
                }
                // `&a[i]` is `a + i`: the next subscript is added to this one.
                place.types.pop();
                place.types.extend([None, None]);
                Ok(place)
            }
            (SyntaxKind::UnaryOperator, _) if node.opcode == "++" || node.opcode == "--" => Err(Refusal::at(
                Code::PointerMoves,
                node,
                "a pointer changes in the region",
                "use subscripts instead of moving pointers",
            )),
            (SyntaxKind::CStyleCastExpr | SyntaxKind::ImplicitCastExpr, "BitCast") => {
                Err(Refusal::at(Code::PointerUntraced, node, "a pointer is converted to another type", TO_POINTER))
            }
            _ => Err(Refusal::at(
                Code::PointerUntraced,
                node,
                "this address cannot be traced to one array",
                "use subscripts of arrays by their names in the region",
            )),
        }
    }

    fn loaded_pointer(&mut self, node: &'a Node, object: &'a Node, scope: &Scope) -> Result<Lvalue<'a>, Refusal> {
        let Some(reference) = object.variable() else {
            let member = object.bare().is(&SyntaxKind::MemberExpr);
            if !member {
                return self.row(object, scope);
            }
            return Err(Refusal::at(
                Code::PointerInMemory,
                object,
                "an array is reached through a pointer inside a struct",
                "copy the pointer to a variable before the region, e.g. `double *a = s->a;`",
            ));
        };
        let variable = self.unit.declaration(reference.id).ok_or_else(|| strange(node))?;
        Self::check_storage(variable, node)?;
        if self.callees.variables.contains(&variable.id) {
            if self.callees.changed.contains(&variable.id) {
                let reason = format!("the pointer `{}` is told by a variable that changes", variable.name);
                return Err(Refusal::at(Code::PointerUntraced, node, reason, "use subscripts of the array's name"));
            }
            let address = self.callees.values.get(&variable.id).copied().ok_or_else(|| strange(node))?;
            return self.pointer(address, scope);
        }
        if let Some(place) = self.variables.written.get(&variable.id) {
            let pointer = ctype::is_pointer(variable.ty.plain())
                && expression_parts::write_target(place).is_some_and(|t| t.variable().is_some());
            if pointer {
                return Err(Refusal::at(
                    Code::PointerMoves,
                    place,
                    format!("the pointer `{}` changes in the region", variable.name),
                    "use subscripts instead of moving pointers",
                ));
            }
        }
        if self.variables.declared.contains_key(&variable.id) {
            let initial = variable.initial_value().ok_or_else(|| {
                Refusal::at(
                    Code::PointerUntraced,
                    node,
                    format!("the pointer `{}` has no initial value", variable.name),
                    "use subscripts of arrays by their names in the region",
                )
            })?;
            return self.elsewhere(|b| b.pointer(initial, scope));
        }
        Ok(Lvalue { variable, subscripts: vec![], types: vec![None], partial: false, rows: None, tables: 0 })
    }

    /// Resolves a pointer that is an element of a table of pointers.
    fn row(&mut self, object: &'a Node, scope: &Scope) -> Result<Lvalue<'a>, Refusal> {
        let place = self.place(object, scope)?;
        let plain = ctype::unqualified(object.ty.plain());
        if place.partial || plain.contains('(') || place.waits() || place.subscripts.len() != place.tables + 1 {
            let reason = "an array is reached through a pointer in memory (a pointer to pointers)";
            return Err(Refusal::at(Code::PointerInMemory, object, reason, TO_POINTER));
        }
        Ok(Lvalue { tables: place.tables + 1, ..place })
    }

    /// Refuses a table of pointers to something else than rows.
    fn check_table(place: &Lvalue<'a>, at: &Node) -> Result<(), Refusal> {
        if place.tables == 0 || place.subscripts.len() == place.tables + 1 {
            return Ok(());
        }
        let reason = "the rows of a table of pointers are no arrays of one dimension";
        Err(Refusal::at(Code::PointerInMemory, at, reason, TO_POINTER))
    }

    fn subscript(&mut self, node: &'a Node, array: Id, scope: &Scope) -> Result<Cases, Refusal> {
        if self.is_linearised(array)
            && let Ok(value) = self.polynomial(node, scope)
        {
            return Ok(value);
        }
        let value = self.attempt(|b| b.value(node, scope));
        let value = value.or_else(|refused| self.polynomial(node, scope).map_err(|_| refused));
        let value = value.map_err(|inner| self.not_a_subscript(node, inner));
        match value {
            // A statement evaluates any subscript itself. What is read on entry has to be known.
            Err(refused) if scope.split.is_some() => {
                self.unknown_subscript = Some(refused);
                Ok(Cases::unknown())
            }
            value => value,
        }
    }

    /// The refusal of a subscript whose value is refused as `inner`.
    fn not_a_subscript(&self, node: &Node, inner: Refusal) -> Refusal {
        let of_loop = |n: &Node| n.reference.as_ref().and_then(|r| self.unknown_loops.get(&r.id)).cloned();
        if let Some(refused) = node.walk().find_map(of_loop) {
            return refused;
        }
        if inner.reason != super::integer_expression::not_affine(node).reason {
            return inner;
        }
        let memory = node.walk().any(|n| matches!(n.kind, SyntaxKind::ArraySubscriptExpr | SyntaxKind::CallExpr));
        let (code, reason) = if memory {
            (Code::DataSubscript, "this subscript depends on data")
        } else {
            (Code::NotAffine, "this subscript is not affine")
        };
        let product = node.walk().any(|n| n.is(&SyntaxKind::BinaryOperator) && n.opcode == "*");
        let remedy = if product && !memory {
            TO_POINTER
        } else {
            "subscripts are sums of counters and unchanging integers with constant factors"
        };
        Refusal::at(code, node, reason, remedy)
    }

    /// Refuses storage that tiles in other threads cannot share.
    pub fn check_storage(variable: &Node, at: &Node) -> Result<(), Refusal> {
        if variable.thread_local {
            let reason = format!("`{}` is thread-local, and tiles run on other threads", variable.name);
            return Err(Refusal::at(
                Code::ThreadLocal,
                at,
                reason,
                "copy it to an ordinary variable before the region",
            ));
        }
        if ctype::is_untouchable(variable.ty.plain()) {
            let reason = format!("`{}` is volatile or atomic", variable.name);
            return Err(Refusal::at(Code::VolatileOrAtomic, at, reason, "use a plain object in the region"));
        }
        Ok(())
    }

    /// The symbol of a place's array; rank 0 for a scalar.
    pub fn array(&mut self, place: &mut Lvalue<'a>, at: &'a Node, scope: &Scope) -> Result<String, Refusal> {
        Self::check_table(place, at)?;
        self.delinearise(place, at, scope)?;
        let variable = place.variable;
        let rank = place.subscripts.len();
        let unsure = place.tables > 0 && scope.conditional;
        if let Some(known) = self.arrays.iter_mut().find(|a| a.variable == variable.id) {
            known.array.unsure_tables |= unsure;
            if known.array.dims.len() != rank {
                let reason = format!(
                    "`{}` is used with {} subscripts elsewhere and {rank} here",
                    variable.name,
                    known.array.dims.len()
                );
                return Err(Refusal::at(
                    Code::NoShape,
                    at,
                    reason,
                    "use an array with all its subscripts everywhere in the region",
                ));
            }
            return Ok(known.array.symbol.clone());
        }
        if variable.storage == "register" && !ctype::is_pointer(variable.ty.plain()) {
            let reason = format!("`{}` is a register variable, and the tiles need its address", variable.name);
            return Err(Refusal::at(Code::RegisterVariable, at, reason, "declare it without `register`"));
        }
        let element = place.types.last().cloned().flatten().unwrap_or_default();
        if !ctype::is_element(element.plain()) {
            let reason =
                format!("`{}` gives an object of type `{}`, not a number or struct", variable.name, element.written);
            return Err(Refusal::at(Code::ElementType, at, reason, TO_POINTER));
        }
        let dims = (0..rank)
            .map(|k| {
                if let Some(rows) = &place.rows {
                    return k.checked_sub(1).map(|k| self.c_length(&rows[k].0));
                }
                let ty = place.types[k].as_ref()?;
                let length = ctype::first_length(ty.plain())?;
                if length.is_empty() {
                    return None;
                }
                let row = format!("{}{}", variable.name, "[0]".repeat(k));
                let literal = length.bytes().all(|b| b.is_ascii_digit());
                // A row may have size 0, an element may not.
                let quotient = format!("sizeof({row}) / sizeof({row}[0])");
                let guarded = if k + 1 < rank { format!("(sizeof({row}[0]) == 0 ? 0 : {quotient})") } else { quotient };
                Some(if literal { length.to_owned() } else { guarded })
            })
            .collect();
        let plain = variable.ty.plain();
        let storage = match (ctype::is_pointer(plain) && rank > 0, self.is_believed(variable)) {
            _ if place.tables > 0 => Storage::Pointer,
            (true, true) => Storage::Restrict,
            (true, false) => Storage::Pointer,
            _ => Storage::Object,
        };
        let symbol = self.fresh(&variable.name);
        let element_name = self.visible_type(&element);
        if self.is_local_type(&element_name) {
            let reason = format!("the type `{element_name}` is declared inside the function");
            return Err(Refusal::at(Code::LocalName, at, reason, "declare the type at file scope"));
        }
        let array = Array {
            symbol: symbol.clone(),
            name: variable.name.clone(),
            element: element_name,
            element_size: ctype::size(element.plain()),
            dims,
            global: self.unit.at_file_scope(variable.id),
            storage,
            linearised: place.rows.is_some(),
            tables: place.tables,
            unsure_tables: unsure,
            scattered: None,
        };
        self.arrays.push(KnownArray { array, variable: variable.id, written: false, scattered: None });
        Ok(symbol)
    }

    /// Whether to trust a pointer's `restrict`: only on a parameter that keeps its value from the call, so that it is
    /// based on no other pointer of the function. A pointer based on it is not such a parameter: a plain pointer here.
    fn is_believed(&self, pointer: &Node) -> bool {
        let RegionVariables { changed, addressed, .. } = &self.variables;
        let own = self.function.inner.iter().any(|p| p.is(&SyntaxKind::ParmVarDecl) && p.id == pointer.id);
        let kept = own && !changed.contains(&pointer.id) && !addressed.contains(&pointer.id);
        ctype::is_restrict(pointer.ty.plain()) && (kept || planted("a2-restrict"))
    }

    /// The access of a statement instance to an array's element.
    pub fn access(array: &str, kind: AccessKind, subscripts: &[Cases], scope: &Scope) -> RawAccess {
        let inner: Vec<&str> = scope.inner_loops().iter().map(|l| l.symbol.as_str()).collect();
        let mut conditions: Vec<String> = scope.inner.conjuncts.clone();
        let mut tuple = Vec::new();
        for (k, cases) in subscripts.iter().enumerate() {
            match cases.single() {
                // Any element: the subscript is not known.
                _ if cases.is_unknown() => tuple.push(symbols::subscript(k)),
                Some(value) if !value.symbols().iter().any(|s| inner.contains(&s.as_str())) => {
                    tuple.push(value.to_string());
                }
                _ => {
                    let name = symbols::subscript(k);
                    let mut whole = Formula::constant(false);
                    for (condition, value) in &cases.0 {
                        let equal = Formula::constraint(format!("{name} = {value}"), vec![]);
                        whole = whole.or(condition.clone().and(equal));
                    }
                    conditions.push(whole.text());
                    tuple.push(name);
                }
            }
        }
        let mut image = format!("{array}[{}]", tuple.join(", "));
        if !conditions.is_empty() {
            let conditions = conditions.join(" and ");
            let conditions =
                if inner.is_empty() { conditions } else { format!("exists ({} : {conditions})", inner.join(", ")) };
            image = format!("{image} : {conditions}");
        }
        RawAccess { array: array.to_owned(), kind, image }
    }
}

/// Adds a subscript: to a pending offset, or as a new dimension.
fn stepped<'a>(mut place: Lvalue<'a>, index: &Cases, node: &Node) -> Result<Lvalue<'a>, Refusal> {
    if place.partial {
        return Ok(place);
    }
    if place.waits() {
        place.types.truncate(place.subscripts.len());
        let offset = place.subscripts.pop().unwrap_or_else(|| Cases::one(Affine::default()));
        let sum = offset.combine(index, |a, b| a.plus(b, 1)).ok_or_else(|| strange(node))?;
        place.subscripts.push(sum);
    } else {
        place.subscripts.push(index.clone());
    }
    place.types.push(Some(node.ty.clone()));
    Ok(place)
}

/// The target type of a pointer type.
fn pointee(ty: &Type) -> Option<Type> {
    let plain = ctype::unqualified(ty.plain());
    let inner = plain.strip_suffix('*')?.trim();
    Some(Type::named(&ctype::unqualified(inner)))
}

fn data_subscript(node: &Node) -> Refusal {
    Refusal::at(
        Code::DataSubscript,
        node,
        "this subscript depends on data, and its array is inside a struct",
        "use an array of its own with this subscript",
    )
}

fn strange(node: &Node) -> Refusal {
    Refusal::at(
        Code::PointerUntraced,
        node,
        format!("this expression ({}) does not designate an element of an array by its name", node.kind),
        "use subscripts of arrays by their names in the region",
    )
}
