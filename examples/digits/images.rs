//! The images and their digits.

use std::array;
use std::path::Path;

use spelt::prelude::*;
use spelt::{Error, ErrorKind, MemorySpace, Result};

/// Pixels along a side of an image.
pub(crate) const SIDE: usize = 8;

/// Pixels of an image.
pub(crate) const PIXELS: usize = SIDE * SIDE;

/// The darkest grey.
pub(crate) const DARKEST: f32 = 16.0;

/// The digits from 0 to 9.
pub(crate) const CLASSES: usize = 10;

/// Levels of grey, row by row: a point in a space of this dimension.
pub(crate) type Image = [f32; PIXELS];

/// Images with the digits that they show, where kernels run.
pub(crate) struct Digits<M: MemorySpace = HostSpace> {
    pub(crate) images: View<Image, 1, M>,
    pub(crate) labels: View<u8, 1, M>,
}

impl<M: MemorySpace> Digits<M> {
    /// The first `most` digits of two `.npy` files.
    pub(crate) fn read<S: ExecutionSpace<Memory = M>>(
        space: &S,
        images: &Path,
        labels: &Path,
        most: usize,
    ) -> Result<Self> {
        Self::new(space, &View::read_npy(images)?, &View::read_npy(labels)?, most)
    }

    /// The first `most` of these digits: a row of levels and a label for each.
    pub(crate) fn new<S: ExecutionSpace<Memory = M>>(
        space: &S,
        levels: &View<f32, 2>,
        labels: &View<u8, 1>,
        most: usize,
    ) -> Result<Self> {
        let wrong = |message: String| Err(Error::new(ErrorKind::Format, message));
        let [rows, columns] = levels.extents();
        if columns != PIXELS {
            return wrong(format!("the images have {columns} pixels: give {PIXELS}, {SIDE} x {SIDE}"));
        }
        if rows != labels.len() {
            return wrong(format!("there are {rows} images with {} labels: give as many", labels.len()));
        }
        if let Some(label) = labels.iter().find(|&&label| usize::from(label) >= CLASSES) {
            return wrong(format!("an image shows {label}, which is not a digit"));
        }
        for ([image, _], level) in levels.indexed_iter() {
            if !(0.0..=DARKEST).contains(level) {
                return wrong(format!("image {image} has the level {level}: give 0 to {DARKEST}"));
            }
        }
        let n = rows.min(most);
        if n < 2 {
            return wrong(format!("{n} images have no others that they could be like: give two or more"));
        }
        let image = |i: usize| array::from_fn(|pixel| levels[[i, pixel]]);
        Ok(Self {
            images: space.view_from_fn("images", [n], |[i]| image(i))?,
            labels: space.view_from_fn("labels", [n], |[i]| labels[i])?,
        })
    }

    /// The same in host memory.
    pub(crate) fn to_host(&self) -> Result<Digits> {
        Ok(Digits { images: self.images.to_host()?, labels: self.labels.to_host()? })
    }
}

/// The square of the distance between two images; exact, because levels are small whole numbers.
#[inline(always)]
pub(crate) fn distance_squared(x: &Image, y: &Image) -> f32 {
    let mut sum = 0.0;
    for pixel in 0..PIXELS {
        let difference = x[pixel] - y[pixel];
        sum += difference * difference;
    }
    sum
}
