//! Work and span: calls and joins are counted, and each value carries the length of its longest chain of joins.

use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use spelt::algorithms::*;
use spelt::canonical::{ROWS, lanes, run_len, tile_len};
use spelt::prelude::*;
use spelt::reducers::{InOrder, Reducer};

use crate::equal::noise;
use crate::spaces::every;

/// The longest chain of joins that led to a value: the span of a reduction on as many threads as it can use.
#[derive(Clone, Copy)]
struct Depth;

impl Reducer for Depth {
    type Value = u64;
    type Output = u64;
    fn init(&self) -> u64 {
        0
    }
    fn join(&self, into: &mut u64, from: &u64) {
        *into = 1 + *from.max(into);
    }
    fn finish(&self, value: u64) -> u64 {
        value
    }
}

/// The depth of a tree over `n` leaves.
fn log2(n: usize) -> usize {
    n.next_power_of_two().ilog2() as usize
}

/// The longest chain in a tile, its lanes and the tree of tiles, for `n` values of `bytes` bytes.
fn canonical_depth(n: usize, bytes: usize) -> usize {
    let width = lanes(bytes);
    let tile = tile_len(width);
    run_len(tile, width) + log2(width) + log2(n.div_ceil(tile))
}

/// Numbers of elements up to many tiles.
const SIZES: [usize; 5] = [1, 100, 3000, 40_000, 300_000];

/// A key that counts how often it is compared.
static COMPARED: AtomicUsize = AtomicUsize::new(0);
#[derive(Clone, Copy, spelt::Element)]
struct Key(u32);
impl PartialEq for Key {
    fn eq(&self, other: &Self) -> bool {
        COMPARED.fetch_add(1, Relaxed);
        self.0 == other.0
    }
}

