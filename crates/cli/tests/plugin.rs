//! The example of a plug-in builds, passes its tests and does what it says.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}

/// Where this test itself was built: dependencies with the same settings are taken from there.
fn target() -> PathBuf {
    let this_binary = Path::new(env!("CARGO_BIN_EXE_lookalike"));
    this_binary.parent().and_then(Path::parent).unwrap().to_owned()
}

#[test]
fn the_example_passes_its_tests_and_runs() {
    // Its tests include the conformance suite. `cargo test` builds the binary with it, and with the
    // features that the workspace's tests use, so that no dependency is built twice.
    let output = Command::new(env!("CARGO"))
        .args(["test", "--offline", "--locked", "--target-dir"])
        .arg(target())
        .current_dir(root().join("examples/plugin"))
        .output()
        .unwrap();
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(
        output.status.success(),
        "{stderr}\n{}\nIf only its Cargo.lock is out of date: copy the root's over it and build once.",
        String::from_utf8_lossy(&output.stdout)
    );

    let example = target().join("debug/lookalike-plugin-example");
    let output = Command::new(&example).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let printed = String::from_utf8(output.stdout).unwrap();
    assert!(printed.starts_with("kept 2, removed 2 of 4 documents\nscheme one-permutation-"), "{printed}");
    assert!(printed.contains(r#"{"id":"stats.rs","keeper":"new/stats.rs""#), "{printed}");
    assert!(printed.contains(r#""method":"code""#), "{printed}");
}

/// So that the example is built from what the product was tested with.
#[test]
fn the_example_uses_the_versions_of_the_product() {
    let packages = |lock: &str| -> BTreeSet<(String, String)> {
        let text = std::fs::read_to_string(root().join(lock)).unwrap();
        let table: toml::Table = text.parse().unwrap();
        let text_of = |package: &toml::Value, key: &str| package[key].as_str().unwrap().to_owned();
        let all = table["package"].as_array().unwrap().iter();
        all.map(|package| (text_of(package, "name"), text_of(package, "version"))).collect()
    };
    let product = packages("Cargo.lock");
    for package in packages("examples/plugin/Cargo.lock") {
        let is_itself = package.0 == "lookalike-plugin-example";
        assert!(is_itself || product.contains(&package), "{package:?} is not in Cargo.lock");
    }
}
