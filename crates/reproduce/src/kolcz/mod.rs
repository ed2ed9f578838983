//! K04 and K08: I-Match with randomised lexicons, its stability, and what it finds in mail and in pages.
//!
//! The papers count every pair that shares a signature, so `decide.verify = "signature"` is in
//! every recipe that repeats one of their figures; the effect of verification is shown beside it.

mod bags;
mod foreign;
mod mails;
mod spam;
mod stability;
mod web;

pub use spam::EXPERIMENT as SPAM;
pub use stability::EXPERIMENT as TABLE_4;
pub use web::EXPERIMENT as WEB;
