//! Parts as bytes.

use core::ops::Range;

use spelt_reducers::Reducer;

use super::{Part, Portable, ScanPart};
use crate::launch::{Nodes, PartState, ScanState};
use crate::{Error, ErrorKind, Result};

/// The first bytes of a part of a reduction, and of a scan.
const REDUCTION: [u8; 8] = *b"SpeltPrt";
const SCAN: [u8; 8] = *b"SpeltScn";

/// The facts of a part's kind and reducer, with which its bytes begin: parts of another reducer are not read.
fn facts<R: Reducer>(kind: [u8; 8], tile: usize, reducer: &R) -> Vec<u8>
where
    R::Value: Portable,
{
    let mut bytes = Vec::new();
    (kind, tile, size_of::<R::Value>(), R::COMMUTATIVE).write(&mut bytes);
    reducer.init().write(&mut bytes);
    bytes
}

/// Reads the bytes of a part up to its values: the number of iterations of the whole, and those of the part.
fn read_header<R: Reducer>(
    kind: [u8; 8],
    tile: usize,
    reducer: &R,
    bytes: &mut &[u8],
) -> Result<(usize, Range<usize>)>
where
    R::Value: Portable,
{
    if !bytes.starts_with(&kind) {
        return Err(damaged("the bytes are not those of a part of this kind"));
    }
    *bytes = bytes.strip_prefix(&facts(kind, tile, reducer)[..]).ok_or_else(|| {
        damaged(
            "the bytes are those of a part of another reduction: its reducer has another identity or type",
        )
    })?;
    let Some((n, begin, end)) = <(usize, usize, usize)>::read(bytes) else {
        return Err(damaged("the bytes of a part end before its iterations"));
    };
    let is_border = begin.is_multiple_of(tile) || begin == n;
    if !(is_border && begin <= end && end <= n) {
        return Err(damaged(&format!("the bytes of a part name the iterations {begin}..{end} of {n}")));
    }
    Ok((n, begin..end))
}

/// Reads `count` values.
fn values<V: Portable>(count: usize, bytes: &mut &[u8]) -> Option<Vec<V>> {
    (0..count).map(|_| V::read(bytes)).collect()
}

/// The error of bytes that do not have the values of a part.
fn other_values(len: usize, n: usize, range: &Range<usize>) -> Error {
    damaged(&format!(
        "the {len} bytes of a part with the iterations {range:?} of {n} are too few, too many, or hold what is no value"
    ))
}

impl<R: Reducer> Part<R>
where
    R::Value: Portable,
{
    /// The part as bytes, to be sent to another process or stored: [`from_bytes`](Self::from_bytes) reads them.
    ///
    /// They hold, besides the values, the iterations of the part and of the whole, and facts of the reducer: the length of its tiles, the size of
    /// its values, whether it commutes, and its identity. They are the same on every machine.
    ///
    /// # Panics
    /// If a launch that extended the part has panicked.
    ///
    /// # Complexity
    /// O(log n) values, and at most 32 if the part ends inside a tile.
    ///
    /// # Examples
    /// ```
    /// use spelt_core::{ExecutionSpace, Part, Serial, reducers::Sum};
    /// let mut part = Part::new(5000, Sum::<usize>::new());
    /// part.map_reduce("sum", Serial::new().range(0..3000), (), |i, ()| i.get())?;
    /// let mut same = Part::from_bytes(&part.to_bytes(), Sum::<usize>::new())?;
    /// same.map_reduce("sum", Serial::new().range(3000..5000), (), |i, ()| i.get())?;
    /// assert_eq!(same.finish()?, 12_497_500);
    /// # Ok::<(), spelt_core::Error>(())
    /// ```
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        let state = self.state().unwrap_or_else(|error| panic!("{error}"));
        let mut bytes = facts(REDUCTION, Self::TILE, &self.reducer);
        let range = self.range();
        (state.n, range.start, range.end).write(&mut bytes);
        state.nodes.values().iter().chain(&state.lanes).for_each(|value| value.write(&mut bytes));
        bytes
    }

    /// The part that [`to_bytes`](Self::to_bytes) wrote.
    ///
    /// # Errors
    /// [`ErrorKind::Format`] if the bytes are not those of a part, are of another reducer as far as the facts tell, or are too few or too many.
    ///
    /// # Examples
    /// ```
    /// use spelt_core::{Part, reducers::{Max, Sum}};
    /// let bytes = Part::new(5000, Sum::<f64>::new()).to_bytes();
    /// let error = Part::from_bytes(&bytes, Max::<f64>::new()).expect_err("another identity");
    /// assert_eq!(error.to_string(), "the bytes are those of a part of another reduction: its reducer has another identity or type");
    /// ```
    pub fn from_bytes(bytes: &[u8], reducer: R) -> Result<Self> {
        let mut rest = bytes;
        let (n, range) = read_header(REDUCTION, Self::TILE, &reducer, &mut rest)?;
        let mut state = PartState::<R::Value>::new(n, range.start, Self::TILE);
        let (tiles, lanes) = state.shape::<R>(range.end);
        let nodes = values(Nodes::<R::Value>::count(&tiles), &mut rest);
        let lanes = values(lanes, &mut rest);
        let (Some(nodes), Some(lanes), true) = (nodes, lanes, rest.is_empty()) else {
            return Err(other_values(bytes.len(), n, &range));
        };
        state.nodes = Nodes::of(tiles, nodes);
        (state.end, state.lanes) = (range.end, lanes);
        Ok(Self { reducer, state: Some(state) })
    }
}

