//! Clang's syntax tree, read from its JSON: only what the front end uses. Unknown node kinds are kept.

use super::ctype;
use super::integer_options::IntegerOptions;
use super::ordered_records::{OrderedRecords, RecordDefinition};
use super::syntax_kind::SyntaxKind;
use crate::Refusal;
use crate::refusal::Code;
use serde::Deserialize;
use std::collections::{BTreeSet, HashMap};

/// Identity of a node within one dump.
pub type Id = u64;

/// A position in the main file, after expansion: where the user wrote it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct FilePlace {
    /// Byte offset (of the outermost macro's name for expanded text).
    pub offset: usize,
    /// Length of the token there.
    pub length: usize,
    /// The token comes from a macro.
    pub expanded: bool,
    /// Offset at which the main file spells the token (in plain text or in a macro's argument).
    pub spelled: Option<usize>,
    /// The position is in the main file, and clang gave it.
    pub known: bool,
    /// The preprocessor made the token: `__LINE__` and the like, or pasted tokens.
    pub made: bool,
}

/// A type as clang prints it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct Type {
    /// As written.
    #[serde(rename = "qualType")]
    pub written: String,
    /// Without typedefs at the top level.
    #[serde(rename = "desugaredQualType")]
    desugared: Option<String>,
}

impl Type {
    /// A type given by its text.
    pub fn named(text: &str) -> Type {
        Type { written: text.to_owned(), desugared: None }
    }

    /// The type without typedefs at the top level.
    pub fn plain(&self) -> &str {
        self.desugared.as_deref().unwrap_or(&self.written)
    }
}

/// The declaration that a `DeclRefExpr` refers to.
#[derive(Debug, Clone, Default)]
pub struct Reference {
    /// Its identity.
    pub id: Id,
    /// Its kind, e.g. `VarDecl`.
    pub kind: SyntaxKind,
    /// Its name.
    pub name: String,
}

/// A node of the tree.
#[derive(Debug, Clone, Default)]
#[allow(clippy::struct_excessive_bools)]
pub struct Node {
    /// Identity.
    pub id: Id,
    /// Identity of the previous declaration of the same entity, 0 if there is none.
    pub previous: Id,
    /// Clang's class name, empty for an absent child.
    pub kind: SyntaxKind,
    /// Name of a declaration or member.
    pub name: String,
    /// Type of an expression or declaration.
    pub ty: Type,
    /// Type of the operand of `sizeof (type)`.
    pub argument: Option<Type>,
    /// Value of a literal or constant.
    pub value: Option<String>,
    /// Operator.
    pub opcode: String,
    /// Clang's name for the kind of cast.
    pub cast: String,
    /// True for `x++`, false for `++x`.
    pub postfix: bool,
    /// True for `->`, false for `.`.
    pub arrow: bool,
    /// Declaration named by a `DeclRefExpr`.
    pub reference: Option<Reference>,
    /// Field named by a `MemberExpr`.
    pub member: Id,
    /// The label that a `LabelStmt` declares or a `GotoStmt` jumps to.
    pub label: Id,
    /// Storage class: `static`, `extern` ...
    pub storage: String,
    /// Declared `inline`.
    pub inlined: bool,
    /// Thread-local.
    pub thread_local: bool,
    /// `struct` or `union`.
    pub tag: String,
    /// The field has a width in bits.
    pub bit_field: bool,
    /// The variable has an initialiser.
    pub initialised: bool,
    /// The node comes from a system header.
    pub system: bool,
    /// The underlying type that the source gives to an enumeration.
    pub fixed: Option<Type>,
    /// First token.
    pub begin: FilePlace,
    /// Last token.
    pub end: FilePlace,
    /// Children; absent ones have an empty kind.
    pub inner: Vec<Node>,
}

impl Node {
    /// Whether the node is of the class `kind`.
    pub fn is(&self, kind: &SyntaxKind) -> bool {
        self.kind == *kind
    }

    /// The child at `index`, if it is not absent.
    pub fn child(&self, index: usize) -> Option<&Node> {
        self.inner.get(index).filter(|n| !n.kind.is_absent())
    }

    /// What the declaration of a variable gives it as its first value.
    pub fn initial_value(&self) -> Option<&Node> {
        self.inner.iter().find(|n| self.initialised && !n.kind.is_attribute())
    }

    /// The body of a function's definition. Attributes may follow the body among the children.
    pub fn body(&self) -> Option<&Node> {
        self.inner.iter().rev().find(|n| n.is(&SyntaxKind::CompoundStmt)).filter(|_| self.is(&SyntaxKind::FunctionDecl))
    }

