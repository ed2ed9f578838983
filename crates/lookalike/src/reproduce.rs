//! The experiments of the papers, run again on public data by [`Session::reproduce`](crate::Session::reproduce).

pub use lookalike_reproduce::{Experiment, Figure, Reproduced, Section, experiments, html, markdown, text};
