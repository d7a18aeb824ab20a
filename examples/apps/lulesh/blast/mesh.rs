//! The mesh: nodes, and elements that know their nodes and their neighbours.
//!
//! It is a cube of elements, but nothing beyond this file relies on that: kernels follow the lists of indices.

use std::array;

use spelt::prelude::*;
use spelt::{MemorySpace, Offsets, Result};

use super::hexahedron::{self, SIDES};
use crate::program::vector::Vector;

/// The length of a side of the cube.
pub(super) const SIDE: f64 = 1.125;

/// In the place of a neighbour: the element's face is free.
pub(crate) const FREE: u32 = u32::MAX;

/// The lists of indices, and the volumes and masses, which follow from the initial positions of the nodes.
pub(crate) struct Mesh<M: MemorySpace> {
    /// The nodes of each element, in the order of a hexahedron's corners.
    pub(crate) nodes: View<[u32; 8], 1, M>,
    /// The neighbours of each element below and above along each axis: itself in a plane of symmetry, or [`FREE`].
    pub(crate) neighbours: View<[u32; 6], 1, M>,
    /// The segment of each node in `corners`.
    pub(crate) corner_offsets: Offsets<M>,
    /// The corners of elements at each node: eight times the element, plus the corner.
    pub(crate) corners: View<u32, 1, M>,
    /// Whether a node lies in a plane of symmetry, which it does not leave, across each axis.
    pub(crate) in_plane: View<[bool; 3], 1, M>,
    /// The volume of each element at the start. Its density is 1, so this is its mass too.
    pub(crate) volume: View<f64, 1, M>,
    /// The mass of each node: an eighth of each element around it.
    pub(crate) node_mass: View<f64, 1, M>,
}

impl<M: MemorySpace> Mesh<M> {
    /// A cube with `size` elements along each side and a corner at the origin, and the places of its nodes.
    pub(crate) fn cube<S: ExecutionSpace<Memory = M>>(
        space: &S,
        size: usize,
    ) -> Result<(Self, View<Vector, 1, M>)> {
        let (elements, nodes) = (size.pow(3), (size + 1).pow(3));
        let element_nodes: Vec<[u32; 8]> = (0..elements)
            .map(|element| {
                let low = grid(element, size);
                array::from_fn(|corner| {
                    let at = |axis: usize| low[axis] + usize::from(SIDES[axis][corner] > 0.0);
                    ((at(2) * (size + 1) + at(1)) * (size + 1) + at(0)) as u32
                })
            })
            .collect();
        let place = |node| grid(node, size + 1).map(|at| SIDE * at as f64 / size as f64);
        let volumes: Vec<f64> = element_nodes
            .iter()
            .map(|nodes| hexahedron::volume(&nodes.map(|node| place(node as usize))))
            .collect();
        let (corner_offsets, corners) = corner_lists(&element_nodes, nodes);
        let around = |node: usize| &corners[corner_offsets[node]..corner_offsets[node + 1]];
        let mass = |node| around(node).iter().map(|&corner| volumes[corner as usize / 8] / 8.0).sum();

        let mesh = Self {
            nodes: space.view_from_fn("nodes", [elements], |[i]| element_nodes[i])?,
            neighbours: space.view_from_fn("neighbours", [elements], |[i]| neighbours(i, size))?,
            corner_offsets: Offsets::new(
                space.view_from_fn("corner offsets", [nodes + 1], |[i]| corner_offsets[i])?,
            )?,
            corners: space.view_from_fn("corners", [corners.len()], |[i]| corners[i])?,
            in_plane: space.view_from_fn("in plane", [nodes], |[i]| grid(i, size + 1).map(|at| at == 0))?,
            volume: space.view_from_fn("volume", [elements], |[i]| volumes[i])?,
            node_mass: space.view_from_fn("node mass", [nodes], |[i]| mass(i))?,
        };
        Ok((mesh, space.view_from_fn("position", [nodes], |[i]| place(i))?))
    }

    /// The number of elements.
    pub(crate) fn elements(&self) -> usize {
        self.nodes.len()
    }

    /// The number of nodes.
    pub(crate) fn node_count(&self) -> usize {
        self.node_mass.len()
    }
}

/// The place of a number in a cube of `side` numbers along x, y and z.
fn grid(number: usize, side: usize) -> [usize; 3] {
    [number % side, number / side % side, number / (side * side)]
}

/// The neighbours of an element of the cube.
fn neighbours(element: usize, size: usize) -> [u32; 6] {
    let mut neighbours = [element as u32; 6];
    let mut stride = 1;
    for (axis, at) in grid(element, size).into_iter().enumerate() {
        // Below the lowest element is a plane of symmetry, with an image of the element behind it.
        if at > 0 {
            neighbours[2 * axis] = (element - stride) as u32;
        }
        neighbours[2 * axis + 1] = if at + 1 < size { (element + stride) as u32 } else { FREE };
        stride *= size;
    }
    neighbours
}

/// Inverts the list of the elements' nodes: the corners at each node, in ascending order, and where those of each node begin.
fn corner_lists(element_nodes: &[[u32; 8]], nodes: usize) -> (Vec<usize>, Vec<u32>) {
    let mut offsets = vec![0; nodes + 1];
    for &node in element_nodes.as_flattened() {
        offsets[node as usize + 1] += 1;
    }
    for node in 0..nodes {
        offsets[node + 1] += offsets[node];
    }
    let mut next = offsets.clone();
    let mut corners = vec![0; element_nodes.as_flattened().len()];
    for (corner, &node) in element_nodes.as_flattened().iter().enumerate() {
        corners[next[node as usize]] = corner as u32;
        next[node as usize] += 1;
    }
    (offsets, corners)
}
