//! The elements of Views on the host in pieces, through pinned memory.

use std::panic::{AssertUnwindSafe, catch_unwind};

use spelt_access::Layout;

use super::space;
use crate::cuda::driver::{self, Address};
use crate::cuda::staged::BUFFER;
use crate::cuda::{Cuda, CudaSpace};
use crate::subview::{All, Steps};
use crate::{Error, ErrorKind, ExecutionSpace, Left, MemorySpace, View, ViewMut, ViewRef};

fn check_piece(piece: &[u32]) {
    assert!(driver::is_pinned(piece.as_ptr().addr() as Address));
    assert!(size_of_val(piece) <= BUFFER);
}

/// The elements, and the number of pieces in which they come.
fn read<L: Layout>(view: ViewRef<'_, u32, 2, CudaSpace, L>) -> (Vec<u32>, usize) {
    let (mut elements, mut pieces) = (Vec::new(), 0);
    let mut take = |piece: &[u32]| {
        check_piece(piece);
        elements.extend_from_slice(piece);
        pieces += 1;
    };
    CudaSpace::read_staged(view, &mut take).expect("a copy");
    (elements, pieces)
}

fn write<L: Layout>(view: ViewMut<'_, u32, 2, CudaSpace, L>, mut elements: &[u32]) {
    let mut give = |piece: &mut [u32]| {
        check_piece(piece);
        let (now, later) = elements.split_at(piece.len());
        piece.copy_from_slice(now);
        elements = later;
        Ok(())
    };
    CudaSpace::write_staged(view, &mut give).expect("a copy");
    assert!(elements.is_empty());
}

fn number([i, j]: [usize; 2]) -> u32 {
    (1_000_000 * i + j) as u32
}

#[test]
fn elements_pass_through_pinned_memory() {
    let Some(space) = space() else { return };
    let row = BUFFER / size_of::<u32>();
    // Rows that fit two by two and one by one, and longer ones; a View that fits.
    for (extents, pieces) in [([5, row / 2], 3), ([5, row / 2 + 1], 5), ([2, row + 1], 4), ([1, 1], 1)] {
        let view = space.view_from_fn("view", extents, number).expect("memory");
        let (elements, found) = read(view.view());
        assert_eq!(
            (elements == view.to_host().expect("a copy").to_vec(), found),
            (true, pieces),
            "{extents:?}"
        );
        let mut other = space.zeros("other", extents).expect("memory");
        write(other.view_mut(), &elements);
        assert_eq!(other.to_host().expect("a copy").to_vec(), elements, "{extents:?}");
    }
    // In another order in memory, and with gaps.
    let extents = [3, 200_000];
    let left = space.view_from_fn_in(Left, "left", extents, number).expect("memory");
    let (elements, pieces) = read(left.view());
    assert_eq!((elements == left.to_vec_on_host(), pieces), (true, 2));
    let mut other = space.zeros_in(Left, "other", extents).expect("memory");
    write(other.view_mut(), &elements);
    assert_eq!(other.to_vec_on_host(), elements);
    let (elements, pieces) = read(left.subview((1..3, All.step(7))));
    let expected = (1..3).flat_map(|i| (0..extents[1]).step_by(7).map(move |j| number([i, j])));
    assert_eq!((elements, pieces), (expected.collect(), 1));
    let ones = vec![1; 2 * extents[1].div_ceil(7)];
    write(other.subview_mut((1..3, All.step(7))), &ones);
    let expected = |[i, j]: [usize; 2]| if i > 0 && j % 7 == 0 { 1 } else { number([i, j]) };
    let expected = View::from_fn("expected", extents, expected).expect("memory");
    assert_eq!(other.to_vec_on_host(), expected.to_vec());
}

/// The elements in the order of the indices, by one copy.
trait ToVecOnHost {
    fn to_vec_on_host(&self) -> Vec<u32>;
}
impl<L: Layout> ToVecOnHost for View<u32, 2, CudaSpace, L> {
    fn to_vec_on_host(&self) -> Vec<u32> {
        self.to_host().expect("a copy").to_vec()
    }
}