impl<R: Reducer> ScanPart<R>
where
    R::Value: Portable,
{
    /// The part as bytes, as [`Part::to_bytes`] writes them: [`from_bytes`](Self::from_bytes) reads them.
    ///
    /// # Panics
    /// If a launch that extended the part has panicked.
    ///
    /// # Complexity
    /// O(log n) values; one where joins are exact.
    ///
    /// # Examples
    /// ```
    /// use spelt_core::{ExecutionSpace, ScanPart, Serial, reducers::Sum};
    /// let mut part = ScanPart::new(5000, Sum::<f64>::new());
    /// part.add_totals("total", Serial::new().range(0..3000), (), |i, sum, _, ()| *sum += i.get() as f64)?;
    /// let same = ScanPart::from_bytes(&part.to_bytes(), Sum::<f64>::new())?;
    /// assert_eq!(same.range(), 0..3000);
    /// # Ok::<(), spelt_core::Error>(())
    /// ```
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        let state = self.state().unwrap_or_else(|error| panic!("{error}"));
        let mut bytes = facts(SCAN, Self::TILE, &self.reducer);
        (state.n, state.range.start, state.range.end).write(&mut bytes);
        let values = state.nodes.values().iter().chain(&state.rows).chain(state.row.values());
        values.for_each(|value| value.write(&mut bytes));
        bytes
    }

    /// The part that [`to_bytes`](Self::to_bytes) wrote.
    ///
    /// # Errors
    /// [`ErrorKind::Format`] if the bytes are not those of a part of a scan, are of another reducer as far as the facts tell, or are too few or
    /// too many.
    ///
    /// # Examples
    /// ```
    /// use spelt_core::{Part, ScanPart, reducers::Sum};
    /// let bytes = Part::new(5000, Sum::<f64>::new()).to_bytes();
    /// let error = ScanPart::from_bytes(&bytes, Sum::<f64>::new()).expect_err("totals of scans have other bits");
    /// assert_eq!(error.to_string(), "the bytes are not those of a part of this kind");
    /// ```
    pub fn from_bytes(bytes: &[u8], reducer: R) -> Result<Self> {
        let mut rest = bytes;
        let (n, range) = read_header(SCAN, Self::TILE, &reducer, &mut rest)?;
        let mut state = ScanState::<R::Value>::new(n, range.start, Self::TILE);
        let (tiles, rows, row) = state.shape::<R>(range.end);
        let nodes = values(Nodes::<R::Value>::count(&tiles), &mut rest);
        let rows = values(usize::from(rows), &mut rest);
        let contributions = values(Nodes::<R::Value>::count(&(0..row)), &mut rest);
        let (Some(nodes), Some(mut rows), Some(contributions), true) =
            (nodes, rows, contributions, rest.is_empty())
        else {
            return Err(other_values(bytes.len(), n, &range));
        };
        state.nodes = Nodes::of(tiles, nodes);
        state.row = Nodes::of(0..row, contributions);
        (state.range, state.rows) = (range, rows.pop());
        Ok(Self { reducer, state: Some(state) })
    }
}

/// The error of bytes that cannot be read.
fn damaged(message: &str) -> Error {
    Error::new(ErrorKind::Format, message)
}
