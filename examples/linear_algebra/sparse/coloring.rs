//! Colours of the vertices of a graph (M. Jones and P. Plassmann, A parallel graph coloring heuristic, 1993).

use spelt::Result;
use spelt::containers::Csr;
use spelt::prelude::*;
use spelt::random::Random;
use spelt::reducers::FailuresValue;

/// Colours, numbered from 1.
pub(crate) struct Coloring<S: ExecutionSpace> {
    pub(crate) colors: View<u32, 1, S::Memory>,
    /// The number of colours.
    pub(crate) count: usize,
}

/// Gives neighbours different colours; a vertex may be its own neighbour. If `i` is in row `j`, `j` must be in row `i`.
///
/// Each vertex has a random priority. A vertex that comes before all of its neighbours without a colour takes the first colour that no
/// neighbour has; the others wait for the next round. So the colours are those of a loop over the vertices by priority.
pub(crate) fn color<S: ExecutionSpace>(
    space: &S,
    graph: &Csr<u32, S::Memory>,
    random: Random,
) -> Result<Coloring<S>> {
    let vertices = || space.range(0..graph.rows());
    let priorities = space.uninit("priorities", [graph.rows()])?;
    let priorities = parallel_fill("priorities", vertices(), priorities, random, move |i, random| {
        priority(random, i.get())
    })?;
    let mut colors = space.zeros::<u32, 1>("colors", [graph.rows()])?;
    let mut next = space.zeros::<u32, 1>("next colors", [graph.rows()])?;
    loop {
        let args = (graph.by_rows(), &priorities, &colors, &mut next);
        let waiting = parallel_reduce(
            "color",
            vertices(),
            args,
            move |i, waiting, (graph, priorities, colors, mut next)| {
                next[i] = colors[i];
                if colors[i] != 0 {
                    return;
                }
                let first = graph[i]
                    .iter()
                    .all(|&j| j as usize == i.get() || colors[j] != 0 || priorities[j] > priorities[i]);
                if first {
                    let mut color = 1;
                    while graph[i].iter().any(|&j| colors[j] == color) {
                        color += 1;
                    }
                    next[i] = color;
                } else {
                    *waiting += 1;
                }
            },
            Sum::<usize>::new(),
        )?;
        core::mem::swap(&mut colors, &mut next);
        if waiting == 0 {
            break;
        }
    }
    let count =
        parallel_map_reduce("count", vertices(), &colors, move |i, colors| colors[i], Max::<u32>::new())?;
    Ok(Coloring { colors, count: count as usize })
}

/// Gives neighbours different colours as [`color`] does, with the priorities of a loop over the vertices: each takes the first colour that
/// no neighbour before it has. On the host, since hardly two vertices of a narrow matrix could be coloured at the same time.
pub(crate) fn color_by_rows<S: ExecutionSpace>(
    space: &S,
    graph: &Csr<u32, S::Memory>,
) -> Result<Coloring<S>> {
    let graph = graph.to_host()?;
    let mut colors = vec![0_u32; graph.rows()];
    // For each colour, the vertex that has last found it at a neighbour.
    let mut taken = vec![None];
    for (vertex, neighbours) in graph.iter().enumerate() {
        for &neighbour in neighbours.iter().filter(|neighbour| **neighbour as usize != vertex) {
            taken[colors[neighbour as usize] as usize] = Some(vertex);
        }
        let free = (1..taken.len()).find(|color| taken[*color] != Some(vertex)).unwrap_or(taken.len());
        if free == taken.len() {
            taken.push(None);
        }
        colors[vertex] = free as u32;
    }
    let colors = View::from_vec("colors", [colors.len()], colors)?.to_space(space)?;
    Ok(Coloring { colors, count: taken.len() - 1 })
}

/// The priority of a vertex; the smallest comes first. All are different.
pub(crate) fn priority(random: Random, vertex: usize) -> u64 {
    u64::from(random.at(vertex).u32()) << 32 | vertex as u64
}

/// The vertices without a colour, or with that of a neighbour: their number, and the first with its colour.
pub(crate) fn conflicts<S: ExecutionSpace>(
    space: &S,
    graph: &Csr<u32, S::Memory>,
    coloring: &Coloring<S>,
) -> Result<FailuresValue<u32>> {
    parallel_reduce(
        "conflicts",
        space.range(0..graph.rows()),
        (graph.by_rows(), &coloring.colors),
        move |i, failures, (graph, colors)| {
            let color = colors[i];
            if color == 0 || graph[i].iter().any(|&j| j as usize != i.get() && colors[j] == color) {
                failures.add(i.get(), color);
            }
        },
        Failures::<u32>::new(),
    )
}
