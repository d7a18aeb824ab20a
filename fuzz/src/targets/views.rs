//! Sequences of operations on Views of rank 3 beside a model: the list of places that the indices name, last index fastest.

use fastrand::Rng;
use spelt::prelude::*;

use super::Outcome;

/// Where each element of a View lies in the memory of its owner.
#[derive(Clone, Debug)]
struct Model {
    extents: [usize; 3],
    places: Vec<usize>,
}

impl Model {
    fn new(extents: [usize; 3], place: impl Fn([usize; 3]) -> usize) -> Self {
        let [a, b, c] = extents;
        let places = (0..a * b * c)
            .map(|n| place([n / (b * c).max(1), n / c.max(1) % b.max(1), n % c.max(1)]))
            .collect();
        Self { extents, places }
    }

    fn place(&self, [i, j, k]: [usize; 3]) -> usize {
        self.places[(i * self.extents[1] + j) * self.extents[2] + k]
    }

    /// The model after an operation; `None` where it is an error.
    fn after(&self, operation: &Operation) -> Option<Self> {
        let extents = self.extents;
        Some(match *operation {
            Operation::Subview { begin, end, step } => {
                let fits = |d: usize| begin[d] <= end[d] && end[d] <= extents[d] && step[d] > 0;
                if !(0..3).all(fits) {
                    return None;
                }
                let len = core::array::from_fn(|d| (end[d] - begin[d]).div_ceil(step[d]));
                Self::new(len, |at| self.place(core::array::from_fn(|d| begin[d] + at[d] * step[d])))
            }
            Operation::Transposed => {
                Self::new([extents[2], extents[1], extents[0]], |[i, j, k]| self.place([k, j, i]))
            }
            Operation::Permuted(axes) => {
                let mut sorted = axes;
                sorted.sort_unstable();
                if sorted != [0, 1, 2] {
                    return None;
                }
                Self::new(axes.map(|axis| extents[axis]), |at| {
                    let mut from = [0; 3];
                    (0..3).for_each(|d| from[axes[d]] = at[d]);
                    self.place(from)
                })
            }
            Operation::Merged => {
                let merged = Self::new([extents[0] * extents[1], 1, extents[2]], |[n, _, k]| {
                    self.place([n / extents[1], n % extents[1], k])
                });
                // One stride for the merged axis: neighbours along it are equally far apart.
                let steps = |k| (1..merged.extents[0]).map(move |n| (n, k));
                let distance = |(n, k)| merged.place([n, 0, k]).wrapping_sub(merged.place([n - 1, 0, k]));
                let even = extents[2] == 0 || steps(0).all(|at| distance(at) == distance((1, 0)));
                even.then_some(merged)?
            }
            Operation::Split { dimension, at, upper } => {
                let (mut len, mut first) = (extents, [0; 3]);
                len[dimension] = if upper { extents[dimension] - at } else { at };
                first[dimension] = if upper { at } else { 0 };
                Self::new(len, |index| self.place(core::array::from_fn(|d| first[d] + index[d])))
            }
        })
    }
}

#[derive(Clone, Debug)]
enum Operation {
    Subview { begin: [usize; 3], end: [usize; 3], step: [usize; 3] },
    Transposed,
    Permuted([usize; 3]),
    Merged,
    Split { dimension: usize, at: usize, upper: bool },
}

impl Operation {
    fn random(rng: &mut Rng, extents: [usize; 3]) -> Self {
        match rng.u8(..5) {
            0 => {
                // Now and then one beyond the extent, or backwards.
                let begin: [usize; 3] = core::array::from_fn(|d| rng.usize(..=extents[d]));
                let end = core::array::from_fn(|d| match rng.u8(..16) {
                    0 => rng.usize(..extents[d] + 3),
                    _ => rng.usize(begin[d]..=extents[d]),
                });
                Self::Subview { begin, end, step: core::array::from_fn(|_| rng.usize(1..4)) }
            }
            1 => Self::Transposed,
            2 => Self::Permuted(match rng.u8(..16) {
                0 => core::array::from_fn(|_| rng.usize(..4)),
                _ => {
                    let mut axes = [0, 1, 2];
                    rng.shuffle(&mut axes);
                    axes
                }
            }),
            3 => Self::Merged,
            _ => {
                let dimension = rng.usize(..3);
                Self::Split { dimension, at: rng.usize(..=extents[dimension]), upper: rng.bool() }
            }
        }
    }
}

