//! What networks and stores do to readers: the same result, or one clear sentence.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use super::server::{Request, S3, answer, command, evidence, forwarded, parted, run, serve};
use super::support::{Place, Run, document, gzip, joined, words};

fn corpus() -> String {
    let text = |number: usize| words(&format!("t{}x", number / 2), 300 + number % 2);
    joined(&(0..3_000).map(|number| document(number, &text(number))).collect::<Vec<_>>())
}

/// A request for a part of an object, which is what reading is made of.
fn is_reading(request: &Request) -> bool {
    request.is("GET") && request.header("range").is_some()
}

/// An answer whose body ends before it should.
fn cut(whole: Vec<u8>, share: usize) -> Vec<u8> {
    let (head, body) = parted(&whole);
    [head, &body[..body.len() / share]].concat()
}

#[test]
fn what_heals_gives_the_same_result() {
    let (place, s3) = (Place::new(), S3::start());
    let plain = corpus();
    assert!(plain.len() > 5 << 20, "several chunks");
    for (name, bytes) in [("c.jsonl", plain.clone().into_bytes()), ("c.jsonl.gz", gzip(plain.as_bytes()))] {
        place.write(name, &bytes);
        s3.put(name, &bytes);
        place.run(&format!("dedup {name} -o here-{name}")).ok();
    }
    let port = s3.port;
    // How often the range up to some byte was asked for: what is left of it has the same end.
    type Fault = fn(u16, &Request, usize) -> Vec<u8>;
    let faults: [(&str, Fault); 4] = [
        ("errors of the server", |port, request, before| match before {
            0 => answer("500 Internal Server Error", "<Error><Code>InternalError</Code></Error>"),
            1 => answer("503 Service Unavailable", ""),
            _ => forwarded(port, request),
        }),
        ("bodies that are cut", |port, request, before| match before {
            0 | 1 => cut(forwarded(port, request), 3),
            _ => forwarded(port, request),
        }),
        ("connections that break", |port, request, before| match before {
            0 => Vec::new(),
            _ => forwarded(port, request),
        }),
        ("answers that come late", |port, request, before| {
            if before == 0 && request.range().is_some_and(|(first, _)| first > 0) {
                std::thread::sleep(Duration::from_secs(4));
            }
            forwarded(port, request)
        }),
    ];
    for (what, fault) in faults {
        for name in ["c.jsonl", "c.jsonl.gz"] {
            let seen: Arc<Mutex<HashMap<usize, usize>>> = Arc::default();
            let counted = seen.clone();
            let proxy = serve(move |request| {
                let Some((_, end)) = request.range().filter(|_| request.is("GET")) else {
                    return forwarded(port, request);
                };
                let before = {
                    let mut seen = counted.lock().unwrap();
                    let times = seen.entry(end).or_default();
                    *times += 1;
                    *times - 1
                };
                fault(port, request, before)
            });
            let url = format!("s3://bucket/{name}");
            let arguments = format!("dedup {url} -o there --force");
            let output =
                command(&place, &arguments, proxy).env("AWS_READ_TIMEOUT", "2 seconds").output().unwrap();
            Run::new(&arguments, output).ok();
            assert!(seen.lock().unwrap().values().any(|times| *times > 1), "{what}: nothing was tried again");
            let (here, there) =
                (evidence(&place, &format!("here-{name}"), name), evidence(&place, "there", &url));
            assert!(here == there, "{what}: {name}");
        }
    }
}

