//! Takes the files of the page into the program, compressed.

use std::fmt::Write as _;
use std::io::Write;
use std::path::{Path, PathBuf};

use flate2::Compression;
use flate2::write::GzEncoder;

fn main() {
    println!("cargo::rerun-if-changed=page");
    let out = PathBuf::from(std::env::var("OUT_DIR").expect("cargo sets OUT_DIR"));
    let mut files = Vec::new();
    find(Path::new("page"), &mut files);
    files.sort();
    let mut table = String::from("static FILES: &[File] = &[\n");
    for (number, path) in files.iter().enumerate() {
        let bytes = std::fs::read(path).expect("a file of the page can be read");
        let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
        encoder.write_all(&bytes).expect("memory takes it");
        let packed = out.join(format!("{number}.gz"));
        std::fs::write(&packed, encoder.finish().expect("memory takes it")).expect("OUT_DIR can be written");
        let name = path.strip_prefix("page").expect("it was found there").to_str().expect("names are plain");
        let whole = path.canonicalize().expect("it was found");
        writeln!(
            table,
            "File {{ path: {name:?}, plain: include_bytes!({whole:?}), packed: include_bytes!({packed:?}) }},"
        )
        .expect("a string takes it");
    }
    table.push_str("];\n");
    std::fs::write(out.join("page.rs"), table).expect("OUT_DIR can be written");
}

fn find(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).expect("the page is there").flatten() {
        let path = entry.path();
        if path.is_dir() {
            find(&path, files);
        } else {
            files.push(path);
        }
    }
}
