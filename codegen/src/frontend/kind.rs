//! Clang's classes of nodes, read once where the tree is.

use std::fmt;

/// Declares the classes that some part of the front end knows.
macro_rules! kinds {
    ($($name:ident,)*) => {
        /// Clang's class of a node. Whatever is not in the list is refused where a list of what is allowed is asked for.
        #[allow(missing_docs)]
        #[derive(Debug, Clone, Default, PartialEq, Eq)]
        pub enum Kind {
            /// A child that is not there.
            #[default]
            Absent,
            $($name,)*
            /// A class that nothing here knows, by clang's name.
            Other(Box<str>),
        }

        impl Kind {
            /// The class of this name.
            pub fn of(name: &str) -> Kind {
                match name {
                    "" => Kind::Absent,
                    $(stringify!($name) => Kind::$name,)*
                    other => Kind::Other(other.into()),
                }
            }

            /// Clang's name.
            pub fn name(&self) -> &str {
                match self {
                    Kind::Absent => "",
                    $(Kind::$name => stringify!($name),)*
                    Kind::Other(name) => name,
                }
            }
        }
    };
}

impl Kind {
    /// The child is not there.
    pub fn is_absent(&self) -> bool {
        *self == Kind::Absent
    }

    /// Any attribute, known or not.
    pub fn is_attribute(&self) -> bool {
        self.name().ends_with("Attr")
    }

    /// Any declaration, known or not.
    pub fn is_declaration(&self) -> bool {
        self.name().ends_with("Decl")
    }

    /// A variable or a parameter.
    pub fn is_variable(&self) -> bool {
        self.name().ends_with("VarDecl")
    }

    /// A directive of OpenMP.
    pub fn is_openmp(&self) -> bool {
        self.name().starts_with("OMP")
    }

    /// Any statement that is no expression, known or not.
    pub fn is_statement(&self) -> bool {
        self.name().ends_with("Stmt")
    }
}

impl fmt::Display for Kind {
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
    FieldDecl,
    FileScopeAsmDecl,
    FixedPointLiteral,
    FlattenAttr,
    FloatingLiteral,
    ForStmt,
    FunctionDecl,
    GCCAsmStmt,
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