/// A killed run has a copy of what it read, and fetches only the rest.
#[test]
fn a_killed_run_goes_on_with_what_it_has() {
    const PART: usize = 4 << 20;
    let (place, s3) = (Place::new(), S3::start());
    let plain =
        corpus() + &corpus().replace("\"id\":", "\"id\":1") + &corpus().replace("\"id\":", "\"id\":2");
    assert!(plain.len() > 4 * PART, "chunks before those that never come, and after them");
    place.write("c.jsonl", &plain);
    s3.put("c.jsonl", plain.as_bytes());
    place.run("dedup c.jsonl -o here").ok();
    let port = s3.port;
    // The third chunk and the fourth never come.
    let hangs = serve(move |request| {
        if request.range().is_some_and(|(first, _)| first > PART && first < 3 * PART) {
            std::thread::sleep(Duration::from_secs(60));
        }
        forwarded(port, request)
    });
    let arguments = "dedup s3://bucket/c.jsonl -o there --threads 2";
    let mut child = command(&place, arguments, hangs).spawn().unwrap();
    let began = Instant::now();
    let signed = place.path("there/.lookalike-work/signatures");
    while std::fs::metadata(&signed).map_or(0, |file| file.len()) < 10_000 {
        assert!(child.try_wait().unwrap().is_none(), "ended before it was killed");
        assert!(began.elapsed() < Duration::from_secs(60));
        std::thread::sleep(Duration::from_millis(5));
    }
    // A frame counts once its header is there, which is written last.
    std::thread::sleep(Duration::from_millis(500));
    assert!(child.try_wait().unwrap().is_none(), "ended before it was killed");
    child.kill().unwrap();
    child.wait().unwrap();
    let asked: Arc<Mutex<Vec<(usize, usize)>>> = Arc::default();
    let seen = asked.clone();
    let counts = serve(move |request| {
        seen.lock().unwrap().extend(request.range());
        forwarded(port, request)
    });
    // Besides a look at the beginning, which tells the format.
    let is_chunk = |&&(first, last): &&(usize, usize)| match first {
        0 => last >= PART,
        _ => (first + 1) % PART == 0,
    };
    let chunks = || std::mem::take(&mut *asked.lock().unwrap()).iter().filter(is_chunk).count();
    let resumed = run(&place, &format!("{arguments} --resume --json"), counts).ok().json();
    let resumed_chunks = chunks();
    run(&place, "dedup s3://bucket/c.jsonl -o anew --threads 2", counts).ok();
    let all_chunks = chunks();
    assert_eq!(resumed["resumed"], true);
    assert!(evidence(&place, "here", "c.jsonl") == evidence(&place, "there", "s3://bucket/c.jsonl"));
    // What was signed is not fetched for that again.
    assert!(resumed_chunks < all_chunks, "{resumed_chunks} of {all_chunks} chunks were fetched again");
}

/// The error of a run on a server that answers readers in this way.
fn told(
    place: &Place,
    s3: &S3,
    input: &str,
    fault: impl Fn(u16, &Request) -> Vec<u8> + Send + Sync + 'static,
) -> String {
    let port = s3.port;
    let proxy = serve(move |request| fault(port, request));
    let error = run(place, &format!("dedup {input} -o out"), proxy).error();
    assert!(!place.path("out/report.json").exists() && !place.path("out/kept.jsonl").exists(), "{error}");
    let _ = std::fs::remove_dir_all(place.path("out"));
    error
}

#[test]
fn what_does_not_heal_is_one_clear_error() {
    let (place, s3) = (Place::new(), S3::start());
    let plain = corpus();
    s3.put("c.jsonl", plain.as_bytes());
    let packed = gzip(plain.as_bytes());
    s3.put("c.jsonl.gz", &packed);
    let row = |n: usize| format!("d{n},\"{}\"\n", words(&format!("t{n}x"), 50));
    s3.put("c.csv", ("id,text\n".to_owned() + &(0..3000).map(row).collect::<String>()).as_bytes());

    // Credentials that are wrong from the start, or expire while it reads.
    let denied = "<Error><Code>AccessDenied</Code></Error>";
    let error = told(&place, &s3, "s3://bucket/c.jsonl", move |_, _| answer("403 Forbidden", denied));
    assert!(
        error.contains("s3://bucket/c.jsonl: access is denied (403") && error.contains("AWS_ACCESS_KEY_ID"),
        "{error}"
    );
    let error = told(&place, &s3, "s3://bucket/c.jsonl", |_, _| answer("401 Unauthorized", ""));
    assert!(error.contains("access is denied (401"), "{error}");
    for name in ["c.jsonl", "c.jsonl.gz", "c.csv"] {
        let expired = "<Error><Code>ExpiredToken</Code></Error>";
        let error = told(&place, &s3, &format!("s3://bucket/{name}"), move |port, request| {
            let late = is_reading(request) && request.range().is_some_and(|(first, _)| first > 0);
            if late { answer("400 Bad Request", expired) } else { forwarded(port, request) }
        });
        assert!(error.contains(&format!("s3://bucket/{name}: access is denied")), "{error}");
        assert!(error.contains("ExpiredToken"), "{error}");
    }

    // Another object under the same key, in the middle of reading.
    for name in ["c.jsonl", "c.jsonl.gz"] {
        let error = told(&place, &s3, &format!("s3://bucket/{name}"), |port, request| {
            let whole = forwarded(port, request);
            let late = is_reading(request) && request.range().is_some_and(|(first, _)| first > 0);
            if !late {
                return whole;
            }
            let (head, body) = parted(&whole);
            let head = String::from_utf8(head.to_vec()).unwrap();
            let changed = head.lines().filter(|line| !line.to_lowercase().starts_with("etag:"));
            let head = changed.collect::<Vec<_>>().join("\r\n").trim_end().to_owned()
                + "\r\nETag: \"other\"\r\n\r\n";
            [head.as_bytes(), body].concat()
        });
        assert!(error.contains(&format!("s3://bucket/{name} changed while it was being read")), "{error}");
    }

    // The same, when all of it is read and only the question for its state is left.
    let asked = Mutex::new(0);
    let error = told(&place, &s3, "s3://bucket/c.jsonl", move |port, request| {
        let whole = forwarded(port, request);
        if !request.is("HEAD") {
            return whole;
        }
        let mut asked = asked.lock().unwrap();
        *asked += 1;
        // An address is asked about when it is found and when it is opened, here and for what is passed over.
        if *asked <= 3 {
            return whole;
        }
        String::from_utf8(whole)
            .unwrap()
            .replace("ETag: \"", "ETag: \"x")
            .replace("etag: \"", "etag: \"x")
            .into_bytes()
    });
    assert!(error.contains("s3://bucket/c.jsonl changed while it was being read"), "{error}");

    // Bodies that are cut every time, of a compressed stream, which has a way to be damaged of its own.
    let error = told(&place, &s3, "s3://bucket/c.jsonl.gz", |port, request| {
        let late = is_reading(request) && request.range().is_some_and(|(first, _)| first > 0);
        let whole = forwarded(port, request);
        if late { cut(whole, 100_000) } else { whole }
    });
    assert!(
        error.contains("s3://bucket/c.jsonl.gz: ") && error.contains("trying again did not help"),
        "{error}"
    );
}

