//! The same document in the formats that LibreOffice writes is one cluster. Runs where LibreOffice is installed.

use std::path::Path;
use std::process::{Command, Stdio};

fn office(folder: &Path, arguments: &[&str]) -> bool {
    let profile = format!("-env:UserInstallation=file://{}/profile", folder.display());
    let mut command = Command::new("soffice");
    command.arg("--headless").arg(profile).args(arguments).current_dir(folder);
    command.stdout(Stdio::null()).stderr(Stdio::null()).status().is_ok_and(|status| status.success())
}

#[test]
fn a_document_in_six_formats_is_one_cluster() {
    let place = tempfile::tempdir().unwrap();
    let folder = place.path();
    let sentence = |line: usize| {
        let words = (0..14).map(|place| format!("w{}", (line * 977 + place * place * 61) % 4000));
        words.collect::<Vec<_>>().join(" ")
    };
    let body: String = (0..40).map(|line| format!("<p>{}.</p>", sentence(line))).collect();
    let table = "<table><tr><td>north</td><td>12</td></tr><tr><td>south</td><td>14</td></tr></table>";
    let page = format!(
        "<html><body><h1>A report</h1>{body}<ul><li>one thing</li><li>another</li></ul>{table}</body></html>"
    );
    std::fs::write(folder.join("report.html"), page).unwrap();
    if !office(folder, &["--convert-to", "odt:writer8", "report.html"]) {
        eprintln!("LibreOffice is not installed; nothing to test");
        return;
    }
    for format in ["docx", "doc", "rtf", "pdf", "txt:Text (encoded):UTF8", "odt"] {
        let arguments = ["--infilter=writer8", "--convert-to", format, "--outdir", "made", "report.odt"];
        assert!(office(folder, &arguments), "{format}");
    }
    let program = env!("CARGO_BIN_EXE_lookalike");
    let scan =
        Command::new(program).args(["scan", "made", "--json", "--no-cache"]).current_dir(folder).output();
    let report: serde_json::Value = serde_json::from_slice(&scan.unwrap().stdout).unwrap();
    assert_eq!((&report["files"], &report["read"]), (&6.into(), &6.into()), "{report}");
    let clusters = report["clusters"].as_array().unwrap();
    assert_eq!(clusters.len(), 1, "{report}");
    assert_eq!(clusters[0]["size"], 6, "{report}");
}
