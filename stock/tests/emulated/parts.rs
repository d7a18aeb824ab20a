//! Boxes of more words than a launch counts; they are planned and not run.

use spelt_stock::kernels::{Divisor, SIDE};
use spelt_stock::{CopyBox, FillBox, Launch, Parameters};

/// The words that a launch moves, and the lowest address that it writes.
fn words_and_begin(launch: &Launch) -> (u64, u64) {
    match &launch.parameters {
        Parameters::Copy(copy) => {
            let all: u64 = copy.loops.iter().map(|line| u64::from(line.count.value())).product();
            assert_eq!(u64::from(copy.words), all);
            assert!(u64::from(launch.blocks) * 1024 >= all);
            (all, copy.to)
        }
        Parameters::Fill(fill) => (u64::from(fill.words), fill.to),
        Parameters::Transpose(transpose) => {
            let lines = transpose.loops.iter().chain([&transpose.source, &transpose.target]);
            let all = lines.map(|line| u64::from(line.count.value())).product();
            assert!(u64::from(launch.blocks) * u64::from(SIDE * SIDE) >= all);
            (all, transpose.to)
        }
    }
}

fn planned(copy: &CopyBox<'_>) -> Vec<(u64, u64)> {
    let mut all = Vec::new();
    copy.launch(|launch| {
        all.push(words_and_begin(launch));
        Ok::<(), ()>(())
    })
    .expect("no launch fails");
    all
}

#[test]
fn a_large_copy_is_cut_into_parts_that_launches_can_count() {
    let extents = [1 << 20, 3 << 12];
    let copy = CopyBox {
        to: 1 << 40,
        from: 1 << 44,
        element: 8,
        extents: &extents,
        to_strides: &[3 << 12, 1],
        from_strides: &[1 << 13, 1],
    };
    let parts = planned(&copy);
    assert!(parts.len() > 1 && parts.iter().all(|part| part.0 < 1 << 31), "{parts:?}");
    assert_eq!(parts.iter().map(|part| part.0).sum::<u64>() * 16, (1 << 20) * (3 << 12) * 8);
    for pair in parts.windows(2) {
        assert_eq!(pair[1].1, pair[0].1 + pair[0].0 * 16, "parts follow one another at a dense destination");
    }
}

#[test]
fn a_large_transpose_is_cut_too() {
    let copy = CopyBox {
        to: 0,
        from: 1 << 44,
        element: 4,
        extents: &[1 << 16, 1 << 16],
        to_strides: &[1 << 16, 1],
        from_strides: &[1, 1 << 16],
    };
    let parts = planned(&copy);
    assert_eq!(parts.iter().map(|part| part.0).sum::<u64>(), 1 << 32);
    assert!(parts.len() == 4 && parts.iter().all(|part| part.0 < 1 << 31), "{parts:?}");
}

#[test]
fn a_large_fill_is_cut_and_its_end_has_a_launch() {
    let element = [core::mem::MaybeUninit::new(7_u8)];
    let fill = FillBox { to: 256, element: &element, extents: &[(1 << 36) + 5], strides: &[1] };
    let mut bytes = 0;
    let done = fill.launch(|launch| {
        let (words, begin) = words_and_begin(launch);
        assert_eq!(begin, 256 + bytes, "parts follow one another");
        let word: u64 = launch.kernel.to_str().unwrap().rsplit('_').next().unwrap().parse().unwrap();
        bytes += words * word;
        Ok::<(), ()>(())
    });
    assert_eq!((done, bytes), (Ok(()), (1 << 36) + 5));
}

#[test]
fn divisors_divide() {
    let numbers =
        [0, 1, 2, 3, 5, 7, 31, 32, 33, 641, 65535, 65536, 65537, (1 << 30) - 1, 1 << 30, (1 << 30) + 1];
    let largest = (1_u32 << 31) - 1;
    for divisor in numbers.into_iter().skip(1).chain([largest - 1, largest]) {
        let fast = Divisor::new(divisor);
        let near = numbers.iter().flat_map(|&number| [number, number.wrapping_mul(divisor)]);
        let around = near.flat_map(|number| [number.wrapping_sub(1), number, number.wrapping_add(1)]);
        for number in around.chain([largest - 1, largest]).filter(|&number| number <= largest) {
            assert_eq!(fast.divide(number), (number / divisor, number % divisor), "{number} / {divisor}");
        }
    }
}

#[test]
#[should_panic(expected = "7 dimensions are more than six")]
fn seven_dimensions_are_refused() {
    let seven = [2; 7];
    let copy =
        CopyBox { to: 0, from: 0, element: 1, extents: &seven, to_strides: &seven, from_strides: &seven };
    let _ = copy.kind();
}