#[test]
fn what_is_not_there_is_one_clear_error() {
    let (place, s3) = (Place::new(), S3::start());
    s3.put("c.jsonl", b"{\"text\":\"a b\"}\n");
    s3.put("folder/a.pdf", b"%PDF-");
    for (input, sentence) in [
        ("s3://bucket/none.jsonl", "s3://bucket/none.jsonl: there is no such object"),
        ("s3://bucket/none/", "there is no such object, and no folder"),
        ("s3://bucket/none*.jsonl", "no object matches s3://bucket/none*.jsonl"),
        ("s3://none/c.jsonl", "there is no bucket s3://none"),
        ("s3://none/", "there is no bucket s3://none"),
        ("s3://bucket/folder", "s3://bucket/folder holds no corpus files"),
        ("s3://bucket/a//b", "no possible key"),
        ("ftp://host/c.jsonl", "unknown scheme ftp://"),
        ("file:///c.jsonl", "named by its path"),
    ] {
        let error = run(&place, &format!("dedup {input} -o out"), s3.port).error();
        assert!(error.contains(sentence), "{error}");
        let error =
            run(&place, &format!("dedup s3://bucket/c.jsonl -o out --against {input}"), s3.port).error();
        assert!(error.contains(sentence), "{error}");
    }
    let arguments = "dedup s3://bucket/c.jsonl -o out";
    let mut nobody = command(&place, arguments, s3.port);
    nobody.env_remove("AWS_ACCESS_KEY_ID").env_remove("AWS_SECRET_ACCESS_KEY");
    let error = Run::new(arguments, nobody.output().unwrap()).error();
    assert!(error.contains("there are no credentials in the environment; set AWS_ACCESS_KEY_ID"), "{error}");
    nobody.env("AWS_PROFILE", "mine");
    let error = Run::new(arguments, nobody.output().unwrap()).error();
    assert!(error.contains("the profile mine has no access key"), "{error}");
    place.write("credentials", "[mine]\naws_access_key_id = a\naws_secret_access_key = b\n");
    nobody.env("AWS_SHARED_CREDENTIALS_FILE", place.path("credentials"));
    Run::new(arguments, nobody.output().unwrap()).ok();
    // Nobody listens.
    let began = Instant::now();
    let error = run(&place, "dedup s3://bucket/c.jsonl -o none", 1).error();
    assert!(error.contains("s3://bucket/c.jsonl: the store does not answer"), "{error}");
    assert!(began.elapsed() < Duration::from_secs(60), "{:?}", began.elapsed());
}
