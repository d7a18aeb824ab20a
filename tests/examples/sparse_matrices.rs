//! The sparse matrices that the exercises of linear algebra share, against dense and sequential loops, bit by bit.

#[path = "../../examples/linear_algebra/sparse/mod.rs"]
mod sparse;

use spelt::containers::Csr;
use spelt::prelude::*;
use spelt::random::Random;
use spelt::{AnyHost, TeamSize};

use sparse::{Coloring, Factors, GaussSeidel, Matrix, Order, color, conflicts, numeric, priority, symbolic};

/// Calls a check on every space of a host, with several numbers of threads. On a device the programs run, which print the same digits: kernels of
/// these tests would only add to the time of its build.
macro_rules! on_every_host {
    ($check:ident) => {{
        $check(&AnyHost::from(Serial::new()));
        for threads in [1, 2, 3, 7] {
            $check(&AnyHost::from(Threads::builder().num_threads(threads).build().unwrap()));
        }
        $check(&AnyHost::from(Rayon::new()));
    }};
}

/// The rows of a random matrix with elements in the same places below and above the diagonal; that dominates.
fn random_rows(n: usize, seed: u64) -> Vec<Vec<(u32, f64)>> {
    let pair = |i: usize, j: usize| Random::new(seed).at(i.min(j) * n + i.max(j)).chance(0.15);
    let value = |i: usize, j: usize| match i == j {
        true => n as f64,
        false => Random::new(seed + 1).at(i * n + j).range(-1.0..1.0),
    };
    (0..n)
        .map(|i| (0..n).filter(|&j| i == j || pair(i, j)).map(|j| (j as u32, value(i, j))).collect())
        .collect()
}

/// The same as a dense matrix.
fn dense(rows: &[Vec<(u32, f64)>]) -> Vec<Vec<f64>> {
    let mut dense = vec![vec![0.0; rows.len()]; rows.len()];
    for (i, row) in rows.iter().enumerate() {
        row.iter().for_each(|(j, value)| dense[i][*j as usize] = *value);
    }
    dense
}

fn bits(numbers: &[f64]) -> Vec<u64> {
    numbers.iter().map(|number| number.to_bits()).collect()
}

fn vector(n: usize, seed: u64) -> View<f64, 1> {
    View::from_fn("vector", [n], |[i]| Random::new(seed).at(i).range(-3.0..3.0)).unwrap()
}

fn product<S: ExecutionSpace>(space: &S) {
    for n in [1, 2, 7, 40] {
        // Integers, so that sums are exact in any order; the places of B are not those of A.
        let whole = |seed| -> Vec<Vec<(u32, f64)>> {
            let round = |(j, value): (u32, f64)| (j, (7.0 * value).round());
            random_rows(n, seed).into_iter().map(|row| row.into_iter().map(round).collect()).collect()
        };
        let (rows_a, rows_b) = (whole(1), whole(5));
        let (a, b) = (Matrix::from_rows(space, &rows_a).unwrap(), Matrix::from_rows(space, &rows_b).unwrap());
        let c = numeric(space, &a, &b, symbolic(space, &a.columns, &b.columns).unwrap()).unwrap();
        let (columns, values) = (c.columns.to_host().unwrap(), c.values.to_host().unwrap());
        let (dense_a, dense_b) = (dense(&rows_a), dense(&rows_b));
        let mut at = 0;
        for i in 0..n {
            let met = |j: usize| {
                rows_a[i]
                    .iter()
                    .any(|(k, _)| rows_b[*k as usize].iter().any(|(column, _)| *column as usize == j))
            };
            let wanted: Vec<u32> = (0..n).filter(|&j| met(j)).map(|j| j as u32).collect();
            assert_eq!(columns.row(i), wanted, "row {i} of {n} on {}", space.name());
            for j in wanted {
                let sum: f64 = (0..n).map(|k| dense_a[i][k] * dense_b[k][j as usize]).sum();
                assert_eq!(values[at], sum, "[{i}, {j}] of {n} on {}", space.name());
                at += 1;
            }
        }
    }
}

#[test]
fn products_are_those_of_dense_matrices() {
    on_every_host!(product);
}

