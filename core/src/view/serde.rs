//! Views as serde's data: label, extents, layout and elements.

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use spelt_access::{Element, Layout, Left, Right, Stride};

use super::index::has_order_of;
use super::memory_space::{HostAccessible, HostSpace};
use super::{View, ViewMut, ViewRef};

/// A View as it is written.
#[derive(Serialize)]
#[serde(rename = "View", bound = "T: Serialize")]
struct Written<'v, T> {
    label: &'v str,
    extents: &'v [usize],
    layout: &'v str,
    data: Elements<'v, T>,
}

/// The elements in memory order.
#[derive(Serialize)]
#[serde(untagged, bound = "T: Serialize")]
enum Elements<'v, T> {
    Slice(&'v [T]),
    Gathered(Vec<T>),
}

/// A View as it is read, before its fields are checked.
#[derive(Deserialize)]
#[serde(rename = "View", deny_unknown_fields)]
struct Read<T> {
    label: String,
    extents: Vec<usize>,
    layout: String,
    data: Vec<T>,
}

macro_rules! serialize {
    ($($view:ident [$($param:tt)*];)*) => {$(
        /// The fields `label`, `extents`, `layout` (its name) and `data`, which is in the order of the layout: for
        /// `Left` the first index runs fastest, for `Right` and `Stride` the last.
        impl<$($param)* T: Element + Serialize, const R: usize, M: HostAccessible, L: Layout> Serialize
            for $view<$($param)* T, R, M, L>
        {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                let (layout, data) = match self.as_slice() {
                    Some(slice) => (L::NAME, Elements::Slice(slice)),
                    None => {
                        let all = super::gathered(self.len(), self.iter().copied());
                        let as_indexed = has_order_of::<L, Right, R>(self.extents());
                        let layout = if as_indexed { L::NAME } else { Right::NAME };
                        (layout, Elements::Gathered(all.map_err(serde::ser::Error::custom)?))
                    }
                };
                Written { label: self.label(), extents: &self.extents(), layout, data }.serialize(serializer)
            }
        }
    )*};
}
serialize! { View []; ViewRef ['a,]; ViewMut ['a,]; }

/// From the output of `Serialize`. The layout need not be the View's own; elements are put where they belong. Another
/// rank, another number of elements than the extents take, or an unknown layout is an error.
impl<'de, T, const R: usize, L> Deserialize<'de> for View<T, R, HostSpace, L>
where
    T: Element + Deserialize<'de>,
    L: Layout,
{
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let Read { label, extents, layout, data } = Read::<T>::deserialize(deserializer)?;
        let extents: [usize; R] = extents.as_slice().try_into().map_err(|_| {
            D::Error::custom(format_args!(
                "view `{label}` has rank {}, extents {extents:?}, but rank {R} was asked for",
                extents.len()
            ))
        })?;
        let right = layout == Right::NAME || layout == Stride::NAME;
        if layout == L::NAME || (right && has_order_of::<L, Right, R>(extents)) {
            View::from_vec_in(L::default(), label, extents, data)
        } else if right {
            View::from_vec_in(Right, label, extents, data).and_then(|view| view.to_layout(L::default()))
        } else if layout == Left::NAME {
            View::from_vec_in(Left, label, extents, data).and_then(|view| view.to_layout(L::default()))
        } else {
            return Err(D::Error::custom(format_args!("view `{label}`: there is no layout `{layout}`")));
        }
        .map_err(D::Error::custom)
    }
}
