//! Clang's node classes, parsed once when the tree is read.

use std::fmt;

/// Declares the classes that the front end knows.
macro_rules! kinds {
    ($($name:ident,)*) => {
        /// Clang's class of a node. Allow-lists refuse every class that they do not name.
        #[allow(missing_docs)]
        #[derive(Debug, Clone, Default, PartialEq, Eq)]
        pub enum SyntaxKind {
            /// An absent child.
            #[default]
            Absent,
            $($name,)*
            /// Any other class, by clang's name.
            Other(Box<str>),
        }

        impl SyntaxKind {
            /// The class with this name.
            pub fn of(name: &str) -> SyntaxKind {
                match name {
                    "" => SyntaxKind::Absent,
                    $(stringify!($name) => SyntaxKind::$name,)*
                    other => SyntaxKind::Other(other.into()),
                }
            }

            /// Clang's name.
            pub fn name(&self) -> &str {
                match self {
                    SyntaxKind::Absent => "",
                    $(SyntaxKind::$name => stringify!($name),)*
                    SyntaxKind::Other(name) => name,
                }
            }
        }
    };
}

impl SyntaxKind {
    /// Whether the node is an absent child.
    pub fn is_absent(&self) -> bool {
        *self == SyntaxKind::Absent
    }

    /// Whether it is an attribute, known or not.
    pub fn is_attribute(&self) -> bool {
        self.name().ends_with("Attr")
    }

    /// Whether it is a declaration, known or not.
    pub fn is_declaration(&self) -> bool {
        self.name().ends_with("Decl")
    }

    /// Whether it is a variable or a parameter.
    pub fn is_variable(&self) -> bool {
        self.name().ends_with("VarDecl")
    }

    /// Whether it is an OpenMP directive.
    pub fn is_openmp(&self) -> bool {
        self.name().starts_with("OMP")
    }

    /// Whether it is a statement but not an expression, known or not.
    pub fn is_statement(&self) -> bool {
        self.name().ends_with("Stmt")
    }
}

impl fmt::Display for SyntaxKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

kinds! {
    AliasAttr,
    AlignedAttr,
    AlwaysInlineAttr,
    AnnotateAttr,
    ArraySubscriptExpr,
    ArtificialAttr,
    AsmLabelAttr,
    Association,
    AtomicExpr,
    AttributedStmt,
    BinaryConditionalOperator,
    BinaryOperator,
    BreakStmt,
    BuiltinAttr,
    BuiltinType,
    CStyleCastExpr,
    CXXBoolLiteralExpr,
    CallExpr,
    CaseStmt,
    CharacterLiteral,
    ChooseExpr,
    CleanupAttr,
    ColdAttr,
    CommonAttr,
    CompoundAssignOperator,
    CompoundLiteralExpr,
    CompoundStmt,
    ConditionalOperator,
    ConstAttr,
    ConstantArrayType,
    ConstantExpr,
    ContinueStmt,
    ConvertVectorExpr,
    DeclRefExpr,
    DeclStmt,
    DefaultStmt,
    DeprecatedAttr,
    DesignatedInitExpr,
    DoStmt,
    ElaboratedType,
    EmptyDecl,
    EnumConstantDecl,
    EnumDecl,
    EnumType,
    FallThroughAttr,
    FieldDecl,
    FileScopeAsmDecl,
    FixedPointLiteral,
    FlattenAttr,
    FloatingLiteral,
    ForStmt,
    FunctionDecl,
    GCCAsmStmt,
    GNUInlineAttr,
    GenericSelectionExpr,
    GotoStmt,
    HotAttr,
    IfStmt,
    ImaginaryLiteral,
    ImplicitCastExpr,
    ImplicitValueInitExpr,
    IndirectGotoStmt,
    InitListExpr,
    IntegerLiteral,
    LabelStmt,
    LeafAttr,
    MSAsmStmt,
    MayAliasAttr,
    MemberExpr,
    MinSizeAttr,
    NoCommonAttr,
    NoDebugAttr,
    NoEscapeAttr,
    NoInitExpr,
    NoInlineAttr,
    NoInstrumentFunctionAttr,
    NoThrowAttr,
    NonNullAttr,
    NullStmt,
    OffsetOfExpr,
    OpaqueValueExpr,
    OptimizeNoneAttr,
    PackedAttr,
    ParenExpr,
    ParenType,
    ParmVarDecl,
    PointerType,
    PredefinedExpr,
    PureAttr,
    QualType,
    RecordDecl,
    RecordType,
    RetainAttr,
    ReturnStmt,
    ReturnsNonNullAttr,
    SectionAttr,
    ShuffleVectorExpr,
    SourceLocExpr,
    StaticAssertDecl,
    StmtExpr,
    StringLiteral,
    SwitchStmt,
    TargetAttr,
    TypeTraitExpr,
    TypedefDecl,
    TypedefType,
    UnaryExprOrTypeTraitExpr,
    UnaryOperator,
    UnavailableAttr,
    UninitializedAttr,
    UnusedAttr,
    UsedAttr,
    VAArgExpr,
    VarDecl,
    VariableArrayType,
    VisibilityAttr,
    WarnUnusedResultAttr,
    WeakAttr,
    WeakImportAttr,
    WeakRefAttr,
    WhileStmt,
}