every! { on_every_host_space:
    fn reductions_are_no_deeper_than_a_tile_and_a_tree(space, _setting) {
        for n in SIZES {
            let x = View::<u64, 1>::zeros("x", [n]).expect("memory");
            let depth = reduce_commutative(space, &x, Depth).expect("covered") as usize;
            assert!(depth <= canonical_depth(n, 8), "{n}: {depth}");
            let depth = reduce(space, &x, InOrder::new(Depth)).expect("covered") as usize;
            assert!(depth <= canonical_depth(n, 8), "{n} in order: {depth}");
            let mut out = View::<u64, 1>::zeros("out", [1]).expect("memory");
            reduce_axes(space, &x, [0], &mut out, |value, x, _| Depth.join(value, &x), Depth).expect("fits");
            assert!(out[0] as usize <= canonical_depth(n, 8), "{n} along an axis: {}", out[0]);
        }
    }

    fn prefixes_are_no_deeper_than_a_few_tiles(space, _setting) {
        for n in [1, 100, 3000, 40_000] {
            let (x, mut y) = (View::<u64, 1>::zeros("x", [n]).expect("memory"), View::<u64, 1>::zeros("y", [n]).expect("memory"));
            // Up to the tile: blocks of the tree, from the left. In the tile: its rows from the left, then the tree of the own row.
            let most = 2 * (ROWS + log2(lanes(8)) + log2(n) + 1);
            for inclusive in [true, false] {
                let total = if inclusive { inclusive_scan(space, &x, &mut y, Depth) } else { exclusive_scan(space, &x, &mut y, 0, Depth) };
                let deepest = y.iter().copied().max().expect("not empty").max(total.expect("lengths agree"));
                assert!(deepest as usize <= most, "{n}, {inclusive}: {deepest}");
            }
            // Pairs of a value and a flag are twice as large: as many lanes or fewer, in tiles as long.
            let most = 2 * most;
            for one_in in [1, 50, n + 1] {
                let flags = View::from_fn("flags", [n], |[i]| i % one_in == one_in - 1).expect("memory");
                segmented_inclusive_scan_by_flags(space, &x, &flags, &mut y, Depth).expect("lengths agree");
                let deepest = y.iter().copied().max().expect("not empty") as usize;
                assert!(deepest <= most, "{n}, {one_in}: {deepest}");
                let keys = View::from_fn("keys", [n], |[i]| i / one_in).expect("memory");
                let (_, found) = reduce_by_key(space, &keys, &x, Depth).expect("lengths agree");
                let deepest = found.iter().copied().max().expect("not empty") as usize;
                assert!(deepest <= most, "{n} by key, {one_in}: {deepest}");
            }
        }
    }

    fn segments_are_no_deeper_than_their_tiles(space, _setting) {
        for lengths in [vec![1; 100], vec![300_000], vec![0, 255, 40_000, 1, 65_536, 65_537]] {
            let n: usize = lengths.iter().sum();
            let x = View::<u64, 1>::zeros("x", [n]).expect("memory");
            let counts = View::from_vec("counts", [lengths.len()], lengths.clone()).expect("memory");
            let offsets = offsets_from_counts(space, &counts).expect("memory");
            let mut out = View::<u64, 1>::zeros("out", [lengths.len()]).expect("memory");
            segmented_reduce_by_offsets(space, &x, &offsets, &mut out, Depth).expect("well formed");
            for (&length, &depth) in lengths.iter().zip(&out) {
                // Eight lanes of 32 elements, or of as many less than two rows; a tree of tiles; one more each 65,536.
                let most = length.min(33) + 3 + log2(length.div_ceil(256)) + 1 + length / 65_536;
                assert!(depth as usize <= most, "{length}: {depth}");
            }
        }
    }

    fn bins_are_no_deeper_than_a_block_and_the_blocks(space, _setting) {
        for (n, bins) in [(1, 1), (5000, 1), (300_000, 1), (300_000, 100)] {
            // All go to the last bin: as contended as can be.
            let indices = View::from_fn("indices", [n], |_| bins - 1).expect("memory");
            let values = View::<u64, 1>::zeros("values", [n]).expect("memory");
            let mut depths = View::<u64, 1>::zeros("depths", [bins]).expect("memory");
            reduce_by_index(space, &values, &indices, &mut depths, Depth).expect("lengths agree");
            let blocks = (n / 4 / bins).clamp(1, 1024);
            let depth = depths[bins - 1] as usize;
            assert!(depth <= n.div_ceil(blocks) + blocks, "{n} in {bins}: {depth}");
        }
    }

    fn pairs_are_no_deeper_than_a_tile_and_a_tree(space, _setting) {
        for n in SIZES {
            let (x, y) = (View::<u8, 1>::zeros("x", [3]).expect("memory"), View::<u64, 1>::zeros("y", [n]).expect("memory"));
            let mut a = View::<u64, 1>::zeros("a", [3]).expect("memory");
            reduce_pairs_over_j(space, &x, &y, &mut a, |_, value, (_, y)| Depth.join(value, &y), Depth).expect("fits");
            assert!(a.iter().all(|&depth| depth as usize <= canonical_depth(n, 8)), "{n}: {}", a[0]);
            let ranges = BlockRanges::over_j(3, n, vec![0..3], vec![2], vec![0..n / 3, n / 3..n]).expect("in order");
            reduce_blocks_over_j(space, &ranges, &x, &y, &mut a, |_, value, (_, y)| Depth.join(value, &y), Depth)
                .expect("fits");
            assert!(a.iter().all(|&depth| depth as usize <= canonical_depth(n, 8)), "{n} in blocks: {}", a[0]);
        }
    }

    /// One join of the initial value for each prefix and for the total, beside those of an inclusive scan.
    fn initial_values_join_once_for_each_prefix(space, _setting) {
        for n in [0, 1, 2048, 30_000] {
            let joins = AtomicUsize::new(0);
            let counting = custom(0_u64, |into: &mut u64, from: &u64| {
                joins.fetch_add(1, Relaxed);
                *into += from;
            });
            let x = View::from_fn("x", [n], |[i]| i as u64).expect("memory");
            let mut y = View::<u64, 1>::zeros("y", [n]).expect("memory");
            inclusive_scan(space, &x, &mut y, &counting).expect("lengths agree");
            let inclusive = joins.swap(0, Relaxed);
            exclusive_scan(space, &x, &mut y, 5, &counting).expect("lengths agree");
            assert_eq!(joins.swap(0, Relaxed), inclusive + n + 1, "{n}");
            let mut x = x;
            inclusive_scan_in_place(space, &mut x, &counting).expect("memory");
            assert_eq!(joins.swap(0, Relaxed), inclusive, "{n} in place");
            exclusive_scan_in_place(space, &mut x, 5, &counting).expect("memory");
            assert_eq!(joins.into_inner(), inclusive + n + 1, "{n} in place");
        }
    }

    /// A join for the end of a run, one in it, and one with the value before it; some for runs and blocks. By offsets there are no more.
    fn segmented_scans_join_no_more_by_offsets_than_by_flags(space, _setting) {
        let n = 30_000;
        let joins = AtomicUsize::new(0);
        let counting = custom(0_u64, |into: &mut u64, from: &u64| {
            joins.fetch_add(1, Relaxed);
            *into += from;
        });
        let x = View::from_fn("x", [n], |[i]| i as u64).expect("memory");
        for (apart, most) in [(0.99, 3 * n), (-0.5, 2 * n)] {
            let flags = View::from_fn("flags", [n], |[i]| i == 0 || noise(i) > apart).expect("memory");
            let offsets = offsets_from_flags(space, &flags).expect("memory");
            let mut y = View::<u64, 1>::zeros("y", [n]).expect("memory");
            segmented_inclusive_scan_by_flags(space, &x, &flags, &mut y, &counting).expect("lengths agree");
            let inclusive = joins.swap(0, Relaxed);
            assert!((n..=most + n / 8 + 64).contains(&inclusive), "{inclusive}");
            segmented_exclusive_scan_by_flags(space, &x, &flags, &mut y, &counting).expect("lengths agree");
            let exclusive = joins.swap(0, Relaxed);
            assert!((n..=most + n / 8 + 64).contains(&exclusive), "{exclusive}");
            segmented_inclusive_scan_by_offsets(space, &x, &offsets, &mut y, &counting).expect("well formed");
            let by_offsets = joins.swap(0, Relaxed);
            assert!((n..=inclusive).contains(&by_offsets), "{by_offsets}, and {inclusive} by flags");
            segmented_exclusive_scan_by_offsets(space, &x, &offsets, &mut y, &counting).expect("well formed");
            let by_offsets = joins.swap(0, Relaxed);
            assert!((n..=exclusive).contains(&by_offsets), "{by_offsets}, and {exclusive} by flags");
        }
    }

    fn expansions_call_once_for_each_element_and_result(space, _setting) {
        for n in [0, 1, 1000, 9001] {
            let (sizes, gets, joins) = (AtomicUsize::new(0), AtomicUsize::new(0), AtomicUsize::new(0));
            let x = View::from_fn("x", [n], |[i]| (noise(i).abs() * 20.0) as usize % 15).expect("memory");
            let size = |x| {
                sizes.fetch_add(1, Relaxed);
                x
            };
            let get = |_, k| {
                gets.fetch_add(1, Relaxed);
                k
            };
            let total: usize = x.iter().sum();
            assert_eq!(expand(space, &x, size, get).expect("memory").len(), total);
            assert_eq!((sizes.swap(0, Relaxed), gets.swap(0, Relaxed)), (n, total));
            let counting = custom(0, |into: &mut usize, from: &usize| {
                joins.fetch_add(1, Relaxed);
                *into += from;
            });
            expand_outer_reduce(space, &x, size, get, &counting).expect("memory");
            // Segments this short join from left to right.
            assert_eq!((sizes.into_inner(), gets.into_inner(), joins.into_inner()), (n, total, total));
        }
    }

    fn closures_of_blocks_and_pairs_are_called_once_for_each_pair(space, _setting) {
        let (m, n) = (70, 3000);
        let (x, y) = (View::<u8, 1>::zeros("x", [m]).expect("memory"), View::<u8, 1>::zeros("y", [n]).expect("memory"));
        let calls = AtomicUsize::new(0);
        let count = |_: [usize; 2], sum: &mut u32, _: (u8, u8)| {
            calls.fetch_add(1, Relaxed);
            *sum += 1;
        };
        let mut b = View::<u32, 1>::zeros("b", [n]).expect("memory");
        reduce_pairs_over_i(space, &x, &y, &mut b, count, Sum::<u32>::new()).expect("fits");
        assert_eq!(calls.into_inner(), m * n);
        assert!(b.iter().all(|&count| count == m as u32));

        // A reducer whose contributions are compared before they are joined.
        let calls = AtomicUsize::new(0);
        let count = |[i, _]: [usize; 2], least: &mut KMinValue<u32, 4>, _: (u8, u8)| {
            calls.fetch_add(1, Relaxed);
            least.update((i * 37 % 64) as u32, i);
        };
        let mut b = View::<[u32; 4], 1>::zeros("b", [n]).expect("memory");
        reduce_pairs_over_i(space, &x, &y, &mut b, count, KMin::<u32, 4>::new()).expect("fits");
        assert_eq!(calls.into_inner(), m * n);
        assert!(b.iter().all(|least| *least == [0, 0, 1, 2]));
    }
}

/// On one space after the other, since the count is one for all.
#[test]
fn neighbours_are_compared_once() {
    fn check<S: ExecutionSpace<Memory = spelt::HostSpace>>(space: &S) {
        for n in [1, 2, 1000, 30_000] {
            let keys = View::from_fn("keys", [n], |[i]| Key((noise(i) * 2.0) as u32)).expect("memory");
            let compared = |what| assert_eq!(COMPARED.swap(0, Relaxed), n - 1, "{what} of {n}");
            unique(space, &keys).expect("memory");
            compared("unique");
            run_length(space, &keys).expect("memory");
            compared("run_length");
            non_trivial_runs(space, &keys).expect("memory");
            compared("non_trivial_runs");
            let ones = View::from_fn("ones", [n], |_| 1_u32).expect("memory");
            reduce_by_key(space, &keys, &ones, Sum::new()).expect("lengths agree");
            compared("reduce_by_key");
        }
    }
    check(&Serial::new());
    check(&crate::spaces::threads(3));
    check(&Rayon::new());
}
