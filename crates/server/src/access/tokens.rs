//! Tokens and where they are kept: as hashes in `tokens.json`, readable by its owner only.
//!
//! A token is 256 random bits, so a plain hash is enough: there is nothing to guess. The file is
//! looked at again every second, so that `lookalike serve token revoke` ends a token of a service
//! that runs.

use std::fs::File;
use std::io::Write;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use lookalike::index::View;
use lookalike::{Error, Result};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::{Caller, Role};

const PREFIX: &str = "lk_";
const LOOK_AGAIN: Duration = Duration::from_secs(1);
const MOST_NAME: usize = 100;

/// What is known of a token; not the token.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TokenInfo {
    pub name: String,
    pub role: Role,
    /// Absent: sees everything.
    pub labels: Option<Vec<String>>,
    /// SHA-256 in hexadecimal.
    pub hash: String,
    /// Seconds since 1970.
    pub created: u64,
}

/// A token to be made.
#[derive(Clone, Debug)]
pub struct NewToken {
    pub name: String,
    pub role: Role,
    pub labels: Option<Vec<String>>,
}

pub struct TokenStore {
    path: PathBuf,
    state: Mutex<State>,
}

struct State {
    tokens: Vec<TokenInfo>,
    stamp: Stamp,
    looked: Instant,
}

/// Tells whether the file is another one; absent when there is none.
type Stamp = Option<(u64, u64, i64, i64)>;

impl TokenStore {
    /// The tokens of a data folder, which may have none yet.
    pub fn open(data: &Path) -> Result<TokenStore> {
        let path = data.join("tokens.json");
        let (stamp, tokens) = (stamp(&path), read(&path)?);
        Ok(TokenStore { path, state: Mutex::new(State { tokens, stamp, looked: Instant::now() }) })
    }

    /// Makes a token and gives it; nobody can read it again.
    pub fn add(&self, new: NewToken) -> Result<String> {
        if new.name.trim().is_empty() || new.name.len() > MOST_NAME || new.name.chars().any(char::is_control)
        {
            return Err(Error::config(format!(
                "a token's name must have 1 to {MOST_NAME} printable characters"
            )));
        }
        if new.role == Role::Admin && new.labels.is_some() {
            return Err(Error::config("an admin sees all documents: leave the labels out, or choose write"));
        }
        let mut tokens = read(&self.path)?;
        if tokens.iter().any(|token| token.name == new.name) {
            return Err(Error::config(format!("there is a token `{}` already: revoke it first", new.name)));
        }
        let mut secret = [0; 32];
        getrandom::fill(&mut secret)
            .map_err(|error| Error::Internal(format!("no random numbers: {error}")))?;
        let token = format!("{PREFIX}{}", URL_SAFE_NO_PAD.encode(secret));
        let created = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
        let NewToken { name, role, labels } = new;
        tokens.push(TokenInfo { name, role, labels, hash: hash_of(&token), created });
        self.replace(tokens)?;
        Ok(token)
    }

    pub fn list(&self) -> Result<Vec<TokenInfo>> {
        read(&self.path)
    }

    /// Whether there was such a token.
    pub fn revoke(&self, name: &str) -> Result<bool> {
        let mut tokens = read(&self.path)?;
        let before = tokens.len();
        tokens.retain(|token| token.name != name);
        let found = tokens.len() < before;
        if found {
            self.replace(tokens)?;
        }
        Ok(found)
    }

    pub fn is_empty(&self) -> bool {
        self.with(|tokens| tokens.is_empty())
    }

    /// Whose token this is. Every hash is compared, each in the same time.
    pub fn caller(&self, token: &str) -> Option<Caller> {
        let hash = hash_of(token);
        self.with(|tokens| {
            let mut found = None;
            for token in tokens {
                if same(token.hash.as_bytes(), hash.as_bytes()) {
                    found = Some(token);
                }
            }
            found.map(|token| Caller {
                name: token.name.clone(),
                role: token.role,
                view: token.labels.clone().map_or(View::All, View::Labels),
            })
        })
    }

    fn with<T>(&self, look: impl FnOnce(&[TokenInfo]) -> T) -> T {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        if state.looked.elapsed() >= LOOK_AGAIN {
            state.looked = Instant::now();
            let now = stamp(&self.path);
            if now != state.stamp {
                match read(&self.path) {
                    Ok(tokens) => (state.tokens, state.stamp) = (tokens, now),
                    Err(error) => tracing::error!(%error, "the tokens stay as they were"),
                }
            }
        }
        look(&state.tokens)
    }

