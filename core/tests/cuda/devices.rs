//! Several devices in one process: their Views, and the copies between them.
//!
//! The tests run where the emulator was asked for, each in a separate process with as many devices as it needs.

use std::process::Command;

use spelt_core::{
    Cuda, ErrorKind, ExecutionSpace, Left, Right, View, deep_copy, deep_copy_scalar, parallel_for,
    parallel_reduce, reducers::Sum,
};

/// The variable that has the number of devices in the process of a test.
const DEVICES: &str = "SPELT_EMULATOR_DEVICES";

/// Runs `test` with each number of devices, in the emulator's modes: work is done when it is given, or later, in other orders.
fn with_devices(name: &str, counts: &[usize], test: fn(Vec<Cuda>)) {
    const CHILD: &str = "SPELT_TEST_CHILD";
    if std::env::var(CHILD).is_ok_and(|child| child == name) {
        return test(Cuda::all().expect("the emulator's devices"));
    }
    if crate::space().is_none() || std::env::var_os("SPELT_EMULATOR").is_none() {
        return;
    }
    let this = std::env::current_exe().expect("a test knows its own file");
    for count in counts {
        for seed in ["off", "1", "2", "3", "4", "5"] {
            let mut child = Command::new(&this);
            child.args(["--exact", &format!("devices::{name}")]).env(CHILD, name);
            child.env(DEVICES, count.to_string()).env("CUDA_EMU_DEFER", seed).env("CUDA_EMU_INITCHECK", "1");
            let output = child.output().expect("a test can be started");
            let text = String::from_utf8_lossy(&output.stdout);
            assert!(
                output.status.success() && text.contains("1 passed"),
                "{count} devices, seed {seed}: {text}{}",
                String::from_utf8_lossy(&output.stderr)
            );
        }
    }
}

fn element<const R: usize>(index: [usize; R]) -> u32 {
    index.into_iter().fold(7, |all, index| all * 31 + index as u32)
}

#[test]
fn devices_are_counted() {
    with_devices("devices_are_counted", &[1, 2, 3], |all| {
        let count = std::env::var(DEVICES).unwrap().parse::<usize>().unwrap();
        assert_eq!(Cuda::count().unwrap(), count);
        assert_eq!(all.iter().map(Cuda::device).collect::<Vec<_>>(), (0..count).collect::<Vec<_>>());
        let last = &all[count - 1];
        assert!(last.configuration().contains(&format!("device {} of {count}", count - 1)));
        let error = Cuda::new(count).unwrap_err();
        assert!(error.to_string().contains(&format!("the driver finds {count}")), "{error}");
    });
}

#[test]
fn a_view_of_another_device_is_refused_by_name() {
    with_devices("a_view_of_another_device_is_refused_by_name", &[2, 3], |all| {
        let last = all.len() - 1;
        let here = all[0].zeros::<f64, 1>("here", [4]).unwrap();
        let mut there = all[last].zeros::<f64, 1>("there", [4]).unwrap();
        let foreign = |error: spelt_core::Error, kernel| {
            assert_eq!((error.kind(), error.kernel()), (ErrorKind::Device, Some(kernel)));
            let text = error.to_string();
            let words = format!("view `there` lies on device {last}, and the kernel runs on device 0");
            assert!(text.contains(&words) && text.contains("to_space"), "{text}");
        };
        let read = parallel_for("read", all[0].range(0..4), (&here, &there), move |_, _| {});
        foreign(read.unwrap_err(), "read");
        let written = parallel_for("write", all[0].range(0..4), &mut there, move |i, mut y| y[i] = 1.0);
        foreign(written.unwrap_err(), "write");
        // A part of it, by the check of every element, and by a slab.
        let part = there.subview(1..3);
        foreign(parallel_for("part", all[0].range(0..2), part.lookup(), move |_, _| {}).unwrap_err(), "part");
        let rows = all[last].zeros::<f64, 2>("there", [4, 2]).unwrap();
        let slab = parallel_for("slab", all[0].range(0..4), rows.by_rows(), move |_, _| {});
        foreign(slab.unwrap_err(), "slab");
        let sum = parallel_reduce(
            "sum",
            all[0].range(0..4),
            &there,
            move |i, sum: &mut f64, x| *sum += x[i],
            Sum::<f64>::new(),
        );
        foreign(sum.unwrap_err(), "sum");
        // Nothing has run, and nothing has failed on either device.
        assert_eq!(there.to_host().unwrap().to_vec(), [0.0; 4]);
        let copy = there.to_space(&all[0]).unwrap();
        let own = parallel_for("own", all[0].range(0..4), (&here, &copy), move |_, _| {});
        assert_eq!(own.unwrap_err().kind(), ErrorKind::DeviceCode, "only the device code is missing now");
    });
}

