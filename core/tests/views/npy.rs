//! `.npy`: round trips, files as NumPy writes them, and malformed ones.

use std::path::PathBuf;

use proptest::prelude::*;
use spelt_core::subview::Steps;
use spelt_core::{ErrorKind, HostSpace, Layout, Left, NpyElement, Right, Stride, View};

use crate::oracle::mark;

/// A file with this header text behind `version`, then `data`.
fn file(version: [u8; 2], text: &str, data: &[u8]) -> Vec<u8> {
    let length = u32::try_from(text.len()).unwrap().to_le_bytes();
    let length = if version[0] == 1 { &length[..2] } else { &length[..] };
    [&b"\x93NUMPY"[..], &version, length, text.as_bytes(), data].concat()
}

fn round_trip<T, const R: usize, L1, L2>(
    written: L1,
    read: L2,
    extents: [usize; R],
    value: impl Fn([usize; R]) -> T,
) where
    T: NpyElement + PartialEq + std::fmt::Debug,
    L1: Layout,
    L2: Layout,
{
    let view = View::from_fn_in(written, "v", extents, value).unwrap();
    let mut bytes = Vec::new();
    view.write_npy_to(&mut bytes).unwrap();
    assert_eq!((bytes.len() - view.size_bytes()) % 64, 0);
    let back = View::<T, R, HostSpace, L2>::read_npy_from("back", &bytes[..]).unwrap();
    let _ = read;
    assert_eq!(back, view);
    assert_eq!(back.label(), "back");
}

proptest! {
    #![proptest_config(crate::oracle::cases(32))]

    #[test]
    fn what_is_written_is_read(extents in prop::array::uniform3(0..6_usize)) {
        round_trip(Right, Right, extents, mark);
        round_trip(Right, Left, extents, mark);
        round_trip(Left, Right, extents, mark);
        round_trip(Left, Left, extents, mark);
        round_trip(Stride, Left, extents, mark);
        round_trip(Left, Stride, extents, mark);
    }

    #[test]
    fn no_bytes_do_harm(bytes in prop::collection::vec(any::<u8>(), 0..40), cut in 0..200_usize) {
        let _ = View::<f32, 1>::read_npy_from("v", &bytes[..]);
        let good = file([1, 0], "{'descr': '<f4', 'fortran_order': False, 'shape': (3,), }", &[0; 12]);
        // Cut anywhere it is malformed; with other bytes in the middle it may be anything but a panic.
        let cut = cut.min(good.len() - 1);
        prop_assert_eq!(View::<f32, 1>::read_npy_from("v", &good[..cut]).unwrap_err().kind(), ErrorKind::Format);
        let mut spoilt = good.clone();
        for (place, &byte) in bytes.iter().enumerate() {
            spoilt[(cut + 7 * place) % good.len()] = byte;
        }
        let _ = View::<f32, 1>::read_npy_from("v", &spoilt[..]);
    }
}

#[test]
fn every_element_type() {
    round_trip(Right, Right, [3], |[i]| i == 1);
    round_trip(Right, Right, [3], |[i]| i as i8 - 1);
    round_trip(Right, Right, [3], |[i]| i as u8);
    round_trip(Right, Right, [3], |[i]| i as i16 - 1);
    round_trip(Right, Right, [3], |[i]| u16::MAX - i as u16);
    round_trip(Right, Right, [3], |[i]| i as i32 - 1);
    round_trip(Right, Right, [3], |[i]| u32::MAX - i as u32);
    round_trip(Right, Right, [3], |[i]| i64::MIN + i as i64);
    round_trip(Right, Right, [3], |[i]| usize::MAX - i);
    round_trip(Right, Right, [], |[]| -0.5_f32);
    round_trip(Right, Right, [if cfg!(miri) { 300 } else { 30_000 }], |[i]| 1.0 / (i + 1) as f64);
    #[cfg(feature = "half")]
    round_trip(Right, Left, [3, 2], |[i, j]| half::f16::from_f32(i as f32 - j as f32));
    #[cfg(feature = "num-complex")]
    round_trip(Left, Right, [3, 2], |[i, j]| num_complex::Complex::new(i as f32, j as f32));
}

