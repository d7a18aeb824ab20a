use spelt_core::{Serial, parallel_for};
use spelt_mpi::{Communicator, DistributedView, InProcess, Mpi};
use std::time::Instant;
fn start([i, j, k]: [usize; 3]) -> f64 {
    ((i * 31 + j * 17 + k * 7) % 23) as f64
}
fn step(
    space: &Mpi<'_, Serial>,
    x: &mut DistributedView<f64, 3>,
    y: &mut DistributedView<f64, 3>,
) -> spelt_core::Result<()> {
    let n = x.extents()[0];
    let inner = space.md_range([1..n - 1, 1..n - 1, 1..n - 1]);
    parallel_for("heat", inner, (x.halo::<1>(), &mut *y), move |i, (x, mut y)| {
        let neighbours = x.at(i, [-1, 0, 0])
            + x.at(i, [1, 0, 0])
            + x.at(i, [0, -1, 0])
            + x.at(i, [0, 1, 0])
            + x.at(i, [0, 0, -1])
            + x.at(i, [0, 0, 1]);
        y[i] = x[i] + 0.1 * (neighbours - 6.0 * x[i]);
    })
}
fn work(ranks: &Communicator, n: usize, steps: usize) -> spelt_core::Result<()> {
    let space = Mpi::new(ranks, Serial::new());
    let mut x = space.view_from_fn("x", [n; 3], start)?;
    let mut y = space.view_from_fn("y", [n; 3], start)?;
    let mut times = vec![];
    ranks.barrier("b")?;
    for _ in 0..steps {
        let s = Instant::now();
        step(&space, &mut x, &mut y)?;
        std::mem::swap(&mut x, &mut y);
        times.push(s.elapsed().as_nanos());
    }
    times.sort();
    if ranks.rank() == 0 {
        println!(
            "{n}: median {} p5 {} ns, late {} of {}",
            times[steps / 2],
            times[steps / 20],
            ranks.late_halos(),
            steps
        );
    }
    Ok(())
}
fn main() {
    let a: Vec<usize> = std::env::args().skip(2).map(|a| a.parse().unwrap()).collect();
    match std::env::args().nth(1).unwrap().as_str() {
        "threads" => {
            for r in InProcess::new(a[2]).run(|r| work(r, a[0], a[1])) {
                r.unwrap()
            }
        }
        _ => spelt_mpi::run(|r| work(r, a[0], a[1])).unwrap(),
    }
}
