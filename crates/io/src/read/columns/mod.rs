//! Files of columns: Parquet and Arrow. Reading them takes large libraries, so it is a feature of this crate; without
//! it such files are still recognised, and refused by name.

#[cfg(feature = "parquet")]
mod arrow;
#[cfg(feature = "parquet")]
mod cells;
#[cfg(feature = "parquet")]
mod lane;
#[cfg(not(feature = "parquet"))]
mod missing;
#[cfg(feature = "parquet")]
mod parquet;

#[cfg(feature = "parquet")]
pub use self::arrow::{Batches, Next, inner_compression};
#[cfg(feature = "parquet")]
pub use self::lane::{ColumnLane, columns_of};
#[cfg(not(feature = "parquet"))]
pub use self::missing::{ColumnLane, columns_of, refused};
#[cfg(feature = "parquet")]
pub use self::parquet::batches;