#[test]
fn the_bytes_are_numpys() {
    // np.save of np.array([[1, 2, 3], [4, 5, 6]], dtype='<i2'), by NumPy 2.
    let mut golden =
        b"\x93NUMPY\x01\x00v\x00{'descr': '<i2', 'fortran_order': False, 'shape': (2, 3), }".to_vec();
    golden.resize(127, b' ');
    golden.push(b'\n');
    golden.extend([1, 0, 2, 0, 3, 0, 4, 0, 5, 0, 6, 0]);
    let view = View::from_vec("v", [2, 3], vec![1_i16, 2, 3, 4, 5, 6]).unwrap();
    let mut bytes = Vec::new();
    view.write_npy_to(&mut bytes).unwrap();
    assert_eq!(bytes, golden);
    assert_eq!(View::<i16, 2>::read_npy_from("v", &golden[..]).unwrap(), view);
    // A Left View is written in its own order, a part in that of its indices.
    bytes.clear();
    view.to_layout(Left).unwrap().write_npy_to(&mut bytes).unwrap();
    assert!(bytes.windows(21).any(|window| window == b"'fortran_order': True"));
    assert_eq!(bytes[128..], [1, 0, 4, 0, 2, 0, 5, 0, 3, 0, 6, 0]);
    bytes.clear();
    view.subview((1, (0..3).step(2))).write_npy_to(&mut bytes).unwrap();
    assert_eq!(bytes[128..], [4, 0, 6, 0]);
}

/// NumPy calls an array that has both orders `False`, and so does Spelt.
#[test]
fn extents_of_one_and_zero_are_written_as_row_major() {
    for extents in [[1, 3], [3, 1], [1, 1], [0, 3], [3, 0]] {
        let view = View::from_fn_in(Left, "v", extents, mark).unwrap();
        let mut bytes = Vec::new();
        view.write_npy_to(&mut bytes).unwrap();
        assert!(bytes.windows(22).any(|window| window == b"'fortran_order': False"), "{extents:?}");
        let elements: Vec<u8> = view.iter().flat_map(|element| element.to_le_bytes()).collect();
        assert_eq!(bytes[128..], elements, "{extents:?}");
    }
    // Files that say `True` are read the same.
    let fortran = file([1, 0], "{'descr': '|u1', 'fortran_order': True, 'shape': (3, 1), }", &[1, 2, 3]);
    assert_eq!(View::<u8, 2>::read_npy_from("v", &fortran[..]).unwrap().to_vec(), [1, 2, 3]);
    let scalar = file([1, 0], "{'descr': '|u1', 'fortran_order': True, 'shape': (), }", &[4]);
    assert_eq!(View::<u8, 0, HostSpace, Left>::read_npy_from("v", &scalar[..]).unwrap().value(), 4);
}

#[test]
fn other_byte_orders_orders_and_versions() {
    let big = file(
        [1, 0],
        "{'descr': '>f4', 'fortran_order': False, 'shape': (2,), }\n",
        &[0x3f, 0x80, 0, 0, 0xc0, 0, 0, 0],
    );
    assert_eq!(View::<f32, 1>::read_npy_from("v", &big[..]).unwrap().to_vec(), [1.0, -2.0]);
    let fortran = "{'descr': '|u1', 'fortran_order': True, 'shape': (2, 3), }";
    for version in [[1, 0], [2, 0], [3, 0]] {
        let bytes = file(version, fortran, &[1, 4, 2, 5, 3, 6]);
        assert_eq!(View::<u8, 2>::read_npy_from("v", &bytes[..]).unwrap().to_vec(), [1, 2, 3, 4, 5, 6]);
        let left = View::<u8, 2, HostSpace, Left>::read_npy_from("v", &bytes[..]).unwrap();
        assert_eq!(left.as_slice().unwrap(), [1, 4, 2, 5, 3, 6]);
    }
    // Python allows other quotes, other orders, no last comma, and Python 2 wrote an L.
    let odd = file([1, 0], "{\"shape\":(2L,) ,\"descr\":\"=u1\",'fortran_order':False}  \n", &[7, 8]);
    assert_eq!(View::<u8, 1>::read_npy_from("v", &odd[..]).unwrap().to_vec(), [7, 8]);
    let scalar = file([1, 0], "{'descr': '<u2', 'fortran_order': False, 'shape': ()}", &[1, 2]);
    assert_eq!(View::<u16, 0>::read_npy_from("v", &scalar[..]).unwrap().value(), 0x201);
}

