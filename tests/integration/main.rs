//! Samara as its users see it: the public surface, a module per feature.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing)]

#[path = "../support/mod.rs"]
mod support;

mod games;
mod vectors;
