//! What packages are made of: completions, manual pages, the unit of the service, the Debian package, the container.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

const PROGRAM: &str = env!("CARGO_BIN_EXE_lookalike");

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}

/// What a command prints; it must succeed.
fn printed(command: &mut Command) -> String {
    let output = command.stdin(Stdio::null()).output().unwrap();
    assert!(output.status.success(), "{command:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

/// Whether a tool is there. A test that needs it says so if not.
fn has(tool: &str) -> bool {
    let found =
        Command::new("sh").args(["-c", &format!("command -v {tool}")]).output().unwrap().status.success();
    if !found {
        eprintln!("left out: {tool} is not installed");
    }
    found
}

#[test]
fn bash_completes_verbs_and_options() {
    let folder = tempfile::tempdir().unwrap();
    let script = folder.path().join("completions");
    std::fs::write(&script, printed(Command::new(PROGRAM).args(["completions", "bash"]))).unwrap();
    let complete = |words: &str, last: usize| {
        let asked = format!(
            "source {}; COMP_WORDS=({words}); COMP_CWORD={last}; _lookalike lookalike \"${{COMP_WORDS[{last}]}}\" x; \
             printf '%s\\n' \"${{COMPREPLY[@]}}\"",
            script.display()
        );
        printed(Command::new("bash").args(["--norc", "-c", &asked]))
    };
    assert_eq!(complete("lookalike ded", 1), "dedup\n");
    assert!(complete("lookalike dedup --mem", 2).contains("--memory"));
    let verbs = complete("lookalike ''", 1);
    assert!(
        verbs.contains("scan") && verbs.contains("serve") && !verbs.contains("extract-worker"),
        "{verbs}"
    );
}

#[test]
fn every_shell_has_completions_and_others_are_an_error() {
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let script = printed(Command::new(PROGRAM).args(["completions", shell]));
        assert!(script.contains("dedup") && script.contains("threshold"), "{shell}");
    }
    let refused = Command::new(PROGRAM).args(["completions", "csh"]).output().unwrap();
    assert_eq!(refused.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&refused.stderr).contains("bash"), "the known are listed");
}

#[test]
fn every_verb_has_a_manual_page_that_can_be_shown() {
    let folder = tempfile::tempdir().unwrap();
    let pages = folder.path().join("man");
    printed(Command::new(PROGRAM).args(["man", "--output"]).arg(&pages));
    let first = printed(Command::new(PROGRAM).arg("man"));
    assert!(first.contains(".TH lookalike 1"), "{first}");
    let help = printed(Command::new(PROGRAM).arg("--help"));
    let (_, verbs) = help.split_once("Commands:").unwrap();
    let verbs = verbs.lines().skip(1).take_while(|line| !line.trim().is_empty());
    let verbs: Vec<&str> = verbs
        .filter(|line| !line.starts_with("    "))
        .map(|line| line.split_whitespace().next().unwrap())
        .collect();
    assert!(verbs.len() > 15, "{verbs:?}");
    for verb in verbs.iter().filter(|verb| **verb != "help") {
        let page = pages.join(format!("lookalike-{verb}.1"));
        let text = std::fs::read_to_string(&page).unwrap_or_else(|error| panic!("{verb}: {error}"));
        assert!(text.contains(".SH OPTIONS") || text.contains(".SH SUBCOMMANDS"), "{verb}");
        if has("groff") {
            let shown =
                Command::new("groff").args(["-man", "-Tutf8", "-ww", "-z"]).arg(&page).output().unwrap();
            let told = String::from_utf8_lossy(&shown.stderr);
            assert!(shown.status.success() && !told.contains("error"), "{verb}: {told}");
        }
    }
    assert!(
        pages.join("lookalike-index-add.1").exists() && !pages.join("lookalike-extract-worker.1").exists()
    );
}