#[track_caller]
fn refused(bytes: &[u8], kind: ErrorKind, says: &[&str]) {
    let error = View::<f32, 2>::read_npy_from("x", bytes).unwrap_err();
    let message = error.to_string();
    assert_eq!(error.kind(), kind, "{message}");
    for part in says {
        assert!(message.contains(part), "`{part}` is not in: {message}");
    }
}

#[test]
fn malformed_files_are_refused_with_the_reason() {
    let format = ErrorKind::Format;
    let header = |text: &str| file([1, 0], text, &[0; 24]);
    refused(b"", format, &["npy `x`", "header ends too early"]);
    refused(b"\x93NUMPX\x01\x00v\x00", format, &["magic string"]);
    refused(b"PK\x03\x04 an archive of arrays", format, &["magic string"]);
    refused(&file([4, 0], "", &[]), format, &["version 4.0"]);
    refused(b"\x93NUMPY\x02\x00\xff\xff\xff\xff", format, &["header is 4294967295 bytes long"]);
    refused(b"\x93NUMPY\x01\x00\xff\x00{'descr'", format, &["header ends too early"]);
    refused(b"\x93NUMPY\x03\x00\x02\x00\x00\x00\xff\xfe", format, &["not text"]);
    refused(b"\x93NUMPY\x01\x00\x02\x00\xff\xfe", format, &["found `\u{ff}` instead of"]);
    refused(&header("['descr']"), format, &["malformed", "found `[` instead of `{`"]);
    refused(&header(""), format, &["it ends where `{` is expected"]);
    refused(&header("{'descr': '<f4', 'shape': (2, 3)}"), format, &["no entry `fortran_order`"]);
    refused(&header("{'descr': '<f4', 'descr': '<f4'}"), format, &["two entries `descr`"]);
    refused(&header("{'extra': 1}"), format, &["an entry `extra`"]);
    refused(&header("{'descr': '<f4"), format, &["no end"]);
    refused(&header("{'descr': 'f4'}"), format, &["`f4` is not an element type"]);
    refused(&header("{'descr': '<f+4'}"), format, &["`<f+4` is not an element type"]);
    refused(&header("{'descr': '|f4'}"), format, &["`|f4` is not an element type"]);
    refused(&header("{'descr': '<M8[ns]'}"), format, &["`<M8[ns]` is not an element type"]);
    refused(&header("{'descr': [('a', '<f4')]}"), format, &["records"]);
    refused(&header("{'fortran_order': 0}"), format, &["neither True nor False"]);
    refused(&header("{'shape': (6)}"), format, &["not a tuple"]);
    refused(&header("{'shape': 6}"), format, &["found `6` instead of `(`"]);
    refused(&header("{'shape': (-2, 3)}"), format, &["an extent of `shape` is not a number"]);
    refused(
        &header("{'shape': (2, 99999999999999999999999)}"),
        format,
        &["an extent of `shape` is not a number"],
    );
    let good = "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }";
    refused(&header(&format!("{good} x")), format, &["followed by"]);
    refused(&file([1, 0], good, &[0; 23]), format, &["elements end too early", "24 bytes"]);
    let huge = "{'descr': '<f4', 'fortran_order': False, 'shape': (4294967296, 4294967296), }";
    refused(&header(huge), ErrorKind::Overflow, &["`x`", "[4294967296, 4294967296]"]);
    let zero = "{'descr': '<f4', 'fortran_order': False, 'shape': (0, 18446744073709551615), }";
    refused(&header(zero), ErrorKind::Overflow, &["`x`"]);
    let truth = file([1, 0], "{'descr': '|b1', 'fortran_order': False, 'shape': (2,), }", &[1, 2]);
    let error = View::<bool, 1>::read_npy_from("x", &truth[..]).unwrap_err();
    assert_eq!((error.kind(), error.to_string().contains("element 1")), (format, true), "{error}");
}

