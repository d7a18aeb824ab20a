//! The pictures: a map and a chart, drawn with plotters.

mod chart;
mod map;

pub(crate) use chart::histogram;
pub(crate) use map::relief;
