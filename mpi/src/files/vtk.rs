//! Image data for ParaView: a `.pvti` file that names a `.vti` file of each rank.
//!
//! The format is VTK's XML with raw appended data: <https://docs.vtk.org/en/latest/vtk_file_formats/vtkxml_file_format.html>.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use spelt_core::{Element, Error, ErrorKind, Layout, MemorySpace, Portable, Result, View, ViewMut, ViewRef};

use super::npy::io_error;
use crate::communicator::Communicator;
use crate::distributed::DistributedView;
use crate::views::elements::with_elements;

/// The place of an image in space: the corner of its first cell, and the sides of its cells, along x, y and z.
///
/// # Examples
/// ```
/// use spelt_mpi::Grid;
/// assert_eq!(Grid::default(), Grid { origin: [0.0; 3], spacing: [1.0; 3] });
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Grid {
    /// The corner of the cell with the indices 0.
    pub origin: [f64; 3],
    /// The sides of a cell.
    pub spacing: [f64; 3],
}

impl Default for Grid {
    fn default() -> Self {
        Self { origin: [0.0; 3], spacing: [1.0; 3] }
    }
}

/// An element that VTK has: numbers of 8 to 64 bits, and arrays of them as components.
///
/// # Examples
/// ```
/// fn components<T: spelt_mpi::VtkElement>() -> usize {
///     T::COMPONENTS
/// }
/// assert_eq!((components::<f32>(), components::<[f64; 3]>()), (1, 3));
/// ```
pub trait VtkElement: Element + Portable + sealed::Sealed {
    /// VTK's name of the type.
    const NAME: &'static str;
    /// The numbers of one element.
    const COMPONENTS: usize;
}

/// The trait is the library's own: the names are VTK's.
mod sealed {
    pub trait Sealed {}
}

macro_rules! elements {
    ($($type:ty: $name:literal;)*) => {$(
        impl sealed::Sealed for $type {}
        impl VtkElement for $type {
            const NAME: &'static str = $name;
            const COMPONENTS: usize = 1;
        }
    )*};
}
elements! {
    f32: "Float32"; f64: "Float64";
    i8: "Int8"; i16: "Int16"; i32: "Int32"; i64: "Int64";
    u8: "UInt8"; u16: "UInt16"; u32: "UInt32"; u64: "UInt64";
}
impl<T: VtkElement, const N: usize> sealed::Sealed for [T; N] {}
impl<T: VtkElement, const N: usize> VtkElement for [T; N] {
    const NAME: &'static str = T::NAME;
    const COMPONENTS: usize = N * T::COMPONENTS;
}

/// Own rows of an array, one element for each cell, in [`Communicator::write_pvti`]: a View, or a distributed View, of rank 1 to 3.
///
/// # Examples
/// ```
/// use spelt_core::View;
/// let velocity = View::<[f32; 3], 2>::zeros("velocity", [4, 5])?;
/// let fields: [&dyn spelt_mpi::CellField; 1] = [&velocity];
/// assert_eq!(fields.len(), 1);
/// # Ok::<(), spelt_core::Error>(())
/// ```
pub trait CellField: field::Field {}

mod field {
    use super::Result;

