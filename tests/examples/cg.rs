//! The application `cg`: its matrix against a dense one, its products and iterations on every space and several numbers of ranks, and the
//! program's output; `.ci/run mpi` compares it with more processes.

#[path = "../../examples/apps/cg/matrix.rs"]
mod matrix;
#[path = "../../examples/apps/cg/operator.rs"]
mod operator;
#[path = "../../examples/apps/cg/product.rs"]
mod product;
#[path = "../../examples/apps/cg/solver.rs"]
mod solver;

use std::collections::BTreeSet;
use std::sync::Mutex;

use spelt::mpi::Mpi;

use crate::run::{run, same_everywhere};
use crate::spaces::{on_every_space, on_ranks, same};
use matrix::Matrix;
use operator::Operator;
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
    on_ranks(|ranks| {
        on_every_space!(|space, name| {
            let world = Mpi::new(ranks, space);
            for size in [1_usize, 2, 3, 5] {
                let matrix = Matrix::of_cube(&world, size).unwrap();
                let (places, values) = (matrix.places.to_host().unwrap(), matrix.values.to_host().unwrap());
                let own = matrix.partition.rows(ranks.rank());
                let (mut at, mut all, mut wanted) = (0, 0, BTreeSet::new());
                for row in 0..size.pow(3) {
                    for column in 0..size.pow(3) {
                        let element = element(size, row, column);
                        if element != 0.0 && own.contains(&row) {
                            let found = (matrix.wanted[places[at] as usize], values[at]);
                            assert_eq!(found, (column, element), "{size} cells, row {row} on {name}");
                            wanted.insert(column);
                            at += 1;
                        }
                        all += usize::from(element != 0.0);
                    }
                }
                assert_eq!((matrix.offsets.segments(), matrix.offsets.end()), (own.len(), at), "{name}");
                assert_eq!((matrix.partition.len(), matrix.nonzeros), (size.pow(3), all), "{name}");
                assert!(wanted.iter().eq(&matrix.wanted), "{:?} on {name}", matrix.wanted);
            }
        });
    });
}

#[test]
fn products_are_those_of_the_dense_matrix() {
    let size = 4_usize;
    let rows = size.pow(3);
    let dense: Vec<f64> = (0..rows)
        .map(|row| (0..rows).map(|column| element(size, row, column) * rough(column)).sum())
        .collect();
    let known = Mutex::new(None);
    on_ranks(|ranks| {
        on_every_space!(|space, name| {
            let space = Mpi::new(ranks, space);
            let matrix = Matrix::of_cube(&space, size).unwrap();
            let x = space.view_from_fn_on(&matrix.partition, "x", [rows], |[i]| rough(i)).unwrap();
            let products = Product::ALL.map(|product| {
                let mut y = space.zeros_on::<f64, 1>(&matrix.partition, "y", [rows]).unwrap();
                let mut operator = Operator::new(&space, &matrix, product).unwrap();
                let before = ranks.sent().messages;
                operator.apply(&x, &mut y).unwrap();
                assert!(
                    ranks.sent().messages - before < ranks.size() as u64,
                    "more than one message to a rank"
                );
                space.gather("y", &y, 0).unwrap()
            });
            if ranks.rank() == 0 {
                let products = products.map(|product| product.expect("the root").to_vec());
                for (product, y) in Product::ALL.into_iter().zip(&products) {
                    for (row, (found, wanted)) in y.iter().zip(&dense).enumerate() {
                        assert!(
                            (found - wanted).abs() < 1e-12,
                            "row {row} by {product} on {name}: {found}, {wanted}"
                        );
                    }
                }
                let products = products.map(|y| y.iter().map(|number| number.to_bits()).collect::<Vec<_>>());
                assert_eq!(products[0], products[1], "rows and teams on {name}");
                assert!(same(&known, products.concat()), "{} ranks on {name}", ranks.size());
            }
        });
    });
}

#[test]
fn iterations_have_the_same_bits_everywhere_and_end_at_the_solution() {
    let size = 5;
    let known = Mutex::new(None);
    on_ranks(|ranks| {
        on_every_space!(|space, name| {
            let space = Mpi::new(ranks, space);
            let matrix = Matrix::of_cube(&space, size).unwrap();
            let mut solver = Solver::new(&space, &matrix, Product::Rows).unwrap();
            let first = solver.step;
            // The matrix times 1 everywhere is 26 less the number of neighbours.
            let neighbours =
                |row| (0..size.pow(3)).filter(|column| element(size, row, *column) == -1.0).count();
            let square: usize = (0..size.pow(3)).map(|row| (26 - neighbours(row)).pow(2)).sum();
            assert!((first.residual * first.residual - square as f64).abs() < 1e-9, "{first:?}");
            let mut history = Vec::new();
            for _ in 0..20 {
                solver.advance().unwrap();
                history.push([solver.step.residual.to_bits(), solver.step.error.to_bits()]);
            }
            assert!(solver.step.residual < 1e-9 * first.residual, "{:?} on {name}", solver.step);
            if let Some(x) = space.gather("x", &solver.x, 0).unwrap() {
                let error = x.iter().map(|x| (x - 1.0).abs()).fold(0.0, f64::max);
                assert!(error < 1e-9 && error == solver.step.error, "{error} on {name}");
            }
            assert!(same(&known, history), "rank {} of {} on {name}", ranks.rank(), ranks.size());
        });
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