type Ref3<'a> = ViewRef<'a, u32, 3, HostSpace, Stride>;
type Mut3<'a> = ViewMut<'a, u32, 3, HostSpace, Stride>;

pub(crate) fn case(rng: &mut Rng) -> Outcome {
    let extents: [usize; 3] = core::array::from_fn(|_| rng.usize(..7));
    let len: usize = extents.iter().product();
    let [a, b, c] = extents;
    if rng.bool() {
        let mut view = View::from_vec_in(Right, "v", extents, (0..len as u32).collect()).expect("small");
        run(rng, &mut view.view_mut().into_stride(), Model::new(extents, |[i, j, k]| (i * b + j) * c + k));
        compare_memory(&view.into_vec());
    } else {
        let mut view = View::from_vec_in(Left, "v", extents, (0..len as u32).collect()).expect("small");
        run(rng, &mut view.view_mut().into_stride(), Model::new(extents, |[i, j, k]| i + a * (j + b * k)));
        compare_memory(&view.into_vec());
    }
    Outcome::Accepted
}

/// All that `run` writes is the element's own place again, so nothing may have changed.
fn compare_memory(memory: &[u32]) {
    assert!(memory.iter().enumerate().all(|(place, &found)| place == found as usize));
}

/// Compares the View with the model, then continues with the View that the next operation makes.
fn run(rng: &mut Rng, view: &mut Mut3<'_>, model: Model) {
    compare(&view.view(), &model);
    write(view, &model);
    if rng.u8(..6) == 0 {
        return;
    }
    let operation = Operation::random(rng, model.extents);
    let after = model.after(&operation);
    match operation {
        Operation::Subview { begin, end, step } => {
            let slices = (
                (begin[0]..end[0]).step(step[0]),
                (begin[1]..end[1]).step(step[1]),
                (begin[2]..end[2]).step(step[2]),
            );
            go_on(rng, view.try_subview_mut(slices).ok(), after);
        }
        Operation::Transposed => go_on(rng, Some(view.transposed_mut()), after),
        Operation::Permuted([a, b, c]) => go_on(rng, view.regrouped_mut([&[a], &[b], &[c]]).ok(), after),
        Operation::Merged => go_on(rng, view.regrouped_mut([&[0, 1], &[], &[2]]).ok(), after),
        Operation::Split { dimension, at, upper } => {
            let (first, second) = view.view_mut().split_at(dimension, at);
            go_on(rng, Some(if upper { second } else { first }), after);
        }
    }
}

fn go_on(rng: &mut Rng, view: Option<Mut3<'_>>, model: Option<Model>) {
    match (view, model) {
        (Some(mut view), Some(model)) => run(rng, &mut view, model),
        (None, None) => {}
        (view, model) => panic!("the View is {view:?}, the model {model:?}"),
    }
}

fn compare(view: &Ref3<'_>, model: &Model) {
    assert_eq!(view.extents(), model.extents);
    let wanted: Vec<u32> = model.places.iter().map(|&place| place as u32).collect();
    assert_eq!(view.to_vec(), wanted);
    assert!(view.iter().eq(&wanted));
    assert!(view.indexed_iter().all(|(index, &found)| found as usize == model.place(index)));
    for d in 0..3 {
        let mut beyond = [0; 3];
        beyond[d] = model.extents[d];
        assert!(view.get(beyond).is_none());
    }
    let follow = wanted.windows(2).all(|pair| pair[1] == pair[0] + 1);
    if let Some(slice) = view.try_into_layout::<Right>().ok().and_then(|view| view.as_slice()) {
        assert_eq!(slice, wanted);
        assert!(follow || wanted.is_empty());
    }
    assert_eq!(view.to_layout(Left).expect("small").to_vec(), wanted);
    assert_eq!(view.to_layout(Right).expect("small").into_vec(), wanted);
}

/// Writes other numbers through the View, finds them, and puts the first ones back.
fn write(view: &mut Mut3<'_>, model: &Model) {
    view.indexed_iter_mut().for_each(|(index, element)| *element = !(model.place(index) as u32));
    assert!(view.iter().zip(&model.places).all(|(&found, &place)| found == !(place as u32)));
    let copied = View::<u32, 3, HostSpace, Left>::from_fn_in(Left, "copied", model.extents, |at| {
        model.place(at) as u32
    });
    deep_copy(view, &copied.expect("small")).expect("equal extents");
}