    /// The steps of a file; the trait is the library's own.
    pub trait Field {
        fn label(&self) -> &str;
        fn extents(&self) -> Vec<usize>;
        fn kind(&self) -> (&'static str, usize);
        fn bytes(&self) -> Result<Vec<u8>>;
        /// The cuts of the rows of all ranks, if the View knows them.
        fn cuts(&self) -> Option<&[usize]> {
            None
        }
    }
}

macro_rules! fields {
    ($($view:ident [$($life:tt)?];)*) => {$(
        impl<$($life,)? T: VtkElement, const R: usize, M: MemorySpace, L: Layout> field::Field for $view<$($life,)? T, R, M, L> {
            fn label(&self) -> &str {
                $view::label(self)
            }
            fn extents(&self) -> Vec<usize> {
                const { assert!(1 <= R && R <= 3, "an image has 1 to 3 dimensions") };
                $view::extents(self).to_vec()
            }
            fn kind(&self) -> (&'static str, usize) {
                (T::NAME, T::COMPONENTS)
            }
            fn bytes(&self) -> Result<Vec<u8>> {
                let mut bytes = Vec::with_capacity(self.size_bytes());
                with_elements(self.view(), |elements| T::write_slice(elements, &mut bytes))?;
                Ok(bytes)
            }
        }
        impl<$($life,)? T: VtkElement, const R: usize, M: MemorySpace, L: Layout> CellField for $view<$($life,)? T, R, M, L> {}
    )*};
}
fields! { View []; ViewRef ['v]; ViewMut ['v]; }

impl<T: VtkElement, const R: usize, M: MemorySpace> field::Field for DistributedView<T, R, M> {
    fn label(&self) -> &str {
        self.label()
    }
    fn extents(&self) -> Vec<usize> {
        field::Field::extents(&self.own().as_view())
    }
    fn kind(&self) -> (&'static str, usize) {
        (T::NAME, T::COMPONENTS)
    }
    fn bytes(&self) -> Result<Vec<u8>> {
        self.own().as_view().bytes()
    }
    fn cuts(&self) -> Option<&[usize]> {
        Some(self.partition().cuts())
    }
}
impl<T: VtkElement, const R: usize, M: MemorySpace> CellField for DistributedView<T, R, M> {}

impl Communicator {
    /// Writes arrays as an image for ParaView: each rank writes its rows, those from `cuts[r]` to `cuts[r + 1]`, to `NAME_r.vti`, and rank 0 the file
    /// `NAME.pvti` that names them. `path` is that file, with the ending or without.
    ///
    /// Each element is the value of one cell, under its View's label. The last index runs along x, the one before along y, and of three the first along
    /// z. All Views have the same extents.
    ///
    /// # Errors
    /// If there is no View, the cuts do not ascend from 0, or the Views differ in their extents or do not have the rows. If a rank cannot write its
    /// file, all ranks get its error, and can go on. Those of [`Communicator::all_reduce`].
    ///
    /// # Complexity
    /// Each rank writes its rows; 4 (P - 1) messages.
    ///
    /// # Examples
    /// ```
    /// use spelt_core::View;
    /// use spelt_mpi::{Grid, InProcess};
    /// let path = std::env::temp_dir().join("spelt-image.pvti");
    /// let results = InProcess::new(2).run(|ranks| {
    ///     let heat = View::from_fn("heat", [2, 8], |[i, j]| (2 * ranks.rank() + i + j) as f32)?;
    ///     let flow = View::<[f64; 3], 2>::zeros("flow", [2, 8])?;
    ///     ranks.write_pvti(&path, Grid::default(), &[0, 2, 4], &[&heat, &flow])
    /// });
    /// results.into_iter().collect::<Result<Vec<_>, _>>()?;
    /// let text = std::fs::read_to_string(&path).expect("it was written");
    /// assert!(text.contains(r#"<Piece Extent="0 8 2 4 0 0" Source="spelt-image_1.vti"/>"#), "{text}");
    /// # Ok::<(), spelt_core::Error>(())
    /// ```
    pub fn write_pvti(
        &self,
        path: impl AsRef<Path>,
        grid: Grid,
        cuts: &[usize],
        fields: &[&dyn CellField],
    ) -> Result<()> {
        let path = path.as_ref().with_extension("pvti");
        let label = path.display().to_string();
        self.check_cuts(&label, cuts)?;
        let written = self.image(&path, grid, cuts, fields).and_then(|image| {
            if cuts[self.rank()] < cuts[self.rank() + 1] {
                image.write_piece(self.rank(), fields)
            } else {
                Ok(image)
            }
        });
        let image = self.all_or_none(&label, written)?;
        let named = if self.rank() == 0 { image.write_index(cuts, fields) } else { Ok(()) };
        self.all_or_none(&label, named)
    }

