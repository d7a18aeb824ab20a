//! Sparse graphs: rows of different lengths, however they are made, against lists of lists.

use spelt::containers::Csr;
use spelt::prelude::*;
use spelt::{ErrorKind, MemorySpace, Offsets, algorithms::gather};

use crate::spaces::every;
use crate::t37_maps::allocations;

/// Rows with entries below `columns`: some empty, some with an entry twice, one long.
fn lists(rows: usize, columns: u32) -> Vec<Vec<u32>> {
    let len = |i: usize| match i % 7 {
        _ if columns == 0 => 0,
        0 | 4 => 0,
        3 => 1,
        5 if i > 200 => 700,
        other => 3 * other,
    };
    let entry = |i: usize, k: usize| (i * 7919 + k * 104_729) as u32 % columns.max(1) / (1 + k as u32 % 2);
    (0..rows).map(|i| (0..len(i)).map(|k| entry(i, k)).collect()).collect()
}

fn to_lists<M: MemorySpace>(csr: &Csr<u32, M>) -> Vec<Vec<u32>> {
    csr.to_host().expect("memory").iter().map(<[u32]>::to_vec).collect()
}

/// The places of a list of pairs, sorted by the first of each, and stably.
fn order_of(pairs: &[(u32, u32)]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..pairs.len()).collect();
    order.sort_by_key(|&place| pairs[place].0);
    order
}

every! { on_every_setting:
    fn rows_are_slices_in_kernels(space, setting) {
        for (rows, columns) in [(0, 0), (1, 1), (7, 3), (300, 1000)] {
            let lists = lists(rows, columns);
            let mut csr = Csr::from_rows(space, "csr", lists.clone()).expect("memory");
            assert_eq!((csr.rows(), csr.len(), csr.label()), (rows, lists.concat().len(), "csr"));
            let values = space.view_from_fn("values", [csr.len()], |[k]| k as f64).expect("memory");
            let mut sums = space.zeros::<f64, 1>("sums", [rows]).expect("memory");
            let args = (csr.by_rows(), values.by_segments(csr.offsets()), &mut sums);
            parallel_for("sums", setting.range(space, 0..rows), args, move |i, (csr, values, mut sums)| {
                // Rows of other indices are read too.
                let other = csr.get(rows - 1 - i.get()).map_or(0, <[u32]>::len);
                sums[i] = other as f64 + csr[i].iter().zip(&values[i]).map(|(&j, v)| f64::from(j) * v).sum::<f64>();
            }).expect("covered");
            let mut k = 0.0;
            let wanted: Vec<f64> = (0..rows).map(|i| {
                let own = lists[i].iter().map(|&j| {
                    k += 1.0;
                    f64::from(j) * (k - 1.0)
                });
                own.sum::<f64>() + lists[rows - 1 - i].len() as f64
            }).collect();
            assert_eq!(sums.to_host().expect("memory").to_vec(), wanted);

            parallel_for("sort", setting.range(space, 0..rows), csr.by_rows_mut(), move |i, mut csr| {
                csr[i].reverse();
            }).expect("covered");
            let wanted: Vec<Vec<u32>> = lists.iter().map(|row| row.iter().rev().copied().collect()).collect();
            assert_eq!(to_lists(&csr), wanted);
        }
    }
}

