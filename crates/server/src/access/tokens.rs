//! Tokens and their storage: as hashes in `tokens.json`, readable only by the owner.
//!
//! A token is 256 random bits, so a plain hash is enough: there is nothing to guess. The file is checked for
//! changes every second, so that `lookalike serve token revoke` takes effect in a running service.
//!
//! A service that never had tokens lets in everyone on the machine. Once there has been a token, nobody gets in
//! without one: a file `guarded` beside the tokens, written before the first of them, records that for good. So if
//! the last token is revoked, or the file is gone, empty, cut off or damaged, nobody gets in until somebody on the
//! machine creates a new token.

use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use lookalike::index::View;
use lookalike::{Error, Result};
use lookalike_plumbing::clock;
use lookalike_plumbing::files::{Readers, sync_folder, write_synced};
use lookalike_plumbing::json::{read_json_or_plain, write_json_for};
use lookalike_plumbing::lock::LockFile;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::{Caller, Role};

const PREFIX: &str = "lk_";
const RELOAD_INTERVAL: Duration = Duration::from_secs(1);
const MOST_NAME: usize = 100;
const TOKENS: &str = "tokens.json";
const GUARDED: &str = "guarded";
const GUARDED_TEXT: &str = "Tokens were made for this service, so nobody is let in without one, even if there is none left.\n\
    `lookalike serve token add NAME --role admin --data DIR` makes one.\n";

/// What is stored about a token; not the token itself.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TokenInfo {
    pub name: String,
    pub role: Role,
    /// `None`: it sees everything.
    pub labels: Option<Vec<String>>,
    /// The labels that it may write, if not all that it sees.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub writes: Option<Vec<String>>,
    /// SHA-256 in hexadecimal.
    pub hash: String,
    /// Seconds since 1970.
    pub created: u64,
    /// When it ends, in seconds since 1970; `None`: never.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires: Option<u64>,
    /// The beginnings of paths that it may use; `None`: all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub routes: Option<Vec<String>>,
    /// What it was before it was changed for a new one, for as long as both are accepted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub former: Option<FormerToken>,
}

impl TokenInfo {
    fn view(&self) -> View {
        match (self.labels.clone(), self.writes.clone()) {
            (sees, Some(writes)) => View::Scoped(sees, writes),
            (Some(labels), None) => View::Labels(labels),
            (None, None) => View::All,
        }
    }
}

/// A token that a new one has taken the place of.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FormerToken {
    hash: String,
    /// Seconds since 1970.
    expires: u64,
}

/// A token to be created.
#[derive(Clone, Debug)]
pub struct NewToken {
    pub name: String,
    pub role: Role,
    pub labels: Option<Vec<String>>,
    /// The labels that it may write, if not all that it sees.
    pub writes: Option<Vec<String>>,
    /// How long it is good for; `None`: for ever.
    pub lives: Option<Duration>,
    pub routes: Option<Vec<String>>,
}

/// Who may use the service.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Admission {
    /// There has never been a token: everyone on the machine.
    Local,
    Tokens,
    /// Tokens are required, but there is no usable one.
    Nobody,
}

pub struct TokenStore {
    data: PathBuf,
    state: Mutex<State>,
}

struct State {
    known: TokenState,
    stamp: Stamp,
    checked: Instant,
}

enum TokenState {
    NeverAsked,
    Tokens(Vec<TokenInfo>),
    /// Tokens are required, but there are none, for this reason.
    Unusable(String),
}

/// Identifies a version of the file; `None` if there is no file.
type Stamp = Option<(u64, u64, i64, i64)>;

impl TokenStore {
    /// Opens the tokens of a data folder, which may have none yet.
    pub fn open(data: &Path) -> Result<TokenStore> {
        let store = TokenStore {
            data: data.to_owned(),
            state: Mutex::new(State { known: TokenState::NeverAsked, stamp: None, checked: Instant::now() }),
        };
        // Earlier versions did not write the mark.
        if exists(&store.path())? && !exists(&store.mark())? {
            store.set_mark()?;
        }
        store.reload();
        Ok(store)
    }

