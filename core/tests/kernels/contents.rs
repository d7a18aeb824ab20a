//! Tools see the same contents of Views after launches on a device and on the host.

use std::sync::Mutex;

use spelt_core::tools::{self, Contents, LaunchEvent, Tool, Unreadable};
use spelt_core::{Element, ExecutionSpace, Left, parallel_fill, parallel_for};

use crate::{device, host, noise};

#[derive(Clone, Copy, Debug, Element)]
#[element(crate = "spelt_core")]
struct Padded {
    small: u8,
    large: f64,
}

/// The Views that the launches of this test have written, as they ended.
static WRITTEN: Mutex<Vec<(String, Result<Contents, Unreadable>)>> = Mutex::new(Vec::new());

struct Written;

impl Tool for Written {
    fn begin_launch(&self, launch: &LaunchEvent<'_>) -> u64 {
        launch.for_each_view(|view| assert_eq!(view.contents().err(), Some(Unreadable::Running)));
        0
    }

    fn end_launch(&self, launch: &LaunchEvent<'_>, _: u64) {
        launch.for_each_view(|view| {
            if view.is_written && launch.label.starts_with("contents: ") {
                WRITTEN.lock().unwrap().push((launch.label.to_owned(), view.contents()));
            }
        });
    }
}

fn launches<S: ExecutionSpace>(space: &S) -> Vec<(String, Result<Contents, Unreadable>)> {
    let uninit = space.uninit::<f64, 1>("filled", [3000]).unwrap();
    parallel_fill("contents: fill", space.range(0..3000), uninit, (), |i, ()| noise(i.get())).unwrap();
    let mut left = space.zeros_in::<u32, 2, _>(Left, "left", [70, 50]).unwrap();
    parallel_for("contents: left", space.md_range([0..70, 0..50]), &mut left, move |i, mut left| {
        let [row, column] = i.index();
        left[i] = (100 * row + column) as u32;
    })
    .unwrap();
    let mut part = left.subview_mut((3..60, 7));
    parallel_for("contents: part", space.range(0..57), &mut part, move |i, mut part| {
        part[i] += i.get() as u32
    })
    .unwrap();
    let mut padded = space.zeros::<Padded, 1>("padded", [1000]).unwrap();
    parallel_for("contents: padded", space.range(0..1000), &mut padded, move |i, mut padded| {
        padded[i] = Padded { small: i.get() as u8, large: 0.5 * i.get() as f64 };
    })
    .unwrap();
    let mut none = space.zeros::<f64, 1>("none", [0]).unwrap();
    parallel_for("contents: none", space.range(0..0), &mut none, move |i, mut none| none[i] = 1.0).unwrap();
    core::mem::take(&mut *WRITTEN.lock().unwrap())
}

#[test]
fn contents_are_those_of_the_host() {
    let Some(space) = device() else { return };
    tools::install("written", Written);
    let wanted = launches(&host());
    assert_eq!(wanted.len(), 5);
    assert_eq!(wanted[2].1.as_ref().unwrap().extents, [57]);
    assert_eq!(wanted[3].1.as_ref().unwrap().bytes.len(), 9000);
    assert_eq!(launches(&space), wanted);
}
