//! Tokens and where they are kept: as hashes in `tokens.json`, readable by its owner only.
//!
//! A token is 256 random bits, so a plain hash is enough: there is nothing to guess. The file is
//! looked at again every second, so that `lookalike serve token revoke` ends a token of a service
//! that runs.
//!
//! A service that never had tokens lets in whoever is on the machine. Once there were some, nobody
//! gets in without one: a file `guarded` beside theirs says so for good, written before the first of
//! them. So when the last is revoked, or their file is gone, empty, cut or damaged, nobody gets in
//! until somebody on the machine makes a new token.

use std::fs::File;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use lookalike::index::View;
use lookalike::{Error, Result};
use lookalike_io::whole::{Readers, read_json_or_plain, sync_folder, write_json_for, write_whole};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::{Caller, Role};

const PREFIX: &str = "lk_";
const LOOK_AGAIN: Duration = Duration::from_secs(1);
const MOST_NAME: usize = 100;
const TOKENS: &str = "tokens.json";
const GUARDED: &str = "guarded";
const GUARDED_TEXT: &str = "Tokens were made for this service, so nobody is let in without one, even if there is none left.\n\
    `lookalike serve token add NAME --role admin --data DIR` makes one.\n";

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

/// Who is let in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Admission {
    /// No token was ever asked for: whoever is on the machine.
    Local,
    Tokens,
    /// Tokens were asked for, and there is none that could be shown.
    Nobody,
}

pub struct TokenStore {
    data: PathBuf,
    state: Mutex<State>,
}

struct State {
    known: Known,
    stamp: Stamp,
    looked: Instant,
}

enum Known {
    NeverAsked,
    Tokens(Vec<TokenInfo>),
    /// Why there are none.
    Unusable(String),
}

/// Tells whether the file is another one; absent when there is none.
type Stamp = Option<(u64, u64, i64, i64)>;

impl TokenStore {
    /// The tokens of a data folder, which may have none yet.
    pub fn open(data: &Path) -> Result<TokenStore> {
        let store = TokenStore {
            data: data.to_owned(),
            state: Mutex::new(State { known: Known::NeverAsked, stamp: None, looked: Instant::now() }),
        };
        // Versions before this one wrote no mark.
        if exists(&store.path())? && !exists(&store.mark())? {
            store.set_mark()?;
        }
        store.look_again();
        Ok(store)
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
        std::fs::create_dir_all(&self.data).map_err(Error::io(&self.data))?;
        let _alone = self.alone()?;
        let mut tokens = self.list()?;
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
        if !exists(&self.mark())? {
            self.set_mark()?;
        }
        self.replace(&tokens)?;
        Ok(token)
    }

    pub fn list(&self) -> Result<Vec<TokenInfo>> {
        if !exists(&self.path())? {
            return Ok(Vec::new());
        }
        read_json_or_plain(&self.path()).map_err(|error| match error {
            Error::Damaged { path, what } => {
                let what = format!(
                    "{what}, or remove it and make new tokens with `lookalike serve token add`: until then nobody is \
                     let in"
                );
                Error::Damaged { path, what }
            }
            other => other,
        })
    }

    /// Whether there was such a token.
    pub fn revoke(&self, name: &str) -> Result<bool> {
        if !exists(&self.path())? {
            return Ok(false);
        }
        let _alone = self.alone()?;
        let mut tokens = self.list()?;
        let before = tokens.len();
        tokens.retain(|token| token.name != name);
        let found = tokens.len() < before;
        if found {
            self.replace(&tokens)?;
        }
        Ok(found)
    }

    pub fn admission(&self) -> Admission {
        self.with(|known| match known {
            Known::NeverAsked => Admission::Local,
            Known::Tokens(_) => Admission::Tokens,
            Known::Unusable(_) => Admission::Nobody,
        })
    }