    /// Creates a token and returns it. It cannot be read again.
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
        let _lock = self.lock_file()?;
        let mut tokens = self.list()?;
        if tokens.iter().any(|token| token.name == new.name) {
            return Err(Error::config(format!("there is a token `{}` already: revoke it first", new.name)));
        }
        if let Some(wrong) = new.routes.iter().flatten().find(|route| !route.starts_with('/')) {
            return Err(Error::config(format!("`{wrong}` is no path: write it as /api/check")));
        }
        let token = new_token()?;
        if new.writes.is_some() && new.role != Role::Write {
            return Err(Error::config("labels to write are for the role write"));
        }
        if let (Some(sees), Some(writes)) = (&new.labels, &new.writes)
            && let Some(unseen) = writes.iter().find(|label| !sees.contains(label))
        {
            return Err(Error::config(format!(
                "`{unseen}` may be written and not seen: add it to the labels"
            )));
        }
        let NewToken { name, role, labels, writes, lives, routes } = new;
        let created = clock::now();
        let expires = lives.map(|lives| created.saturating_add(lives.as_secs()));
        let hash = hash_of(&token);
        tokens.push(TokenInfo { name, role, labels, writes, hash, created, expires, routes, former: None });
        if !exists(&self.mark())? {
            self.set_mark()?;
        }
        self.replace(&tokens)?;
        Ok(token)
    }

    /// Makes a new token in the place of one, which is accepted for another while; `None` if there is none of that name. A
    /// token that was to end lives as long again.
    pub fn rotate(&self, name: &str, grace: Duration) -> Result<Option<String>> {
        let _lock = self.lock_file()?;
        let mut tokens = self.list()?;
        let Some(found) = tokens.iter_mut().find(|token| token.name == name) else { return Ok(None) };
        let (token, now) = (new_token()?, clock::now());
        let hash = std::mem::replace(&mut found.hash, hash_of(&token));
        let until = now.saturating_add(grace.as_secs());
        let expires = found.expires.map_or(until, |expires| expires.min(until));
        found.former = (!grace.is_zero()).then_some(FormerToken { hash, expires });
        found.expires =
            found.expires.map(|expires| now.saturating_add(expires.saturating_sub(found.created)));
        found.created = now;
        self.replace(&tokens)?;
        Ok(Some(token))
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

    /// Revokes a token; returns whether it existed.
    pub fn revoke(&self, name: &str) -> Result<bool> {
        if !exists(&self.path())? {
            return Ok(false);
        }
        let _lock = self.lock_file()?;
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
            TokenState::NeverAsked => Admission::Local,
            TokenState::Tokens(_) => Admission::Tokens,
            TokenState::Unusable(_) => Admission::Nobody,
        })
    }

    /// The caller with this token. Every hash is compared, each in constant time.
    pub fn caller(&self, token: &str) -> Option<Caller> {
        let (hash, now) = (hash_of(token), clock::now());
        self.with(|known| {
            let TokenState::Tokens(tokens) = known else { return None };
            let mut found = None;
            for token in tokens {
                let is_current = same(token.hash.as_bytes(), hash.as_bytes());
                let former = token.former.as_ref();
                let is_former = former.is_some_and(|former| same(former.hash.as_bytes(), hash.as_bytes()));
                let expires = if is_current { token.expires } else { former.map(|former| former.expires) };
                if (is_current || is_former) && expires.is_none_or(|expires| now < expires) {
                    found = Some(token);
                }
            }
            found.map(|token| Caller {
                name: token.name.clone(),
                role: token.role,
                view: token.view(),
                routes: token.routes.clone(),
                address: None,
                request: None,
            })
        })
    }

    /// Reads the tokens again, even if the file seems unchanged.
    pub fn reload(&self) {
        self.reload_if_changed(&mut self.state.lock().unwrap_or_else(PoisonError::into_inner), true);
    }

    fn with<T>(&self, answer: impl FnOnce(&TokenState) -> T) -> T {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        if state.checked.elapsed() >= RELOAD_INTERVAL {
            self.reload_if_changed(&mut state, false);
        }
        answer(&state.known)
    }

    fn reload_if_changed(&self, state: &mut State, anyway: bool) {
        state.checked = Instant::now();
        let now = stamp(&self.path());
        // After an error reading is tried again: the file may be fine.
        let is_settled = now.is_some() && !matches!(state.known, TokenState::Unusable(_));
        if now == state.stamp && is_settled && !anyway {
            return;
        }
        let known = self.read(!matches!(state.known, TokenState::NeverAsked));
        match (&state.known, &known) {
            (TokenState::Unusable(before), TokenState::Unusable(reason)) if before == reason => {}
            (_, TokenState::Unusable(reason)) => {
                tracing::error!(reason, "nobody is let in: make a token with `lookalike serve token add`");
            }
            (TokenState::Unusable(_), TokenState::Tokens(_)) => tracing::info!("there are tokens again"),
            _ => {}
        }
        (state.known, state.stamp) = (known, now);
    }

    /// Reads the files. `asked` tells that tokens have been required before, which never changes back while the
    /// service runs.
    fn read(&self, asked: bool) -> TokenState {
        match (exists(&self.path()), exists(&self.mark())) {
            (Ok(false), Ok(false)) if !asked => TokenState::NeverAsked,
            (Ok(false), _) => TokenState::Unusable(format!("{} is gone", self.path().display())),
            _ => match self.list() {
                Ok(tokens) if tokens.is_empty() => TokenState::Unusable("every token was revoked".to_owned()),
                Ok(tokens) => TokenState::Tokens(tokens),
                Err(error) => TokenState::Unusable(error.to_string()),
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
        write_synced(&self.mark(), |file| file.write(GUARDED_TEXT.as_bytes()))?;
        sync_folder(&self.data)
    }

    /// Locks the tokens: two concurrent changes would undo each other, including revocations.
    fn lock_file(&self) -> Result<LockFile> {
        LockFile::take(&self.data.join("tokens.lock"))
    }

    fn replace(&self, tokens: &[TokenInfo]) -> Result<()> {
        write_json_for(&self.path(), Readers::Owner, &tokens)?;
        self.reload();
        Ok(())
    }
}

/// An error is not taken to mean that the file is absent.
fn exists(path: &Path) -> Result<bool> {
    path.try_exists().map_err(Error::io(path))
}

fn stamp(path: &Path) -> Stamp {
    let metadata = std::fs::metadata(path).ok()?;
    Some((metadata.ino(), metadata.len(), metadata.mtime(), metadata.mtime_nsec()))
}

fn new_token() -> Result<String> {
    let mut secret = [0; 32];
    getrandom::fill(&mut secret).map_err(|error| Error::Internal(format!("no random numbers: {error}")))?;
    Ok(format!("{PREFIX}{}", URL_SAFE_NO_PAD.encode(secret)))
}

fn hash_of(token: &str) -> String {
    Sha256::digest(token.as_bytes()).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Compares in a time that does not depend on how much agrees.
fn same(a: &[u8], b: &[u8]) -> bool {
    let differing = a.iter().zip(b).fold(0, |all, (a, b)| all | (a ^ b));
    a.len() == b.len() && std::hint::black_box(differing) == 0
}

#[cfg(test)]
mod tests;
