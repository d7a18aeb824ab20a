//! The rules for sources and manifests that need no build of Spelt: layers, modules, examples, packages.

mod algorithms;
mod documented;
mod guide;
mod layering;
mod modules;
mod packages;
