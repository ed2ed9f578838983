//! Files that are not on this machine: objects in S3, Google Cloud Storage and Azure, and what HTTP servers have.
//!
//! They are read by ranges, several of them in flight at once. Talking to the stores takes large libraries, so it is a
//! feature of this crate; without it an address is still recognised, and refused by name.

mod address;
#[cfg(feature = "objects")]
mod credentials;
#[cfg(feature = "objects")]
mod destination;
#[cfg(feature = "objects")]
mod failure;
#[cfg(feature = "objects")]
mod list;
// Its tests run in every build, though only one without the feature uses it.
#[cfg(any(test, not(feature = "objects")))]
#[cfg_attr(feature = "objects", expect(dead_code))]
mod missing;
#[cfg(feature = "objects")]
mod object;
#[cfg(feature = "objects")]
mod open;
#[cfg(feature = "objects")]
mod pages;
#[cfg(feature = "objects")]
mod profile;
#[cfg(feature = "objects")]
mod reader;
#[cfg(feature = "objects")]
mod runtime;
#[cfg(feature = "objects")]
mod store;
#[cfg(feature = "objects")]
mod variables;

pub use self::address::{Address, is_address};
#[cfg(feature = "objects")]
pub use self::destination::Destination;
#[cfg(feature = "objects")]
pub use self::list::{Listing, Stores};
#[cfg(not(feature = "objects"))]
pub use self::missing::{Destination, Listing, Object, ObjectReader, Pages, Stores};
#[cfg(feature = "objects")]
pub use self::object::Object;
#[cfg(feature = "objects")]
pub use self::pages::Pages;
#[cfg(feature = "objects")]
pub use self::reader::ObjectReader;
