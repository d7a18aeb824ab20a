//! The example `digits`: its parts against naive loops, and the program's output.

#[path = "../../examples/digits/confusion.rs"]
mod confusion;
#[path = "../../examples/digits/density.rs"]
mod density;
#[allow(dead_code, reason = "the program alone uses some of it")]
#[path = "../../examples/digits/images.rs"]
mod images;
#[path = "../../examples/digits/neighbours.rs"]
mod neighbours;

use std::path::Path;

use spelt::MemorySpace;
use spelt::prelude::*;

use crate::run::{run, same_everywhere};
use crate::spaces::on_every_space;
use confusion::Confusion;
use density::Members;
use images::{Digits, distance_squared};
use neighbours::NEIGHBOURS;

/// The number of images that a debug build compares quickly.
const FEW: usize = 90;

fn few<S: ExecutionSpace>(space: &S) -> Digits<S::Memory> {
    let file = |name| Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/data").join(name);
    let (images, labels) = (file("digits_features_f32.npy"), file("digits_labels_u8.npy"));
    Digits::read(space, &images, &labels, FEW).unwrap()
}

/// The other images, the nearest first, equally near ones in their order.
fn naive_order(digits: &Digits, i: usize) -> Vec<usize> {
    let mut others: Vec<usize> = (0..FEW).filter(|&j| j != i).collect();
    others.sort_by_key(|&j| distance_squared(&digits.images[i], &digits.images[j]) as u32);
    others
}

/// The digit that most of them show, found by counting for each in turn.
fn naive_vote(digits: &Digits, nearest: &[usize]) -> u8 {
    let count = |label| nearest.iter().filter(|&&j| digits.labels[j] == label).count();
    let labels = nearest.iter().map(|&j| digits.labels[j]);
    labels.rev().max_by_key(|&label| count(label)).unwrap()
}

#[test]
fn neighbours_and_votes_are_those_of_naive_loops() {
    let host = few(&Serial::new());
    let orders: Vec<_> = (0..FEW).map(|i| naive_order(&host, i)).collect();
    on_every_space!(|space, name| {
        let digits = few(&space);
        let nearest = neighbours::nearest(&space, &digits).unwrap();
        for (i, nearest) in nearest.to_host().unwrap().iter().enumerate() {
            assert_eq!(nearest[..], orders[i][..NEIGHBOURS], "{name}, image {i}");
        }
        for k in [1, 2, 5, NEIGHBOURS] {
            let votes = neighbours::votes(&space, &digits, &nearest, k).unwrap();
            let expected: Vec<u8> = orders.iter().map(|order| naive_vote(&host, &order[..k])).collect();
            assert_eq!(votes.to_host().unwrap().to_vec(), expected, "{name}, k = {k}");
            let confusion = Confusion::of(&space, &digits.labels, &votes).unwrap();
            let wrong = (0..FEW).filter(|&i| host.labels[i] != expected[i]).count();
            assert_eq!((confusion.all(), confusion.wrong()), (FEW as u32, wrong as u32), "{name}, k = {k}");
        }
    });
}

/// The logarithm of the density of a digit's images where image `i` lies, by the formula.
fn naive_density(digits: &Digits, i: usize, digit: u8, width: f64) -> f64 {
    let others = || (0..FEW).filter(|&j| j != i && digits.labels[j] == digit);
    let gauss = |j: usize| {
        (f64::from(distance_squared(&digits.images[i], &digits.images[j])) / (-2.0 * width * width)).exp()
    };
    (others().map(gauss).sum::<f64>() / others().count() as f64).ln()
}

/// Which digit each image is likeliest to show, and the mean logarithm of the likelihoods.
fn likeliest<S, M>(space: &S, digits: &Digits<M>, width: f32) -> (Vec<u8>, f64)
where
    S: ExecutionSpace<Memory = M>,
    M: MemorySpace,
{
    let densities = Members::of(space, digits).unwrap().densities(space, digits, width, || ()).unwrap();
    let likeliest = densities.likeliest(space, digits).unwrap();
    (likeliest.to_host().unwrap().to_vec(), densities.mean_log_likelihood(space).unwrap())
}

#[test]
fn densities_are_those_of_the_formula() {
    const WIDTH: f32 = 6.0;
    let host = few(&Serial::new());
    let (digits, likelihood) = likeliest(&Serial::new(), &host, WIDTH);
    for (i, digit) in digits.into_iter().enumerate() {
        let densities: Vec<f64> = (0..10).map(|digit| naive_density(&host, i, digit, WIDTH.into())).collect();
        let largest = densities.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        assert!(densities[usize::from(digit)] > largest - 1e-4, "image {i}: {digit}, {densities:?}");
    }
    let volume = 32.0 * (2.0 * std::f64::consts::PI * f64::from(WIDTH).powi(2)).ln();
    let mixture = |i: usize| {
        let of_digit = |digit: u8| {
            let others = (0..FEW).filter(|&j| j != i && host.labels[j] == digit).count() as f64;
            others * naive_density(&host, i, digit, WIDTH.into()).exp()
        };
        ((0..10).map(of_digit).sum::<f64>() / (FEW - 1) as f64).ln() - volume
    };
    let expected = (0..FEW).map(mixture).sum::<f64>() / FEW as f64;
    assert!((likelihood - expected).abs() < 1e-4, "{likelihood} is not {expected}");
}

#[test]
fn densities_have_the_same_bits_everywhere() {
    let expected = likeliest(&Serial::new(), &few(&Serial::new()), 5.0);
    on_every_space!(|space, name| {
        let found = likeliest(&space, &few(&space), 5.0);
        assert_eq!(found.0, expected.0, "{name}");
        assert_eq!(found.1.to_bits(), expected.1.to_bits(), "{name}");
    });
}

#[test]
fn the_program_says_the_same_everywhere() {
    let lines = same_everywhere("digits", "--images 120", "digits.png");
    assert_eq!(lines[0], "120 images of 8 x 8 pixels, each classified by the others");
    assert_eq!(lines[1], "  1 nearest: 97.50 % right, 3 of 120 wrong");
    assert_eq!(
        lines[10],
        "  density of width 3: 97.50 % right, 3 of 120 wrong, mean log-likelihood -157.044"
    );
    assert_eq!(lines.len(), 14);
}

#[test]
fn what_is_no_digit_is_refused() {
    let space = Serial::new();
    let new = |pixels, images, labels: &[u8]| {
        let levels = View::zeros("levels", [images, pixels]).unwrap();
        let labels = View::from_vec("labels", [labels.len()], labels.to_vec()).unwrap();
        Digits::new(&space, &levels, &labels, usize::MAX).err().unwrap().to_string()
    };
    assert!(new(63, 2, &[0, 1]).contains("63 pixels"));
    assert!(new(64, 3, &[0, 1]).contains("3 images with 2 labels"));
    assert!(new(64, 2, &[0, 10]).contains("shows 10"));
    assert!(new(64, 1, &[0]).contains("1 images have no others"));
    let outcome = run("digits", "--images 1");
    assert_eq!((outcome.status, outcome.stdout.as_str()), (Some(2), ""));
}
