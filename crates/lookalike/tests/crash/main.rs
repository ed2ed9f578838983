//! The persistent index against all that can happen to a disk and a process: it is killed, its files are damaged,
//! cut or gone, the disk is full or read-only, the power fails.
//!
//! What an index must know after that is kept in a [`model`]; whether it answers rightly is asked of a second
//! index, built from nothing out of the living documents.

mod damage;
mod disk;
mod kill;
mod model;
mod power;
