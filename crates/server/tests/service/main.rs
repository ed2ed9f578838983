//! The service as its callers meet it: a real socket, a real index, real files.

mod access;
mod bulk;
mod client;
mod documents;
mod erasing;
mod faults;
mod identity;
mod knowledge;
mod lexicons;
mod limits;
mod mirrors;
mod offline;
mod openapi;
mod page;
mod review;
mod roles;
mod running;
mod searching;
mod shutdown;
mod snapshots;
mod streams;
mod traces;
