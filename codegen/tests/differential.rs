//! Generated code against the original loops, byte by byte, over sizes, tile sizes and legal orders.

mod kernel;

use kernel::{
    Kernel,
    program::{self, Trials},
    table,
};

fn trials() -> Trials {
    Trials {
        sizes: vec![0, 1, 2, 3, 7, 13, 24, 37],
        tiles: vec![1, 2, 3, 5, 8, 16, 100, -9],
        seeds: vec![0, 1, 20_261_120],
        workers: vec![1, 3],
    }
}

fn differs(kernel: &Kernel) {
    let generated = dvm_codegen::generate(&kernel.region(), &kernel.text()).expect("the kernel is accepted");
    let source = program::source(kernel, &generated, &trials());
    let said = program::run(&kernel.name, &source, "-O2").unwrap_or_else(|error| panic!("{error}"));
    let count = |at| said.split_whitespace().nth(at).and_then(|count| count.parse::<i64>().ok()).expect("a count");
    let (tiles, plain) = (count(3), count(5));
    assert!(tiles > 100, "{}: only {tiles} tiles were run in graphs", kernel.name);
    assert!(plain > 10, "{}: only {plain} entries ran the original loops, or one tile", kernel.name);
}

macro_rules! kernels {
    ($($name:ident)*) => {
        $(
            #[test]
            fn $name() {
                differs(&table::$name());
            }
        )*

        #[test]
        fn every_kernel_of_the_table_is_tested() {
            let tested = [$(stringify!($name)),*];
            let table: Vec<String> = table::all().into_iter().map(|kernel| kernel.name).collect();
            assert_eq!(tested.as_slice(), table.as_slice());
        }
    };
}

kernels! {
    jacobi_1d jacobi_2d matmul matvec lu floyd_warshall trisolv seidel_2d cholesky backward_triangle sequence accumulator
    conditional pointers
}
