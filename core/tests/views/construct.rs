//! Constructors: values, sizes, memory.

use spelt_core::{ALIGNMENT, ErrorKind, Layout, Left, Right, Stride, View, ViewMut, ViewRef};

use crate::oracle::{indices, mark, panic_message};

fn from_fn_puts_each_value_at_its_index<L: Layout, const R: usize>(layout: L, extents: [usize; R]) {
    let view = View::from_fn_in(layout, "v", extents, mark).unwrap();
    assert_eq!(view.extents(), extents);
    assert_eq!(view.len(), extents.iter().product::<usize>());
    for index in indices(extents) {
        assert_eq!(view[index], mark(index));
    }
    let slice = view.as_slice().expect("owned Views are dense");
    assert_eq!(slice.len(), view.len());
    assert_eq!(slice.as_ptr() as usize % ALIGNMENT, 0);
}

#[test]
fn every_rank_and_layout() {
    fn ranks<L: Layout>(layout: L) {
        from_fn_puts_each_value_at_its_index(layout, []);
        from_fn_puts_each_value_at_its_index(layout, [7]);
        from_fn_puts_each_value_at_its_index(layout, [3, 4]);
        from_fn_puts_each_value_at_its_index(layout, [2, 3, 4]);
        from_fn_puts_each_value_at_its_index(layout, [2, 1, 3, 2]);
        from_fn_puts_each_value_at_its_index(layout, [2, 3, 1, 2, 2]);
        from_fn_puts_each_value_at_its_index(layout, [2, 3, 2, 1, 2, 3]);
        from_fn_puts_each_value_at_its_index(layout, [0]);
        from_fn_puts_each_value_at_its_index(layout, [3, 0, 2]);
    }
    ranks(Right);
    ranks(Left);
    ranks(Stride);
}

#[test]
fn zeros_are_zero_and_aligned() {
    for len in [0, 1, 63, 64, 65, 100_000] {
        let view = View::<u8, 1>::zeros("v", [len]).unwrap();
        assert!(view.iter().all(|&byte| byte == 0));
        assert_eq!(view.raw().pointer() as usize % ALIGNMENT, 0);
    }
    assert_eq!(View::<f64, 0>::zeros("v", []).unwrap().value(), 0.0);
    assert_eq!(View::<char, 1>::zeros("v", [2]).unwrap().to_vec(), ['\0', '\0']);
}

#[test]
fn over_aligned_elements_are_aligned() {
    #[derive(Clone, Copy, Debug, PartialEq, spelt_core::Element)]
    #[element(crate = "spelt_core")]
    #[repr(align(256))]
    struct Wide(u8);
    let view = View::from_fn("v", [3], |[i]| Wide(i as u8)).unwrap();
    assert_eq!(view.raw().pointer() as usize % 256, 0);
    assert_eq!(view.into_vec(), [Wide(0), Wide(1), Wide(2)]);
}

#[test]
fn elements_without_bytes() {
    let view = View::<(), 2>::zeros("v", [3, 1 << 40]).unwrap();
    assert_eq!((view.len(), view.size_bytes()), (3 << 40, 0));
    assert_eq!(view[[2, (1 << 40) - 1]], ());
    assert!(view.get([3, 0]).is_none());
    assert_eq!(View::<(), 1>::zeros("v", [usize::MAX]).unwrap_err().kind(), ErrorKind::Overflow);
    let vec = View::from_vec("v", [4], vec![(); 4]).unwrap().into_vec();
    assert_eq!(vec.len(), 4);
}

#[test]
fn sizes_that_do_not_fit() {
    for extents in [[1 << 33, 1 << 31], [usize::MAX, 2], [0, usize::MAX], [1 << 62, 1]] {
        let error = View::<f64, 2>::zeros("big", extents).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Overflow, "{error}");
        let message = error.to_string();
        assert!(message.contains("`big`") && message.contains(&format!("{extents:?}")), "{message}");
    }
    let error = View::<u8, 1>::zeros("huge", [isize::MAX as usize]).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::OutOfMemory);
    assert!(error.to_string().contains("`huge`"), "{error}");
}

#[test]
fn a_panicking_initialiser_frees() {
    let message = panic_message(|| {
        let _ = View::from_fn("v", [1 << 16], |[i]| if i == 1000 { panic!("stop") } else { i });
    });
    assert_eq!(message, "stop");
}

