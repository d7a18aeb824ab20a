//! Copies and fills by the threads of a space: the elements of the sequential ones, for every layout and size.

use spelt::prelude::*;

use spelt::{ErrorKind, HostSpace, MemorySpace};

use crate::spaces::{Case, Setting, on_every_space};

/// Extents of which some are copied by the caller, some by all threads, on `Rayon` too.
fn extents<S: ExecutionSpace>() -> Vec<[usize; 2]> {
    let small = [[0, 7], [1, 1], [3, 5], [1, 2000], [2000, 1]];
    let large: &[[usize; 2]] = match S::IS_DEVICE {
        true => &[[40, 41]],
        false => &[[1, 65_536], [3, 22_000], [22_001, 3], [260, 257], [1100, 1000]],
    };
    [&small[..], large].concat()
}

fn element([i, j]: [usize; 2]) -> f64 {
    (10_000 * i + j) as f64 + 0.5
}

fn host(extents: [usize; 2]) -> View<f64, 2> {
    View::from_fn("host", extents, element).expect("memory")
}

struct Copies;

impl Case for Copies {
    fn run<S: ExecutionSpace>(&self, space: &S, _setting: &Setting) {
        for extents in extents::<S>() {
            let from = host(extents);
            let mut there = space.zeros::<f64, 2>("there", extents).expect("memory");
            space.deep_copy(&mut there, &from).expect("equal extents");
            // Another layout, and back to the host.
            let mut left = space.zeros_in::<f64, 2, _>(Left, "left", extents).expect("memory");
            space.deep_copy(&mut left, &there).expect("equal extents");
            let mut back = View::<f64, 2>::zeros("back", extents).expect("memory");
            space.deep_copy(&mut back, &left).expect("equal extents");
            assert_eq!(back, from, "{extents:?}");
            // A part of a View into a part of another, and nothing else.
            let [rows, columns] = extents;
            if rows < 2 || columns < 3 {
                continue;
            }
            let mut part = space.zeros::<f64, 2>("part", [rows + 1, columns]).expect("memory");
            let into = (1..rows, 1..columns - 1);
            space
                .deep_copy(&mut part.subview_mut(into), &there.subview((0..rows - 1, 2..columns)))
                .expect("equal extents");
            let expected = View::from_fn("expected", [rows + 1, columns], |[i, j]| {
                if (1..rows).contains(&i) && (1..columns - 1).contains(&j) {
                    element([i - 1, j + 1])
                } else {
                    0.0
                }
            });
            assert_eq!(part.to_host().expect("memory"), expected.expect("memory"), "{extents:?}");
        }
    }
}

#[test]
fn every_element_is_copied() {
    on_every_space(&Copies);
}

struct Fills;

impl Case for Fills {
    fn run<S: ExecutionSpace>(&self, space: &S, _setting: &Setting) {
        for extents in extents::<S>() {
            let mut all = space.zeros_in::<f64, 2, _>(Left, "all", extents).expect("memory");
            space.fill(&mut all, 1.5).expect("nothing fails");
            assert!(all.to_host().expect("memory").iter().all(|&value| value == 1.5), "{extents:?}");
            let mut some = host(extents).to_space(space).expect("memory");
            // Every third column, and one row.
            let columns = (0..extents[1]).step(3);
            space.fill(&mut some.subview_mut((All, columns)), -1.0).expect("nothing fails");
            if extents[0] > 0 {
                space.fill(&mut some.subview_mut((0, All)), -2.0).expect("nothing fails");
            }
            let expected = View::from_fn("expected", extents, |[i, j]| match (i, j % 3) {
                (0, _) => -2.0,
                (_, 0) => -1.0,
                _ => element([i, j]),
            });
            assert_eq!(some.to_host().expect("memory"), expected.expect("memory"), "{extents:?}");
        }
        let mut one = space.zeros::<u32, 0>("one", []).expect("memory");
        space.fill(&mut one, 7).expect("nothing fails");
        let mut other = View::<u32, 0>::zeros("other", []).expect("memory");
        space.deep_copy(&mut other, &one).expect("equal extents");
        assert_eq!(other[[]], 7);
    }
}

#[test]
fn every_element_is_filled() {
    on_every_space(&Fills);
}

struct Mismatches;

impl Case for Mismatches {
    fn run<S: ExecutionSpace>(&self, space: &S, _setting: &Setting) {
        for len in [3, if S::IS_DEVICE { 2000 } else { 70_000 }] {
            let from = space.view_from_fn("source of values", [len], |[i]| i as u64 + 1).expect("memory");
            let mut to = space.zeros::<u64, 1>("too long", [len + 1]).expect("memory");
            let error = space.deep_copy(&mut to, &from).expect_err("one is longer");
            assert_eq!(error.kind(), ErrorKind::Extents);
            let text = error.to_string();
            let words =
                ["source of values".into(), "too long".into(), format!("[{len}]"), format!("[{}]", len + 1)];
            assert!(words.iter().all(|word| text.contains(word)), "{text}");
            assert!(to.to_host().expect("memory").iter().all(|&value| value == 0));
        }
    }
}

#[test]
fn different_extents_are_an_error_and_nothing_is_copied() {
    on_every_space(&Mismatches);
}

/// Generic code needs no bound for copies between the host and the space.
#[test]
fn a_copy_needs_no_bound() {
    fn round<S: ExecutionSpace, M: MemorySpace>(
        space: &S,
        from: &View<i32, 1, M>,
    ) -> spelt::Result<View<i32, 1>>
    where
        S::Memory: spelt::CopyFrom<M>,
    {
        let mut there = space.zeros::<i32, 1>("there", from.extents())?;
        space.deep_copy(&mut there, from)?;
        let mut back = View::<i32, 1, HostSpace>::zeros("back", from.extents())?;
        space.deep_copy(&mut back, &there)?;
        Ok(back)
    }
    let from = View::from_vec("from", [3], vec![1, 2, 3]).expect("memory");
    assert_eq!(round(&Serial::new(), &from).expect("memory"), from);
}
