//! Corpora and results in object stores and behind HTTP, by the real program: against a real server of S3, and against one that
//! breaks in all the ways that networks do.

#[path = "../cli/support.rs"]
#[allow(dead_code, reason = "shared with other tests, which use the rest")]
mod support;

mod faults;
mod reading;
mod server;
mod web;
mod writing;
