//! The picture: the mesh in the plane z = 0, coloured by pressure, beside the density of all elements over the distance.

use std::path::Path;

use plotters::prelude::*;
use spelt::MemorySpace;

use crate::blast::{Blast, Vector, exact_front};
use crate::program::canvas::{BLUE, Canvas, Drawing, RED, TITLES, canvas, finish};
use crate::program::tint::ramp;
use crate::program::{Axis, chart};

/// Width and height. Unit: pixels.
const SIZE: (u32, u32) = (1680, 960);

/// The ends of the axes.
const FAR: f64 = 1.25;

/// The highest density that is drawn; behind an ideal shock it is 4.
const DENSE: f64 = 4.5;

/// Colours from cold gas to the highest pressure.
const EMBERS: [[f64; 3]; 5] = [
    [246.0, 246.0, 243.0],
    [250.0, 214.0, 120.0],
    [238.0, 128.0, 50.0],
    [176.0, 36.0, 48.0],
    [52.0, 12.0, 50.0],
];

/// The final mesh, on the host.
struct Gas {
    nodes: Vec<[u32; 8]>,
    places: Vec<Vector>,
    pressures: Vec<f64>,
    densities: Vec<f64>,
}

/// Draws the mesh on the left, densities on the right.
pub(crate) fn draw<M: MemorySpace>(file: &Path, blast: &Blast<M>) -> Drawing {
    let gas = Gas {
        nodes: blast.mesh.nodes.to_host()?.to_vec(),
        places: blast.position.to_host()?.to_vec(),
        pressures: blast.state.to_host()?.iter().map(|state| state.pressure).collect(),
        densities: blast.volume.to_host()?.iter().map(|volume| 1.0 / volume).collect(),
    };
    let (size, cycles, time) = (blast.size, blast.clock.cycle, blast.clock.time);
    let subtitle = format!(
        "{size} elements along each side after {cycles} cycles: pressure in the plane z = 0, and the density of all elements"
    );
    let canvas = canvas(file, SIZE, "The Sedov blast", &subtitle)?;
    let (left, right) = canvas.margin(TITLES, 16, 16, 40).split_horizontally(820);
    mesh(&left, &gas, size)?;
    profile(&right.margin(0, 0, 24, 0), &gas, exact_front(time))?;
    finish(&canvas)
}

/// Draws the lower faces of the elements in the lowest plane, coloured by pressure.
fn mesh(area: &Canvas<'_>, gas: &Gas, size: usize) -> Drawing {
    let distance = |number: &f64| format!("{number:.2}");
    let mut chart = chart(
        area,
        &Axis { title: "x", range: 0.0..FAR, ticks: 6, label: &distance },
        &Axis { title: "y", range: 0.0..FAR, ticks: 6, label: &distance },
    )?;
    let plane = size * size;
    let highest = gas.pressures[..plane].iter().copied().fold(f64::MIN_POSITIVE, f64::max);
    for (nodes, pressure) in gas.nodes[..plane].iter().zip(&gas.pressures) {
        let corners: Vec<(f64, f64)> =
            nodes[..4].iter().map(|&node| gas.places[node as usize]).map(|[x, y, _]| (x, y)).collect();
        let [red, green, blue] = ramp(&EMBERS, pressure / highest).map(|colour| colour as u8);
        let outline = corners.iter().chain(&corners[..1]).copied().collect::<Vec<_>>();
        chart.draw_series([Polygon::new(corners, RGBColor(red, green, blue).filled())])?;
        chart.draw_series([PathElement::new(outline, BLACK.mix(0.12))])?;
    }
    Ok(())
}

/// Draws a dot for each element, and the place of the shock by the exact solution.
fn profile(area: &Canvas<'_>, gas: &Gas, front: f64) -> Drawing {
    let mut chart = chart(
        area,
        &Axis { title: "distance", range: 0.0..FAR, ticks: 6, label: &|number| format!("{number:.2}") },
        &Axis { title: "density", range: 0.0..DENSE, ticks: 9, label: &|number| format!("{number:.1}") },
    )?;
    chart.draw_series([PathElement::new(vec![(front, 0.0), (front, DENSE)], RED.stroke_width(2))])?;
    let dots = gas.nodes.iter().zip(&gas.densities).map(|(nodes, &density)| {
        let centre =
            |axis: usize| nodes.iter().map(|&node| gas.places[node as usize][axis]).sum::<f64>() / 8.0;
        ([0, 1, 2].map(centre).iter().map(|part| part * part).sum::<f64>().sqrt(), density)
    });
    let inside = dots.filter(|&(distance, density)| distance < FAR && density < DENSE);
    chart.draw_series(inside.map(|dot| Circle::new(dot, 1, BLUE.mix(0.5).filled())))?;
    Ok(())
}
