//! `distinct`: permutations.

use spelt_core::{ExecutionSpace, HostSpace, Serial, View, parallel_for};

use crate::{on_all_spaces, panic_text};

#[test]
fn permutations_arrive() {
    fn check(space: &impl ExecutionSpace<Memory = HostSpace>) {
        let n = 10_007;
        let mut y = View::<usize, 1>::zeros("y", [n]).unwrap();
        let mut z = View::<usize, 2>::zeros("z", [n, 2]).unwrap();
        // SAFETY: 7919 has no factor in common with the prime 10,007, so iterations write different elements.
        let (to, pairs) = unsafe { (y.distinct(), z.distinct()) };
        parallel_for("permute", space.range(0..n), (to, pairs), |i, (mut y, mut z)| {
            let k = (i.get() * 7919) % n;
            y[k] = i.get();
            y[k] += y.extent(0);
            z[[k, 0]] = y[k];
            if let Some(second) = z.get_mut([k, 1]) {
                *second = k;
            }
            assert!(z.get([n, 0]).is_none());
        })
        .unwrap();
        for i in 0..n {
            let k = (i * 7919) % n;
            assert_eq!((y[k], z[[k, 0]], z[[k, 1]]), (i + n, i + n, k));
        }
    }
    on_all_spaces!(check);
}

#[test]
fn out_of_bounds_names_the_view() {
    let mut y = View::<u8, 1>::zeros("y", [3]).unwrap();
    let text = panic_text(|| {
        // SAFETY: each iteration writes its own index.
        let y = unsafe { y.distinct() };
        let _ = parallel_for("k", Serial::new().range(0..9), y, |i, mut y| y[i] = 1);
    });
    assert_eq!(text, "index [3] is out of bounds of view `y`.distinct() with extents [3] in kernel `k`");
}

#[test]
fn slices_lie_inside_or_are_none() {
    let mut y = View::<usize, 1>::zeros("y", [10]).unwrap();
    // SAFETY: one iteration.
    let slices = unsafe { y.distinct() };
    parallel_for("slices", Serial::new().range(0..1), slices, |_, mut y| {
        for (start, end) in (0..12).flat_map(|start| (0..12).map(move |end| (start, end))) {
            let len = y.slice_mut(start..end).map(|slice| slice.len());
            assert_eq!(len, (start <= end && end <= 10).then(|| end - start), "{start}..{end}");
        }
        y.slice_mut(3..5).expect("inside").fill(7);
    })
    .unwrap();
    assert_eq!(y.to_vec(), [0, 0, 0, 7, 7, 0, 0, 0, 0, 0]);
}
