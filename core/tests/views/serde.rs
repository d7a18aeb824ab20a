//! Views through serde.

use spelt_core::{HostSpace, Left, Right, Stride, View, ViewRef};

use crate::oracle::mark;

#[test]
fn what_is_written_is_read() {
    let right = View::from_fn_in(Right, "v", [2, 3], mark).unwrap();
    let left = View::from_fn_in(Left, "v", [2, 3], mark).unwrap();
    let stride = View::from_fn_in(Stride, "v", [2, 3], mark).unwrap();
    for text in [serde_json::to_string(&right), serde_json::to_string(&left), serde_json::to_string(&stride)]
    {
        let text = text.unwrap();
        assert_eq!(serde_json::from_str::<View<u64, 2>>(&text).unwrap(), right);
        assert_eq!(serde_json::from_str::<View<u64, 2, HostSpace, Left>>(&text).unwrap(), right);
        assert_eq!(serde_json::from_str::<View<u64, 2, HostSpace, Stride>>(&text).unwrap(), right);
    }
    let point = View::from_fn("p", [], |[]| 1.5).unwrap();
    assert_eq!(serde_json::from_str::<View<f64, 0>>(&serde_json::to_string(&point).unwrap()).unwrap(), point);
}

/// Where several orders coincide, and where there is nothing to order.
#[test]
fn extents_of_one_and_zero_are_read_in_every_layout() {
    for extents in [[1, 3, 2], [3, 1, 2], [3, 2, 1], [1, 1, 1], [0, 3, 2], [2, 0, 3], [2, 3, 0]] {
        let right = View::from_fn_in(Right, "v", extents, mark).unwrap();
        let left = View::from_fn_in(Left, "v", extents, mark).unwrap();
        let stride = View::from_fn_in(Stride, "v", extents, mark).unwrap();
        let part = right.subview((.., .., ..));
        for text in [
            serde_json::to_string(&right),
            serde_json::to_string(&left),
            serde_json::to_string(&stride),
            serde_json::to_string(&part),
        ] {
            let text = text.unwrap();
            assert_eq!(serde_json::from_str::<View<u64, 3>>(&text).unwrap(), right, "{text}");
            assert_eq!(
                serde_json::from_str::<View<u64, 3, HostSpace, Left>>(&text).unwrap(),
                right,
                "{text}"
            );
            assert_eq!(
                serde_json::from_str::<View<u64, 3, HostSpace, Stride>>(&text).unwrap(),
                right,
                "{text}"
            );
        }
    }
    let point = View::from_fn_in(Left, "p", [], |[]| 1.5).unwrap();
    let text = serde_json::to_string(&point).unwrap();
    assert_eq!(serde_json::from_str::<View<f64, 0, HostSpace, Stride>>(&text).unwrap(), point);
}

#[test]
fn the_form_is_fixed() {
    let left = View::from_fn_in(Left, "v", [2, 2], |[i, j]| 10 * i + j).unwrap();
    assert_eq!(
        serde_json::to_string(&left).unwrap(),
        r#"{"label":"v","extents":[2,2],"layout":"Left","data":[0,10,1,11]}"#
    );
    assert_eq!(
        serde_json::to_string(&left.subview((1, ..))).unwrap(),
        r#"{"label":"v","extents":[2],"layout":"Stride","data":[10,11]}"#
    );
    assert_eq!(
        serde_json::to_string(&ViewRef::from(&[true][..])).unwrap(),
        r#"{"label":"slice","extents":[1],"layout":"Right","data":[true]}"#
    );
}

#[test]
fn what_comes_in_is_checked() {
    let error = |text: &str| serde_json::from_str::<View<u8, 2>>(text).unwrap_err().to_string();
    let says = |text: &str, part: &str| assert!(error(text).contains(part), "{}", error(text));
    says(r#"{"label":"v","extents":[2],"layout":"Right","data":[1,2]}"#, "rank 1, extents [2], but rank 2");
    says(
        r#"{"label":"v","extents":[2,2],"layout":"Right","data":[1,2]}"#,
        "take 4 elements, but there are 2",
    );
    says(r#"{"label":"v","extents":[2,1],"layout":"Up","data":[1,2]}"#, "no layout `Up`");
    says(r#"{"label":"v","extents":[9223372036854775807,4],"layout":"Left","data":[]}"#, "do not fit");
    says(r#"{"label":"v","extents":[2,1],"layout":"Right"}"#, "data");
    says(r#"{"label":"v","extents":[1,1],"layout":"Right","data":[300]}"#, "300");
}
