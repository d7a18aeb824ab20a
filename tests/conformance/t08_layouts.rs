//! Views of every layout and subviews as arguments: the layout changes no result.

use spelt::prelude::*;
use spelt::{ExecutionSpace, Layout, MemorySpace, Reach};

use crate::equal::{assert_same, rough};
use crate::oracle;
use crate::spaces::{Setting, every};

const N: usize = 60;
const M: usize = 170;

/// Doubles a View and sums it; `of` gives the element at an index.
fn check<S: ExecutionSpace + Reach<M>, M: MemorySpace, L: Layout>(
    space: &S,
    setting: &Setting,
    mut view: ViewMut<'_, f64, 2, M, L>,
    of: impl Fn(usize, usize) -> f64,
) {
    let [n, m] = view.extents();
    for iterate in [Iterate::Left, Iterate::Right] {
        parallel_for(
            "double",
            setting.md_range(space, [0..n, 0..m]).iterate(iterate),
            &mut view,
            |i, mut v| v[i] *= 2.0,
        )
        .expect("covered");
    }
    let sum = parallel_reduce(
        "sum",
        setting.md_range(space, [0..n, 0..m]),
        &view,
        |i, sum, v| *sum += v[i],
        Sum::<f64>::new(),
    )
    .expect("covered");
    let wanted = oracle::reduce(&Sum::<f64>::new(), n * m, |k, sum| *sum += 4.0 * of(k / m, k % m));
    assert_same(&sum, &wanted, L::NAME);
}

every! { on_every_space:
    fn kernels_run_over_every_layout(space, setting) {
        let at = |i: usize, j: usize| rough(i * M + j);
        let mut right = space.view_from_fn("right", [N, M], |[i, j]| at(i, j)).expect("memory");
        check(space, setting, right.view_mut(), at);
        let mut left = space.view_from_fn_in(Left, "left", [N, M], |[i, j]| at(i, j)).expect("memory");
        check(space, setting, left.view_mut(), at);
        let mut every_third = space.view_from_fn("every third", [N, 3 * M], |[i, j]| at(i, j / 3)).expect("memory");
        check(space, setting, every_third.subview_mut((.., (0..3 * M).step(3))), at);
    }

    fn subviews_write_their_part_alone(space, setting) {
        let value = |[i, j]: [usize; 2]| (i * M + j) as f64;
        let mut view = space.view_from_fn("whole", [N, M], value).expect("memory");
        {
            let mut part = view.subview_mut((5..50, 7..100));
            parallel_for("part", setting.md_range(space, [0..45, 0..93]), &mut part, |i, mut part| part[i] = -1.0)
                .expect("covered");
        }
        {
            let mut column = view.subview_mut((.., 160));
            parallel_for("column", setting.range(space, 0..N), &mut column, |i, mut column| column[i] = -2.0)
                .expect("covered");
        }
        let whole = view.to_host().expect("memory");
        for i in 0..N {
            for j in 0..M {
                let wanted = match (i, j) {
                    (_, 160) => -2.0,
                    (5..50, 7..100) => -1.0,
                    _ => value([i, j]),
                };
                assert_eq!(whole[[i, j]], wanted, "{i}, {j}");
            }
        }
        let (mut upper, mut lower) = view.view_mut().split_at(0, 20);
        parallel_for("halves", setting.md_range(space, [0..20, 0..M]), (&mut upper, &lower),
            |i, (mut upper, lower)| upper[i] = lower[i]).expect("covered");
        parallel_for("other half", setting.md_range(space, [0..40, 0..M]), &mut lower, |i, mut lower| lower[i] = 0.0)
            .expect("covered");
        let view = view.to_host().expect("memory");
        assert!((0..20).all(|i| view[[i, 160]] == -2.0) && view[[20, 0]] == 0.0);
    }
}
