//! L17: accuracy, F1 and time of LSBS compared with other methods, by type of document and
//! threshold.

mod cases;
mod corpus;
mod figures;
mod measured;
mod natural;
mod plant;
mod sections;
mod tables;
mod types;
mod unpack;

pub use figures::EXPERIMENT as FIGURES;
pub use tables::EXPERIMENT as TABLES;
