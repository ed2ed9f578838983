//! Columnar files: Parquet and Arrow. Reading them takes large libraries, so it is a feature of this crate; without
//! it such files are still recognised, and refused by name.

#[cfg(feature = "parquet")]
mod arrow;
#[cfg(feature = "parquet")]
mod cells;
#[cfg(feature = "parquet")]
mod cursor;
#[cfg(feature = "parquet")]
mod file;
#[cfg(feature = "parquet")]
mod guard;
// Its tests run in every build, though only one without the feature uses it.
#[cfg(any(test, not(feature = "parquet")))]
#[cfg_attr(feature = "parquet", expect(dead_code))]
mod missing;
#[cfg(feature = "parquet")]
mod parquet;
#[cfg(feature = "parquet")]
mod source;

#[cfg(feature = "parquet")]
pub use self::arrow::{Batches, Next, check_names, inner_compression, wanted};
#[cfg(feature = "parquet")]
pub use self::cells::RowWriter;
#[cfg(feature = "parquet")]
pub use self::cursor::{ColumnCursor, columns_of};
#[cfg(feature = "parquet")]
pub use self::file::ColumnFile;
#[cfg(feature = "parquet")]
pub use self::guard::guarded;
#[cfg(not(feature = "parquet"))]
pub use self::missing::{ColumnCursor, columns_of, refused};
#[cfg(feature = "parquet")]
pub use self::parquet::batches;
