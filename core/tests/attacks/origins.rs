//! Attacks by Views with an origin, signed ranges and slabs.

use spelt_core::{AUTO, Between, Error, ErrorKind, ExecutionSpace, Left, Serial, View, parallel_for};

use crate::numbers::Numbers;
use crate::panic_text;

/// A number near one at which sums overflow, or near 0.
fn edge(numbers: &mut Numbers) -> isize {
    let edges = [isize::MIN, isize::MAX, i32::MIN as isize, i32::MAX as isize, 0, 0];
    edges[numbers.below(edges.len())].wrapping_add(numbers.below(9) as isize - 4)
}

/// A dimension of a View: its first index and one past its last, in numbers that hold every sum.
#[derive(Clone, Copy)]
struct Span(i128, i128);

impl Span {
    fn of(origin: isize, extent: usize) -> Self {
        Self(origin as i128, origin as i128 + extent as i128)
    }

    /// Whether `begin..end` lies within, `below` from the first index and `above` from the last.
    fn covers(self, (begin, end): (isize, isize), below: i128, above: i128) -> bool {
        begin >= end || self.0 + below <= begin as i128 && end as i128 <= self.1 - above
    }
}

/// Launches that are covered run and have the right elements, all others are errors, wherever sums could overflow.
#[test]
fn launches_over_any_origin_have_their_elements_or_are_refused() {
    let space = Serial::new();
    let mut numbers = Numbers(1);
    let (mut ran, mut refused) = (0, 0);
    for _ in 0..if cfg!(miri) { 200 } else { 20_000 } {
        let (extent, origin) = (numbers.below(6), edge(&mut numbers));
        let span = Span::of(origin, extent);
        let x = View::from_fn("x", [extent], |[i]| i).expect("memory").with_origin([origin]);
        assert_eq!(x.is_ok(), span.1 <= isize::MAX as i128);
        let Ok(mut x) = x else { continue };
        let begin = if numbers.below(3) > 0 {
            origin.wrapping_add(numbers.below(5) as isize - 2)
        } else {
            edge(&mut numbers)
        };
        let Some(end) = begin.checked_add(numbers.below(8) as isize - 1) else { continue };
        let case = format!("extent {extent} from {origin}, {begin}..{end}");
        let mut judge = |result: Result<(), Error>, covered: bool, form: &str| {
            assert_eq!(result.is_ok(), covered, "{form}, {case}");
            *if covered { &mut ran } else { &mut refused } += 1;
        };
        let place =
            |i: isize, offset: i128| usize::try_from(i as i128 + offset - origin as i128).expect("covered");

        let signed = space.signed_range(begin..end);
        judge(
            parallel_for("k", signed, &mut x, |i, mut x| {
                assert_eq!(x[i], place(i.get(), 0));
                x[i] += 0;
            }),
            span.covers((begin, end), 0, 0),
            "signed",
        );
        judge(
            parallel_for("k", signed, x.halo_of::<Between<-1, 2>>(), |i, x| {
                assert!((-1..=2).all(|offset| x.at(i, [offset]) == place(i.get(), offset as i128)));
            }),
            span.covers((begin, end), 1, 2),
            "halo",
        );
        judge(
            parallel_for("k", signed, x.lookup(), |i, x| {
                assert_eq!(
                    x.get([i.get()]).is_some(),
                    span.covers((i.get(), i.get().saturating_add(1)), 0, 0)
                );
            }),
            true,
            "lookup",
        );
        if let (Ok(first), Ok(last)) = (usize::try_from(begin), usize::try_from(end)) {
            let plain = space.range(first..last);
            judge(
                parallel_for("k", plain, &x, |i, x| assert_eq!(x[i], place(i.get() as isize, 0))),
                span.covers((begin, end), 0, 0),
                "plain",
            );
            judge(
                parallel_for("k", plain, x.halo::<1>(), |i, x| {
                    assert_eq!(x.at(i, [-1]) + 2, x.at(i, [1]));
                }),
                span.covers((begin, end), 1, 1),
                "plain halo",
            );
        }

        let (rows, top) = (numbers.below(4), edge(&mut numbers));
        let grid = View::<u8, 2, _, _>::zeros_in(Left, "grid", [rows, extent]).expect("memory");
        let Ok(mut grid) = grid.with_origin([top, origin]) else { continue };
        let upper = top.wrapping_add(numbers.below(3) as isize - 1);
        let Some(lower) = upper.checked_add(numbers.below(4) as isize) else { continue };
        let down = Span::of(top, rows);
        let inside = down.covers((upper, lower), 0, 0) && span.covers((begin, end), 0, 0);
        let policy = space.signed_md_range([upper..lower, begin..end]);
        judge(
            parallel_for("k", policy, &mut grid, |i, mut grid| grid[i] += 1),
            inside || upper >= lower || begin >= end,
            "box",
        );
        let within = |span: Span, begin: isize, end: isize| {
            begin <= end && span.0 <= begin as i128 && end as i128 <= span.1
        };
        let part = grid.part([upper..lower, begin..end]);
        assert_eq!(part.is_ok(), within(down, upper, lower) && within(span, begin, end), "part, {case}");
        if let Ok(part) = part {
            let places = (upper..lower).flat_map(|i| (begin..end).map(move |j| [i, j]));
            assert!(
                places.into_iter().all(|place| part[place] == 1 && core::ptr::eq(&part[place], &grid[place]))
            );
        }
    }
    assert!(ran > 100 && refused > 100, "{ran} {refused}");
}

