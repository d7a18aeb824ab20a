//! Pictures as `.svg` and `.png`: text, colours, files.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use plotters::coord::Shift;
use plotters::drawing::DrawingAreaErrorKind;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};
use plotters::style::{FontStyle, register_font};

pub(super) type Area<B> = DrawingArea<B, Shift>;
pub(super) type Drawing<B> = std::result::Result<(), DrawingAreaErrorKind<<B as DrawingBackend>::ErrorType>>;

/// Roboto Slab, so that no font has to be installed.
const FONT: &[u8] = include_bytes!("../../data/RobotoSlab-Regular.otf");

/// The width of all pictures. Unit: pixels.
pub(super) const WIDTH: u32 = 1200;

/// The space around a picture. Unit: pixels.
pub(super) const MARGIN: i32 = 24;

/// The height of title and subtitle. Unit: pixels.
pub(super) const TITLES: i32 = 92;

/// Text and axes.
pub(super) const INK: RGBColor = RGBColor(38, 44, 52);

/// Less important text.
pub(super) const GREY: RGBColor = RGBColor(104, 112, 122);

/// Lines behind the data.
pub(super) const PALE: RGBColor = RGBColor(225, 229, 234);

/// Data: Okabe and Ito's colours, which most eyes tell apart.
pub(super) const COLOURS: [RGBColor; 4] =
    [RGBColor(0, 114, 178), RGBColor(213, 94, 0), RGBColor(0, 158, 115), RGBColor(204, 121, 167)];

/// A limit.
pub(super) const RED: RGBColor = RGBColor(196, 30, 58);

/// A picture that draws itself on any backend.
pub(super) trait Picture {
    /// Unit: pixels.
    fn height(&self) -> u32;

    fn draw<B: DrawingBackend>(&self, area: &Area<B>) -> Drawing<B>;
}

/// Where a text stands about its point.
#[derive(Clone, Copy, Debug)]
pub(super) enum Anchor {
    Left,
    Right,
    Centre,
}

/// Draws text, vertically centred about `y`.
pub(super) fn write<B: DrawingBackend>(
    area: &Area<B>,
    text: &str,
    (x, y): (i32, i32),
    size: u32,
    colour: RGBColor,
    anchor: Anchor,
) -> Drawing<B> {
    let horizontal = match anchor {
        Anchor::Left => HPos::Left,
        Anchor::Right => HPos::Right,
        Anchor::Centre => HPos::Center,
    };
    let style = font(size).color(&colour).pos(Pos::new(horizontal, VPos::Center));
    area.draw(&Text::new(text.to_owned(), (x, y), style))
}

fn font(size: u32) -> FontDesc<'static> {
    ("sans-serif", size).into_font()
}

/// The width of a text. Unit: pixels.
pub(super) fn width(text: &str, size: u32) -> i32 {
    font(size).box_size(text).map_or(0, |(width, _)| i32::try_from(width).unwrap_or(i32::MAX))
}

/// The text in one line of at most `most` pixels; longer ones are cut.
pub(super) fn fitting(text: &str, size: u32, most: i32) -> String {
    let line: String = text.chars().map(|letter| if letter.is_control() { ' ' } else { letter }).collect();
    if width(&line, size) <= most {
        return line;
    }
    let mut letters: Vec<char> = line.chars().collect();
    while letters.pop().is_some() {
        let cut: String = letters.iter().chain("..".chars().collect::<Vec<_>>().iter()).collect();
        if width(&cut, size) <= most {
            return cut;
        }
    }
    String::new()
}

/// Draws title and subtitle.
pub(super) fn titles<B: DrawingBackend>(area: &Area<B>, title: &str, subtitle: &str) -> Drawing<B> {
    let most = WIDTH as i32 - 2 * MARGIN;
    write(area, &fitting(title, 28, most), (MARGIN, 34), 28, INK, Anchor::Left)?;
    write(area, &fitting(subtitle, 16, most), (MARGIN, 68), 16, GREY, Anchor::Left)
}

/// The picture as SVG.
pub(super) fn svg(picture: &impl Picture) -> Result<String> {
    load_font()?;
    let mut text = String::new();
    {
        let area = SVGBackend::with_string(&mut text, (WIDTH, picture.height())).into_drawing_area();
        area.fill(&WHITE)?;
        picture.draw(&area)?;
        area.present()?;
    }
    Ok(text)
}

/// Writes the picture to `name` with `.svg` and `.png`. An older picture stays until the new one is complete.
pub(super) fn save(picture: &impl Picture, name: &Path) -> Result<[PathBuf; 2]> {
    let with = |extension: &str| {
        let mut path = name.as_os_str().to_owned();
        path.push(extension);
        PathBuf::from(path)
    };
    let [svg_file, png_file] = [with(".svg"), with(".png")];
    let folder = match name.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    let whole = |path: &Path, extension, write: &dyn Fn(&Path) -> Result<()>| {
        // A folder, because a temporary file could be read by its owner alone.
        let partial = tempfile::tempdir_in(folder)?;
        let file = partial.path().join(format!("picture{extension}"));
        write(&file)?;
        fs::rename(&file, path)?;
        anyhow::Ok(())
    };
    let text = svg(picture)?;
    whole(&svg_file, ".svg", &|file| Ok(fs::write(file, &text)?))
        .with_context(|| format!("cannot write {}", svg_file.display()))?;
    whole(&png_file, ".png", &|file| {
        {
            let area = BitMapBackend::new(file, (WIDTH, picture.height())).into_drawing_area();
            area.fill(&WHITE)?;
            picture.draw(&area)?;
            area.present()?;
        }
        // The encoder does not report all errors.
        if !fs::read(file)?.ends_with(b"IEND\xae\x42\x60\x82") {
            bail!("it could not be written to its end: is the disk full?");
        }
        Ok(())
    })
    .with_context(|| format!("cannot write {}", png_file.display()))?;
    Ok([svg_file, png_file])
}

fn load_font() -> Result<()> {
    register_font("sans-serif", FontStyle::Normal, FONT).map_err(|_| anyhow::anyhow!("the font is damaged"))
}

#[cfg(test)]
mod tests {
    use super::{fitting, load_font, width};

    #[test]
    fn long_text_is_cut_to_its_width() {
        load_font().unwrap();
        assert_eq!(fitting("short\nlabel", 16, 300), "short label");
        let cut = fitting(&"wide".repeat(50), 16, 300);
        assert!(cut.ends_with("..") && (250..=300).contains(&width(&cut, 16)), "{cut}");
        assert_eq!(fitting("nothing fits", 16, 1), "");
    }
}
