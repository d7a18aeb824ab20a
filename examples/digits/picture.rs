//! The picture: the confusion matrix, and the misclassified images beside their neighbours.

use std::path::Path;

use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, VPos};

use crate::confusion::Confusion;
use crate::images::{CLASSES, DARKEST, Digits, Image, SIDE};
use crate::neighbours::Nearest;
use crate::program::canvas::{
    BLUE, Canvas, Drawing, GREY, INK, MARGIN, RED, TITLES, anchored, canvas, finish,
};

/// Width and height. Unit: pixels.
const SIZE: (u32, u32) = (1380, 940);

/// The side of a cell of the matrix. Unit: pixels.
const CELL: i32 = 64;

/// The position of the matrix. Unit: pixels.
const MATRIX: (i32, i32) = (MARGIN + 56, TITLES as i32 + 72);

/// The position of the images. Unit: pixels.
const IMAGES: (i32, i32) = (MATRIX.0 + CLASSES as i32 * CELL + 72, MATRIX.1);

/// The side of an image's pixel, and the distances from one image to the next, across and down. Unit: pixels.
const DOT: i32 = 6;
const STEP: (i32, i32) = (62, 73);

/// Neighbours shown for each image, and images in a row and in a column.
const SHOWN: usize = 3;
const ACROSS: usize = 2;
const DOWN: usize = 10;

type Point = (i32, i32);

/// Draws the result of the votes of `k` neighbours; `found` has the digits, their neighbours and the votes.
pub(crate) fn draw(
    file: &Path,
    k: usize,
    found: (&Digits, &[Nearest], &[u8]),
    confusion: &Confusion,
) -> Drawing {
    let subtitle = format!("{confusion}; each image by the votes of its {k} nearest");
    let canvas = canvas(file, SIZE, "Handwritten digits, told apart by their neighbours", &subtitle)?;
    matrix(&canvas, confusion)?;
    mistakes(&canvas, found)?;
    finish(&canvas)
}

/// Draws the matrix, errors in red.
fn matrix(canvas: &Canvas<'_>, confusion: &Confusion) -> Drawing {
    let (left, top) = MATRIX;
    let across = CLASSES as i32 * CELL;
    let title = anchored(18, &INK, HPos::Center, VPos::Bottom);
    canvas.draw(&Text::new("what it was taken for", (left + across / 2, top - 34), title))?;
    let down = anchored(18, &INK, HPos::Left, VPos::Bottom);
    canvas.draw(&Text::new("shown", (MARGIN, top - 8), down))?;
    for (shown, row) in confusion.counts.iter().enumerate() {
        let digit = anchored(18, &INK, HPos::Center, VPos::Center);
        let middle = shown as i32 * CELL + CELL / 2;
        canvas.draw(&Text::new(shown.to_string(), (left - 20, top + middle), digit.clone()))?;
        canvas.draw(&Text::new(shown.to_string(), (left + middle, top - 18), digit))?;
        let of_digit = f64::from(row.iter().sum::<u32>().max(1));
        for (taken, &count) in row.iter().enumerate() {
            let (x, y) = (left + taken as i32 * CELL, top + shown as i32 * CELL);
            // Errors are few: a single one must still be visible.
            let (colour, share) = match shown == taken {
                true => (BLUE, 0.5 * f64::from(count) / of_digit),
                false => (RED, (0.12 * f64::from(count)).min(0.8)),
            };
            let cell = [(x, y), (x + CELL - 1, y + CELL - 1)];
            canvas.draw(&Rectangle::new(cell, colour.mix(share).filled()))?;
            canvas.draw(&Rectangle::new(cell, GREY.mix(0.25).stroke_width(1)))?;
            if count > 0 {
                let style = anchored(16, &INK, HPos::Center, VPos::Center);
                let middle = (x + CELL / 2, y + CELL / 2);
                canvas.draw(&Text::new(count.to_string(), middle, style))?;
            }
        }
    }
    Ok(())
}

/// Draws the misclassified images, as many as fit, each before its neighbours.
fn mistakes(canvas: &Canvas<'_>, (digits, nearest, votes): (&Digits, &[Nearest], &[u8])) -> Drawing {
    let style = anchored(18, &INK, HPos::Left, VPos::Bottom);
    let title = format!("what was taken for another digit, and its {SHOWN} nearest");
    canvas.draw(&Text::new(title, (IMAGES.0, IMAGES.1 - 16), style))?;
    let wrong = (0..votes.len()).filter(|&i| votes[i] != digits.labels[i]);
    for (place, i) in wrong.take(ACROSS * DOWN).enumerate() {
        let (column, row) = ((place / DOWN) as i32, (place % DOWN) as i32);
        let left = IMAGES.0 + column * ((SHOWN as i32 + 1) * STEP.0 + 24);
        let top = IMAGES.1 + row * STEP.1;
        image(canvas, (left, top), &digits.images[i], digits.labels[i], &RED)?;
        let neighbours = nearest[i].iter().filter(|&&j| j < votes.len()).take(SHOWN);
        for (number, &j) in neighbours.enumerate() {
            let left = left + (number as i32 + 1) * STEP.0 + 4;
            image(canvas, (left, top), &digits.images[j], digits.labels[j], &GREY)?;
        }
    }
    Ok(())
}

/// Draws an image in a frame, with its digit.
fn image(
    canvas: &Canvas<'_>,
    (left, top): Point,
    image: &Image,
    label: u8,
    frame: &'static RGBColor,
) -> Drawing {
    for (pixel, level) in image.iter().enumerate() {
        let (x, y) = (left + (pixel % SIDE) as i32 * DOT, top + (pixel / SIDE) as i32 * DOT);
        let dot = [(x, y), (x + DOT, y + DOT)];
        canvas.draw(&Rectangle::new(dot, INK.mix(f64::from(level / DARKEST)).filled()))?;
    }
    let side = SIDE as i32 * DOT;
    canvas.draw(&Rectangle::new([(left - 1, top - 1), (left + side, top + side)], frame.stroke_width(1)))?;
    let style = anchored(15, frame, HPos::Center, VPos::Top);
    canvas.draw(&Text::new(label.to_string(), (left + side / 2, top + side + 1), style))?;
    Ok(())
}
