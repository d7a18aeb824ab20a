//! Running values go from thread to thread.
use spelt::prelude::*;

fn main() {
    let space = Serial::new();
    #[allow(unused_mut)]
    let mut y = View::<f64, 1>::zeros("y", [4]).unwrap();
    #[allow(unused_variables)]
    let x = View::<f64, 1>::zeros("x", [4]).unwrap();
    let lists = custom(std::rc::Rc::new(0), |_: &mut std::rc::Rc<i32>, _: &std::rc::Rc<i32>| ());
    parallel_reduce("k", space.range(0..4), (), |_, _, ()| (), InOrder::new(lists)).unwrap();
}