#[test]
fn views_are_copied_to_every_other_device() {
    with_devices("views_are_copied_to_every_other_device", &[2, 3], |all| {
        let host = View::from_fn("host", [6, 5, 4], element).unwrap();
        let expected = host.to_vec();
        for from in &all {
            for to in &all {
                let source = host.to_space(from).unwrap();
                let copy = source.to_space(to).unwrap();
                // A later write to the source waits until it has been read, and a later copy finds what was copied.
                let mut source = source;
                deep_copy_scalar(&mut source, 9).unwrap();
                let back = copy.to_space(from).unwrap();
                drop(copy);
                assert_eq!(back.to_host().unwrap().to_vec(), expected, "{from:?} to {to:?}");
                assert!(source.to_host().unwrap().to_vec().iter().all(|x| *x == 9));

                // In another order: packed on one side, unpacked on the other.
                let mut left = to.zeros_in::<u32, 3, _>(Left, "left", [6, 5, 4]).unwrap();
                deep_copy(&mut left, &back).unwrap();
                assert_eq!(left.to_host().unwrap().to_layout(Right).unwrap().to_vec(), expected);
                let mut right = from.zeros::<u32, 3>("right", [6, 5, 4]).unwrap();
                deep_copy(&mut right, &left).unwrap();
                assert_eq!(right.to_host().unwrap().to_vec(), expected);
            }
        }
    });
}

#[test]
fn parts_of_views_are_copied_between_devices() {
    with_devices("parts_of_views_are_copied_between_devices", &[2], |all| {
        let [one, two] = &all[..] else { unreachable!() };
        let host = View::from_fn("host", [8, 9], element).unwrap();
        let there = host.to_space(one).unwrap();
        let compare = |to: (core::ops::Range<usize>, core::ops::Range<usize>),
                       from: (core::ops::Range<usize>, core::ops::Range<usize>)| {
            let mut target = two.zeros::<u32, 2>("target", [8, 9]).unwrap();
            deep_copy(&mut target.subview_mut(to.clone()), &there.subview(from.clone())).unwrap();
            let mut expected = View::<u32, 2>::zeros("expected", [8, 9]).unwrap();
            deep_copy(&mut expected.subview_mut(to), &host.subview(from)).unwrap();
            assert_eq!(target.to_host().unwrap().to_vec(), expected.to_vec());
        };
        compare((2..5, 0..9), (1..4, 0..9)); // a line on both sides
        compare((0..8, 0..4), (0..8, 5..9)); // none
        compare((3..4, 0..8), (7..8, 1..9)); // one row
        compare((0..8, 2..3), (0..8, 0..1)); // one column
        compare((0..2, 3..9), (6..8, 0..6));
        compare((4..4, 0..9), (0..0, 0..9)); // nothing
        // Gaps on one side only, and a row as a column.
        let mut whole = two.zeros::<u32, 2>("whole", [8, 3]).unwrap();
        deep_copy(&mut whole, &there.subview((.., 4..7))).unwrap();
        let part = host.subview((.., 4..7)).to_host().unwrap();
        assert_eq!(whole.to_host().unwrap().to_vec(), part.to_vec());
        let mut gaps = one.zeros::<u32, 2>("gaps", [8, 9]).unwrap();
        deep_copy(&mut gaps.subview_mut((.., 1..4)), &whole).unwrap();
        assert_eq!(gaps.subview((.., 1..4)).to_host().unwrap().to_vec(), part.to_vec());
        let mut turned = two.zeros::<u32, 2>("turned", [9, 8]).unwrap();
        deep_copy(&mut turned, &there.transposed()).unwrap();
        assert_eq!(turned.to_host().unwrap().to_vec(), host.transposed().to_host().unwrap().to_vec());
        // Elements of a size that no register has.
        let odd = View::from_fn("odd", [5, 4], |index| [element(index); 3]).unwrap();
        let mut back = one.zeros_in::<[u32; 3], 2, _>(Left, "back", [5, 4]).unwrap();
        deep_copy(&mut back, &odd.to_space(two).unwrap()).unwrap();
        assert_eq!(back.to_host().unwrap().to_layout(Right).unwrap().to_vec(), odd.to_vec());
    });
}

/// Without a wait of the host: each copy reads what the one before has written, on another device.
#[test]
fn copies_between_devices_are_ordered() {
    with_devices("copies_between_devices_are_ordered", &[2, 3], |all| {
        let n = 300;
        let mut views: Vec<_> = all.iter().map(|space| space.zeros::<u32, 1>("ring", [n]).unwrap()).collect();
        let host = View::from_fn("host", [n], element).unwrap();
        deep_copy(&mut views[0], &host).unwrap();
        for step in 0..7 * all.len() {
            let (from, to) = (step % all.len(), (step + 1) % all.len());
            let [source, target] = views.get_disjoint_mut([from, to]).unwrap();
            deep_copy(target, source).unwrap();
            // The source is overwritten as soon as it has been read, on another stream of its device.
            let other = all[from].instance().unwrap();
            let mut old = other.zeros::<u32, 1>("old", [n]).unwrap();
            deep_copy_scalar(&mut old, step as u32).unwrap();
            deep_copy(source, &old).unwrap();
        }
        assert_eq!(views[0].to_host().unwrap().to_vec(), host.to_vec());
    });
}

/// Two threads copy in opposite directions: neither waits for the other forever.
#[test]
fn copies_in_both_directions_at_once() {
    with_devices("copies_in_both_directions_at_once", &[2], |all| {
        let [one, two] = &all[..] else { unreachable!() };
        let ping = |from: &Cuda, to: &Cuda| {
            for number in 0..100 {
                let source = from.view_from_fn("source", [40], |[i]| i + number).unwrap();
                assert_eq!(source.to_space(to).unwrap().to_host().unwrap()[39], 39 + number);
            }
        };
        std::thread::scope(|threads| {
            threads.spawn(|| ping(one, two));
            threads.spawn(|| ping(two, one));
        });
    });
}
