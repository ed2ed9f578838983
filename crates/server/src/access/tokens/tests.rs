use std::os::unix::fs::PermissionsExt;

use super::*;

fn new(name: &str, role: Role, labels: Option<&[&str]>) -> NewToken {
    let labels = labels.map(|labels| labels.iter().map(|&label| label.to_owned()).collect());
    NewToken { name: name.to_owned(), role, labels, writes: None, lives: None, routes: None }
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
fn tokens_end_and_are_changed_for_new_ones() {
    let dir = tempfile::tempdir().unwrap();
    let store = TokenStore::open(dir.path()).unwrap();
    let short =
        |seconds| NewToken { lives: Some(Duration::from_secs(seconds)), ..new("a", Role::Read, None) };
    let first = store.add(short(3600)).unwrap();
    assert!(store.caller(&first).is_some());
    let second = store.rotate("a", Duration::from_secs(60)).unwrap().unwrap();
    assert!(store.caller(&first).is_some() && store.caller(&second).is_some(), "both for a while");
    let third = store.rotate("a", Duration::ZERO).unwrap().unwrap();
    assert!(store.caller(&first).is_none() && store.caller(&second).is_none());
    assert!(store.caller(&third).is_some());
    assert_eq!(store.rotate("none", Duration::ZERO).unwrap(), None);
    // As if an hour had gone by.
    let mut tokens = store.list().unwrap();
    tokens[0].former = Some(FormerToken { hash: hash_of(&second), expires: clock::now() });
    store.replace(&tokens).unwrap();
    assert!(store.caller(&second).is_none() && store.caller(&third).is_some(), "the former one ended");
    tokens[0].former = Some(FormerToken { hash: hash_of(&second), expires: clock::now() + 60 });
    tokens[0].expires = Some(clock::now());
    store.replace(&tokens).unwrap();
    assert!(store.caller(&third).is_none(), "it ended");
    let told = store.add(NewToken { routes: Some(vec!["api".to_owned()]), ..new("b", Role::Read, None) });
    assert!(told.unwrap_err().to_string().contains("is no path"));
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
    let old =
        format!("[{{\"name\":\"a\",\"role\":\"read\",\"labels\":null,\"hash\":\"{hash}\",\"created\":1}}]");
    std::fs::write(dir.path().join(TOKENS), old).unwrap();
    assert!(TokenStore::open(dir.path()).unwrap().caller("lk_x").is_some());
    std::fs::remove_file(dir.path().join(TOKENS)).unwrap();
    assert_eq!(TokenStore::open(dir.path()).unwrap().admission(), Admission::Nobody);
}
