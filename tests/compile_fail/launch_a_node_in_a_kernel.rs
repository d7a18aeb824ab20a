//! A kernel does not launch nodes of the graph that it belongs to.
use spelt::Graph;
use spelt::prelude::*;

fn main() {
    let space = Serial::new();
    let mut graph = Graph::new(&space);
    let replay = graph.replay(|root| {
        root.then_parallel_for("outer", space.range(0..5), (), |_, ()| {
            let _ = root.then_parallel_for("inner", space.range(0..5), (), |_, ()| {});
        })?;
        Ok(())
    });
    replay.unwrap();
}