    /// The node and everything below it, in the order of the text.
    pub fn walk(&self) -> Walk<'_> {
        Walk { stack: vec![self] }
    }

    /// The expression without parentheses and value-preserving casts.
    pub fn bare(&self) -> &Node {
        match (&self.kind, self.inner.first()) {
            (SyntaxKind::ParenExpr | SyntaxKind::ConstantExpr, Some(inner)) => inner.bare(),
            (SyntaxKind::ImplicitCastExpr, Some(inner)) if matches!(self.cast.as_str(), "NoOp" | "LValueToRValue") => {
                inner.bare()
            }
            _ => self,
        }
    }

    /// The variable, if the expression is only a variable.
    pub fn variable(&self) -> Option<&Reference> {
        let bare = self.bare();
        bare.reference.as_ref().filter(|r| {
            bare.is(&SyntaxKind::DeclRefExpr) && matches!(r.kind, SyntaxKind::VarDecl | SyntaxKind::ParmVarDecl)
        })
    }
}

impl Refusal {
    /// A refusal at a node of the syntax tree; without a place if the node is in an included file.
    pub fn at(code: Code, node: &Node, reason: impl Into<String>, remedy: impl Into<String>) -> Refusal {
        if !node.begin.known || !node.end.known {
            return Refusal::new(code, reason, remedy);
        }
        Refusal::span(code, node.begin.offset, node.end.offset + node.end.length, reason, remedy)
    }
}

/// Iterator over a subtree, in the order of the text.
pub struct Walk<'a> {
    stack: Vec<&'a Node>,
}

impl<'a> Iterator for Walk<'a> {
    type Item = &'a Node;
    fn next(&mut self) -> Option<&'a Node> {
        let node = self.stack.pop()?;
        self.stack.extend(node.inner.iter().rev().filter(|n| !n.kind.is_absent()));
        Some(node)
    }
}

/// The structs and unions that are defined below a node. Unnamed ones inside count as their holder's own members.
fn definitions(root: &Node) -> Vec<RecordDefinition<'_>> {
    let mut found = Vec::new();
    for holder in root.walk() {
        for (at, record) in holder.inner.iter().enumerate().filter(|(_, n)| n.is(&SyntaxKind::RecordDecl)) {
            let fields = record.walk().filter(|n| n.is(&SyntaxKind::FieldDecl));
            let members: Vec<&str> = fields.map(|field| field.ty.plain()).collect();
            if !members.is_empty() {
                found.push(RecordDefinition { names: names_of_record(holder, at), members });
            }
        }
    }
    found
}

/// The names of the record at `at` among a node's children: its tag, or the typedefs of a record without a tag.
fn names_of_record(holder: &Node, at: usize) -> Vec<String> {
    let record = &holder.inner[at];
    if !record.name.is_empty() {
        return vec![format!("{} {}", record.tag, record.name)];
    }
    let after = holder.inner[at + 1..].iter().take_while(|n| n.is(&SyntaxKind::TypedefDecl));
    after.map(|typedef| typedef.name.clone()).collect()
}

/// A translation unit.
#[derive(Debug)]
pub struct Unit {
    /// The `TranslationUnitDecl`.
    pub root: Node,
    /// C's aliasing rule holds: objects are only accessed through their own types (not with `-fno-strict-aliasing`).
    pub strict_aliasing: bool,
    /// The integer rules of the file's compiler options.
    pub integer_options: IntegerOptions,
    /// Structs and unions with volatile or atomic members.
    pub ordered_records: OrderedRecords,
    /// Headers of the system by clang's names: nothing says that the compiler sees in them what clang sees.
    pub of_system: BTreeSet<String>,
    /// The files of functions.
    files: HashMap<Id, String>,
    paths: HashMap<Id, Vec<usize>>,
    names: HashMap<String, Vec<Id>>,
    nodes: usize,
}

impl Unit {
    /// Reads clang's JSON; `main` is the path that clang was given.
    pub fn parse(json: &[u8], main: &str) -> Result<Unit, String> {
        let mut deserializer = serde_json::Deserializer::from_slice(json);
        deserializer.disable_recursion_limit();
        let raw = RawNode::deserialize(&mut deserializer).map_err(|e| e.to_string())?;
        let mut reader = Reader { main, file: String::new(), files: HashMap::new() };
        let root = reader.node(raw);
        let files = reader.files;
        let mut paths = HashMap::new();
        index(&root, &mut Vec::new(), &mut paths);
        let mut names: HashMap<String, Vec<Id>> = HashMap::new();
        for declaration in root.walk().filter(|n| n.kind.is_declaration() && !n.name.is_empty()) {
            names.entry(declaration.name.clone()).or_default().push(declaration.id);
        }
        let nodes = root.walk().count();
        let (integer_options, ordered_records) =
            (IntegerOptions::default(), OrderedRecords::among(&definitions(&root)));
        let of_system = BTreeSet::new();
        Ok(Unit {
            root,
            strict_aliasing: true,
            integer_options,
            ordered_records,
            of_system,
            files,
            paths,
            names,
            nodes,
        })
    }