fn colors<S: ExecutionSpace>(space: &S) {
    for n in [1, 2, 30, 200] {
        let graph = Matrix::from_rows(space, &random_rows(n, 3)).unwrap().columns;
        let host = graph.to_host().unwrap();
        let random = Random::new(9);
        let coloring = color(space, &graph, random).unwrap();
        // Vertex by vertex, by priority.
        let mut order: Vec<usize> = (0..n).collect();
        order.sort_by_key(|&vertex| priority(random, vertex));
        let mut wanted = vec![0; n];
        for vertex in order {
            let taken = |color: u32| host.row(vertex).iter().any(|&other| wanted[other as usize] == color);
            wanted[vertex] = (1..).find(|&color| !taken(color)).unwrap();
        }
        assert_eq!(coloring.colors.to_host().unwrap().to_vec(), wanted, "{n} on {}", space.name());
        assert_eq!(coloring.count, *wanted.iter().max().unwrap() as usize);
        assert_eq!(conflicts(space, &graph, &coloring).unwrap().count, 0);
        // One colour for all conflicts wherever there is a neighbour, none conflicts everywhere.
        for (color, count) in [(1, (0..n).filter(|&vertex| host.row(vertex).len() > 1).count()), (0, n)] {
            let colors = space.view_from_fn("colors", [n], move |_| color).unwrap();
            let found = conflicts(space, &graph, &Coloring { colors, count: 1 }).unwrap();
            assert_eq!(found.count, count as u64, "{n} on {}", space.name());
        }
    }
}

#[test]
fn colors_are_those_of_a_loop() {
    on_every_host!(colors);
}

fn sweeps<S: ExecutionSpace>(space: &S) {
    let orders = [Order::Rows, Order::Random(Random::new(1))];
    for (n, by) in [1, 2, 60].into_iter().flat_map(|n| orders.map(|by| (n, by))) {
        // Some elements lie only on one side of the diagonal.
        let mut rows = random_rows(n, 4);
        for (i, row) in rows.iter_mut().enumerate() {
            row.retain(|(j, value)| *j as usize == i || *value > -0.5);
        }
        let method = GaussSeidel::new(space, &Matrix::from_rows(space, &rows).unwrap(), by).unwrap();
        let order: Vec<usize> = method.order.to_host().unwrap().iter().map(|row| *row as usize).collect();
        let mut sorted = order.clone();
        sorted.sort_unstable();
        assert_eq!(sorted, (0..n).collect::<Vec<_>>());
        // Rows of a colour have no element in each other's columns.
        for ends in method.starts.windows(2) {
            let color = &order[ends[0]..ends[1]];
            let touch =
                |i: usize| rows[i].iter().any(|(j, _)| *j as usize != i && color.contains(&(*j as usize)));
            assert!(!color.is_empty() && !color.iter().any(|&i| touch(i)), "{color:?} on {}", space.name());
        }
        let b = vector(n, 6);
        let ordered = method.ordered(space, &b.to_space(space).unwrap()).unwrap();
        let mut x = space.zeros::<f64, 1>("x", [n]).unwrap();
        let mut wanted = vec![0.0; n];
        for _ in 0..3 {
            method.sweep(space, &ordered, &mut x).unwrap();
            for &i in &order {
                let others = rows[i].iter().filter(|(j, _)| *j as usize != i);
                let rest = others.fold(b[i], |rest, (j, value)| rest - value * wanted[*j as usize]);
                wanted[i] = rest / n as f64;
            }
        }
        let found = x.to_host().unwrap();
        let wanted: Vec<f64> = order.iter().map(|&i| wanted[i]).collect();
        assert_eq!(bits(&found.to_vec()), bits(&wanted), "{n} on {}", space.name());
    }
}

#[test]
fn sweeps_are_those_of_a_loop() {
    on_every_host!(sweeps);
}

/// ILU(k) of a dense matrix: the factors in its place, and which elements they have.
fn dense_factors(a: &mut [Vec<f64>], k: usize) -> Vec<Vec<bool>> {
    const NONE: usize = 1 << 40;
    let n = a.len();
    let mut levels: Vec<Vec<usize>> =
        (0..n).map(|i| (0..n).map(|j| if i == j || a[i][j] != 0.0 { 0 } else { NONE }).collect()).collect();
    for i in 0..n {
        for m in 0..i {
            for j in m + 1..n {
                if levels[i][m] <= k {
                    levels[i][j] = levels[i][j].min(levels[i][m] + levels[m][j] + 1);
                }
            }
        }
    }
    let kept: Vec<Vec<bool>> =
        levels.iter().map(|row| row.iter().map(|level| *level <= k).collect()).collect();
    for i in 0..n {
        for m in (0..i).filter(|&m| kept[i][m]) {
            a[i][m] /= a[m][m];
            for j in (m + 1..n).filter(|&j| kept[i][j] && kept[m][j]) {
                a[i][j] -= a[i][m] * a[m][j];
            }
        }
    }
    kept
}

/// Sizes of teams that the space has.
fn team_sizes<S: ExecutionSpace>(space: &S) -> impl Iterator<Item = TeamSize> + use<S> {
    let most = if space.name() == "Threads" { space.concurrency() } else { 1 };
    let sizes = [1, 2, 3].into_iter().filter(move |&size| size <= most).map(TeamSize::Threads);
    std::iter::once(TeamSize::Auto).chain(sizes)
}