#[test]
fn other_views_have_pieces_too() {
    let Some(space) = space() else { return };
    let mut pieces = Vec::new();
    let mut take = |piece: &[f64]| pieces.push(piece.to_vec());
    CudaSpace::read_staged(space.view_from_fn("one", [], |[]| 0.5).expect("memory").view(), &mut take)
        .expect("a copy");
    CudaSpace::read_staged(space.zeros("none", [0, 3]).expect("memory").view(), &mut take).expect("no copy");
    assert_eq!(pieces.concat(), [0.5]);
    // An element that is longer than a buffer.
    const LONG: usize = BUFFER / 8 + 1;
    let mut lengths = Vec::new();
    let long = space.zeros::<[f64; LONG], 1>("long", [2]).expect("memory");
    CudaSpace::read_staged(long.view(), &mut |piece| lengths.push(piece.len())).expect("a copy");
    assert_eq!(lengths, [2]);
}

/// Runs one of these tests in a separate process.
fn alone(test: &str, variables: &[(&str, &str)]) -> String {
    let output = std::process::Command::new(std::env::current_exe().expect("this program"))
        .args(["--include-ignored", "--exact", &format!("cuda::tests::staged::{test}")])
        .envs(variables.iter().copied())
        .output()
        .expect("a process");
    let text =
        [output.stdout, output.stderr].map(|text| String::from_utf8_lossy(&text).into_owned()).concat();
    assert!(output.status.success() && text.contains("1 passed"), "{text}");
    text
}

#[test]
fn copies_that_run_late_are_waited_for() {
    let Some(_space) = space() else { return };
    // The emulator then runs a copy from or to pinned memory only when something waits for it.
    for seed in ["1", "2"] {
        alone("elements_pass_through_pinned_memory", &[("CUDA_EMU_DEFER", seed)]);
    }
}

#[test]
fn buffers_are_kept_and_freed() {
    let Some(_space) = space() else { return };
    let text = alone("child", &[("CUDA_EMU_LEAKCHECK", "1")]);
    assert!(!text.contains("not freed"), "{text}");
}

#[test]
#[ignore = "the child of the other test"]
fn child() {
    let space = space().expect("the other test has seen a device");
    let kept = |space: &Cuda| space.context().buffers().kept();
    let mut view = space.view_from_fn("view", [3, BUFFER / 4], number).expect("memory");
    let expected = view.to_vec_on_host();
    assert_eq!(kept(&space), 0);
    for _ in 0..2 {
        assert_eq!(read(view.view()), (expected.clone(), 3));
        assert_eq!(kept(&space), 1);
    }
    // A copy within a copy takes others.
    let mut number = 0;
    let mut take = |piece: &[u32]| {
        assert!(read(view.view()).0 == expected);
        assert!(piece == &expected[number * piece.len()..][..piece.len()]);
        number += 1;
    };
    CudaSpace::read_staged(view.view(), &mut take).expect("a copy");
    assert_eq!((number, kept(&space)), (3, 2));
    // A panic and an error while a copy runs.
    let mut calls = 0;
    let mut take = |_: &[u32]| {
        calls += 1;
        assert!(calls < 2, "here");
    };
    let panics = AssertUnwindSafe(|| CudaSpace::read_staged(view.view(), &mut take));
    catch_unwind(panics).expect_err("the second call panics").downcast::<&str>().expect("its message");
    assert_eq!((calls, kept(&space)), (2, 2));
    calls = 0;
    let mut give = |piece: &mut [u32]| {
        calls += 1;
        piece.fill(7);
        if calls < 2 { Ok(()) } else { Err(Error::new(ErrorKind::Format, "no more")) }
    };
    let error =
        CudaSpace::write_staged(view.view_mut(), &mut give).expect_err("the second call has an error");
    assert_eq!((error.to_string(), calls, kept(&space)), ("no more".to_owned(), 2, 2));
    let mut expected = expected;
    expected[..BUFFER / 4].fill(7);
    assert!(read(view.view()).0 == expected);
}
