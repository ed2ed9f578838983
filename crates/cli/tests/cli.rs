//! The binary from a user's point of view: arguments in; files, output and an exit code out.
//!
//! Every test has a folder of its own and runs the real program in it.

#[path = "cli/against.rs"]
mod against;
#[path = "cli/archives.rs"]
mod archives;
#[path = "cli/bad_lines.rs"]
mod bad_lines;
#[path = "cli/calling.rs"]
mod calling;
#[path = "cli/columns.rs"]
mod columns;
#[path = "cli/compare.rs"]
mod compare;
#[path = "cli/decisions.rs"]
mod decisions;
#[path = "cli/differences.rs"]
mod differences;
#[path = "cli/errors.rs"]
mod errors;
#[path = "cli/everywhere.rs"]
mod everywhere;
#[path = "cli/extract.rs"]
mod extract;
#[path = "cli/faults.rs"]
mod faults;
#[path = "cli/fields.rs"]
mod fields;
#[path = "cli/folders.rs"]
mod folders;
#[path = "cli/formats.rs"]
mod formats;
#[path = "cli/index.rs"]
mod index;
#[path = "cli/interrupted.rs"]
mod interrupted;
#[path = "cli/judging.rs"]
mod judging;
#[path = "cli/keep.rs"]
mod keep;
#[path = "cli/lexicon.rs"]
mod lexicon;
#[path = "cli/native.rs"]
mod native;
#[path = "cli/native_index.rs"]
mod native_index;
#[path = "cli/one_engine.rs"]
mod one_engine;
#[path = "cli/outputs.rs"]
mod outputs;
#[path = "cli/promises.rs"]
mod promises;
#[path = "cli/read_again.rs"]
mod read_again;
#[path = "cli/scan.rs"]
mod scan;
#[path = "cli/scan_actions.rs"]
mod scan_actions;
#[path = "cli/serve.rs"]
mod serve;
#[path = "cli/snapshots.rs"]
mod snapshots;
#[path = "cli/streams.rs"]
mod streams;
#[path = "cli/surface.rs"]
mod surface;
#[path = "cli/tls.rs"]
mod tls;
#[path = "cli/training.rs"]
mod training;
#[path = "cli/tuning.rs"]
mod tuning;
#[path = "cli/view.rs"]
mod view;
#[path = "cli/weak.rs"]
mod weak;

#[path = "cli/scanning.rs"]
mod scanning;
#[path = "cli/serving.rs"]
mod serving;
#[path = "cli/support.rs"]
mod support;
