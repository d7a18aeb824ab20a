//! The geometry of an element: a hexahedron whose faces may be warped.
//!
//! Corners 0 to 3 go around the lower face, 4 to 7 lie above them. In the reference cube the corners lie at -1 and 1 along
//! the axes xi (0), eta (1) and zeta (2).
//!
//! Faces, modes and nodes are written out rather than looped over: then all indices are constants, and corners stay in
//! registers. For the same reason these functions are inlined, and do without `array::from_fn` and `map`, which call large closures:
//! a closure that is called lacks the launch's instruction set.

use spelt::LookupAccess;

use crate::program::vector::{Vector, add, dot, scale, subtract};

/// A vector for each corner: its place, its velocity, the force on it.
pub(crate) type Corners = [Vector; 8];

/// The places of the corners in the reference cube, along each axis.
pub(crate) const SIDES: [[f64; 8]; 3] = [
    [-1.0, 1.0, 1.0, -1.0, -1.0, 1.0, 1.0, -1.0],
    [-1.0, -1.0, 1.0, 1.0, -1.0, -1.0, 1.0, 1.0],
    [-1.0, -1.0, -1.0, -1.0, 1.0, 1.0, 1.0, 1.0],
];

/// The hourglass modes: movements of the corners that change neither volume nor mean strain.
const MODES: [[f64; 8]; 4] = [
    [1.0, 1.0, -1.0, -1.0, -1.0, -1.0, 1.0, 1.0],
    [1.0, -1.0, -1.0, 1.0, -1.0, 1.0, 1.0, -1.0],
    [1.0, -1.0, 1.0, -1.0, 1.0, -1.0, 1.0, -1.0],
    [-1.0, 1.0, -1.0, 1.0, 1.0, -1.0, 1.0, -1.0],
];

/// The values of an element's nodes.
#[inline(always)]
pub(crate) fn gather([a, b, c, d, e, f, g, h]: [u32; 8], values: LookupAccess<'_, Vector, 1>) -> Corners {
    let value = |node: u32| values[node];
    [value(a), value(b), value(c), value(d), value(e), value(f), value(g), value(h)]
}