    /// Whose token this is. Every hash is compared, each in the same time.
    pub fn caller(&self, token: &str) -> Option<Caller> {
        let hash = hash_of(token);
        self.with(|known| {
            let Known::Tokens(tokens) = known else { return None };
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

    /// Reads the tokens now, whether or not their file looks the same.
    pub fn look_again(&self) {
        self.look(&mut self.state.lock().unwrap_or_else(PoisonError::into_inner), true);
    }

    fn with<T>(&self, answer: impl FnOnce(&Known) -> T) -> T {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        if state.looked.elapsed() >= LOOK_AGAIN {
            self.look(&mut state, false);
        }
        answer(&state.known)
    }

    fn look(&self, state: &mut State, anyway: bool) {
        state.looked = Instant::now();
        let now = stamp(&self.path());
        // What could not be read is tried again: perhaps the file was good and its reading failed.
        let is_settled = now.is_some() && !matches!(state.known, Known::Unusable(_));
        if now == state.stamp && is_settled && !anyway {
            return;
        }
        let known = self.read(!matches!(state.known, Known::NeverAsked));
        match (&state.known, &known) {
            (Known::Unusable(before), Known::Unusable(reason)) if before == reason => {}
            (_, Known::Unusable(reason)) => {
                tracing::error!(reason, "nobody is let in: make a token with `lookalike serve token add`");
            }
            (Known::Unusable(_), Known::Tokens(_)) => tracing::info!("there are tokens again"),
            _ => {}
        }
        (state.known, state.stamp) = (known, now);
    }

    /// What the files say. Who asked for tokens once has done so for as long as this lives.
    fn read(&self, asked: bool) -> Known {
        match (exists(&self.path()), exists(&self.mark())) {
            (Ok(false), Ok(false)) if !asked => Known::NeverAsked,
            (Ok(false), _) => Known::Unusable(format!("{} is gone", self.path().display())),
            _ => match self.list() {
                Ok(tokens) if tokens.is_empty() => Known::Unusable("every token was revoked".to_owned()),
                Ok(tokens) => Known::Tokens(tokens),
                Err(error) => Known::Unusable(error.to_string()),
            },
        }
    }

    fn path(&self) -> PathBuf {
        self.data.join(TOKENS)
    }

    fn mark(&self) -> PathBuf {
        self.data.join(GUARDED)
    }

    fn set_mark(&self) -> Result<()> {
        write_whole(&self.mark(), |file| file.write(GUARDED_TEXT.as_bytes()))?;
        sync_folder(&self.data)
    }

    /// Two that change the file at once would undo each other's work, a revocation among it.
    fn alone(&self) -> Result<File> {
        let path = self.data.join("tokens.lock");
        let file = File::create(&path).map_err(Error::io(&path))?;
        file.lock().map_err(Error::io(path))?;
        Ok(file)
    }

    fn replace(&self, tokens: &[TokenInfo]) -> Result<()> {
        write_json_for(&self.path(), Readers::Owner, &tokens)?;
        self.look_again();
        Ok(())
    }
}

/// Only a file that surely is not there counts as absent.
fn exists(path: &Path) -> Result<bool> {
    path.try_exists().map_err(Error::io(path))
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
        assert_eq!(store.admission(), Admission::Local);
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
        std::fs::write(dir.path().join(TOKENS), "[{}]").unwrap();
        let told = store.add(new("b", Role::Read, None)).unwrap_err().to_string();
        assert!(told.contains("remove it and make new tokens"), "{told}");
    }

    #[test]
    fn without_a_usable_token_nobody_is_let_in_once_there_was_one() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join(TOKENS);
        let admission = || TokenStore::open(dir.path()).unwrap().admission();
        assert_eq!(admission(), Admission::Local);
        let store = TokenStore::open(dir.path()).unwrap();
        assert!(!store.revoke("a").unwrap());
        assert_eq!(admission(), Admission::Local, "nothing was asked for yet");
        let token = store.add(new("a", Role::Admin, None)).unwrap();
        let whole = std::fs::read(&path).unwrap();
        for cut in 0..whole.len() - 1 {
            std::fs::write(&path, &whole[..cut]).unwrap();
            assert_eq!(admission(), Admission::Nobody, "cut at {cut}");
        }
        for place in 0..whole.len() {
            let mut bytes = whole.clone();
            bytes[place] ^= 2;
            std::fs::write(&path, &bytes).unwrap();
            assert!(admission() == Admission::Nobody || whole[place].is_ascii_whitespace(), "{place}");
        }
        std::fs::remove_file(&path).unwrap();
        assert_eq!(admission(), Admission::Nobody);
        std::fs::write(&path, &whole).unwrap();
        assert!(TokenStore::open(dir.path()).unwrap().caller(&token).is_some());
        assert!(store.revoke("a").unwrap());
        assert_eq!((store.admission(), admission()), (Admission::Nobody, Admission::Nobody));
        std::fs::remove_file(&path).unwrap();
        let again = store.add(new("a", Role::Admin, None)).unwrap();
        assert!(TokenStore::open(dir.path()).unwrap().caller(&again).is_some());
    }

    #[test]
    fn files_of_earlier_versions_are_read_and_marked() {
        let dir = tempfile::tempdir().unwrap();
        let hash = hash_of("lk_x");
        let old = format!(
            "[{{\"name\":\"a\",\"role\":\"read\",\"labels\":null,\"hash\":\"{hash}\",\"created\":1}}]"
        );
        std::fs::write(dir.path().join(TOKENS), old).unwrap();
        assert!(TokenStore::open(dir.path()).unwrap().caller("lk_x").is_some());
        std::fs::remove_file(dir.path().join(TOKENS)).unwrap();
        assert_eq!(TokenStore::open(dir.path()).unwrap().admission(), Admission::Nobody);
    }
}
