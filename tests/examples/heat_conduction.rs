//! The example `heat_conduction` on one rank, against naive loops; `.ci/run mpi` compares it with more ranks.

use crate::run::{run, same_everywhere};

/// The mean temperature after each of these steps.
fn means(size: usize, steps: usize) -> Vec<f64> {
    let at = |x: usize, y: usize, z: usize| (x * size + y) * size + z;
    let (mut t, mut gain) = (vec![0.0_f64; size.pow(3)], vec![0.0; size.pow(3)]);
    let mut means = Vec::new();
    for step in 0..steps {
        let power = if 2 * step < steps { 1.0 } else { 0.0 };
        for x in 0..size {
            for y in 0..size {
                for z in 0..size {
                    let own = t[at(x, y, z)];
                    let (mut conducted, mut sides) = (0.0, 0);
                    for [dx, dy, dz] in [[-1, 0, 0], [1, 0, 0], [0, -1, 0], [0, 1, 0], [0, 0, -1], [0, 0, 1]]
                    {
                        let place = |place: usize, by: isize| {
                            place.checked_add_signed(by).filter(|place| *place < size)
                        };
                        match (place(x, dx), place(y, dy), place(z, dz)) {
                            (Some(x), Some(y), Some(z)) => conducted += t[at(x, y, z)] - own,
                            _ => sides += 1,
                        }
                    }
                    let heated = if x == 0 { power } else { 0.0 };
                    gain[at(x, y, z)] = conducted + heated - own.powi(4) * f64::from(sides);
                }
            }
        }
        t.iter_mut().zip(&gain).for_each(|(t, gain)| *t += 0.1 * gain);
        means.push(t.iter().sum::<f64>() / size.pow(3) as f64);
    }
    means
}

#[test]
fn means_are_those_of_naive_loops() {
    let lines = same_everywhere("heat_conduction", "--size 9 --steps 40 --every 13", "heat_conduction.png");
    let means = means(9, 40);
    let steps = [0, 13, 26, 39];
    assert_eq!(lines.len(), steps.len() + 1, "{lines:?}");
    for (step, line) in steps.into_iter().zip(&lines) {
        let (name, mean) = line.rsplit_once(' ').expect("a mean");
        assert_eq!(name.trim(), format!("{step} mean temperature"));
        let mean: f64 = mean.parse().expect("a number");
        assert!((mean / means[step] - 1.0).abs() < 1e-12, "{line}, expected {}", means[step]);
    }
    assert!(lines[4].starts_with("heat: 1.620000e2 came in, "), "{}", lines[4]);
}

#[test]
fn wrong_options_are_told() {
    for (options, text) in [
        ("--size 0", "--size"),
        ("--steps x", "--steps"),
        ("--space moon", "moon"),
        ("--space serial --threads 2", "--threads"),
    ] {
        let outcome = run("heat_conduction", options);
        assert_eq!(outcome.status, Some(2), "{outcome:?}");
        assert!(outcome.stderr.contains(text), "{outcome:?}");
    }
}