every! { on_every_space:
    fn teams_have_a_row_each(space, _setting) {
        let lists = lists(300, 1000);
        let mut csr = Csr::from_rows(space, "csr", lists.clone()).expect("memory");
        let mut sums = space.zeros::<u32, 1>("sums", [300]).expect("memory");
        parallel_for("sums", space.team(300, AUTO), (csr.by_rows().nested(), &mut sums), move |team, (row, mut sums)| {
            let sum = team.parallel_reduce(team.thread_range(row.len()), |rj, sum| *sum += row[rj], Sum::<u32>::new());
            team.single(|w| sums[w] = sum);
        }).expect("covered");
        let wanted: Vec<u32> = lists.iter().map(|row| row.iter().sum()).collect();
        assert_eq!(sums.to_host().expect("memory").to_vec(), wanted);
        parallel_for("number", space.team(300, AUTO), csr.by_rows_mut().nested(), move |team, mut row| {
            team.parallel_for(team.thread_range(row.len()), |rj| row[rj] += rj.inner() as u32);
        }).expect("covered");
        let wanted: Vec<Vec<u32>> = lists.iter().map(|row| row.iter().zip(0..).map(|(j, k)| j + k).collect()).collect();
        assert_eq!(to_lists(&csr), wanted);
    }

    fn counts_give_rows_to_fill(space, _setting) {
        for counts in [vec![], vec![0], vec![0, 0, 3], vec![5, 0, 1, 0, 200]] {
            let view = View::from_vec("counts", [counts.len()], counts.clone()).expect("memory").to_space(space).expect("memory");
            let mut csr = Csr::<u32, _>::from_counts(space, "csr", &view).expect("memory");
            let zeros: Vec<Vec<u32>> = counts.iter().map(|&count| vec![0; count]).collect();
            assert_eq!(to_lists(&csr), zeros);
            parallel_for("fill", space.range(0..csr.rows()), csr.by_rows_mut(), move |i, mut csr| {
                csr[i].fill(i.get() as u32 + 1);
            }).expect("covered");
            let wanted: Vec<Vec<u32>> = (1..).zip(&counts).map(|(i, &count)| vec![i; count]).collect();
            assert_eq!(to_lists(&csr), wanted);
        }
    }

    fn counts_without_a_sum_are_refused(space, _setting) {
        let counts = |counts: [usize; 3]| space.view_from_fn("counts", [3], |[i]| counts[i]).expect("memory");
        // Sums that wrap would give small offsets to long rows, also to rows without bytes.
        for wrong in [[usize::MAX, 1, 0], [usize::MAX / 2, usize::MAX / 2, 7], [usize::MAX, usize::MAX, 2]] {
            let error = Csr::<u32, _>::from_counts(space, "csr", &counts(wrong)).expect_err("no sum");
            assert_eq!(error.kind(), ErrorKind::Overflow, "{error}");
            let error = Csr::<(), _>::from_counts(space, "csr", &counts(wrong)).expect_err("no sum");
            assert_eq!(error.kind(), ErrorKind::Overflow, "{error}");
        }
        let error = Csr::<u32, _>::from_counts(space, "csr", &counts([usize::MAX / 8, 1, 0])).expect_err("too large");
        assert!(matches!(error.kind(), ErrorKind::Overflow | ErrorKind::OutOfMemory), "{error}");
        let negative = space.view_from_fn("counts", [3], |[i]| 1 - i as i32).expect("memory");
        let error = Csr::<u32, _>::from_counts(space, "csr", &negative).expect_err("-1");
        assert_eq!(error.kind(), ErrorKind::Overflow, "{error}");
    }

    fn coordinates_are_sorted_stably(space, _setting) {
        for (rows, n) in [(0_usize, 0_usize), (1, 5), (3, 2), (40, 3000), (5000, 300)] {
            let pairs: Vec<(u32, u32)> = (0..n).map(|k| ((k * 7919 % rows) as u32 / 2, (k * 31 % 17) as u32)).collect();
            let numbers = space.view_from_fn("rows", [n], |[k]| pairs[k].0).expect("memory");
            let columns = space.view_from_fn("columns", [n], |[k]| pairs[k].1).expect("memory");
            let (csr, order) = Csr::from_coo(space, "csr", rows, &numbers, &columns).expect("memory");
            assert_eq!(order.to_host().expect("memory").to_vec(), order_of(&pairs));
            let wanted: Vec<Vec<u32>> = (0..rows as u32)
                .map(|i| pairs.iter().filter(|pair| pair.0 == i).map(|pair| pair.1).collect())
                .collect();
            assert_eq!(to_lists(&csr), wanted, "{n} pairs in {rows} rows");
        }
    }

    fn transposed_rows_ascend(space, _setting) {
        for (rows, columns) in [(0, 0), (0, 3), (1, 1), (7, 3), (300, 1000), (300, 2000)] {
            let lists = lists(rows, columns.min(1000));
            let csr = Csr::from_rows(space, "csr", lists.clone()).expect("memory");
            let (transposed, order) = csr.transposed(space, columns as usize).expect("memory");
            let pairs: Vec<(u32, u32)> = (0..).zip(&lists).flat_map(|(i, row)| row.iter().map(move |&j| (j, i))).collect();
            let wanted: Vec<Vec<u32>> =
                (0..columns).map(|j| pairs.iter().filter(|pair| pair.0 == j).map(|pair| pair.1).collect()).collect();
            assert_eq!(to_lists(&transposed), wanted);
            assert_eq!(order.to_host().expect("memory").to_vec(), order_of(&pairs));
            // Transposed twice, the columns of each row ascend.
            let (twice, _) = transposed.transposed(space, rows).expect("memory");
            let mut sorted = lists;
            sorted.iter_mut().for_each(|row| row.sort_unstable());
            assert_eq!(to_lists(&twice), sorted);
        }
    }

    fn wrong_rows_are_refused(space, _setting) {
        let view = |numbers: &[usize]| View::from_vec("numbers", [numbers.len()], numbers.to_vec()).expect("memory").to_space(space).expect("memory");
        let entries = || space.zeros::<u8, 1>("entries", [5]).expect("memory");
        for (offsets, first) in [(&[0, 2, 4][..], 0), (&[0, 6], 0), (&[1, 5], 1), (&[0], 0), (&[], 0)] {
            let offsets = Offsets::new(view(offsets)).expect("rising");
            let end = offsets.end();
            let error = Csr::from_parts(offsets, entries()).expect_err("wrong offsets");
            assert_eq!(error.kind(), ErrorKind::Format);
            let wanted = format!("offsets in view `numbers` go from {first} to {end}, but view `entries` has 5 entries");
            assert!(error.to_string().contains(&wanted), "{error}");
        }
        let whole = Csr::from_parts(Offsets::new(view(&[0, 5])).expect("rising"), entries()).expect("right");
        assert_eq!(whole.into_parts().1.len(), 5);

        let error = Csr::from_coo(space, "csr", 4, &view(&[0, 4, 1, 9]), &view(&[0; 4])).expect_err("no such row");
        assert!(error.to_string().contains("view `numbers`: 2 of 4 numbers name no bin: all must be below 4"), "{error}");
        let error = Csr::from_coo(space, "csr", 4, &view(&[0; 3]), &entries()).expect_err("lengths");
        assert!(error.to_string().contains("view `numbers` has 3 numbers of rows, but view `entries` has 5 entries"), "{error}");
        let csr = Csr::from_rows(space, "csr", [vec![3_u32], vec![]]).expect("memory");
        let error = csr.transposed(space, 3).expect_err("no such column");
        assert_eq!(error.kind(), ErrorKind::Extents);

        let error = parallel_for("beyond", space.range(0..3), csr.by_rows(), move |i, csr| assert!(csr[i].len() < 2)).expect_err("two rows");
        assert_eq!((error.kind(), error.kernel()), (ErrorKind::Extents, Some("beyond")));
        assert!(error.to_string().contains("view `csr`.by_segments(..)"), "{error}");
    }

    fn values_follow_the_order(space, _setting) {
        let numbers = space.view_from_fn("rows", [100], |[k]| (99 - k as u64) / 3).expect("memory");
        let values = space.view_from_fn("values", [100], |[k]| k as f64).expect("memory");
        let (csr, order) = Csr::from_coo(space, "csr", 34, &numbers, &values).expect("memory");
        let mut sorted = space.zeros::<f64, 1>("sorted", [100]).expect("memory");
        gather(space, &values, &order, &mut sorted).expect("lengths");
        assert_eq!(sorted.to_host().expect("memory").to_vec(), csr.entries().to_host().expect("memory").to_vec());
        assert_eq!(csr.to_host().expect("memory").row(1), [94.0, 95.0, 96.0]);
    }
}

