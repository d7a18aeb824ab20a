//! What a device cannot run is an error when linking, with its reason and its line.

use crate::compile::{PROFILES, refused};