#[test]
fn another_type_or_rank_names_both() {
    let says = |descr: &str, shape: &str| {
        let text = format!("{{'descr': '{descr}', 'fortran_order': False, 'shape': {shape}, }}");
        View::<f32, 2>::read_npy_from("x", &file([1, 0], &text, &[0; 64])[..]).unwrap_err().to_string()
    };
    assert_eq!(says("<f8", "(2, 3)"), "npy `x`: it holds f64 of rank 2, but f32 was asked for");
    assert_eq!(says("<c8", "(2, 3)"), "npy `x`: it holds complex64 of rank 2, but f32 was asked for");
    assert_eq!(says("|O", "(2, 3)"), "npy `x`: it holds Python objects of rank 2, but f32 was asked for");
    assert_eq!(says("|b1", "(2,)"), "npy `x`: it holds bool of rank 1, but f32 was asked for");
    assert_eq!(says("<U7", "()"), "npy `x`: it holds NumPy's `U7` of rank 0, but f32 was asked for");
    assert_eq!(
        says("<f4", "(2, 3, 1)"),
        "npy `x`: it holds f32 of rank 3, shape [2, 3, 1], but f32 of rank 2 was asked for"
    );
}

/// A folder that goes away.
struct Folder(PathBuf);
impl Folder {
    fn new(name: &str) -> Self {
        let folder = std::env::temp_dir().join(format!("spelt-npy-{}-{name}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        Self(folder)
    }
    fn files(&self) -> Vec<String> {
        let files = std::fs::read_dir(&self.0).unwrap();
        files.map(|file| file.unwrap().file_name().into_string().unwrap()).collect()
    }
}
impl Drop for Folder {
    fn drop(&mut self) {
        std::fs::remove_dir_all(&self.0).unwrap();
    }
}

#[test]
#[cfg_attr(miri, ignore = "Miri has no file system")]
fn files_are_read_whole_and_replaced_whole() {
    let folder = Folder::new("whole");
    let path = folder.0.join("speed.npy");
    let first = View::from_fn("a", [2, 3], |[i, j]| (i + j) as f32).unwrap();
    first.write_npy(&path).unwrap();
    let back = View::<f32, 2>::read_npy(&path).unwrap();
    assert_eq!((back.label(), &back), ("speed", &first));
    View::<f32, 2>::zeros("b", [1, 1]).unwrap().write_npy(&path).unwrap();
    assert_eq!(View::<f32, 2>::read_npy(&path).unwrap().to_vec(), [0.0]);
    assert_eq!(folder.files(), ["speed.npy"]);

    let mut bytes = std::fs::read(&path).unwrap();
    bytes.push(0);
    std::fs::write(&path, bytes).unwrap();
    let error = View::<f32, 2>::read_npy(&path).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Format);
    assert!(error.to_string().contains("behind the last element"), "{error}");

    let missing = folder.0.join("missing").join("a.npy");
    assert_eq!(first.write_npy(&missing).unwrap_err().kind(), ErrorKind::Io);
    let error = View::<f32, 2>::read_npy(&missing).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Io);
    assert!(error.to_string().contains("a.npy") && std::error::Error::source(&error).is_some(), "{error}");
}

#[test]
#[cfg_attr(miri, ignore = "Miri has no file system")]
fn a_failed_write_leaves_what_was_there() {
    let folder = Folder::new("failed");
    // A folder cannot be replaced by a file: writing fails at its very end.
    let path = folder.0.join("a.npy");
    std::fs::create_dir(&path).unwrap();
    std::fs::write(path.join("kept"), "kept").unwrap();
    let view = View::<f32, 2>::zeros("b", [1, 1]).unwrap();
    assert_eq!(view.write_npy(&path).unwrap_err().kind(), ErrorKind::Io);
    assert_eq!(folder.files(), ["a.npy"]);
    assert!(path.join("kept").exists());
}