#[test]
fn vectors_come_and_go_without_a_copy() {
    let mut vec = Vec::with_capacity(100);
    vec.extend(0..6);
    let place = vec.as_ptr();
    let view = View::from_vec("v", [2, 3], vec).unwrap();
    assert_eq!(view.raw().pointer().cast_const(), place);
    assert_eq!(view[[1, 0]], 3);
    let vec = view.into_vec();
    assert_eq!((vec.as_ptr(), vec.capacity(), &vec[..]), (place, 100, &[0, 1, 2, 3, 4, 5][..]));

    let left = View::from_vec_in(Left, "v", [2, 3], vec).unwrap();
    assert_eq!(left[[1, 0]], 1);
    assert_eq!(View::from_fn("v", [3], |[i]| i).unwrap().into_vec(), [0, 1, 2]);
    assert!(View::<i32, 1>::from_vec("v", [0], vec![]).unwrap().into_vec().is_empty());

    // Bytes have the alignment of any block, but not its start.
    for len in 1..100 {
        let vec = View::from_fn("v", [len], |[i]| i as u8).unwrap().into_vec();
        assert!(vec.len() == len && vec.iter().enumerate().all(|(i, &byte)| byte == i as u8));
    }
    // Words have another alignment: their blocks are not those of a `Vec`, even if they begin at the block's start.
    for len in 1..100 {
        let view = View::from_fn("v", [len], |[i]| i as u32).unwrap();
        let place = view.raw().pointer().cast_const();
        let vec = view.into_vec();
        assert_ne!(vec.as_ptr(), place);
    }

    let error = View::from_vec("v", [2, 2], vec![1, 2, 3]).unwrap_err();
    assert_eq!(error.to_string(), "view `v`: the extents [2, 2] take 4 elements, but there are 3");
    assert_eq!(error.kind(), ErrorKind::Extents);
}

#[test]
fn slices_are_borrowed_where_they_lie() {
    let mut numbers = [1, 2, 3, 4, 5, 6];
    assert_eq!(ViewRef::from(&numbers[..])[4], 5);
    assert_eq!(ViewRef::from_slice_in(Left, [2, 3], &numbers).unwrap()[[1, 0]], 2);
    assert_eq!(ViewRef::from(&numbers)[5], 6);
    assert_eq!(ViewRef::from(&vec![1, 2]).to_vec(), [1, 2]);
    ViewMut::from(&mut numbers)[0] = 9;
    ViewMut::from(&mut numbers[..])[0] += 1;
    ViewMut::from_slice([3, 2], &mut numbers).unwrap()[[2, 1]] = 60;
    assert_eq!(numbers, [10, 2, 3, 4, 5, 60]);
    assert_eq!(ViewRef::from_slice([4], &numbers).unwrap_err().kind(), ErrorKind::Extents);
    assert_eq!(ViewMut::from_slice([4], &mut numbers).unwrap_err().kind(), ErrorKind::Extents);
}

#[test]
fn strides_of_ones_own_stay_in_the_slice_and_apart() {
    let mut numbers: Vec<i32> = (0..12).collect();
    let extents = [2, 3];
    let fits = |strides| ViewRef::from_strided(extents, strides, &(0..12).collect::<Vec<i32>>()).is_ok();
    assert!(fits([3, 1]) && fits([0, 0]) && fits([1, 5]) && fits([9, 1]));
    assert!(!fits([10, 1]) && !fits([1, 6]) && !fits([usize::MAX, 2]));
    let mut apart = |strides| match ViewMut::from_strided(extents, strides, &mut numbers) {
        Ok(_) => None,
        Err(error) => Some(error.kind()),
    };
    assert_eq!(apart([3, 1]), None);
    assert_eq!(apart([1, 2]), None);
    assert_eq!(apart([1, 5]), None);
    assert_eq!(apart([0, 1]), Some(ErrorKind::Layout));
    assert_eq!(apart([2, 1]), Some(ErrorKind::Layout));
    assert_eq!(apart([1, 1]), Some(ErrorKind::Layout));
    assert_eq!(apart([20, 1]), Some(ErrorKind::Extents));
    // One index or none has no neighbour to run into.
    assert!(ViewMut::from_strided([1, 3], [0, 1], &mut numbers).is_ok());
    assert!(ViewMut::from_strided([0, 3], [0, 0], &mut numbers).is_ok());
}

#[test]
fn resize_keeps_the_common_box() {
    fn check<L: Layout>(layout: L) {
        for new in [[3, 4, 2], [2, 5, 3], [4, 1, 3], [0, 4, 2], [3, 4, 5]] {
            let old = [3, 4, 2];
            let mut view = View::from_fn_in(layout, "v", old, mark).unwrap();
            view.resize(new).unwrap();
            assert_eq!((view.extents(), view.label()), (new, "v"));
            for index in indices(new) {
                let common = (0..3).all(|d| index[d] < old[d]);
                assert_eq!(view[index], if common { mark(index) } else { 0 });
            }
        }
    }
    check(Right);
    check(Left);
    check(Stride);
    let mut view = View::from_fn("v", [4], |[i]| i).unwrap();
    assert_eq!(view.resize([usize::MAX]).unwrap_err().kind(), ErrorKind::Overflow);
    assert_eq!(view.to_vec(), [0, 1, 2, 3]);
    let place = view.raw().pointer();
    view.realloc([4]).unwrap();
    assert_eq!((view.raw().pointer(), view.to_vec()), (place, vec![0; 4]));
    view.realloc([2]).unwrap();
    assert_eq!(view.to_vec(), [0, 0]);
}