/// Nested loops are compared with the origin, in the dimension of the league too.
#[test]
fn nested_loops_over_any_origin_have_their_elements_or_panic() {
    let space = Serial::new();
    let mut numbers = Numbers(2);
    for _ in 0..if cfg!(miri) { 50 } else { 2000 } {
        let (extents, origin) =
            ([numbers.below(5), numbers.below(5)], [edge(&mut numbers), edge(&mut numbers)]);
        let x = View::from_fn("x", extents, |[i, j]| 10 * i + j).expect("memory").with_origin(origin);
        let Ok(x) = x else { continue };
        let (league, begin, end) = (numbers.below(4), numbers.below(6), numbers.below(6));
        let text = panic_text(|| {
            parallel_for("k", space.team(league, AUTO), &x, |team, x| {
                team.parallel_for(team.thread_range(begin..end), |rj| {
                    let [i, j] = rj.get();
                    let place =
                        |index, origin| usize::try_from(index as i128 - origin as i128).expect("covered");
                    assert_eq!(x[rj], 10 * place(i, origin[0]) + place(j, origin[1]));
                });
            })
            .map_err(|error| error.to_string())
            .unwrap();
        });
        let covers = |dimension: usize, end, begin| {
            Span::of(origin[dimension], extents[dimension]).covers((begin as isize, end as isize), 0, 0)
        };
        let covered = league == 0 || covers(0, league, 0) && covers(1, end, begin);
        assert_eq!(text.is_empty(), covered, "{extents:?} from {origin:?}, {league}, {begin}..{end}: {text}");
        assert!(covered || text.contains("does not cover"), "{text}");
    }
}

/// The origin travels in the accessor, as extents do.
#[test]
fn swapped_accessors_have_their_own_origins() {
    let mut a = View::<u8, 1>::zeros("a", [4]).expect("memory").with_origin([-2]).expect("it fits");
    let mut b = View::<u8, 1>::zeros("b", [9]).expect("memory").with_origin([-5]).expect("it fits");
    parallel_for("swap", Serial::new().signed_range(-2..2), (&mut a, &mut b), |i, (mut a, mut b)| {
        std::mem::swap(&mut a, &mut b);
        (a[i], b[i]) = (1, 2);
    })
    .expect("covered");
    assert_eq!(a.as_view().to_vec(), [2; 4]);
    assert_eq!(b.as_view().to_vec(), [0, 0, 0, 1, 1, 1, 1, 0, 0]);
}

/// The ends of a range may be further apart than `isize::MAX`.
#[test]
fn ranges_from_end_to_end_are_counted() {
    let x = View::<u8, 1>::zeros("x", [4]).expect("memory").with_origin([-2]).expect("it fits");
    for space in
        [1, 2].map(|threads| spelt_core::Threads::builder().num_threads(threads).build().expect("threads"))
    {
        let text = panic_text(|| {
            let policy = space.signed_range(isize::MIN..isize::MAX);
            _ = parallel_for("far", policy, x.lookup(), |i, x| assert_eq!(x[i.get()], 0));
        });
        let lowest = isize::MIN;
        let expected = format!(
            "index [{lowest}] is out of bounds of view `x`.lookup() with extents [4] and origin [-2] in kernel `far`"
        );
        assert_eq!(text, expected);
        let policy = space.signed_md_range([isize::MIN..isize::MAX, -1..1]);
        let error =
            parallel_for("far", policy, x.lookup(), |_, _| panic!("an iteration")).expect_err("too many");
        assert_eq!(error.kind(), ErrorKind::Overflow);
        let ranges =
            format!("the signed_md_range [{}..{}, -1..1] has more iterations", isize::MIN, isize::MAX);
        assert!(error.to_string().contains(&ranges), "{error}");
    }
}

/// Slabs of Views without elements, and far beyond them, reach no memory.
#[test]
fn slabs_of_nothing_have_nothing() {
    let space = Serial::new();
    let most = isize::MAX as usize / 8;
    for extents in [[3, 0], [0, 3], [most, 0], [0, most]] {
        let right = View::<u64, 2>::zeros("x", extents).expect("nothing is allocated");
        let left = View::<u64, 2, _, _>::zeros_in(Left, "x", extents).expect("nothing is allocated");
        for index in [0, 2, 3, most - 1, most, usize::MAX] {
            macro_rules! slab {
                ($argument:expr, $axis:literal) => {
                    let text = panic_text(|| {
                        parallel_for("k", space.range(0..1), $argument, |_, x| {
                            let slab = x.slab_at::<$axis>(index);
                            assert_eq!((slab.iter().count(), slab.get(0), slab.len()), (0, None, 0));
                            assert!(slab.as_slice().is_none_or(<[u64]>::is_empty));
                        })
                        .expect("nothing to cover");
                    });
                    let expected = if index < extents[$axis] { "" } else { "is out of bounds of view `x`" };
                    assert!(text.contains(expected) && text.is_empty() == expected.is_empty(), "{text}");
                };
            }
            slab!(&right, 0);
            slab!(&right, 1);
            slab!(left.lookup(), 0);
            slab!(left.lookup(), 1);
        }
    }
}
