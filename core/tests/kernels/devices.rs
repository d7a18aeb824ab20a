//! One reduction over several devices, and over the host and devices, has the bits of one launch.
//!
//! The test runs itself on the emulator with 1, 2 and 3 devices; on a machine with devices, on those that there are.

use std::process::Command;

use spelt_core::reducers::{MinLoc, MinLocValue, Sum};
use spelt_core::{
    Cuda, ErrorKind, ExecutionSpace, Idx, Part, Result, View, deep_copy, parallel_for, parallel_reduce,
    reduce_shares,
};

use crate::{device, host, noise};

/// The variable that has the number of the emulator's devices.
const DEVICES: &str = "SPELT_EMULATOR_DEVICES";
/// Set in a process that has as many devices as a test asked for.
const CHILD: &str = "SPELT_TEST_CHILD";

/// Runs `test` on all devices, in processes with 1, 2 and 3 of them if the emulator is there.
fn with_devices(name: &str, test: impl Fn(&[Cuda])) {
    let Some(space) = device() else { return };
    if std::env::var_os(CHILD).is_some() || !space.configuration().contains("which is the emulator") {
        return test(&Cuda::all().unwrap());
    }
    for count in 1..=3 {
        let mut child = Command::new(std::env::current_exe().unwrap());
        child.args(["--exact", &format!("devices::{name}")]).env(CHILD, "1").env(DEVICES, count.to_string());
        let output = child.output().unwrap();
        let text = String::from_utf8_lossy(&output.stdout);
        assert!(
            output.status.success() && text.contains("1 passed"),
            "{count} devices: {text}{}",
            String::from_utf8_lossy(&output.stderr)
        );
    }
}

/// The part of a share's sum, from the share's own elements.
fn extend<S: ExecutionSpace>(
    space: &S,
    x: &View<f64, 1, S::Memory>,
    begin: usize,
    part: &mut Part<Sum<f64>>,
    iterations: core::ops::Range<usize>,
) -> Result<()> {
    let policy = space.range(iterations.start - begin..iterations.end - begin);
    part.reduce("sum", policy, x, move |i, sum, x| *sum += x[i])
}

fn cuts(n: usize, shares: usize, seed: usize) -> Vec<usize> {
    let random = |k: usize| ((noise(100 * seed + k) + 1.0) / 2.0 * n as f64) as usize;
    let mut cuts: Vec<usize> = match seed {
        // Even, with empty shares, and inside one tile.
        0 => (1..shares).map(|k| n * k / shares).collect(),
        1 => vec![n / 3; shares - 1],
        2 => (1..shares).map(|k| (10 * k).min(n)).collect(),
        _ => (1..shares).map(random).collect(),
    };
    cuts.extend([0, n]);
    cuts.sort_unstable();
    cuts
}

#[test]
fn one_sum_of_several_devices_and_the_host() {
    with_devices("one_sum_of_several_devices_and_the_host", |devices| {
        let tile = Part::<Sum<f64>>::TILE;
        for n in [0, 1, tile - 1, 3 * tile, 9 * tile + 77] {
            let x = View::from_fn("x", [n], |[i]| noise(i)).unwrap();
            let reduced = parallel_reduce(
                "sum",
                host().range(0..n),
                &x,
                move |i, sum, x| *sum += x[i],
                Sum::<f64>::new(),
            );
            let expected = reduced.unwrap().to_bits();
            for (seed, with_host) in (0..5).flat_map(|seed| [(seed, false), (seed, true)]) {
                let cuts = cuts(n, devices.len() + usize::from(with_host), seed);
                let own: Vec<_> =
                    cuts.windows(2).map(|cut| x.subview(cut[0]..cut[1]).to_host().unwrap()).collect();
                let there: Vec<_> =
                    devices.iter().zip(&own).map(|(space, own)| own.to_space(space).unwrap()).collect();
                let sum =
                    reduce_shares(&cuts, Sum::<f64>::new(), |k, part, iterations| match devices.get(k) {
                        Some(space) => extend(space, &there[k], cuts[k], part, iterations),
                        None => extend(&host(), &own[k], cuts[k], part, iterations),
                    });
                assert_eq!(sum.unwrap().to_bits(), expected, "{n}: {cuts:?} on {} devices", devices.len());
            }
        }
    });
}

/// A reducer that finds a place: the indices are those of the whole.
#[test]
fn one_minimum_of_several_devices() {
    with_devices("one_minimum_of_several_devices", |devices| {
        let n = 20_000;
        let cuts = cuts(n, devices.len(), 3);
        let closure = move |i: Idx<'_, 1>, least: &mut MinLocValue<f64>, ()| {
            least.update((i.get() * 7919 % 20_011) as f64, i.get());
        };
        let least = reduce_shares(&cuts, MinLoc::<f64>::new(), |k, part, iterations| {
            part.reduce("least", devices[k].range(iterations), (), closure)
        });
        let whole = parallel_reduce("least", host().range(0..n), (), closure, MinLoc::<f64>::new());
        assert_eq!(least.unwrap(), whole.unwrap());
    });
}

/// Kernels of one device follow a copy from another without a wait, and the View of another device is refused.
#[test]
fn kernels_use_what_another_device_has_written() {
    with_devices("kernels_use_what_another_device_has_written", |devices| {
        let n = 3000;
        let (first, last) = (&devices[0], &devices[devices.len() - 1]);
        let mut x = first.zeros::<u64, 1>("x", [n]).unwrap();
        let mut y = last.zeros::<u64, 1>("y", [n]).unwrap();
        for _ in 0..5 {
            parallel_for("add", first.range(0..n), &mut x, move |i, mut x| x[i] += i.get() as u64).unwrap();
            deep_copy(&mut y, &x).unwrap();
            parallel_for("double", last.range(0..n), &mut y, move |i, mut y| y[i] *= 2).unwrap();
            deep_copy(&mut x, &y).unwrap();
        }
        // 2 + 4 + 8 + 16 + 32
        let wanted: Vec<u64> = (0..n as u64).map(|i| 62 * i).collect();
        assert_eq!(x.to_host().unwrap().to_vec(), wanted);
        if devices.len() > 1 {
            let foreign = parallel_for("foreign", first.range(0..n), &mut y, move |i, mut y| y[i] = 0);
            let error = foreign.unwrap_err();
            assert_eq!((error.kind(), error.kernel()), (ErrorKind::Device, Some("foreign")));
            assert!(error.to_string().contains("view `y` lies on device"), "{error}");
            first.fence().unwrap();
            assert_eq!(y.to_host().unwrap().to_vec(), wanted);
        }
    });
}

/// A device on which a kernel has panicked leaves the others as they were.
#[test]
fn a_failure_is_of_one_device() {
    with_devices("a_failure_is_of_one_device", |devices| {
        let [first, rest @ ..] = devices else { unreachable!() };
        parallel_for("panic", first.range(0..1), (), move |_, ()| panic!("as it was asked to")).unwrap_or(());
        let error = first.fence().unwrap_err();
        assert!(error.to_string().contains("as it was asked to"), "{error}");
        for space in rest {
            let mut x = space.zeros::<u32, 1>("x", [9]).unwrap();
            parallel_for("set", space.range(0..9), &mut x, move |i, mut x| x[i] = 7).unwrap();
            assert_eq!(x.to_host().unwrap().to_vec(), [7; 9]);
        }
    });
}