#[test]
fn the_unit_is_valid_and_starts_what_there_is() {
    let unit = std::fs::read_to_string(root().join("packaging/lookalike.service")).unwrap();
    let start = unit.lines().find_map(|line| line.strip_prefix("ExecStart=/usr/bin/lookalike ")).unwrap();
    // With other folders the same command must serve.
    let folder = tempfile::tempdir().unwrap();
    let settings = folder.path().join("serve.toml");
    std::fs::copy(root().join("packaging/serve.toml"), &settings).unwrap();
    let start = start
        .replace("/var/lib/lookalike", &folder.path().join("data").to_string_lossy())
        .replace("/etc/lookalike/serve.toml", &settings.to_string_lossy());
    let mut child = Command::new(PROGRAM)
        .args(start.split_whitespace())
        .args(["--listen", "127.0.0.1:0"])
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut told = String::new();
    let mut lines = std::io::BufReader::new(child.stderr.take().unwrap());
    while !told.contains("127.0.0.1:") {
        assert!(std::io::BufRead::read_line(&mut lines, &mut told).unwrap() > 0, "{told}");
    }
    printed(Command::new("kill").args(["-TERM", &child.id().to_string()]));
    assert!(child.wait().unwrap().success(), "it ends by itself");
    if has("systemd-analyze") {
        // The program is not installed here, so the unit names the one that is tested.
        let copy = folder.path().join("lookalike.service");
        std::fs::write(&copy, unit.replace("/usr/bin/lookalike", PROGRAM)).unwrap();
        let judged =
            Command::new("systemd-analyze").args(["verify", "--man=no"]).arg(&copy).output().unwrap();
        let told = String::from_utf8_lossy(&judged.stderr);
        assert!(!told.contains("lookalike.service:"), "{told}");
    }
}

#[test]
fn the_debian_package_has_all_of_it() {
    if !has("dpkg-deb") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let mut make = Command::new(root().join("packaging/deb"));
    // Packing a program that is not optimised takes minutes.
    make.env("DPKG_DEB_COMPRESSOR_TYPE", "none");
    let package = printed(make.args(["--binary", PROGRAM, "--output"]).arg(folder.path()));
    let package = package.trim();
    let fields = printed(Command::new("dpkg-deb").args(["--field", package]));
    let version = format!("Version: {}", env!("CARGO_PKG_VERSION"));
    for field in ["Package: lookalike", &version, "Depends: libc6 (>= 2."] {
        assert!(fields.contains(field), "{field}: {fields}");
    }
    let tree = folder.path().join("tree");
    printed(Command::new("dpkg-deb").args(["--extract", package]).arg(&tree));
    for file in [
        "usr/lib/systemd/system/lookalike.service",
        "usr/lib/sysusers.d/lookalike.conf",
        "etc/lookalike/serve.toml",
        "usr/share/man/man1/lookalike.1.gz",
        "usr/share/man/man1/lookalike-serve.1.gz",
        "usr/share/bash-completion/completions/lookalike",
        "usr/share/zsh/vendor-completions/_lookalike",
        "usr/share/fish/vendor_completions.d/lookalike.fish",
        "usr/share/doc/lookalike/LICENSE-MIT",
    ] {
        assert!(std::fs::metadata(tree.join(file)).is_ok_and(|file| file.len() > 0), "{file}");
    }
    let listed = printed(Command::new("dpkg-deb").args(["--contents", package]));
    assert!(listed.lines().all(|line| line.contains("root/root")), "{listed}");
    let run = printed(Command::new(tree.join("usr/bin/lookalike")).arg("--version"));
    assert_eq!(run.trim(), format!("lookalike {}", env!("CARGO_PKG_VERSION")));
    let scripts = folder.path().join("scripts");
    printed(Command::new("dpkg-deb").args(["--control", package]).arg(&scripts));
    for script in ["postinst", "prerm"] {
        printed(Command::new("sh").arg("-n").arg(scripts.join(script)));
    }
}

