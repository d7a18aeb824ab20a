//! Pictures in `.png` files, drawn with plotters, and their text.

use std::error::Error;
use std::fs;
use std::path::Path;

use plotters::prelude::*;
use plotters::style::register_font;
use plotters::style::text_anchor::{HPos, Pos, VPos};

pub(crate) type Drawing<T = ()> = Result<T, Box<dyn Error>>;

/// A picture that is written to a `.png` file, or a part of it.
pub(crate) type Canvas<'f> = DrawingArea<BitMapBackend<'f>, plotters::coord::Shift>;

/// Text and axes.
pub(crate) const INK: RGBColor = RGBColor(38, 44, 52);

/// The colour of less important elements.
pub(crate) const GREY: RGBColor = RGBColor(104, 112, 122);

/// Emphasis.
pub(crate) const RED: RGBColor = RGBColor(196, 30, 58);

/// A second colour for data.
pub(crate) const BLUE: RGBColor = RGBColor(0, 84, 166);

/// Where titles begin. Unit: pixels.
pub(crate) const MARGIN: i32 = 32;

/// The space that titles take. Unit: pixels.
pub(crate) const TITLES: u32 = 104;

/// Roboto Slab, which is included with the data: no font needs to be installed.
const FONT: &[u8] = include_bytes!("../../data/RobotoSlab-Regular.otf");

/// The font at this size, in pixels.
pub(crate) fn font(size: u32) -> FontDesc<'static> {
    ("sans-serif", size).into_font()
}

/// An empty canvas of this size with title and subtitle.
pub(crate) fn canvas<'f>(
    file: &'f Path,
    size: (u32, u32),
    title: &str,
    subtitle: &str,
) -> Drawing<Canvas<'f>> {
    register_font("sans-serif", FontStyle::Normal, FONT)
        .map_err(|_| "the font beside the data is damaged")?;
    let canvas = BitMapBackend::new(file, size).into_drawing_area();
    canvas.fill(&WHITE)?;
    canvas.draw(&Text::new(title.to_owned(), (MARGIN, 22), font(30).color(&INK)))?;
    canvas.draw(&Text::new(subtitle.to_owned(), (MARGIN, 62), font(18).color(&GREY)))?;
    Ok(canvas)
}

/// Writes the file.
pub(crate) fn finish(canvas: &Canvas<'_>) -> Drawing {
    Ok(canvas.present()?)
}

/// The end of every `.png` file.
const END: &[u8] = b"IEND\xae\x42\x60\x82";

/// Calls `draw` to write a picture to a temporary file beside `file`, then renames it: an older picture stays until then.
pub(crate) fn whole(file: &Path, draw: impl FnOnce(&Path) -> Drawing) -> Drawing {
    let name = file.file_name().unwrap_or_default().to_string_lossy();
    let partial = file.with_file_name(format!(".{}-{name}", std::process::id()));
    let drawn = draw(&partial).and_then(|()| {
        // The encoder does not report all errors.
        let written = fs::File::open(&partial)
            .and_then(|picture| picture.sync_all().and_then(|()| fs::read(&partial)))?;
        if !written.ends_with(END) {
            return Err("it could not be written to its end: is the disk full?".into());
        }
        Ok(fs::rename(&partial, file)?)
    });
    drawn.map_err(|error| {
        // There may be none.
        let _ = fs::remove_file(&partial);
        format!("{}: {error}", file.display()).into()
    })
}

/// A style of text with this anchor.
pub(crate) fn anchored(
    size: u32,
    colour: &'static RGBColor,
    horizontal: HPos,
    vertical: VPos,
) -> TextStyle<'static> {
    font(size).color(colour).pos(Pos::new(horizontal, vertical))
}
