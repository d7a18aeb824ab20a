//! The lines of the exercise about ranks and their parts of the box.

use core::ops::Range;

use spelt::mpi::Partition;

/// For each rank, the lines that it prints in the exercise before the first time step: its number, place and neighbours, and its cells.
///
/// `rows` are those of a View with a layer around the cells. Ranks divide the first dimension only, so places and neighbours in the others
/// are those of one rank. A neighbour is the next rank that has cells.
pub(crate) fn lines(rows: &Partition, [x, y, z]: [usize; 3]) -> Vec<String> {
    let ranks = rows.ranks();
    let cells: Vec<Range<usize>> = (0..ranks).map(|rank| cells(&rows.rows(rank), x)).collect();
    let name = |rank: Option<usize>| rank.map_or(String::from("-1"), |rank| rank.to_string());
    let places = (0..ranks).flat_map(|me| {
        let mut others = [None, None];
        if !cells[me].is_empty() {
            let has_cells = |rank: &usize| !cells[*rank].is_empty();
            others = [(0..me).rfind(has_cells), (me + 1..ranks).find(has_cells)];
        }
        let [left, right] = others.map(name);
        [
            format!("NumRanks: {ranks} Me: {me} Grid: {ranks} 1 1 MyPos: {me} 0 0"),
            format!("Me: {me} MyNeighs: {left} {right} -1 -1 -1 -1"),
        ]
    });
    let domains = cells
        .iter()
        .enumerate()
        .map(|(me, Range { start, end })| format!("My Domain: {me} ({start} 0 0) ({end} {y} {z})"));
    places.chain(domains).collect()
}

/// The cells in these rows, counted from 0, of which there are `x` after the first row.
fn cells(rows: &Range<usize>, x: usize) -> Range<usize> {
    let cell = |row: usize| row.saturating_sub(1).min(x);
    cell(rows.start)..cell(rows.end)
}
