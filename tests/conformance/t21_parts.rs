//! Rows, blocks and segments: parts of a View that an iteration or a team owns.

use std::panic::{AssertUnwindSafe, catch_unwind};

use spelt::prelude::*;
use spelt::{Left, Offsets};

use crate::equal::rough;
use crate::spaces::every;
use crate::t13_teams::sizes;

/// Offsets of segments in a View of 1200 elements: none, empty ones, gaps before and behind, one long, many.
fn divisions() -> Vec<Vec<usize>> {
    let many = (0..=300).map(|s| 5 + s * s / 100).collect();
    vec![vec![], vec![0], vec![7], vec![0, 0, 0], vec![0, 1200], vec![3, 3, 5, 5, 5, 900, 900, 1199], many]
}

const ELEMENTS: usize = 1200;

every! { on_every_setting:
    fn segments_are_slices_of_their_iterations(space, setting) {
        for offsets in divisions() {
            let map = View::from_vec("offsets", [offsets.len()], offsets.clone()).expect("memory");
            let map = Offsets::new(map.to_space(space).expect("memory")).expect("rising");
            let segments = offsets.len().saturating_sub(1);
            assert_eq!((map.segments(), map.end()), (segments, offsets.last().copied().unwrap_or(0)));
            let x = space.view_from_fn("x", [ELEMENTS], |[i]| rough(i)).expect("memory");
            let mut y = space.zeros::<f64, 1>("y", [ELEMENTS]).expect("memory");
            let mut sums = space.zeros::<f64, 1>("sums", [segments]).expect("memory");
            let args = (x.by_segments(&map), y.by_segments_mut(&map), &mut sums);
            parallel_for("segments", setting.range(space, 0..segments), args, move |s, (x, mut y, mut sums)| {
                assert_eq!(x[s].len(), y[s].len());
                sums[s] = x[s].iter().sum();
                let (first, segment) = (y.range(s).start, &mut y[s]);
                for (j, y) in segment.iter_mut().enumerate() {
                    *y += (first + j) as f64 + x[s][j];
                }
            }).expect("covered");
            let (y, sums) = (y.to_host().expect("memory"), sums.to_host().expect("memory"));
            let owned = |i: usize| (0..segments).any(|s| (offsets[s]..offsets[s + 1]).contains(&i));
            for i in 0..ELEMENTS {
                let wanted = if owned(i) { i as f64 + rough(i) } else { 0.0 };
                assert_eq!(y[i].to_bits(), wanted.to_bits(), "element {i} of {offsets:?}");
            }
            for s in 0..segments {
                let wanted: f64 = (offsets[s]..offsets[s + 1]).map(rough).sum();
                assert_eq!(sums[s].to_bits(), wanted.to_bits(), "segment {s} of {offsets:?}");
            }
        }
    }

    fn blocks_are_slices_of_their_iterations(space, setting) {
        for n in [0_usize, 1, 7, 8, 9, 1000] {
            for k in [1, 3, 8, n + 1, usize::MAX] {
                let x = space.view_from_fn("x", [n], |[i]| i).expect("memory");
                let mut y = space.zeros::<usize, 1>("y", [n]).expect("memory");
                let blocks = n.div_ceil(k);
                let args = (x.by_blocks(k), y.by_blocks_mut(k));
                parallel_for("blocks", setting.range(space, 0..blocks), args, move |b, (x, mut y)| {
                    assert_eq!((x.parts(), y.extent(0)), (blocks, n));
                    let beside = x.get(b + 1).map_or(0, |next| next[0]);
                    y[b].copy_from_slice(&x[b]);
                    y[b].reverse();
                    y[b][0] += 10_000 * (b.get() + 1) + beside;
                }).expect("covered");
                let mut wanted: Vec<usize> = (0..n).collect();
                for (b, block) in wanted.chunks_mut(k).enumerate() {
                    let end = b * k + block.len();
                    block.reverse();
                    block[0] += 10_000 * (b + 1) + if end < n { end } else { 0 };
                }
                assert_eq!(y.to_host().expect("memory").to_vec(), wanted, "{n} in blocks of {k}");
            }
        }
    }
}

