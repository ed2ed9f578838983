//! K04 and K08: I-Match with randomised lexicons, its stability, and what it finds in mail and in pages.
//!
//! The papers count whatever shares a signature, so `decide.verify = "signature"` stands in every
//! recipe that repeats one of their figures; what verification changes is shown beside it.

mod bags;
mod foreign;
mod mails;
mod spam;
mod stability;
mod web;

pub use spam::EXPERIMENT as SPAM;
pub use stability::EXPERIMENT as TABLE_4;
pub use web::EXPERIMENT as WEB;
