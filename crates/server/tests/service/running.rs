//! A service that runs while a test needs it.

use lookalike::Session;
use std::net::SocketAddr;
use std::path::Path;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use lookalike::files::Program;
use lookalike_server::access::{NewToken, Role, TokenStore};
use lookalike_server::{Config, Server};
use serde_json::Value;
use tokio::sync::oneshot;

use crate::client::{PATIENCE, Reply, send};

pub struct Running {
    pub address: SocketAddr,
    pub folder: tempfile::TempDir,
    stop: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<lookalike::Result<()>>>,
}

pub fn start() -> Running {
    start_with(|_| {})
}

pub fn start_with(configure: impl FnOnce(&mut Config)) -> Running {
    start_in(tempfile::tempdir().unwrap(), configure)
}

pub fn start_in(folder: tempfile::TempDir, configure: impl FnOnce(&mut Config)) -> Running {
    let mut config = Config {
        data: folder.path().to_owned(),
        listen: "127.0.0.1:0".parse().unwrap(),
        ..Config::default()
    };
    configure(&mut config);
    let (tell, told) = std::sync::mpsc::channel();
    let (stop, stopped) = oneshot::channel();
    let thread = std::thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let server = Server::start(&session(), config, None).await?;
            tell.send(server.address()).unwrap();
            server
                .run(async {
                    let _ = stopped.await;
                })
                .await
        })
    });
    let address = told.recv().expect("the service starts");
    Running { address, folder, stop: Some(stop), thread: Some(thread) }
}

/// A session whose reader of files dies of every file; the command's own tests have a real one.
pub fn session() -> Session {
    let arguments = vec!["-c".to_owned(), "exit 1".to_owned()];
    Session::default().reading_files_by(Program { path: "sh".into(), arguments })
}

impl Running {
    pub fn get(&self, path: &str) -> Reply {
        send(self.address, "GET", path, &[], b"")
    }

    pub fn delete(&self, path: &str) -> Reply {
        send(self.address, "DELETE", path, &[], b"")
    }

    pub fn post(&self, path: &str, body: &Value) -> Reply {
        let body = serde_json::to_vec(body).unwrap();
        send(self.address, "POST", path, &[("content-type", "application/json")], &body)
    }

    /// With somebody's token.
    pub fn by(&self, token: &str, method: &str, path: &str, body: Option<&Value>) -> Reply {
        let bearer = format!("Bearer {token}");
        let mut headers = vec![("authorization", bearer.as_str())];
        let body = body.map(|body| serde_json::to_vec(body).unwrap());
        if body.is_some() {
            headers.push(("content-type", "application/json"));
        }
        send(self.address, method, path, &headers, &body.unwrap_or_default())
    }

    /// Asks the service to stop, without waiting for it.
    pub fn tell_to_stop(&mut self) {
        if let Some(stop) = self.stop.take() {
            let _ = stop.send(());
        }
    }

    /// Waits until it has stopped; gives its folder.
    pub fn stopped(mut self) -> tempfile::TempDir {
        self.tell_to_stop();
        self.thread.take().unwrap().join().unwrap().unwrap();
        std::mem::replace(&mut self.folder, tempfile::tempdir().unwrap())
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.tell_to_stop();
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// A token in a folder whose service has not started yet.
pub fn token(folder: &Path, name: &str, role: &str, labels: Option<&[&str]>) -> String {
    let labels = labels.map(|labels| labels.iter().map(|&label| label.to_owned()).collect());
    let new = NewToken {
        name: name.to_owned(),
        role: Role::from_name(role).unwrap(),
        labels,
        writes: None,
        lives: None,
        routes: None,
    };
    TokenStore::open(folder).unwrap().add(new).unwrap()
}

/// A text of eighty words that has nothing in common with that of another number, its last words
/// changed.
pub fn text(number: u64, changed: usize) -> String {
    let words = (0..80).map(|place: u64| {
        let changes = place as usize >= 80 - changed;
        let mut state = (number + if changes { 1_000_000 } else { 0 }) * 1000 + place + 1;
        let letters = (0..7).map(|_| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            char::from(b'a' + ((state >> 33) % 26) as u8)
        });
        letters.collect::<String>()
    });
    words.collect::<Vec<_>>().join(" ")
}

/// Asks until the answer is yes.
pub fn eventually(what: &str, mut is_so: impl FnMut() -> bool) {
    let deadline = Instant::now() + PATIENCE;
    while !is_so() {
        assert!(Instant::now() < deadline, "{what}");
        std::thread::sleep(Duration::from_millis(5));
    }
}
