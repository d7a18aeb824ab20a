//! The application `cg`: its matrix against a dense one, its products and iterations on every space, and the program's output.

#[path = "../../examples/apps/cg/matrix.rs"]
mod matrix;
#[path = "../../examples/apps/cg/product.rs"]
mod product;
#[path = "../../examples/apps/cg/solver.rs"]
mod solver;

use spelt::prelude::*;

use crate::run::{run, same_everywhere};
use crate::spaces::on_every_space;
use matrix::Matrix;
use product::Product;
use solver::Solver;

/// The element of the 27-point operator in this row and column, by its definition.
fn element(size: usize, row: usize, column: usize) -> f64 {
    let place = |number: usize| [number % size, number / size % size, number / size.pow(2)];
    let [a, b] = [place(row), place(column)];
    match (0..3).map(|axis| a[axis].abs_diff(b[axis])).max() {
        Some(0) => 26.0,
        Some(1) => -1.0,
        _ => 0.0,
    }
}

/// Numbers without a pattern.
fn rough(i: usize) -> f64 {
    ((i * 7919 + 13) % 1009) as f64 / 97.0 - 5.0
}

#[test]
fn the_matrix_has_the_elements_of_the_operator() {
    on_every_space!(|space, name| for size in [1_usize, 2, 3, 5] {
        let matrix = Matrix::of_cube(&space, size).unwrap();
        let (columns, values) = (matrix.columns.to_host().unwrap(), matrix.values.to_host().unwrap());
        let mut at = 0;
        for row in 0..size.pow(3) {
            for column in 0..size.pow(3) {
                let wanted = element(size, row, column);
                if wanted != 0.0 {
                    let found = (columns[at] as usize, values[at]);
                    assert_eq!(found, (column, wanted), "{size} cells, row {row} on {name}");
                    at += 1;
                }
            }
        }
        assert_eq!((matrix.rows(), matrix.nonzeros()), (size.pow(3), at), "{name}");
    });
}

#[test]
fn products_are_those_of_the_dense_matrix() {
    let size = 4_usize;
    let rows = size.pow(3);
    let dense: Vec<f64> = (0..rows)
        .map(|row| (0..rows).map(|column| element(size, row, column) * rough(column)).sum())
        .collect();
    let mut known: Option<Vec<u64>> = None;
    on_every_space!(|space, name| {
        let matrix = Matrix::of_cube(&space, size).unwrap();
        let x = space.view_from_fn("x", [rows], |[i]| rough(i)).unwrap();
        let products = Product::ALL.map(|product| {
            let mut y = space.zeros::<f64, 1>("y", [rows]).unwrap();
            product.run(&space, &matrix, &x, &mut y).unwrap();
            let y = y.to_host().unwrap().to_vec();
            for (row, (found, wanted)) in y.iter().zip(&dense).enumerate() {
                assert!(
                    (found - wanted).abs() < 1e-12,
                    "row {row} by {product} on {name}: {found}, {wanted}"
                );
            }
            y.iter().map(|number| number.to_bits()).collect::<Vec<u64>>()
        });
        assert_eq!(products[0], products[1], "rows and teams on {name}");
        let all = products.concat();
        assert_eq!(known.get_or_insert_with(|| all.clone()), &all, "{name}");
    });
}

#[test]
fn iterations_have_the_same_bits_everywhere_and_end_at_the_solution() {
    let size = 5;
    let mut known: Option<Vec<[u64; 2]>> = None;
    on_every_space!(|space, name| {
        let matrix = Matrix::of_cube(&space, size).unwrap();
        let mut solver = Solver::new(&space, &matrix, Product::Rows).unwrap();
        let first = solver.step;
        // The matrix times 1 everywhere is 26 less the number of neighbours.
        let neighbours = |row| (0..size.pow(3)).filter(|column| element(size, row, *column) == -1.0).count();
        let square: usize = (0..size.pow(3)).map(|row| (26 - neighbours(row)).pow(2)).sum();
        assert!((first.residual * first.residual - square as f64).abs() < 1e-9, "{first:?}");
        let mut history = Vec::new();
        for _ in 0..20 {
            solver.advance(&space).unwrap();
            history.push([solver.step.residual.to_bits(), solver.step.error.to_bits()]);
        }
        assert!(solver.step.residual < 1e-9 * first.residual, "{:?} on {name}", solver.step);
        let x = solver.x.to_host().unwrap();
        let error = x.iter().map(|x| (x - 1.0).abs()).fold(0.0, f64::max);
        assert!(error < 1e-9 && error == solver.step.error, "{error} on {name}");
        assert_eq!(known.get_or_insert_with(|| history.clone()), &history, "{name}");
    });
}

#[test]
fn the_program_says_the_same_everywhere() {
    for product in Product::ALL {
        let lines = same_everywhere("cg", &format!("--size 6 --product {product}"), "cg.png");
        assert_eq!(lines[0], "27-point operator on 6 x 6 x 6 cells");
        assert_eq!(lines[1], "  216 rows, 4096 nonzero elements");
        assert!(lines[2].contains(&format!("products by {product}: relative residual ")), "{lines:?}");
    }
}

#[test]
fn too_few_iterations_are_an_error() {
    let outcome = run("cg", "-s 8 -i 2 --space serial");
    assert_eq!(outcome.status, Some(2), "{outcome:?}");
    assert!(outcome.stderr.contains("after 2 iterations the relative residual is "), "{outcome:?}");
}

#[test]
fn options_that_make_no_sense_are_refused() {
    for arguments in ["-s 0", "-s 501", "-s few", "-p columns", "-t 0", "-t 1", "-t NaN", "-i -1", "-s", "30"]
    {
        let outcome = run("cg", arguments);
        assert_eq!((outcome.status, outcome.stdout.as_str()), (Some(2), ""), "{arguments}: {outcome:?}");
    }
}