/// What can be told without building it.
#[test]
fn the_container_copies_what_exists_and_starts_what_there_is() {
    let text = std::fs::read_to_string(root().join("packaging/Containerfile")).unwrap();
    let lines: Vec<&str> = text.lines().filter(|line| !line.is_empty() && !line.starts_with('#')).collect();
    let known = ["FROM", "RUN", "WORKDIR", "COPY", "USER", "VOLUME", "EXPOSE", "ENTRYPOINT", "CMD"];
    for line in &lines {
        assert!(known.contains(&line.split(' ').next().unwrap()), "{line}");
    }
    let package = lines.iter().find_map(|line| line.strip_prefix("RUN cargo build --release -p ")).unwrap();
    assert_eq!(package, "lookalike-cli --locked");
    let user = lines.iter().find_map(|line| line.strip_prefix("USER ")).unwrap();
    assert!(user.parse::<u32>().unwrap() > 0, "not as root");
    let json = |name: &str| -> Vec<String> {
        let list = lines.iter().rev().find_map(|line| line.strip_prefix(name)).unwrap();
        serde_json::from_str(list).unwrap()
    };
    assert_eq!(json("ENTRYPOINT "), ["lookalike"]);
    let ignored = std::fs::read_to_string(root().join(".dockerignore")).unwrap();
    assert!(ignored.lines().any(|line| line == "target"), "what was built here is not sent");
    // The command itself: without a token such an address is refused, and that is told.
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data").to_string_lossy().into_owned();
    let command: Vec<String> =
        json("CMD ").into_iter().map(|word| if word == "/data" { data.clone() } else { word }).collect();
    let refused = Command::new(PROGRAM).args(&command).output().unwrap();
    assert_eq!(refused.status.code(), Some(2));
    let told = String::from_utf8_lossy(&refused.stderr);
    assert!(told.contains("token"), "{told}");
}

/// A tool that can build and run containers and has the images that ours begins with, or gets them.
fn container_tool(file: &str) -> Option<&'static str> {
    let succeeds = |tool: &str, arguments: &[&str]| {
        Command::new(tool).args(arguments).output().is_ok_and(|output| output.status.success())
    };
    let found = ["docker", "podman"].into_iter().find(|tool| succeeds(tool, &["info"]));
    let Some(tool) = found else {
        eprintln!("left out: neither docker nor podman can run containers here");
        return None;
    };
    let images = file.lines().filter_map(|line| line.strip_prefix("FROM ")?.split(' ').next());
    for image in images {
        if !succeeds(tool, &["image", "inspect", image]) && !succeeds(tool, &["pull", image]) {
            eprintln!("left out: {tool} has no {image} and cannot get it");
            return None;
        }
    }
    Some(tool)
}

/// Removes a container, what it stored and the image when the test ends, however that is.
struct Container {
    tool: &'static str,
    name: String,
}

impl Container {
    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(self.tool);
        command.args(arguments);
        command
    }
}

impl Drop for Container {
    fn drop(&mut self) {
        for arguments in [["rm", "--force"], ["volume", "rm"], ["rmi", "--force"]] {
            let _ = self.command(&arguments).arg(&self.name).output();
        }
    }
}

#[test]
fn the_container_is_built_and_answers_where_there_is_a_tool_for_it() {
    let file = root().join("packaging/Containerfile");
    let Some(tool) = container_tool(&std::fs::read_to_string(&file).unwrap()) else { return };
    let container = Container { tool, name: format!("lookalike-test-{}", std::process::id()) };
    let name = container.name.as_str();
    printed(container.command(&["build", "-t", name, "-f"]).arg(&file).arg(root()));
    let volume = format!("{name}:/data");
    let run = |arguments: &[&str]| {
        let all = [&["run", "--rm", "-v", &volume, name], arguments].concat();
        printed(&mut container.command(&all))
    };
    assert_eq!(run(&["--version"]).trim(), format!("lookalike {}", env!("CARGO_PKG_VERSION")));
    let added = run(&["serve", "token", "add", "tester", "--role", "write", "--data", "/data"]);
    let token = added.split_whitespace().max_by_key(|word| word.len()).unwrap();
    printed(&mut container.command(&["run", "-d", "--name", name, "-v", &volume, name]));
    let told = format!("LOOKALIKE_TOKEN={token}");
    let ask = "echo 'A mail of enough words to be compared with the others that came before it.' | \
               lookalike check --server http://127.0.0.1:8080 -";
    let asked = (0..100).find_map(|_| {
        std::thread::sleep(std::time::Duration::from_millis(200));
        let output = container.command(&["exec", "-e", &told, name, "sh", "-c", ask]).output().unwrap();
        output.status.success().then(|| String::from_utf8(output.stdout).unwrap())
    });
    let logs = || printed(&mut container.command(&["logs", name]));
    assert!(asked.is_some_and(|answer| answer.contains("new")), "{}", logs());
    let user = printed(&mut container.command(&["exec", name, "id", "-u"]));
    assert_eq!(user.trim(), "10001", "not as root");
}