#[inline(always)]
fn cross(a: Vector, b: Vector) -> Vector {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

/// The sum of the corners' vectors, with these weights.
#[inline(always)]
fn weighted_sum(corners: &Corners, weights: &[f64; 8]) -> Vector {
    let mut sum = [0.0; 3];
    for (corner, weight) in corners.iter().zip(weights) {
        sum = add(sum, scale(*weight, *corner));
    }
    sum
}

/// For each axis, the mean over the face on its upper side less the mean over the face on its lower side.
#[inline(always)]
pub(crate) fn across(corners: &Corners) -> [Vector; 3] {
    let [xi, eta, zeta] = &SIDES;
    [
        scale(0.25, weighted_sum(corners, xi)),
        scale(0.25, weighted_sum(corners, eta)),
        scale(0.25, weighted_sum(corners, zeta)),
    ]
}

/// The areas of the parallelograms that two of these edges span, as vectors along the third.
#[inline(always)]
pub(crate) fn cross_sections([xi, eta, zeta]: [Vector; 3]) -> [Vector; 3] {
    [cross(eta, zeta), cross(zeta, xi), cross(xi, eta)]
}

/// The volume, exact for faces that are bilinear.
#[inline(always)]
pub(crate) fn volume(places: &Corners) -> f64 {
    let from = |a: usize, b: usize| subtract(places[b], places[a]);
    let triple = |a, b, c| dot(a, cross(b, c));
    let sum = triple(add(from(1, 3), from(2, 7)), from(3, 6), from(0, 2))
        + triple(add(from(3, 4), from(7, 5)), from(4, 6), from(0, 7))
        + triple(add(from(4, 1), from(5, 2)), from(1, 6), from(0, 5));
    sum / 12.0
}

/// The derivative of the volume by the place of a corner, which depends on six others around it.
#[inline(always)]
fn derivative(places: &Corners, [a, b, c, d, e, f]: [usize; 6]) -> Vector {
    let [a, b, c, d, e, f] = [places[a], places[b], places[c], places[d], places[e], places[f]];
    let lower = add(cross(add(b, c), add(a, b)), cross(add(a, e), add(d, e)));
    scale(1.0 / 12.0, add(lower, cross(add(d, f), add(c, f))))
}

/// The derivative of the volume by the place of each corner.
#[inline(always)]
pub(crate) fn volume_derivative(places: &Corners) -> Corners {
    [
        derivative(places, [1, 2, 3, 4, 5, 7]),
        derivative(places, [2, 3, 0, 5, 6, 4]),
        derivative(places, [3, 0, 1, 6, 7, 5]),
        derivative(places, [0, 1, 2, 7, 4, 6]),
        derivative(places, [7, 6, 5, 0, 3, 1]),
        derivative(places, [4, 7, 6, 1, 0, 2]),
        derivative(places, [5, 4, 7, 2, 1, 3]),
        derivative(places, [6, 5, 4, 3, 2, 0]),
    ]
}

/// The two diagonals of a face.
type Diagonals = [Vector; 2];

/// The diagonals of each face, in the order in which their cross product points outwards.
#[inline(always)]
fn faces(places: &Corners) -> [Diagonals; 6] {
    let from = |a: usize, b: usize| subtract(places[b], places[a]);
    [
        [from(1, 3), from(0, 2)],
        [from(4, 1), from(0, 5)],
        [from(5, 2), from(1, 6)],
        [from(6, 3), from(2, 7)],
        [from(7, 0), from(3, 4)],
        [from(7, 5), from(4, 6)],
    ]
}

/// A quarter of a face, as a vector that points outwards.
#[inline(always)]
fn quarter([a, b]: Diagonals) -> Vector {
    scale(0.125, cross(a, b))
}

/// The part of the surface that belongs to each corner, a quarter of the faces around it, as a vector that points outwards.
#[inline(always)]
pub(crate) fn corner_areas(places: &Corners) -> Corners {
    let [a, b, c, d, e, f] = faces(places);
    let [a, b, c] = [quarter(a), quarter(b), quarter(c)];
    let [d, e, f] = [quarter(d), quarter(e), quarter(f)];
    let sum = |a, b, c| add(add(a, b), c);
    [
        sum(a, b, e),
        sum(a, b, c),
        sum(a, c, d),
        sum(a, d, e),
        sum(b, e, f),
        sum(b, c, f),
        sum(c, d, f),
        sum(d, e, f),
    ]
}

/// The square of a face's area, times sixteen.
#[inline(always)]
fn square([a, b]: Diagonals) -> f64 {
    let (f, g) = (subtract(b, a), add(b, a));
    dot(f, f) * dot(g, g) - dot(f, g) * dot(f, g)
}

/// The shortest way for a signal through the element: its volume over its largest face.
#[inline(always)]
pub(crate) fn length(places: &Corners, volume: f64) -> f64 {
    let [a, b, c, d, e, f] = faces(places);
    let largest = square(a).max(square(b)).max(square(c)).max(square(d)).max(square(e)).max(square(f));
    4.0 * volume / largest.sqrt()
}

/// The rate at which the volume grows, relative to it: the divergence of the velocity at the centre of an element that has these
/// differences of places and of velocities across it.
#[inline(always)]
pub(crate) fn divergence(edges: [Vector; 3], [u, v, w]: [Vector; 3]) -> f64 {
    let [a, b, c] = cross_sections(edges);
    (dot(a, u) + dot(b, v) + dot(c, w)) / dot(edges[1], b)
}

/// The force that a moving hourglass mode exerts, added to `forces`.
#[inline(always)]
fn resist(
    mode: &[f64; 8],
    places: &Corners,
    velocities: &Corners,
    derivative: &Corners,
    inverse_volume: f64,
    forces: &mut Corners,
) {
    let displacement = scale(inverse_volume, weighted_sum(places, mode));
    // The mode, without its part in the linear velocity field.
    let mut shape = *mode;
    for (shape, derivative) in shape.iter_mut().zip(derivative) {
        *shape -= dot(*derivative, displacement);
    }
    let rate = weighted_sum(velocities, &shape);
    for (force, shape) in forces.iter_mut().zip(&shape) {
        *force = add(*force, scale(*shape, rate));
    }
}

/// The velocities of the hourglass modes as forces on the corners, to be multiplied by a viscosity: the method of Flanagan and
/// Belytschko (1981).
#[inline(always)]
pub(crate) fn hourglass(places: &Corners, velocities: &Corners, volume: f64) -> Corners {
    let derivative = volume_derivative(places);
    let inverse = 1.0 / volume;
    let mut forces = [[0.0; 3]; 8];
    let [a, b, c, d] = &MODES;
    resist(a, places, velocities, &derivative, inverse, &mut forces);
    resist(b, places, velocities, &derivative, inverse, &mut forces);
    resist(c, places, velocities, &derivative, inverse, &mut forces);
    resist(d, places, velocities, &derivative, inverse, &mut forces);
    forces
}
