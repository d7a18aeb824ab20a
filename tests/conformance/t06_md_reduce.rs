//! `parallel_reduce` over boxes: the order is that of the last index fastest, regardless of the tiles.

use std::sync::OnceLock;

use spelt::prelude::*;

use crate::equal::{assert_same, rough};
use crate::oracle;
use crate::spaces::every;

every! { on_every_setting:
    fn a_box_reduces_in_row_major_order(space, setting) {
        // Rows shorter than the lanes, not a multiple of them, and longer than a tile.
        static WANTED: OnceLock<Vec<f64>> = OnceLock::new();
        let boxes = [[700, 3], [3, 4001], [90, 101], [1, 1], [300, 32], [9001, 1]];
        let sum = |[n, m]: [usize; 2]|
            oracle::reduce(&Sum::<f64>::new(), n * m, |k, sum| *sum += rough(1000 * (k / m) + k % m));
        let wanted = WANTED.get_or_init(|| boxes.into_iter().map(sum).collect());
        for ([n, m], wanted) in boxes.into_iter().zip(wanted) {
            let found = parallel_reduce("box", setting.md_range(space, [4..n + 4, 7..m + 7]), (), |i, sum, ()| {
                let [row, column] = i.get();
                *sum += rough(1000 * (row - 4) + column - 7);
            }, Sum::<f64>::new()).expect("nothing can fail");
            assert_same(&found, wanted, format!("{n} x {m}"));
        }
    }
}

every! { on_every_space:
    fn neither_tile_nor_direction_nor_layout_matters(space, setting) {
        let [n, m, l] = [13, 17, 29];
        let value = |[i, j, k]: [usize; 3]| rough((i * m + j) * l + k);
        let wanted = oracle::reduce(&Sum::<f64>::new(), n * m * l, |at, sum| *sum += rough(at));
        let right = space.view_from_fn("right", [n, m, l], value).expect("memory");
        let left = space.view_from_fn_in(Left, "left", [n, m, l], value).expect("memory");
        let policy = || setting.md_range(space, [0..n, 0..m, 0..l]);
        for policy in [policy(), policy().tile([4, 4, 4]), policy().iterate(Iterate::Left),
                       policy().tile([0, 1, 0]).iterate(Iterate::Left)] {
            let of_right = parallel_reduce("right", policy.clone(), &right, |i, sum, x| *sum += x[i],
                Sum::<f64>::new()).expect("covered");
            let of_left = parallel_map_reduce("left", policy, &left, |i, x| x[i], Sum::<f64>::new())
                .expect("covered");
            assert_same(&of_right, &wanted, "right");
            assert_same(&of_left, &wanted, "left");
        }
    }

    fn boxes_of_every_rank_reduce(space, setting) {
        macro_rules! rank {
            ($($extents:expr),*) => {$({
                let extents = $extents;
                let n: usize = extents.iter().product();
                let wanted = oracle::reduce(&Sum::<f64>::new(), n, |k, sum| *sum += rough(k));
                let found = parallel_reduce("rank", setting.md_range(space, extents.map(|extent| 1..extent + 1)), (),
                    move |i, sum, ()| {
                        let place = i.index().iter().zip(extents).fold(0, |place, (i, extent)| place * extent + i - 1);
                        *sum += rough(place);
                    }, Sum::<f64>::new()).expect("nothing can fail");
                assert_same(&found, &wanted, format!("{extents:?}"));
            })*};
        }
        rank!([2500], [50, 51], [13, 14, 15], [6, 7, 8, 9], [4, 5, 6, 4, 5], [3, 4, 3, 4, 3, 5], [3, 2, 4, 3, 2, 3, 5],
            [2, 3, 2, 3, 2, 3, 2, 5]);
    }

    fn places_in_a_box(space, setting) {
        let height = |[i, j]: [usize; 2]| ((i * 37 + j * 11) % 101) as f64;
        let x = space.view_from_fn("x", [120, 90], height).expect("memory");
        let found = parallel_reduce("places", setting.md_range(space, [0..120, 0..90]), &x,
            |i, best, x| best.update(x[i], i.get()), MinMaxLoc::<f64, [usize; 2]>::new()).expect("covered");
        let all = || (0..120).flat_map(|i| (0..90).map(move |j| [i, j]));
        let lowest = all().min_by(|a, b| height(*a).total_cmp(&height(*b))).expect("not empty");
        let highest = all().min_by(|a, b| height(*b).total_cmp(&height(*a))).expect("not empty");
        assert_eq!((found.min_loc, found.max_loc), (lowest, highest));
        assert_eq!((found.min_val, found.max_val), (height(lowest), height(highest)));
    }
}

every! { on_every_host_space:
    fn indices_of_every_rank_join_in_order(space, setting) {
        macro_rules! rank {
            ($($extents:expr),*) => {$({
                let extents = $extents;
                let found = parallel_map_reduce("text", setting.md_range(space, extents.map(|extent| 0..extent)), (),
                    |i, ()| vec![i.index().to_vec()],
                    custom(Vec::new(), |into: &mut Vec<_>, from: &Vec<_>| into.extend_from_slice(from)).non_commutative())
                    .expect("nothing can fail");
                assert!(found.is_sorted() && found.len() == extents.iter().product::<usize>(), "out of order");
            })*};
        }
        rank!([2500], [50, 51], [13, 14, 15], [6, 7, 8, 9], [4, 5, 6, 4, 5], [3, 4, 3, 4, 3, 5], [3, 2, 4, 3, 2, 3, 5],
            [2, 3, 2, 3, 2, 3, 2, 5]);
    }
}