#[test]
fn a_writer_that_fails_is_reported() {
    struct Full;
    impl std::io::Write for Full {
        fn write(&mut self, _: &[u8]) -> std::io::Result<usize> {
            Err(std::io::ErrorKind::StorageFull.into())
        }
        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }
    let view = View::<f32, 2>::zeros("b", [1, 1]).unwrap();
    assert_eq!(view.write_npy_to(Full).unwrap_err().kind(), ErrorKind::Io);
}

/// A file for one test.
fn path_of(test: &str) -> PathBuf {
    std::env::temp_dir().join(format!("spelt-npy-rows-{test}-{}.npy", std::process::id()))
}

fn rows_of<L1: Layout, L2: Layout>(test: &str, file: L1, read: L2) {
    let path = path_of(test);
    for extents in [[5, 3, 2], [1, 4, 1], [4, 0, 2], [0, 2, 2]] {
        let view = View::from_fn_in(file, "v", extents, |index: [usize; 3]| mark(index) as f64).unwrap();
        view.write_npy(&path).unwrap();
        assert_eq!(View::<f64, 3>::npy_extents(&path).unwrap(), extents);
        for first in 0..=extents[0] {
            for past in first..=extents[0] {
                let rows = View::<f64, 3, HostSpace, L2>::read_npy_rows(&path, first..past).unwrap();
                let _ = read;
                let [_, columns, layers] = extents;
                let wanted = View::from_fn("wanted", [past - first, columns, layers], |[i, j, k]| {
                    mark([first + i, j, k]) as f64
                });
                assert_eq!(rows, wanted.unwrap(), "{first}..{past} of {extents:?}");
            }
        }
    }
    std::fs::remove_file(path).unwrap();
}

#[test]
fn rows_are_read_from_both_orders_into_all_layouts() {
    rows_of("rr", Right, Right);
    rows_of("rl", Right, Left);
    rows_of("lr", Left, Right);
    rows_of("ll", Left, Left);
    rows_of("ls", Left, Stride);
}

#[test]
fn rows_are_written_in_any_order() {
    let path = path_of("written");
    let whole = View::from_fn("whole", [9, 2], |index: [usize; 2]| mark(index) as i32).unwrap();
    View::<i32, 2>::create_npy(&path, [9, 2]).unwrap();
    for rows in [4..9, 0..1, 1..4, 9..9] {
        let part = whole.subview((rows.clone(), ..)).to_layout(Left).unwrap();
        part.write_npy_rows(&path, rows.start).unwrap();
    }
    assert_eq!(View::<i32, 2>::read_npy(&path).unwrap(), whole);
    let mut bytes = Vec::new();
    whole.write_npy_to(&mut bytes).unwrap();
    assert_eq!(std::fs::read(&path).unwrap(), bytes, "the file is that of the whole");

    let part = View::<i32, 2>::zeros("part", [2, 2]).unwrap();
    let error = part.write_npy_rows(&path, 8).unwrap_err();
    assert!(error.kind() == ErrorKind::Extents && error.to_string().contains("the rows 8..10"), "{error}");
    let error = View::<i32, 2>::read_npy_rows(&path, 3..10).unwrap_err();
    assert!(error.to_string().contains("the extents are [9, 2]"), "{error}");
    for error in [
        View::<i32, 2>::zeros("part", [2, 3]).unwrap().write_npy_rows(&path, 0).unwrap_err(),
        View::<u32, 2>::zeros("part", [2, 2]).unwrap().write_npy_rows(&path, 0).unwrap_err(),
        View::<i32, 1>::read_npy_rows(&path, 0..1).unwrap_err(),
    ] {
        assert_eq!(error.kind(), ErrorKind::Format, "{error}");
    }
    whole.to_layout(Left).unwrap().write_npy(&path).unwrap();
    let error = part.write_npy_rows(&path, 0).unwrap_err().to_string();
    assert!(error.contains("make it by `create_npy`"), "{error}");
    std::fs::remove_file(path).unwrap();
}