every! { on_every_host_space:
    fn arguments_describe_entries_and_offsets(space, _setting) {
        let mut csr = Csr::from_rows(space, "csr", [vec![3_u32], vec![]]).expect("memory");
        assert_eq!(allocations(&csr.by_rows()), [("csr".into(), false), ("offsets".into(), false)]);
        assert_eq!(allocations(&csr.by_rows_mut()), [("csr".into(), true), ("offsets".into(), false)]);
    }
}

#[test]
fn rows_on_the_host_are_checked() {
    let mut csr = Csr::from_rows(&Serial::new(), "csr", [vec![1, 2], vec![]]).expect("memory");
    csr.row_mut(0)[1] = 7;
    assert_eq!((csr.row(0), csr.row(1)), (&[1, 7][..], &[][..]));
    let payload = std::panic::catch_unwind(|| csr.row(2).len()).expect_err("two rows");
    let text = payload.downcast::<String>().expect("a text");
    assert_eq!(*text, "row 2 is out of bounds of csr `csr` with 2 rows");
}

/// Entries whose number is not what the iterator says, and which may end in a panic.
struct Liar(std::ops::Range<u32>, usize, u32);

impl Iterator for Liar {
    type Item = u32;

    fn next(&mut self) -> Option<u32> {
        let next = self.0.next();
        assert!(next != Some(self.2), "this one");
        next
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.1, Some(self.1))
    }
}

impl ExactSizeIterator for Liar {}

#[test]
fn iterators_that_lie_give_the_rows_that_they_give() {
    let space = Serial::new();
    let rows = [0, 1, 7].map(|told| [Liar(0..3, told, 9), Liar(0..0, told, 9), Liar(5..9, told, 9)]);
    for rows in rows {
        let csr = Csr::from_rows(&space, "csr", rows).expect("memory");
        assert_eq!(to_lists(&csr), [vec![0, 1, 2], vec![], vec![5, 6, 7, 8]]);
    }
    let panics = || Csr::from_rows(&space, "csr", [Liar(0..3, 1, 9), Liar(5..12, 0, 9)]).map(|csr| csr.len());
    assert!(std::panic::catch_unwind(panics).is_err());
}
