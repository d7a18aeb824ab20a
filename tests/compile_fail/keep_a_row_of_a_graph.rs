//! A row of a graph does not leave its iteration.
use spelt::containers::Csr;
use spelt::prelude::*;

fn main() {
    let space = Serial::new();
    let mut graph = Csr::from_rows(&space, "graph", [vec![1_u32, 2], vec![], vec![0]]).unwrap();
    let kept = std::sync::Mutex::new(Vec::new());
    parallel_for("k", space.range(0..3), graph.by_rows_mut(), |i, mut graph| kept.lock().unwrap().push(&mut graph[i])).unwrap();
}