    /// The declarations of a name, in the order of the text.
    pub fn declarations_of<'a>(&'a self, name: &str) -> impl Iterator<Item = &'a Node> {
        self.names.get(name).into_iter().flatten().filter_map(|id| self.declaration(*id))
    }

    /// Whether accesses to the whole object of a type must happen exactly as written: it is volatile or atomic, or holds
    /// such an object.
    pub fn is_ordered(&self, plain: &str) -> bool {
        ctype::is_untouchable(plain) || self.ordered_records.contains(plain)
    }

    /// Whether a declaration stands inside another one.
    pub fn is_inside(&self, inner: Id, outer: Id) -> bool {
        let path = |id| self.paths.get(&id);
        path(inner).zip(path(outer)).is_some_and(|(inner, outer)| inner.len() > outer.len() && inner.starts_with(outer))
    }

    /// A copy in which the function at `at` among the declarations is another one.
    pub fn with_function(&self, at: usize, function: Node) -> Unit {
        let Unit { strict_aliasing, integer_options, nodes, .. } = *self;
        let (mut root, mut paths, names) = (self.root.clone(), self.paths.clone(), self.names.clone());
        let ordered_records = self.ordered_records.clone();
        let (of_system, files) = (self.of_system.clone(), self.files.clone());
        index(&function, &mut vec![at], &mut paths);
        root.inner[at] = function;
        Unit { root, strict_aliasing, integer_options, ordered_records, of_system, files, paths, names, nodes }
    }

    /// The declaration with this identity.
    pub fn declaration(&self, id: Id) -> Option<&Node> {
        let mut node = &self.root;
        for step in self.paths.get(&id)? {
            node = &node.inner[*step];
        }
        Some(node)
    }

    /// The number of nodes.
    pub fn nodes(&self) -> usize {
        self.nodes
    }

    /// The parent of a declaration, e.g. the struct of a field.
    pub fn holder(&self, id: Id) -> Option<&Node> {
        let path = self.paths.get(&id)?;
        let mut node = &self.root;
        for step in &path[..path.len().checked_sub(1)?] {
            node = &node.inner[*step];
        }
        Some(node)
    }

    /// Whether a declaration is at file scope.
    pub fn at_file_scope(&self, id: Id) -> bool {
        self.paths.get(&id).is_some_and(|p| p.len() == 1)
    }

    /// Whether the compiler sees in a function's file what clang sees there.
    pub fn is_compared(&self, function: &Node) -> bool {
        !function.system && self.files.get(&function.id).is_some_and(|file| !self.of_system.contains(file))
    }

    /// Whether a declaration stands at file scope, or in a struct or an enumeration there.
    pub fn outside_functions(&self, id: Id) -> bool {
        let outermost = self.paths.get(&id).and_then(|path| self.root.inner.get(*path.first()?));
        outermost.is_none_or(|node| !node.is(&SyntaxKind::FunctionDecl))
    }

    /// The function definition whose body contains the offset.
    pub fn function_at(&self, offset: usize) -> Option<&Node> {
        self.root.inner.iter().find(|n| {
            n.body().is_some_and(|body| body.begin.known && body.begin.offset < offset && offset < body.end.offset)
        })
    }
}

fn index(node: &Node, path: &mut Vec<usize>, paths: &mut HashMap<Id, Vec<usize>>) {
    for (k, child) in node.inner.iter().enumerate() {
        path.push(k);
        if child.kind.is_declaration() {
            paths.insert(child.id, path.clone());
        }
        index(child, path, paths);
        path.pop();
    }
}

