use spelt::prelude::*;

fn first<S: ExecutionSpace>(space: &S) -> f64 {
    let mut x = space.shared_zeros::<f64, 1>("x", [4]).unwrap();
    x[1] = 2.0;
    x[0] + space.zeros::<f64, 1>("x", [4]).unwrap().to_host().unwrap()[1]
}

pub(crate) fn main() {
    assert_eq!(first(&Serial::new()), 0.0);
}