    /// Checks the fields of this rank.
    fn image(&self, path: &Path, grid: Grid, cuts: &[usize], fields: &[&dyn CellField]) -> Result<Image> {
        let rank = self.rank();
        let wrong =
            |message: String| Err(Error::new(ErrorKind::Extents, format!("`{}`: {message}", path.display())));
        let Some(first) = fields.first() else { return wrong("give at least one View".to_owned()) };
        let extents = first.extents();
        for field in fields {
            if let Some(others) = field.cuts()
                && others != cuts
            {
                return wrong(format!(
                    "View `{}` is divided at the rows {others:?}, and the cuts are {cuts:?}: make all Views on one partition",
                    field.label()
                ));
            }
            let found = field.extents();
            if found != extents || found[0] != cuts[rank + 1] - cuts[rank] {
                return wrong(format!(
                    "View `{}` on rank {rank} has the extents {found:?}, where View `{}` has {extents:?} and the cuts are {cuts:?}",
                    field.label(),
                    first.label()
                ));
            }
        }
        Ok(Image { path: path.to_owned(), grid, extents, own: [cuts[rank], cuts[rank + 1]] })
    }
}

/// An image and the rows of this rank.
struct Image {
    path: PathBuf,
    grid: Grid,
    extents: Vec<usize>,
    own: [usize; 2],
}

impl Image {
    /// VTK's extent of these rows: first and last point along x, y and z.
    fn extent(&self, [first, past]: [usize; 2]) -> String {
        let mut ranges = vec![[first, past]];
        ranges.extend(self.extents[1..].iter().map(|extent| [0, *extent]));
        ranges.reverse();
        ranges.resize(3, [0, 0]);
        ranges.iter().map(|[first, past]| format!("{first} {past}")).collect::<Vec<_>>().join(" ")
    }

    fn piece(&self, rank: usize) -> PathBuf {
        let stem = self.path.file_stem().unwrap_or_default().to_string_lossy();
        self.path.with_file_name(format!("{stem}_{rank}.vti"))
    }

    /// The element of both kinds of file that has extent and place.
    fn opening(&self, name: &str, ghosts: &str, rows: [usize; 2]) -> String {
        let words = |numbers: [f64; 3]| numbers.map(|number| number.to_string()).join(" ");
        format!(
            "<?xml version=\"1.0\"?>\n<VTKFile type=\"{name}\" version=\"1.0\" byte_order=\"LittleEndian\" header_type=\"UInt64\">\n\
             <{name} WholeExtent=\"{}\"{ghosts} Origin=\"{}\" Spacing=\"{}\">\n",
            self.extent(rows),
            words(self.grid.origin),
            words(self.grid.spacing)
        )
    }

    fn write_piece(self, rank: usize, fields: &[&dyn CellField]) -> Result<Self> {
        let mut text = self.opening("ImageData", "", self.own);
        // `write!` to a String does not fail.
        let _ = write!(text, "<Piece Extent=\"{}\">\n<CellData>\n", self.extent(self.own));
        let mut data = Vec::new();
        for field in fields {
            let _ = writeln!(
                text,
                "<DataArray {} format=\"appended\" offset=\"{}\"/>",
                described(*field),
                data.len()
            );
            let bytes = field.bytes()?;
            data.extend_from_slice(&(bytes.len() as u64).to_le_bytes());
            data.extend_from_slice(&bytes);
        }
        text.push_str("</CellData>\n</Piece>\n</ImageData>\n<AppendedData encoding=\"raw\">\n_");
        let path = self.piece(rank);
        let file = [text.as_bytes(), &data, b"\n</AppendedData>\n</VTKFile>\n"].concat();
        fs::write(&path, file).map_err(|error| io_error(&path, "writing the image", error))?;
        Ok(self)
    }

    fn write_index(&self, cuts: &[usize], fields: &[&dyn CellField]) -> Result<()> {
        let mut text = self.opening("PImageData", " GhostLevel=\"0\"", [0, cuts[cuts.len() - 1]]);
        text.push_str("<PCellData>\n");
        for field in fields {
            let _ = writeln!(text, "<PDataArray {}/>", described(*field));
        }
        text.push_str("</PCellData>\n");
        for (rank, rows) in cuts.windows(2).enumerate().filter(|(_, rows)| rows[0] < rows[1]) {
            let (extent, piece) = (self.extent([rows[0], rows[1]]), self.piece(rank));
            let piece = piece.file_name().unwrap_or_default().to_string_lossy().into_owned();
            let _ = writeln!(text, "<Piece Extent=\"{extent}\" Source=\"{}\"/>", escaped(&piece));
        }
        text.push_str("</PImageData>\n</VTKFile>\n");
        fs::write(&self.path, text).map_err(|error| io_error(&self.path, "writing the image", error))
    }
}

/// Type, name and components of a field.
fn described(field: &dyn CellField) -> String {
    let (kind, components) = field.kind();
    format!("type=\"{kind}\" Name=\"{}\" NumberOfComponents=\"{components}\"", escaped(field.label()))
}

/// A text as the value of an XML attribute.
fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('"', "&quot;")
}
