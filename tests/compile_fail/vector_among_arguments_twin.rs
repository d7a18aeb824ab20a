use spelt::prelude::*;

pub(crate) fn main() {
    let space = Serial::new();
    let mut y = View::<f64, 1>::zeros("y", [4]).unwrap();
    let x = vec![1.0; 4];
    let x = ViewRef::<f64, 1>::from_slice([4], &x).unwrap();
    parallel_for("k", space.range(0..4), (&x, &mut y), |i, (x, mut y)| y[i] = x[i]).unwrap();
    assert_eq!(y.to_vec(), [1.0; 4]);
}
