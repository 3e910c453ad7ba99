//! The loop nests: what each is, and at which size it is measured.

/// A loop nest.
pub struct Nest {
    /// Its name in the table.
    pub name: &'static str,
    /// Its file.
    pub source: &'static str,
    /// Definitions on the command line.
    pub definitions: &'static [&'static str],
    /// The size at which it is measured.
    pub size: usize,
    /// Passes of a run.
    pub passes: usize,
    /// The size at which its bits are compared.
    pub small: usize,
    /// Whether `reference.c` computes the same.
    pub library: bool,
}

const fn nest(name: &'static str, source: &'static str, size: usize, small: usize) -> Nest {
    Nest { name, source, definitions: &[], size, passes: 17, small, library: false }
}

const fn product(name: &'static str, definitions: &'static [&'static str], size: usize) -> Nest {
    Nest { definitions, ..nest(name, "product.c", size, 131) }
}

impl Nest {
    /// All of them. None is in PolyBench: other orders of loops, other numbers, other shapes.
    pub fn all() -> &'static [Nest] {
        const ALL: [Nest; 20] = [
            Nest { library: true, ..product("product ijk", &["-DTYPE=double", "-DORDER=ijk"], 450) },
            product("product jik", &["-DTYPE=double", "-DORDER=jik"], 450),
            product("product jki", &["-DTYPE=double", "-DORDER=jki"], 450),
            product("product kij", &["-DTYPE=double", "-DORDER=kij"], 450),
            product("product kji", &["-DTYPE=double", "-DORDER=kji"], 450),
            product("float", &["-DTYPE=float", "-DORDER=ikj"], 600),
            product("integer", &["-DTYPE=int", "-DORDER=ikj"], 600),
            nest("complex", "complex_product.c", 350, 131),
            nest("contraction", "contraction.c", 24, 9),
            nest("batched", "batched.c", 20_000, 97),
            nest("convolution", "convolution.c", 1500, 61),
            nest("triangular", "triangular.c", 600, 131),
            nest("gram", "gram.c", 450, 131),
            nest("stencil 2d", "stencil_2d.c", 1500, 61),
            nest("stencil 3d", "stencil_3d.c", 200, 37),
            nest("both vectors", "both_vectors.c", 4000, 131),
            nest("rank update", "rank_update.c", 600, 131),
            nest("shortest", "shortest.c", 450, 131),
            nest("mode product", "mode_product.c", 128, 37),
            nest("distances", "distances.c", 2000, 131),
        ];
        &ALL
    }
}
