//! Image data for ParaView: a `.pvti` file that names a `.vti` file of each rank.
//!
//! The format is VTK's XML with raw appended data: <https://docs.vtk.org/en/latest/vtk_file_formats/vtkxml_file_format.html>.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use spelt_core::{Element, Error, ErrorKind, Layout, MemorySpace, Portable, Result, View, ViewMut, ViewRef};

use super::beside::{put_in_place, remove_beside, write_beside};
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
    /// `NAME.pvti` that names them. `path` is that file, with the ending `.pvti` or without; other endings are part of the name.
    ///
    /// Each element is the value of one cell, under its View's label. The last index runs along x, the one before along y, and of three the first along
    /// z. All Views have the same extents, apart from the rows of each rank; labels, types and grid are the same on all ranks.
    ///
    /// An image before is replaced when all ranks have written theirs: rank 0 then renames the files beside it.
    ///
    /// # Errors
    /// If there is no View, the cuts do not ascend from 0, or the Views differ in their extents or do not have the rows. If a rank's Views do not fit
    /// those of rank 0, or a rank cannot write its file, all ranks get its error, and can go on. Those of [`Communicator::broadcast`].
    ///
    /// # Complexity
    /// Each rank writes its rows; 5 (P - 1) messages.
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
        let path = with_ending(path.as_ref());
        let label = path.display().to_string();
        self.check_cuts(&label, cuts)?;
        let (rank, is_first) = (self.rank(), self.rank() == 0);
        let own = described_all(grid, fields);
        // The index describes the pieces of all ranks by the Views of rank 0.
        let first = self.broadcast(&label, 0, own.clone().into_bytes())?;
        let image = self.image(&path, grid, cuts, fields).and_then(|image| match own.as_bytes() == first {
            true => Ok(image),
            false => {
                let first = String::from_utf8_lossy(&first);
                let message =
                    format!("`{label}`: rank {rank} has {own}, and rank 0 {first}: give all ranks the same");
                Err(Error::new(ErrorKind::Extents, message))
            }
        });
        let written = image.and_then(|image| {
            if cuts[rank] < cuts[rank + 1] {
                image.write_piece(rank, fields)?;
            }
            if is_first { image.write_index(cuts, fields) } else { Ok(()) }
        });
        // If this call itself fails, rank 0 may be renaming the files, which therefore stay.
        if let Err(error) = self.agreed(&label, written)? {
            remove_beside(&piece(&path, rank));
            if is_first {
                remove_beside(&path);
            }
            return Err(error);
        }
        // One rank renames all files: if another one dies, the image is the old one or the new one.
        let renamed = match is_first {
            true => filled(cuts).map(|(rank, _)| piece(&path, rank)).try_for_each(|path| put_in_place(&path)),
            false => Ok(()),
        };
        let renamed = renamed.and_then(|()| if is_first { put_in_place(&path) } else { Ok(()) });
        self.all_or_none(&label, renamed)
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

    fn write_piece(&self, rank: usize, fields: &[&dyn CellField]) -> Result<()> {
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
        let file = [text.as_bytes(), &data, b"\n</AppendedData>\n</VTKFile>\n"].concat();
        write_beside(&piece(&self.path, rank), &file)
    }

    fn write_index(&self, cuts: &[usize], fields: &[&dyn CellField]) -> Result<()> {
        let mut text = self.opening("PImageData", " GhostLevel=\"0\"", [0, cuts[cuts.len() - 1]]);
        text.push_str("<PCellData>\n");
        for field in fields {
            let _ = writeln!(text, "<PDataArray {}/>", described(*field));
        }
        text.push_str("</PCellData>\n");
        for (rank, rows) in filled(cuts) {
            let (extent, piece) = (self.extent(rows), piece(&self.path, rank));
            let piece = piece.file_name().unwrap_or_default().to_string_lossy().into_owned();
            let _ = writeln!(text, "<Piece Extent=\"{extent}\" Source=\"{}\"/>", escaped(&piece));
        }
        text.push_str("</PImageData>\n</VTKFile>\n");
        write_beside(&self.path, text.as_bytes())
    }
}

/// The index of an image. Only `.pvti` is an ending: what follows the dot in `heat_0.25` is part of the name.
fn with_ending(path: &Path) -> PathBuf {
    if path.extension().is_some_and(|ending| ending == "pvti") {
        return path.to_owned();
    }
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(".pvti");
    path.with_file_name(name)
}

/// The file with the rows of a rank.
fn piece(path: &Path, rank: usize) -> PathBuf {
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    path.with_file_name(format!("{stem}_{rank}.vti"))
}

/// The ranks that have rows, with the first of them and the one after the last.
fn filled(cuts: &[usize]) -> impl Iterator<Item = (usize, [usize; 2])> {
    cuts.windows(2).map(|rows| [rows[0], rows[1]]).enumerate().filter(|(_, rows)| rows[0] < rows[1])
}

/// Type, name and components of a field.
fn described(field: &dyn CellField) -> String {
    let (kind, components) = field.kind();
    format!("type=\"{kind}\" Name=\"{}\" NumberOfComponents=\"{components}\"", escaped(field.label()))
}

/// What all ranks must have alike: grid, and names, types and extents of the fields, without the rows.
fn described_all(grid: Grid, fields: &[&dyn CellField]) -> String {
    let fields = fields.iter().map(|field| {
        let ((kind, components), extents) = (field.kind(), field.extents());
        format!(
            "View `{}` of {components} {kind} with rows of the extents {:?}",
            field.label(),
            &extents[1..]
        )
    });
    let fields = fields.collect::<Vec<_>>().join(", ");
    format!("{fields} on {grid:?}")
}

/// A text as the value of an XML attribute.
fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('"', "&quot;")
}