every! { on_every_space:
    fn rows_of_any_rank_and_layout_belong_to_their_iterations(space, _setting) {
        let from = |i: usize, j: usize, k: usize| 100 * i + 10 * j + k;
        let mut right = space.view_from_fn("right", [9, 4, 3], |[i, j, k]| from(i, j, k)).expect("memory");
        let left = View::from_fn_in(Left, "left", [9, 4], |[i, j]| from(i, j, 0)).expect("memory");
        let mut left = left.to_space(space).expect("memory");
        let args = (right.by_rows_mut(), left.by_rows_mut());
        parallel_for("rows", space.range(0..9), args, move |i, (mut right, mut left)| {
            let mut slab = right.row_mut(i);
            slab[[1, 2]] += 1000;
            slab.row_mut(2)[0] += 2000;
            assert_eq!(slab.as_slice().map(<[usize]>::len), Some(12));
            let [a, b] = left.row_mut(i).into_elements();
            std::mem::swap(a, b);
            for element in left.row_mut(i).iter_mut().skip(3) {
                *element = 7;
            }
        }).expect("covered");
        let sums = {
            let mut sums = space.zeros::<usize, 1>("sums", [9]).expect("memory");
            parallel_for("sums", space.range(0..9), (right.by_rows(), left.by_rows(), &mut sums), move |i, (right, left, mut sums)| {
                sums[i] = right.row(i)[[1, 2]] + right.row(i).row(2)[0] + left.row(i).iter().sum::<usize>();
            }).expect("covered");
            sums.to_host().expect("memory")
        };
        let (right, left) = (right.to_host().expect("memory"), left.to_host().expect("memory"));
        for i in 0..9 {
            for j in 0..4 {
                for k in 0..3 {
                    let added = match [j, k] { [1, 2] => 1000, [2, 0] => 2000, _ => 0 };
                    assert_eq!(right[[i, j, k]], from(i, j, k) + added);
                }
            }
            assert_eq!([0, 1, 2, 3].map(|j| left[[i, j]]), [from(i, 1, 0), from(i, 0, 0), from(i, 2, 0), 7]);
            let wanted = from(i, 1, 2) + 1000 + from(i, 2, 0) + 2000 + from(i, 0, 0) + from(i, 1, 0) + from(i, 2, 0) + 7;
            assert_eq!(sums[i], wanted);
        }
    }

    fn slabs_are_filled_and_iterated(space, _setting) {
        let from = |i: usize, j: usize, k: usize| 100 * i + 10 * j + k;
        let mut right = space.view_from_fn("right", [7, 4, 3], |[i, j, k]| from(i, j, k)).expect("memory");
        let left = View::from_fn_in(Left, "left", [7, 4, 3], |[i, j, k]| from(i, j, k)).expect("memory");
        let mut left = left.to_space(space).expect("memory");
        let mut sums = space.zeros::<usize, 2>("sums", [7, 4]).expect("memory");
        let args = (right.by_rows_mut(), left.by_blocks_mut(1), sums.by_rows_mut());
        parallel_for("slabs", space.range(0..7), args, move |i, (mut right, mut left, mut sums)| {
            let mut slab = right.row_mut(i);
            let mut sum = [slab.iter().sum::<usize>(), 0, 0, 0];
            for (number, element) in slab.iter_mut().enumerate() {
                *element = *element * 2 + number;
            }
            slab.row_mut(3_u8).fill(7);
            slab.row_mut(1_i32).iter_mut().for_each(|element| *element += 1);
            sum[1] = slab.row(1).iter().rev().fold(0, |sum, element| 1000 * sum + element);
            // One row of a View of rank 3 in another layout: the last index is fastest all the same.
            let mut block = left.part_mut(i);
            let last = block.iter().enumerate().map(|(number, element)| number * element).sum::<usize>();
            for (number, element) in block.iter_mut().enumerate() {
                *element += 1000 * number;
            }
            sum[2] = last;
            sum[3] = block[[0, 3, 2]];
            if i.get() == 6 {
                block.fill(9);
            }
            sums[i].copy_from_slice(&sum);
        }).expect("covered");
        let right = right.to_host().expect("memory");
        let (left, sums) = (left.to_host().expect("memory"), sums.to_host().expect("memory"));
        for i in 0..7 {
            let first = |number: usize| from(i, number / 3, number % 3);
            let changed = |number: usize| match number / 3 {
                3 => 7,
                1 => first(number) * 2 + number + 1,
                _ => first(number) * 2 + number,
            };
            for number in 0..12 {
                let place = [i, number / 3, number % 3];
                assert_eq!(right[place], changed(number), "{place:?}");
                assert_eq!(left[place], if i == 6 { 9 } else { first(number) + 1000 * number }, "{place:?}");
            }
            let row = changed(3) + 1000 * (changed(4) + 1000 * changed(5));
            let weighted = (0..12).map(|number| number * first(number)).sum();
            let wanted = [(0..12).map(first).sum(), row, weighted, first(11) + 11_000];
            assert_eq!([0, 1, 2, 3].map(|place| sums[[i, place]]), wanted, "{i}");
        }
    }

    fn blocks_of_rows_are_slabs(space, _setting) {
        for (n, k) in [(0, 2), (1, 2), (7, 3), (8, 4)] {
            let mut a = space.zeros::<usize, 2>("a", [n, 5]).expect("memory");
            let left = View::from_fn_in(Left, "left", [n, 5], |[i, j]| 10 * i + j).expect("memory");
            let left = left.to_space(space).expect("memory");
            let args = (a.by_blocks_mut(k), left.by_blocks(k));
            parallel_for("blocks of rows", space.range(0..n.div_ceil(k)), args, move |b, (mut a, left)| {
                let (mut block, from) = (a.part_mut(b), left.part(b));
                for i in 0..block.extent(0) {
                    for j in 0..5 {
                        block[[i, j]] = from[[i, j]] + 1000 * b.get();
                    }
                }
            }).expect("covered");
            let a = a.to_host().expect("memory");
            for i in 0..n {
                for j in 0..5 {
                    assert_eq!(a[[i, j]], 10 * i + j + 1000 * (i / k), "{n} rows in blocks of {k}");
                }
            }
        }
    }

    fn teams_write_their_parts_by_nested_witnesses(space, _setting) {
        for size in sizes(space) {
            for offsets in divisions() {
                let map = View::from_vec("offsets", [offsets.len()], offsets.clone()).expect("memory");
                let map = Offsets::new(map.to_space(space).expect("memory")).expect("rising");
                let x = space.view_from_fn("x", [ELEMENTS], |[i]| i).expect("memory");
                let mut y = space.zeros::<usize, 1>("y", [ELEMENTS]).expect("memory");
                let args = (x.by_segments(&map).nested(), y.by_segments_mut(&map).nested());
                parallel_for("teams", space.team(map.segments(), size), args, move |team, (x, mut y)| {
                    let len = y.len();
                    assert_eq!(len, x.len());
                    // The last element by its number: a part that is only read takes any index within it.
                    assert!(len == 0 || x[len - 1] + 1 - len == x[0]);
                    team.parallel_for(team.thread_range(len), |rj| y[rj] += x[rj] + 1);
                    team.parallel_for(team.thread_range(len.min(2)..len), |rj| y[rj] *= 2);
                }).expect("covered");
                let y = y.to_host().expect("memory");
                let mut wanted = vec![0; ELEMENTS];
                for pair in offsets.windows(2) {
                    for (j, wanted) in wanted[pair[0]..pair[1]].iter_mut().enumerate() {
                        *wanted = (pair[0] + j + 1) * if j < 2 { 1 } else { 2 };
                    }
                }
                assert_eq!(y.to_vec(), wanted, "{size:?}, {offsets:?}");
            }
            for (n, k) in [(0, 4), (1, 4), (100, 7), (64, 8), (5, usize::MAX)] {
                let mut y = space.view_from_fn("y", [n], |[i]| i as f64).expect("memory");
                let policy = space.team(n.div_ceil(k), size);
                let args = y.by_blocks_mut(k).nested();
                let total = parallel_reduce("teams", policy, args, move |team, mut y| {
                    let len = y.len();
                    team.parallel_for(team.team_vector_range(len), |rj| y[rj] += 0.5);
                    let sum = team.parallel_reduce(team.thread_range(len), |rj, sum| *sum += y[rj], Sum::<f64>::new());
                    team.contribute(sum);
                }, Sum::<f64>::new()).expect("covered");
                assert_eq!(total, (0..n).map(|i| i as f64 + 0.5).sum::<f64>(), "{n} in blocks of {k}");
            }
        }
    }

    fn teams_write_their_rows_by_nested_witnesses(space, _setting) {
        for size in sizes(space) {
            for (rows, k) in [(0, 2), (1, 3), (7, 3), (8, 4), (5, usize::MAX)] {
                let from = |i: usize, j: usize, k: usize| 1000 * i + 100 * j + k;
                let x = space.view_from_fn("x", [rows, 4, 5], |[i, j, k]| from(i, j, k)).expect("memory");
                let left = View::from_fn_in(Left, "left", [rows, 3], |[i, j]| from(i, j, 0)).expect("memory");
                let mut left = left.to_space(space).expect("memory");
                let mut y = space.zeros::<usize, 3>("y", [rows, 4, 5]).expect("memory");
                let teams = rows.div_ceil(k);
                let args = (x.by_blocks(k).nested(), y.by_blocks_mut(k).nested(), left.by_blocks_mut(k).nested());
                parallel_for("rows", space.team(teams, size), args, move |team, (x, mut y, mut left)| {
                    assert_eq!((x.extents(), x.extent(0)), (y.extents(), left.extent(0)));
                    let league = team.league_rank();
                    team.parallel_for(team.thread_md_range(y.extents()), |rij| y[rij] += x[rij] + 1);
                    let rest = [0..y.extent(0), 1..3, 2..5];
                    team.parallel_for(team.thread_md_range(rest), |rij| y[rij] *= 2);
                    team.parallel_for(team.thread_md_range(left.extents()), |rij| left[rij] += 7 + 10_000 * league);
                }).expect("covered");
                let (y, left) = (y.to_host().expect("memory"), left.to_host().expect("memory"));
                for i in 0..rows {
                    for j in 0..4 {
                        for l in 0..5 {
                            let twice = (1..3).contains(&j) && l >= 2;
                            let wanted = (from(i, j, l) + 1) * if twice { 2 } else { 1 };
                            assert_eq!(y[[i, j, l]], wanted, "{size:?}, {rows} rows in blocks of {k}");
                        }
                    }
                    for j in 0..3 {
                        assert_eq!(left[[i, j]], from(i, j, 0) + 7 + 10_000 * (i / k), "{size:?}, {rows} rows in blocks of {k}");
                    }
                }
            }
        }
    }

    fn teams_own_segments_of_rows_beside_segments_of_elements(space, _setting) {
        // Parts of other lengths for witnesses of other ranks, in the same team; gaps before, between and behind.
        let offsets = |label, numbers: &[usize]| {
            let view = View::from_vec(label, [numbers.len()], numbers.to_vec()).expect("memory");
            Offsets::new(view.to_space(space).expect("memory")).expect("rising")
        };
        let (rows, numbers) = ([1_usize, 4, 4, 6], [0_usize, 2, 9, 9]);
        let (of_rows, of_numbers) = (offsets("rows", &rows), offsets("numbers", &numbers));
        for size in sizes(space) {
            let a = space.view_from_fn("a", [7, 3], |[i, j]| rough(3 * i + j)).expect("memory");
            let mut b = space.zeros::<f64, 2>("b", [7, 3]).expect("memory");
            let mut c = space.zeros::<usize, 1>("c", [10]).expect("memory");
            let args = (a.by_segments(&of_rows).nested(), b.by_segments_mut(&of_rows).nested(), c.by_segments_mut(&of_numbers).nested());
            let total = parallel_reduce("segments", space.team(3, size), args, move |team, (a, mut b, mut c)| {
                team.parallel_for(team.thread_range(c.len()), |rj| c[rj] += 10 * rj.get()[0] + rj.inner());
                team.parallel_for(team.thread_md_range(a.extents()), |rij| b[rij] = 2.0 * a[rij]);
                let sum = team.parallel_reduce(team.thread_md_range(a.extents()), |rij, sum| *sum += b[rij], Sum::<f64>::new());
                team.contribute(sum);
            }, Sum::<f64>::new()).expect("covered");
            let (b, c) = (b.to_host().expect("memory"), c.to_host().expect("memory"));
            let own = |i: usize| (1..6).contains(&i);
            for i in 0..7 {
                for j in 0..3 {
                    let wanted = if own(i) { 2.0 * rough(3 * i + j) } else { 0.0 };
                    assert_eq!(b[[i, j]].to_bits(), wanted.to_bits(), "row {i}, {size:?}");
                }
            }
            assert_eq!(c.to_vec(), [0, 1, 10, 11, 12, 13, 14, 15, 16, 0], "{size:?}");
            let sum = |rows: std::ops::Range<usize>| {
                serial_reduce(3 * rows.len(), |n, sum| *sum += 2.0 * rough(3 * rows.start + n), &Sum::<f64>::new())
            };
            let parts = [sum(1..4), sum(4..4), sum(4..6)];
            let wanted = serial_reduce(3, |n, sum| *sum += parts[n], &Sum::<f64>::new());
            assert_eq!(total.to_bits(), wanted.to_bits(), "{size:?}");
        }
    }

    fn teams_write_rows_of_the_highest_rank(space, _setting) {
        let extents = [3, 1, 2, 1, 2, 1, 3];
        let from = |index: [usize; 7]| index.iter().fold(0, |number, digit| 10 * number + digit);
        let x = space.view_from_fn("x", extents, from).expect("memory");
        let mut y = space.zeros::<usize, 7>("y", extents).expect("memory");
        let args = (x.by_blocks(2).nested(), y.by_blocks_mut(2).nested());
        parallel_for("rank 7", space.team(2, AUTO), args, move |team, (x, mut y)| {
            let league = team.league_rank();
            team.parallel_for(team.thread_md_range(y.extents()), |w| y[w] = x[w] + 1 + 100_000_000 * league);
        }).expect("covered");
        let y = y.to_host().expect("memory");
        for (index, value) in y.indexed_iter() {
            assert_eq!(*value, from(index) + 1 + 100_000_000 * (index[0] / 2), "{index:?}");
        }
    }

    fn lanes_write_the_rows_of_their_teams(space, _setting) {
        let mut y = space.zeros::<usize, 2>("y", [7, 40]).expect("memory");
        let mut last = space.zeros::<usize, 1>("last", [7]).expect("memory");
        let args = (y.by_blocks_mut(3).nested(), last.by_blocks_mut(3).nested());
        parallel_for("lanes", space.team(3, AUTO).vector(8), args, move |team, (mut y, mut last)| {
            let columns = y.extent(1);
            team.parallel_for(team.thread_range(y.extent(0)), |mut thread| {
                thread.parallel_for(thread.vector_range(columns), |v| y[v] = 100 * v.get()[1] + v.get()[2]);
                let sum = thread.parallel_reduce(thread.vector_range(columns), |v, sum| *sum += y[v], Sum::<usize>::new());
                thread.single(|w| last[w] = sum);
            });
        }).expect("covered");
        let (y, last) = (y.to_host().expect("memory"), last.to_host().expect("memory"));
        for i in 0..7 {
            assert!((0..40).all(|j| y[[i, j]] == 100 * (i % 3) + j), "row {i}");
            assert_eq!(last[i], 4000 * (i % 3) + 780, "row {i}");
        }
    }

    fn parts_of_a_team_are_written_once(space, _setting) {
        for size in sizes(space) {
            let mut y = space.view_from_fn("y", [100], |[i]| i).expect("memory");
            parallel_for("single", space.team(15, size), y.by_blocks_mut(7), move |team, mut y| {
                team.single(|w| y[w].reverse());
            }).expect("covered");
            let mut wanted: Vec<usize> = (0..100).collect();
            wanted.chunks_mut(7).for_each(<[usize]>::reverse);
            assert_eq!(y.to_host().expect("memory").to_vec(), wanted);
        }
    }

    fn parts_that_do_not_cover_are_errors(space, _setting) {
        let map = View::from_vec("my offsets", [4], vec![0_usize, 4, 4, 11]).expect("memory");
        let map = Offsets::new(map.to_space(space).expect("memory")).expect("rising");
        let mut y = space.zeros::<u32, 1>("my y", [10]).expect("memory");
        let message = |result: spelt::Result<()>| {
            let error = result.expect_err("not covered");
            assert_eq!(error.kind(), spelt::ErrorKind::Extents);
            error.to_string()
        };
        let segments = parallel_for("k", space.range(0..3), y.by_segments_mut(&map), move |_, _| ());
        assert_eq!(message(segments), "kernel `k`: view `my y`.by_segments_mut(..), whose offsets end beyond it, with extents [10] \
            does not cover the indices [0..3]: it covers from [0] to [0]");
        let nested = parallel_for("k", space.team(3, AUTO), y.by_segments_mut(&map).nested(), move |_, _| ());
        assert!(message(nested).contains("does not cover the league 0..3"));
        let mut enough = space.zeros::<u32, 1>("enough", [11]).expect("memory");
        let beyond = parallel_for("k", space.range(1..4), enough.by_segments_mut(&map), move |_, _| ());
        assert_eq!(message(beyond), "kernel `k`: view `enough`.by_segments_mut(..) with extents [11] does not cover the indices \
            [1..4]: it covers from [0] to [3]");
        parallel_for("k", space.range(1..3), enough.by_segments_mut(&map), move |_, _| ()).expect("covered");
        let blocks = parallel_for("k", space.range(0..5), y.by_blocks_mut(3), move |_, _| ());
        assert_eq!(message(blocks), "kernel `k`: view `my y`.by_blocks_mut(..) with extents [10] does not cover the indices \
            [0..5]: it covers from [0] to [4]");
        parallel_for("k", space.range(0..4), (y.by_blocks(3), enough.by_blocks_mut(3)), move |_, _| ()).expect("covered");
        let rows = space.zeros::<u32, 3>("rows", [3, 2, 2]).expect("memory");
        assert!(message(parallel_for("k", space.range(0..4), rows.by_rows(), move |_, _| ())).contains("from [0] to [3]"));
    }
}