fn factors<S: ExecutionSpace>(space: &S) {
    for (n, fill) in [(1, 0), (2, 0), (30, 0), (30, 1), (30, 2), (30, 1000)] {
        let rows = random_rows(n, 7);
        let matrix = Matrix::from_rows(space, &rows).unwrap();
        let mut factors = Factors::symbolic(space, &matrix.columns.to_host().unwrap(), fill).unwrap();
        let mut wanted = dense(&rows);
        let kept = dense_factors(&mut wanted, fill);
        // Twice, since the values of the first time must not matter.
        // Twice, then by teams, with the same bits.
        for size in [None, None].into_iter().chain(team_sizes(space).map(Some)) {
            match size {
                None => factors.numeric(space, &matrix).unwrap(),
                Some(size) => {
                    factors.matrix.values =
                        space.view_from_fn("values", [factors.matrix.columns.len()], |_| 7.0).unwrap();
                    factors.numeric_by_teams(space, &matrix, size).unwrap();
                }
            }
            let columns = factors.matrix.columns.to_host().unwrap();
            let (values, order) = (factors.matrix.values.to_host().unwrap(), factors.rows.to_host().unwrap());
            let mut at = 0;
            for (place, row) in order.iter().map(|row| *row as usize).enumerate() {
                let expected: Vec<u32> = (0..n as u32).filter(|j| kept[row][*j as usize]).collect();
                assert_eq!(columns.row(place), expected, "row {row} of {n}, fill {fill} on {}", space.name());
                for j in expected {
                    let (found, wanted) = (values[at], wanted[row][j as usize]);
                    let what = format!("[{row}, {j}] of {n}, fill {fill} on {}", space.name());
                    assert_eq!(found.to_bits(), wanted.to_bits(), "{what}: {found}, {wanted}");
                    at += 1;
                }
            }
        }
        // A row needs only those of the levels before.
        let mut level_of = vec![0; n];
        for (number, level) in factors.levels.iter().enumerate() {
            for row in &factors.rows.to_host().unwrap().to_vec()[level.clone()] {
                level_of[*row as usize] = number;
            }
        }
        assert!((0..n).all(|i| (0..i).all(|j| !kept[i][j] || level_of[j] < level_of[i])));
        assert!(factors.difference(space, &matrix).unwrap() < 1e-11);

        let r = vector(n, 8);
        let mut z = space.zeros::<f64, 1>("z", [n]).unwrap();
        let mut work = space.zeros::<f64, 1>("work", [n]).unwrap();
        factors.solve(space, &r.to_space(space).unwrap(), &mut work, &mut z).unwrap();
        let mut x = r.to_vec();
        for i in 0..n {
            x[i] = (0..i).filter(|&j| kept[i][j]).fold(x[i], |rest, j| rest - wanted[i][j] * x[j]);
        }
        for i in (0..n).rev() {
            let rest = (i + 1..n).filter(|&j| kept[i][j]).fold(x[i], |rest, j| rest - wanted[i][j] * x[j]);
            x[i] = rest / wanted[i][i];
        }
        assert_eq!(bits(&z.to_host().unwrap().to_vec()), bits(&x), "{n}, fill {fill} on {}", space.name());

        // By teams the products of a row are summed before they are subtracted: other bits, which no size of teams changes.
        let mut by_teams = Vec::new();
        for size in team_sizes(space) {
            let mut z = space.zeros::<f64, 1>("z", [n]).unwrap();
            factors.solve_by_teams(space, size, &r.to_space(space).unwrap(), &mut work, &mut z).unwrap();
            by_teams.push(z.to_host().unwrap().to_vec());
        }
        assert!((0..n).all(|i| (by_teams[0][i] - x[i]).abs() < 1e-13), "{by_teams:?}, {x:?}");
        assert!(by_teams.iter().all(|z| bits(z) == bits(&by_teams[0])), "{by_teams:?} on {}", space.name());

        // L U z is r again.
        let mut upper = space.zeros::<f64, 1>("U z", [n]).unwrap();
        factors.times(space, &z, &mut upper, &mut work).unwrap();
        let again = work.to_host().unwrap();
        assert!((0..n).all(|i| (again[i] - r[i]).abs() < 1e-12), "{again:?}, {r:?}");
    }
}

#[test]
fn factors_are_those_of_a_dense_matrix() {
    on_every_host!(factors);
}

#[test]
fn an_element_on_one_side_of_the_diagonal_is_an_error() {
    let columns = Csr::from_rows(&Serial::new(), "columns", [vec![0_u32, 2], vec![1], vec![2]]).unwrap();
    let error = Factors::symbolic(&AnyHost::from(Serial::new()), &columns, 0).err().expect("an error");
    let message = "row 0 has an element in column 2, but row 2 has none in column 0: add it, of value 0";
    assert_eq!(error.to_string(), message);
}
