//! The twin that compiles: a node does not leave its replay.
use spelt::Graph;
use spelt::prelude::*;

pub(crate) fn main() {
    let space = Serial::new();
    let mut graph = Graph::new(&space);
    let mut kept = Vec::new();
    for _ in 0..2 {
        graph.replay(|root| Ok(kept.push(format!("{:?}", root.then("first", |_| Ok(()))?)))).unwrap();
    }
}