every! { on_every_host_space:
    fn nested_loops_beyond_the_part_of_the_team_panic(space, _setting) {
        let offsets = Offsets::new(View::from_vec("offsets", [4], vec![0, 5, 8, 14]).expect("memory")).expect("rising");
        for (team, len, loops) in [(0, 5, 6), (1, 3, 4), (2, 6, 7)] {
            let mut y = space.zeros::<usize, 1>("y", [14]).expect("memory");
            let mut run = |end: usize| catch_unwind(AssertUnwindSafe(|| {
                parallel_for("k", space.team(3, AUTO), y.by_segments_mut(&offsets).nested(), |t, mut y| {
                    if t.league_rank() == team {
                        t.parallel_for(t.thread_range(0..end), |rj| y[rj] += 1);
                    }
                }).expect("covered");
            }));
            run(len).expect("as long as the segment");
            let payload = run(loops).expect_err("longer than the segment");
            let text = payload.downcast_ref::<String>().expect("a text");
            assert!(text.contains(&format!("the part of team {team} has {len} elements")) && text.contains("kernel `k`"), "{text}");
            let own = [0..5, 5..8, 8..14][team].clone();
            assert!((0..14).all(|i| y[i] == usize::from(own.contains(&i))), "{y:?}");
        }
        // The last block is shorter, and the shortest part of all arguments counts.
        let x = View::from_fn("x", [10], |[i]| i).expect("memory");
        let z = View::from_fn("z", [9], |[i]| i).expect("memory");
        let run = |end: usize| catch_unwind(AssertUnwindSafe(|| {
            let args = (x.by_blocks(4).nested(), z.by_blocks(4).nested());
            parallel_for("k", space.team(3, AUTO), args, |t, (x, z)| {
                let end = if t.league_rank() == 2 { end } else { 4 };
                t.parallel_for(t.thread_range(0..end), |rj| assert_eq!(x[rj], z[rj]));
            }).expect("covered");
        }));
        run(1).expect("covered");
        run(2).expect_err("the last block of `z` has one element");
        // The first argument has the shorter part.
        let run = |end: usize| catch_unwind(AssertUnwindSafe(|| {
            let args = [z.by_blocks(4).nested(), x.by_blocks(4).nested()];
            parallel_for("k", space.team(3, AUTO), (args, x.by_blocks(4).nested()), |t, ([z, x], again)| {
                let end = if t.league_rank() == 2 { end } else { 4 };
                t.parallel_for(t.thread_range(0..end), |rj| assert_eq!([x[rj], again[rj]], [z[rj]; 2]));
            }).expect("covered");
        }));
        run(1).expect("covered");
        run(2).expect_err("the last block of `z` has one element");
        let beyond = catch_unwind(AssertUnwindSafe(|| {
            let args = (x.by_blocks(4).nested(), z.by_blocks(4).nested());
            parallel_for("k", space.team(3, AUTO), args, |t, (x, z)| if t.league_rank() == 2 { _ = x[1] + z[1] }).expect("covered");
        }));
        let payload = beyond.expect_err("the last block of `z` has one element");
        let text = payload.downcast_ref::<String>().expect("a text");
        assert!(text.contains("index [1] is out of bounds of a slab with extents [1], in") && text.contains("view `z`"), "{text}");
    }

    fn nested_loops_beyond_the_rows_of_the_team_panic(space, _setting) {
        let offsets = Offsets::new(View::from_vec("offsets", [3], vec![0, 2, 5]).expect("memory")).expect("rising");
        let mut y = space.zeros::<usize, 2>("my y", [6, 4]).expect("memory");
        let mut run = |team: usize, rows: std::ops::Range<usize>, columns: usize| {
            catch_unwind(AssertUnwindSafe(|| {
                // The long segments of elements do not let loops over rows be longer.
                let numbers = View::from_vec("numbers", [99], vec![0_u8; 99]).expect("memory");
                let args = (numbers.by_blocks(50).nested(), y.by_segments_mut(&offsets).nested());
                parallel_for("k", space.team(2, AUTO), args, |t, (numbers, mut y)| {
                    t.parallel_for(t.thread_range(numbers.len()), |rj| assert_eq!(numbers[rj], 0));
                    if t.league_rank() == team {
                        t.parallel_for(t.thread_md_range([rows.clone(), 0..columns]), |rij| y[rij] += 1);
                    }
                }).expect("covered");
            })).map_err(|payload| payload.downcast_ref::<String>().expect("a text").clone())
        };
        run(0, 0..2, 4).expect("as many rows as the segment");
        run(1, 2..3, 4).expect("as many rows as the segment");
        run(0, 7..7, 9).expect("an empty loop");
        let text = run(0, 0..3, 4).expect_err("more rows than the segment");
        assert_eq!(text, "kernel `k`: nested loop: it ends at 3, but the part of team 0 has 2 rows: end it at the accessor's `extents()`");
        let text = run(1, 3..4, 1).expect_err("a row of the View that follows the segment");
        assert!(text.contains("the part of team 1 has 3 rows"), "{text}");
        let text = run(1, 0..1, 5).expect_err("more columns than the View");
        assert!(text.contains("view `my y`.by_segments_mut(..) with extents [6, 4] does not cover"), "{text}");
        let wanted = [1, 1, 0, 0, 1, 0];
        assert!((0..6).all(|i| (0..4).all(|j| y[[i, j]] == wanted[i])), "{y:?}");
        // The same for the lanes of a thread.
        let run = |threads: usize, lanes: usize| catch_unwind(AssertUnwindSafe(|| {
            let mut z = space.zeros::<usize, 2>("z", [4, 8]).expect("memory");
            parallel_for("k", space.team(2, AUTO).vector(4), z.by_blocks_mut(2).nested(), |t, mut z| {
                t.parallel_for(t.thread_range(threads), |mut thread| {
                    thread.parallel_for(thread.vector_range(lanes), |v| z[v] = 1);
                });
            }).expect("covered");
        }));
        run(2, 8).expect("covered");
        run(3, 8).expect_err("three rows of two");
        run(2, 9).expect_err("nine columns of eight");
    }
}
