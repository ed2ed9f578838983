//! Runs the program as a service, until it is told to stop.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex};

use serde_json::Value;

pub struct Serving {
    child: Child,
    pub address: SocketAddr,
    /// Its output on standard error before it printed its address.
    pub told: String,
    later: Arc<Mutex<String>>,
}

impl Serving {
    /// `lookalike serve` on a free port.
    pub fn service(data: &Path, arguments: &[&str]) -> Serving {
        let mut command = Command::new(env!("CARGO_BIN_EXE_lookalike"));
        command
            .args(["serve", "--listen", "127.0.0.1:0", "--with", "log_format=json", "--data"])
            .arg(data)
            .args(arguments);
        Serving::start(&mut command, |line| {
            let told: Value = serde_json::from_str(line).unwrap_or_else(|_| panic!("no log line: {line}"));
            told["address"].as_str()?.parse().ok()
        })
    }

    /// Starts the program and waits for the line on standard error with its address.
    pub fn start(command: &mut Command, address: impl Fn(&str) -> Option<SocketAddr>) -> Serving {
        let mut child = command.stderr(Stdio::piped()).spawn().unwrap();
        let mut log = BufReader::new(child.stderr.take().unwrap());
        let mut told = String::new();
        let address = loop {
            let before = told.len();
            let length = log.read_line(&mut told).unwrap();
            assert!(length > 0, "it ended: {told}");
            if let Some(address) = address(told[before..].trim_end()) {
                break address;
            }
        };
        // A full pipe must not block the program.
        let later = Arc::new(Mutex::new(String::new()));
        let heard = Arc::clone(&later);
        std::thread::spawn(move || {
            for line in log.lines().map_while(Result::ok) {
                *heard.lock().unwrap() += &(line + "\n");
            }
        });
        Serving { child, address, told, later }
    }

    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// Its output on standard error since it printed its address.
    pub fn log(&self) -> String {
        self.later.lock().unwrap().clone()
    }

    pub fn get(&self, path: &str) -> (u16, Value) {
        self.get_with(path, None)
    }

    pub fn get_with(&self, path: &str, token: Option<&str>) -> (u16, Value) {
        let token = token.map(|token| format!("authorization: Bearer {token}\r\n")).unwrap_or_default();
        self.send(&format!("GET {path} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n{token}\r\n"), b"")
    }

    /// The status alone.
    pub fn delete(&self, path: &str) -> u16 {
        self.send(&format!("DELETE {path} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n"), b"").0
    }

    pub fn post(&self, path: &str, kind: &str, token: Option<&str>, body: &[u8]) -> (u16, Value) {
        let token = token.map(|token| format!("authorization: Bearer {token}\r\n")).unwrap_or_default();
        let head = format!(
            "POST {path} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\ncontent-type: {kind}\r\n{token}content-length: {}\r\n\r\n",
            body.len()
        );
        self.send(&head, body)
    }

    fn send(&self, head: &str, body: &[u8]) -> (u16, Value) {
        let mut stream = TcpStream::connect(self.address).unwrap();
        stream.write_all(head.as_bytes()).unwrap();
        stream.write_all(body).unwrap();
        let mut reply = String::new();
        stream.read_to_string(&mut reply).unwrap();
        let (head, body) = reply.split_once("\r\n\r\n").unwrap();
        let value = if body.is_empty() { Value::Null } else { serde_json::from_str(body).unwrap() };
        (head[9..12].parse().unwrap(), value)
    }

    pub fn signal(&self, name: &str) {
        let sent =
            Command::new("kill").args([&format!("-{name}"), &self.child.id().to_string()]).status().unwrap();
        assert!(sent.success());
    }

    pub fn end(mut self) {
        self.signal("TERM");
        assert!(self.child.wait().unwrap().success(), "a service that is told to stop ends well");
    }
}

impl Drop for Serving {
    /// A failed test leaves no process behind.
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
