//! Who removed, decided and changed what: a line for each in `audit.jsonl` in the data folder, which is only appended to.
//!
//! The file is opened for each line, so that it can be moved away at any time. A line is on disk before the request is
//! answered. Documents that come in are not in it, unless others went for them.

use std::fs::{File, OpenOptions};
use std::io::{Read, Seek, SeekFrom, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use lookalike::{Error, Id, Result};
use lookalike_plumbing::clock::now;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::access::Caller;

const NAME: &str = "audit.jsonl";
/// How much of the end of the file is looked at.
const READ: u64 = 4 << 20;

pub struct Audit {
    path: PathBuf,
    writing: Mutex<()>,
}

/// Something that somebody did.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
pub struct AuditEntry {
    /// Seconds since 1970.
    pub time: u64,
    /// The name of a token; `local` without tokens, `command line` for what was done on the machine.
    pub by: String,
    /// The address of the client.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub address: Option<String>,
    /// The id of the request, as in the log.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub request: Option<String>,
    pub action: String,
    /// What it was done to.
    pub what: Value,
}

impl Audit {
    pub fn new(data: &Path) -> Audit {
        Audit { path: data.join(NAME), writing: Mutex::new(()) }
    }

    /// Records what a caller did.
    pub fn record(&self, caller: &Caller, action: &str, what: Value) -> Result<()> {
        self.append(&AuditEntry {
            time: now(),
            by: caller.name.clone(),
            address: caller.address.map(|address| address.to_string()),
            request: caller.request.clone(),
            action: action.to_owned(),
            what,
        })
    }

    /// Records what was done on the machine.
    pub fn record_here(&self, action: &str, what: Value) -> Result<()> {
        let (by, action) = ("command line".to_owned(), action.to_owned());
        self.append(&AuditEntry { time: now(), by, address: None, request: None, action, what })
    }

    fn append(&self, entry: &AuditEntry) -> Result<()> {
        let mut line = serde_json::to_vec(entry).map_err(|error| Error::Internal(error.to_string()))?;
        line.push(b'\n');
        let _one = self.writing.lock().unwrap_or_else(PoisonError::into_inner);
        let mut options = OpenOptions::new();
        let file = options.create(true).append(true).read(true).mode(0o600).open(&self.path);
        let written = file.and_then(|mut file| {
            // A line that was cut off by a crash stays a line of its own.
            if !ends_with_line(&mut file)? {
                line.insert(0, b'\n');
            }
            file.write_all(&line)?;
            file.sync_data()
        });
        written.map_err(Error::io(&self.path))
    }

    /// The last entries, the newest first.
    pub fn last(&self, count: usize) -> Result<Vec<AuditEntry>> {
        let mut file = match File::open(&self.path) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
            opened => opened.map_err(Error::io(&self.path))?,
        };
        let mut read = || -> std::io::Result<Vec<u8>> {
            let length = file.metadata()?.len();
            file.seek(SeekFrom::Start(length.saturating_sub(READ)))?;
            let mut bytes = Vec::new();
            file.read_to_end(&mut bytes)?;
            Ok(bytes)
        };
        let bytes = read().map_err(Error::io(&self.path))?;
        // The first line may be the end of one, and one may have been cut off.
        let entries =
            bytes.split(|&byte| byte == b'\n').rev().filter_map(|line| serde_json::from_slice(line).ok());
        Ok(entries.take(count).collect())
    }
}

/// An id as it is in requests.
pub fn id_value(id: &Id) -> Value {
    serde_json::from_str(id.json()).unwrap_or_else(|_| id.json().into())
}

fn ends_with_line(file: &mut File) -> std::io::Result<bool> {
    let length = file.metadata()?.len();
    if length == 0 {
        return Ok(true);
    }
    file.seek(SeekFrom::Start(length - 1))?;
    let mut last = [0];
    file.read_exact(&mut last)?;
    Ok(last == *b"\n")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn lines_stay_lines_after_a_crash_and_the_newest_come_first() {
        let dir = tempfile::tempdir().unwrap();
        let audit = Audit::new(dir.path());
        assert!(audit.last(9).unwrap().is_empty());
        audit.record_here("first", json!({ "n": 1 })).unwrap();
        let path = dir.path().join(NAME);
        let mut bytes = std::fs::read(&path).unwrap();
        bytes.extend(br#"{"time":1,"by":"x","act"#);
        std::fs::write(&path, &bytes).unwrap();
        audit.record(&Caller::local(), "second", json!({ "n": 2 })).unwrap();
        let last = audit.last(9).unwrap();
        let told: Vec<(&str, &str)> =
            last.iter().map(|entry| (entry.by.as_str(), entry.action.as_str())).collect();
        assert_eq!(told, [("local", "second"), ("command line", "first")]);
        assert_eq!(audit.last(1).unwrap().len(), 1);
        assert_eq!(std::fs::read_to_string(&path).unwrap().lines().count(), 3);
    }
}
