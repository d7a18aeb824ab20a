//! The contents of a launch's Views, for tools: read through the description, whatever element type, layout and memory they have.

use core::ptr;

use spelt_access::{Description, Element, Elements, MAX_RANK, Number, RawView, Right, Stride};

use super::view::describe;
use crate::view::{HostSpace, MemorySpace, View, ViewRef};

/// The most bytes that a visitor gets at once, unless a single element has more. Source: a part of a first-level cache.
const SLICE: usize = 8 << 10;

/// The way to the elements of Views of this type.
pub(super) const fn elements<T: Element, const R: usize, M: MemorySpace>() -> &'static Elements {
    const {
        if M::HOST_ACCESSIBLE {
            &Elements { numbers: T::numbers, read: read_on_host::<T> }
        } else {
            &Elements { numbers: T::numbers, read: read_elsewhere::<T, R, M> }
        }
    }
}

/// # Safety
/// That of [`Elements::read`], for a View of `T` in memory that the host reaches.
unsafe fn read_on_host<T: Element>(view: &Description<'_>, visit: &mut dyn FnMut(&[u8])) -> bool {
    // SAFETY: by the contract, and since `T` promises that it has initialised numbers at these places.
    unsafe { visit_numbers(view, &runs(T::numbers), size_of::<T>(), visit) };
    true
}

/// Copies the View to the host, and visits the copy.
///
/// # Safety
/// That of [`Elements::read`], for a View of `T` of rank `R` in memory `M`.
unsafe fn read_elsewhere<T: Element, const R: usize, M: MemorySpace>(
    view: &Description<'_>,
    visit: &mut dyn FnMut(&[u8]),
) -> bool {
    let extents = core::array::from_fn(|dimension| view.extents[dimension]);
    let strides = core::array::from_fn(|dimension| view.strides[dimension]);
    let owner = view.allocation.and_then(|owner| owner.downcast_ref::<M::Allocation>());
    let raw = RawView::<T, R, Stride>::new(ptr::with_exposed_provenance_mut(view.address), extents, strides);
    // SAFETY: by the contract these are the address, extents, strides and owner of a View whose elements are initialised and not written.
    let device = unsafe { ViewRef::<T, R, M, Stride>::new(raw, view.label, owner) };
    if device.size_bytes() == 0 {
        return true;
    }
    let Ok(mut host) = View::<T, R, HostSpace, Right>::zeros(view.label, extents) else { return false };
    if M::copy_to_host(host.view_mut(), device, None).is_err() {
        return false;
    }
    // SAFETY: the copy is a View on the host with initialised elements, and nothing else refers to it.
    unsafe { read_on_host::<T>(&describe(host.view()), visit) }
}

/// Consecutive bytes of an element that are all numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Run {
    offset: usize,
    bytes: usize,
}

/// The numbers of an element, as runs without gaps.
fn runs(numbers: fn(&mut dyn FnMut(usize, Number)) -> bool) -> Vec<Run> {
    let mut runs: Vec<Run> = Vec::new();
    numbers(&mut |offset, number| match runs.last_mut() {
        Some(run) if run.offset + run.bytes == offset => run.bytes += number.bytes(),
        _ => runs.push(Run { offset, bytes: number.bytes() }),
    });
    runs
}

/// Calls `visit` with the bytes of the runs of all elements, in the order of the indices.
///
/// # Safety
/// The View's memory is the host's, and not written during the call; each element has initialised bytes at the runs.
unsafe fn visit_numbers(
    view: &Description<'_>,
    runs: &[Run],
    element_bytes: usize,
    visit: &mut dyn FnMut(&[u8]),
) {
    let (extents, strides) = (&view.extents[..view.rank], &view.strides[..view.rank]);
    let packed: usize = runs.iter().map(|run| run.bytes).sum();
    if extents.contains(&0) || packed == 0 {
        return;
    }
    let first = ptr::with_exposed_provenance::<u8>(view.address);
    let (last, step) = match (extents.last(), strides.last()) {
        (Some(last), Some(step)) => (*last, *step * element_bytes),
        _ => (1, 0),
    };
    // Elements of a line that lie side by side are lent as they are, if they have no gaps and their numbers lie in their order.
    let is_dense = runs == [Run { offset: 0, bytes: element_bytes }] && (step == element_bytes || last == 1);
    let mut buffer: Vec<u8> = Vec::with_capacity(SLICE.max(packed));
    let mut index = [0; MAX_RANK];
    loop {
        let offset: usize = index.iter().zip(strides).map(|(place, stride)| place * stride).sum();
        // SAFETY: the index is within the extents, so the element lies in the View.
        let line = unsafe { first.add(offset * element_bytes) };
        if is_dense {
            let bytes = last * element_bytes;
            for begin in (0..bytes).step_by((SLICE / packed).max(1) * packed) {
                let end = bytes.min(begin + (SLICE / packed).max(1) * packed);
                // SAFETY: the line's elements lie side by side, and all of their bytes are initialised and not written meanwhile.
                visit(unsafe { core::slice::from_raw_parts(line.add(begin), end - begin) });
            }
        } else {
            for place in 0..last {
                for run in runs {
                    // SAFETY: the run lies in an element of the line, and its bytes are initialised and not written meanwhile.
                    let bytes = unsafe {
                        core::slice::from_raw_parts(line.add(place * step + run.offset), run.bytes)
                    };
                    buffer.extend_from_slice(bytes);
                }
                if buffer.len() + packed > SLICE {
                    visit(&buffer);
                    buffer.clear();
                }
            }
        }
        // The next line: its index in the last dimension stays 0.
        let mut dimension = view.rank.saturating_sub(1);
        loop {
            if dimension == 0 {
                if !buffer.is_empty() {
                    visit(&buffer);
                }
                return;
            }
            dimension -= 1;
            index[dimension] += 1;
            if index[dimension] < extents[dimension] {
                break;
            }
            index[dimension] = 0;
        }
    }
}

