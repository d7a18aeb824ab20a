//! The example `smoothing`: both forms against a naive loop and against each other, and the program's output.

#[path = "../../examples/smoothing/clusters.rs"]
mod clusters;
#[path = "../../examples/smoothing/gauss.rs"]
mod gauss;
#[path = "../../examples/smoothing/quality.rs"]
mod quality;
#[path = "../../examples/smoothing/samples.rs"]
mod samples;

use spelt::prelude::*;

use crate::run::{run, same_everywhere};
use crate::spaces::on_every_space;
use crate::terrain::{self, Terrain};
use clusters::Clusters;
use gauss::Gauss;
use samples::Samples;

/// The width of the Gaussian, in kilometres.
const WIDTH: f32 = 0.3;

/// Samples in the order of their clusters.
fn few() -> (Samples, Clusters) {
    let heights = View::from_fn("hills", [90, 110], |[row, column]| ((row * 7 + column * 3) % 50) as i16);
    let terrain = Terrain::new(&Serial::new(), heights.unwrap()).unwrap();
    let samples = Samples::of(&terrain, 333);
    let clusters = Clusters::of(&samples.places, WIDTH).unwrap();
    (samples.in_order(&clusters.order), clusters)
}

/// The sums around a place by the formula, over places that are not farther than `near`.
fn naive(samples: &Samples, i: usize, near: f64) -> [f64; 2] {
    let place = |i: usize| samples.places[i].map(f64::from);
    let mut sums = [0.0; 2];
    for j in 0..samples.places.len() {
        let distance = (place(i)[0] - place(j)[0]).hypot(place(i)[1] - place(j)[1]);
        if distance <= near {
            let weight = (-0.5 * (distance / f64::from(WIDTH)).powi(2)).exp();
            sums[0] += weight * f64::from(samples.noisy[j]);
            sums[1] += weight;
        }
    }
    sums
}

#[test]
fn sums_are_those_of_the_formula() {
    let (samples, clusters) = few();
    let space = Serial::new();
    let gauss = Gauss::new(&space, &samples, WIDTH).unwrap();
    let (dense, sparse) =
        (gauss.dense(&space, |_| ()).unwrap(), gauss.sparse(&space, &clusters.near).unwrap());
    let smooth = gauss::means(&space, &dense).unwrap();
    for i in 0..samples.places.len() {
        let all = naive(&samples, i, f64::INFINITY);
        // Weights add up to something; heights with noise may cancel out.
        let tolerance = 1e-5 * all[1] * 200.0;
        for (found, expected) in dense[i].iter().zip(all) {
            assert!((f64::from(*found) - expected).abs() < tolerance, "place {i}: {found}, {expected}");
        }
        assert!((f64::from(smooth[i]) - all[0] / all[1]).abs() < 1e-2, "place {i}");
        // All weights within four widths are kept, and nothing is counted twice.
        let near = naive(&samples, i, 4.0 * f64::from(WIDTH))[1];
        let kept = f64::from(sparse[i][1]);
        assert!(
            kept > near - tolerance && kept < all[1] + tolerance,
            "place {i}: {near}, {kept}, {}",
            all[1]
        );
    }
    let pairs = samples.places.len().pow(2) as u128;
    assert!(clusters.near.area() < pairs * 2 / 3, "{} of {pairs} pairs", clusters.near.area());
}

#[test]
fn sums_have_the_same_bits_everywhere() {
    let (samples, clusters) = few();
    let serial = Gauss::new(&Serial::new(), &samples, WIDTH).unwrap();
    let dense = serial.dense(&Serial::new(), |_| ()).unwrap();
    let sparse = serial.sparse(&Serial::new(), &clusters.near).unwrap();
    let error = quality::relative_error(&Serial::new(), &dense, &sparse).unwrap();
    assert!(error > 0.0 && error < 1e-3, "{error}");
    let off = quality::deviation(&Serial::new(), &samples.noisy, &samples.truth).unwrap();
    on_every_space!(|space, name| {
        let gauss = Gauss::new(&space, &samples, WIDTH).unwrap();
        let (all, near) =
            (gauss.dense(&space, |_| ()).unwrap(), gauss.sparse(&space, &clusters.near).unwrap());
        let found = quality::relative_error(&space, &all, &near).unwrap();
        assert_eq!(found.to_bits(), error.to_bits(), "{name}");
        let deviation = quality::deviation(&space, &samples.noisy, &samples.truth).unwrap();
        assert_eq!(deviation.to_bits(), off.to_bits(), "{name}");
        for (found, expected) in [(all, &dense), (near, &sparse)] {
            let bits = |sums: &[f32; 2]| sums.map(f32::to_bits);
            let found = found.to_host().unwrap();
            assert!(found.iter().map(bits).eq(expected.iter().map(bits)), "{name}");
        }
    });
}

#[test]
fn the_program_says_the_same_everywhere() {
    let lines = same_everywhere("smoothing", "--points 700", "smoothing.png");
    assert_eq!(lines[0], "700 heights with noise, smoothed with a Gaussian of width 0.3 km");
    assert_eq!(lines[1], "  442 clusters, 1.138 % of all pairs are kept");
    assert_eq!(lines.len(), 4);
}

#[test]
fn widths_that_make_no_sense_are_refused() {
    for arguments in ["--width 0", "--width NaN", "--width wide", "--points 0"] {
        let outcome = run("smoothing", arguments);
        assert_eq!((outcome.status, outcome.stdout.as_str()), (Some(2), ""), "{arguments}");
    }
}