    fn replace(&self, tokens: Vec<TokenInfo>) -> Result<()> {
        let json = serde_json::to_vec_pretty(&tokens).map_err(|error| Error::Internal(error.to_string()))?;
        let folder = self.path.parent().unwrap_or(Path::new("."));
        std::fs::create_dir_all(folder).map_err(Error::io(folder))?;
        let beside = self.path.with_extension("json.new");
        let write = || -> std::io::Result<()> {
            // What an interrupted attempt left has perhaps another mode.
            match std::fs::remove_file(&beside) {
                Err(error) if error.kind() != std::io::ErrorKind::NotFound => return Err(error),
                _ => {}
            }
            let mut file = File::options().write(true).create_new(true).mode(0o600).open(&beside)?;
            file.write_all(&json)?;
            file.sync_all()?;
            std::fs::rename(&beside, &self.path)?;
            File::open(folder)?.sync_all()
        };
        write().map_err(Error::io(&self.path))?;
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        (state.tokens, state.stamp) = (tokens, stamp(&self.path));
        Ok(())
    }
}

fn read(path: &Path) -> Result<Vec<TokenInfo>> {
    match std::fs::read(path) {
        Ok(bytes) => serde_json::from_slice(&bytes).map_err(|error| {
            Error::config(format!("{}: this is no list of tokens: {error}", path.display()))
        }),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(Vec::new()),
        Err(error) => Err(Error::io(path)(error)),
    }
}

fn stamp(path: &Path) -> Stamp {
    let metadata = std::fs::metadata(path).ok()?;
    Some((metadata.ino(), metadata.len(), metadata.mtime(), metadata.mtime_nsec()))
}

fn hash_of(token: &str) -> String {
    Sha256::digest(token.as_bytes()).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Takes as long for hashes that agree in many places as for those that agree in none.
fn same(a: &[u8], b: &[u8]) -> bool {
    let differing = a.iter().zip(b).fold(0, |all, (a, b)| all | (a ^ b));
    a.len() == b.len() && std::hint::black_box(differing) == 0
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    fn new(name: &str, role: Role, labels: Option<&[&str]>) -> NewToken {
        let labels = labels.map(|labels| labels.iter().map(|&label| label.to_owned()).collect());
        NewToken { name: name.to_owned(), role, labels }
    }

    #[test]
    fn tokens_are_known_by_their_hash_alone() {
        let dir = tempfile::tempdir().unwrap();
        let store = TokenStore::open(dir.path()).unwrap();
        assert!(store.is_empty());
        let token = store.add(new("crawler", Role::Write, Some(&["news"]))).unwrap();
        let path = dir.path().join("tokens.json");
        assert!(!std::fs::read_to_string(&path).unwrap().contains(&token[PREFIX.len()..]));
        assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
        let caller = TokenStore::open(dir.path()).unwrap().caller(&token).unwrap();
        assert_eq!((caller.name.as_str(), caller.role), ("crawler", Role::Write));
        assert_eq!(caller.view, View::Labels(vec!["news".to_owned()]));
        for wrong in ["", "lk_", &token[..token.len() - 1], &token.to_lowercase()] {
            assert_eq!(store.caller(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn a_running_service_learns_of_new_and_revoked_tokens() {
        let dir = tempfile::tempdir().unwrap();
        let (running, other) = (TokenStore::open(dir.path()).unwrap(), TokenStore::open(dir.path()).unwrap());
        let eventually = |wanted: bool, token: &str| {
            let deadline = Instant::now() + Duration::from_secs(20);
            while running.caller(token).is_some() != wanted {
                assert!(Instant::now() < deadline, "the file is looked at again");
                std::thread::yield_now();
            }
        };
        let token = other.add(new("a", Role::Read, None)).unwrap();
        eventually(true, &token);
        assert!(other.revoke("a").unwrap());
        assert!(!other.revoke("a").unwrap());
        eventually(false, &token);
        assert_eq!(other.list().unwrap(), []);
    }

    #[test]
    fn what_makes_no_sense_is_refused() {
        let dir = tempfile::tempdir().unwrap();
        let store = TokenStore::open(dir.path()).unwrap();
        store.add(new("a", Role::Read, None)).unwrap();
        for (token, expected) in [
            (new("a", Role::Read, None), "already"),
            (new(" ", Role::Read, None), "printable"),
            (new("b", Role::Admin, Some(&["x"])), "an admin sees all"),
        ] {
            assert!(store.add(token).unwrap_err().to_string().contains(expected));
        }
        std::fs::write(dir.path().join("tokens.json"), "[{}]").unwrap();
        assert!(TokenStore::open(dir.path()).is_err());
    }
}
