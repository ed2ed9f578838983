//! `lookalike serve` when something goes wrong around it: tokens are revoked or lost, the disk is full, a file is
//! damaged, the terminal is closed.

use std::path::Path;
use std::process::{Command, Output};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Resource, Rlimit, prlimit};
use serde_json::{Value, json};

use super::serving::Serving;

fn lookalike(arguments: &[&str], data: &Path) -> Output {
    Command::new(env!("CARGO_BIN_EXE_lookalike")).args(arguments).arg("--data").arg(data).output().unwrap()
}

fn make_token(name: &str, data: &Path) -> String {
    let output = lookalike(&["serve", "token", "add", name, "--role", "admin"], data);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap().trim().to_owned()
}

fn eventually(what: &str, mut is_so: impl FnMut() -> bool) {
    let deadline = Instant::now() + Duration::from_secs(30);
    while !is_so() {
        assert!(Instant::now() < deadline, "{what}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

fn add(serving: &Serving, id: &str, text: &str) {
    let document = json!({ "id": id, "text": text }).to_string();
    assert_eq!(serving.post("/api/documents", "application/json", None, document.as_bytes()).0, 200);
}

/// Every request is refused, and monitoring reports it.
fn is_closed(serving: &Serving, tokens: &[&str]) -> bool {
    let refused = |token: Option<&str>| serving.get_with("/api/stats", token).0 == 401;
    let (status, ready) = serving.get("/readyz");
    refused(None)
        && tokens.iter().all(|token| refused(Some(*token)))
        && (status, &ready["error"]["code"]) == (503, &json!("no-tokens"))
}

#[test]
fn without_a_valid_token_nobody_is_let_in_once_there_was_one() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path();
    let file = data.join("tokens.json");
    let serving = Serving::service(data, &[]);
    assert_eq!(serving.get("/api/stats").0, 200, "nobody asked for tokens");
    let first = make_token("first", data);
    eventually("the token is noticed", || serving.get("/api/stats").0 == 401);
    assert_eq!(serving.get_with("/api/stats", Some(&first)).0, 200);

    let revoked = lookalike(&["serve", "token", "revoke", "first"], data);
    assert!(revoked.status.success());
    let told = String::from_utf8(revoked.stderr).unwrap();
    assert!(told.contains("nobody is let in"), "{told}");
    eventually("the last token is revoked", || is_closed(&serving, &[&first]));
    serving.end();
    let serving = Serving::service(data, &[]);
    assert!(is_closed(&serving, &[&first]), "also after a restart");

    let second = make_token("second", data);
    eventually("the way back in", || serving.get_with("/api/stats", Some(&second)).0 == 200);
    eventually("it is ready", || serving.get("/readyz").0 == 200);
    let whole = std::fs::read(&file).unwrap();
    std::fs::remove_file(&file).unwrap();
    eventually("the file is gone", || is_closed(&serving, &[&second]));
    eventually("the log tells it", || serving.log().contains("nobody is let in"));
    serving.end();
    let serving = Serving::service(data, &[]);
    assert!(is_closed(&serving, &[&second]), "also after a restart");

    for (number, length) in [0, 1, whole.len() / 2, whole.len() - 3].into_iter().enumerate() {
        std::fs::write(&file, &whole).unwrap();
        eventually("the file is whole", || serving.get_with("/api/stats", Some(&second)).0 == 200);
        std::fs::write(&file, &whole[..length]).unwrap();
        eventually("the file is cut", || is_closed(&serving, &[&second]));
        if number == 2 {
            let again = Serving::service(&tokens_only(data), &[]);
            assert!(is_closed(&again, &[&second]), "also when it starts with it");
            assert!(again.told.contains("damaged or cut off"), "{}", again.told);
        }
        let refused = lookalike(&["serve", "token", "add", "third"], data);
        let told = String::from_utf8(refused.stderr).unwrap();
        assert!(!refused.status.success() && told.contains("remove it and make new tokens"), "{told}");
    }
    std::fs::remove_file(&file).unwrap();
    let third = make_token("third", data);
    eventually("a new file", || serving.get_with("/api/stats", Some(&third)).0 == 200);
    assert_eq!(serving.get_with("/api/stats", Some(&second)).0, 401, "the old ones are gone");
    serving.end();
}

/// A folder for another service, which has only the tokens of this one.
fn tokens_only(data: &Path) -> std::path::PathBuf {
    let other = data.join("other");
    std::fs::create_dir_all(&other).unwrap();
    std::fs::copy(data.join("tokens.json"), other.join("tokens.json")).unwrap();
    other
}

#[test]
fn a_closed_terminal_ends_nothing_and_has_the_tokens_read() {
    let folder = tempfile::tempdir().unwrap();
    let serving = Serving::service(folder.path(), &[]);
    assert_eq!(serving.get("/api/stats").0, 200);
    let token = make_token("a", folder.path());
    serving.signal("HUP");
    eventually("the signal is heard", || serving.log().contains("tokens and certificate are read again"));
    assert_eq!(serving.get("/api/stats").0, 401);
    assert_eq!(serving.get_with("/api/stats", Some(&token)).0, 200);
    serving.end();
}

fn recipe_of(data: &Path) -> Value {
    let head: Value = serde_json::from_slice(&std::fs::read(data.join("index/index.json")).unwrap()).unwrap();
    head["content"]["recipe"].clone()
}

#[test]
fn a_resign_that_fails_on_a_full_disk_leaves_the_recipe() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    let mut command = Command::new("sh");
    // Without this the kernel ends a process whose file gets too large.
    command.args(["-c", "trap '' XFSZ; exec \"$0\" \"$@\"", env!("CARGO_BIN_EXE_lookalike")]);
    command.args([
        "serve",
        "--listen",
        "127.0.0.1:0",
        "--with",
        "log_format=json",
        "--method",
        "simhash",
        "--data",
    ]);
    let serving = Serving::start(command.arg(&data), |line| {
        serde_json::from_str::<Value>(line).ok()?["address"].as_str()?.parse().ok()
    });
    add(&serving, "a", "the harbour board met on tuesday evening to discuss the new breakwater and the road");
    let before = recipe_of(&data);
    assert!(before.as_str().unwrap().contains("simhash"), "{before}");
    // From here on no file can be written: a full disk.
    let process = Pid::from_raw(serving.id() as i32);
    let nothing = |bytes| Rlimit { current: bytes, maximum: None };
    prlimit(process, Resource::Fsize, nothing(Some(0))).unwrap();
    let recipe = json!({ "recipe": "[decide]\nthreshold = 0.9" }).to_string();
    assert_eq!(serving.post("/api/admin/resign", "application/json", None, recipe.as_bytes()).0, 202);
    eventually("it fails", || serving.get("/api/admin/task").1["state"] == "failed");
    assert_eq!(serving.get("/api/admin/task").1["error"]["code"], "storage");
    drop(serving);
    let serving = Serving::service(&data, &[]);
    // Unfinished work is completed before the first answer.
    std::thread::sleep(Duration::from_millis(500));
    assert_eq!(recipe_of(&data), before, "{}", serving.log());
    assert_eq!(serving.get("/api/stats").1["method"], "simhash");
    serving.end();
}

#[test]
fn damage_is_logged_with_its_place_and_told_without() {
    let folder = tempfile::tempdir().unwrap();
    let serving = Serving::service(folder.path(), &[]);
    add(&serving, "a", "the harbour board met on tuesday evening to discuss the new breakwater and the road");
    let segment = folder.path().join("index/texts/000000");
    let mut bytes = std::fs::read(&segment).unwrap();
    let last = bytes.len() - 10;
    bytes[last] ^= 1;
    std::fs::write(&segment, bytes).unwrap();
    let (status, told) = serving.get("/api/documents/a");
    assert_eq!((status, &told["error"]["code"]), (500, &json!("damaged")), "{told}");
    assert!(!told.to_string().contains("000000"), "{told}");
    let logged =
        || serving.log().lines().any(|line| line.contains("texts/000000") && line.contains("damaged"));
    eventually("it is logged", logged);
    let (status, ready) = serving.get("/readyz");
    assert_eq!((status, &ready["error"]["code"]), (503, &json!("damaged")));
    assert_eq!(serving.get("/healthz").0, 200);
}