#[derive(Deserialize, Default)]
#[serde(default)]
#[allow(clippy::struct_excessive_bools)]
struct RawNode {
    id: String,
    #[serde(rename = "previousDecl")]
    previous: String,
    kind: String,
    loc: RawLocation,
    range: RawRange,
    name: Option<serde_json::Value>,
    #[serde(rename = "type")]
    ty: Type,
    #[serde(rename = "argType")]
    argument: Option<Type>,
    value: Option<serde_json::Value>,
    opcode: String,
    #[serde(rename = "castKind")]
    cast: String,
    #[serde(rename = "isPostfix")]
    postfix: bool,
    #[serde(rename = "isArrow")]
    arrow: bool,
    #[serde(rename = "referencedDecl")]
    reference: Option<RawReference>,
    #[serde(rename = "referencedMemberDecl")]
    member: String,
    #[serde(rename = "storageClass")]
    storage: String,
    #[serde(rename = "inline")]
    inlined: bool,
    tls: Option<String>,
    #[serde(rename = "tagUsed")]
    tag: String,
    init: Option<String>,
    #[serde(rename = "isBitfield")]
    bit_field: bool,
    #[serde(rename = "fixedUnderlyingType")]
    fixed: Option<Type>,
    #[serde(rename = "declId", alias = "targetLabelDeclId")]
    label: String,
    // The list takes the name of its first child, if that child has one.
    #[serde(alias = "array_filler")]
    inner: Vec<RawNode>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct RawReference {
    id: String,
    kind: String,
    name: String,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct RawRange {
    begin: RawLocation,
    end: RawLocation,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct RawLocation {
    offset: Option<usize>,
    file: Option<String>,
    #[serde(rename = "tokLen")]
    length: usize,
    #[serde(rename = "spellingLoc")]
    spelling: Option<Box<RawLocation>>,
    #[serde(rename = "expansionLoc")]
    expansion: Option<Box<RawLocation>>,
    #[serde(rename = "isMacroArgExpansion")]
    argument: bool,
}

/// Clang omits a location's file if it is the same as that of the previous location in the dump.
struct Reader<'a> {
    main: &'a str,
    file: String,
    /// The files of functions.
    files: HashMap<Id, String>,
}

impl Reader<'_> {
    fn node(&mut self, raw: RawNode) -> Node {
        self.place(&raw.loc);
        let system = self.file.starts_with("/usr/") && !self.file.starts_with("/usr/local/") && self.file != self.main;
        let begin = self.place(&raw.range.begin);
        if raw.kind == "FunctionDecl" {
            self.files.insert(identity(&raw.id), self.file.clone());
        }
        let end = self.place(&raw.range.end);
        let text = |v: serde_json::Value| match v {
            serde_json::Value::String(s) => s,
            other => other.to_string(),
        };
        // The associations of `_Generic` have no kind of their own.
        let kind = if raw.kind.is_empty() && !raw.inner.is_empty() {
            SyntaxKind::Association
        } else {
            SyntaxKind::of(&raw.kind)
        };
        let mut node = Node {
            id: identity(&raw.id),
            previous: identity(&raw.previous),
            kind,
            name: raw.name.map(text).unwrap_or_default(),
            ty: raw.ty,
            argument: raw.argument,
            value: raw.value.map(text),
            opcode: raw.opcode,
            cast: raw.cast,
            postfix: raw.postfix,
            arrow: raw.arrow,
            reference: raw.reference.map(|r| Reference {
                id: identity(&r.id),
                kind: SyntaxKind::of(&r.kind),
                name: r.name,
            }),
            member: identity(&raw.member),
            label: identity(&raw.label),
            storage: raw.storage,
            inlined: raw.inlined,
            thread_local: raw.tls.is_some(),
            tag: raw.tag,
            bit_field: raw.bit_field,
            initialised: raw.init.is_some(),
            system,
            fixed: raw.fixed,
            begin,
            end,
            inner: raw.inner.into_iter().map(|child| self.node(child)).collect(),
        };
        if falls_through(&node) {
            node.kind = SyntaxKind::NullStmt;
            node.inner.clear();
        }
        node
    }

    fn place(&mut self, raw: &RawLocation) -> FilePlace {
        if let (Some(spelling), Some(expansion)) = (&raw.spelling, &raw.expansion) {
            let spelled = self.place(spelling);
            let mut place = self.place(expansion);
            let argument = spelling.argument || expansion.argument;
            place.expanded = true;
            place.made = spelled.made;
            place.spelled = spelled.known.then_some(spelled.offset).filter(|_| argument);
            return place;
        }
        if let Some(file) = &raw.file {
            self.file.clone_from(file);
        }
        let known = raw.offset.is_some() && self.file == self.main;
        let offset = raw.offset.unwrap_or(0);
        // The body of a macro that clang or an option defines is a text as that of any other macro.
        let made = self.file.starts_with('<') && !matches!(self.file.as_str(), "<built-in>" | "<command line>");
        FilePlace { offset, length: raw.length, expanded: false, spelled: known.then_some(offset), known, made }
    }
}

/// Whether a statement only silences a warning: `__attribute__((fallthrough));`.
fn falls_through(node: &Node) -> bool {
    let [attributes @ .., last] = node.inner.as_slice() else { return false };
    node.is(&SyntaxKind::AttributedStmt)
        && last.is(&SyntaxKind::NullStmt)
        && attributes.iter().all(|n| n.is(&SyntaxKind::FallThroughAttr))
}

fn identity(text: &str) -> Id {
    text.strip_prefix("0x").and_then(|hex| u64::from_str_radix(hex, 16).ok()).unwrap_or(0)
}