#[cfg(all(test, not(spelt_loom)))]
mod tests {
    use spelt_access::{Layout, Left};

    use super::*;

    fn bytes<T: Element, const R: usize, L: Layout>(view: ViewRef<'_, T, R, HostSpace, L>) -> Vec<u8> {
        let description = describe(view);
        let mut all = Vec::new();
        let elements = description.elements.expect("a View on the host");
        assert!((elements.numbers)(&mut |_, _| {}));
        // SAFETY: the View is borrowed, and its elements are initialised.
        assert!(unsafe { (elements.read)(&description, &mut |bytes| all.extend_from_slice(bytes)) });
        all
    }

    fn expected(numbers: impl IntoIterator<Item = u32>) -> Vec<u8> {
        numbers.into_iter().flat_map(u32::to_ne_bytes).collect()
    }

    #[test]
    fn numbers_that_the_compiler_reorders_come_in_their_order() {
        // Four bytes without padding, in which the second field comes first.
        let value = |i: usize| (i as u8, 0x1234_u16, 7_u8);
        let view = View::<(u8, u16, u8), 1>::from_fn("view", [3], |[i]| value(i)).unwrap();
        let [low, high] = 0x1234_u16.to_ne_bytes();
        assert_eq!(bytes(view.view()), [0, low, high, 7, 1, low, high, 7, 2, low, high, 7]);
    }

    #[test]
    fn the_order_is_that_of_the_indices_in_every_layout() {
        let f = |[i, j, k]: [usize; 3]| (100 * i + 10 * j + k) as u32;
        let by_index =
            expected((0..3).flat_map(|i| (0..4).flat_map(move |j| (0..5).map(move |k| f([i, j, k])))));
        let right = View::<u32, 3>::from_fn("right", [3, 4, 5], f).unwrap();
        let left = View::<u32, 3, HostSpace, Left>::from_fn_in(Left, "left", [3, 4, 5], f).unwrap();
        assert_eq!(bytes(right.view()), by_index);
        assert_eq!(bytes(left.view()), by_index);
        let part = right.subview((1.., 2, ..4));
        let by_index = expected((1..3).flat_map(|i| (0..4).map(move |k| f([i, 2, k]))));
        assert_eq!(bytes(part), by_index);
    }

    #[test]
    fn small_and_empty_views() {
        assert_eq!(bytes(View::<u32, 0>::from_vec("one", [], vec![7]).unwrap().view()), expected([7]));
        assert_eq!(bytes(View::<u32, 2>::zeros("none", [3, 0]).unwrap().view()), [0_u8; 0]);
        assert_eq!(bytes(View::<(), 1>::zeros("nothing", [3]).unwrap().view()), [0_u8; 0]);
        let large = View::<[u8; 3], 1>::from_fn("large", [5000], |[i]| [i as u8, 1, 2]).unwrap();
        let all: Vec<u8> = (0..5000).flat_map(|i: usize| [i as u8, 1, 2]).collect();
        assert_eq!(bytes(large.view()), all);
    }

    #[test]
    fn padding_is_left_out() {
        let pairs = View::<(u8, u32), 1>::from_fn("pairs", [3000], |[i]| (i as u8, 7 * i as u32)).unwrap();
        let all: Vec<u8> =
            (0..3000_u32).flat_map(|i| [&[i as u8][..], &(7 * i).to_ne_bytes()].concat()).collect();
        assert_eq!(bytes(pairs.view()), all);
    }

    #[test]
    fn numbers_side_by_side_are_one_run() {
        assert_eq!(runs(<[f64; 3]>::numbers), [Run { offset: 0, bytes: 24 }]);
        assert_eq!(runs(<((), [f32; 0])>::numbers), []);
        let parts: usize = runs(<(u8, u32)>::numbers).iter().map(|run| run.bytes).sum();
        assert_eq!(parts, 5);
    }
}
