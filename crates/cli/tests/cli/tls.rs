//! The service by TLS, and those who ask it.

use std::io::{Read, Write};
use std::process::Command;
use std::time::{Duration, Instant};

use serde_json::Value;

use super::serving::Serving;
use super::support::{Place, Run, document, words};

/// A certificate for this machine that is its own issuer, and its key. `false` if there is nothing to make them with.
fn make_certificate(place: &Place, name: &str) -> bool {
    let made = Command::new("openssl")
        .args([
            "req",
            "-x509",
            "-newkey",
            "ec",
            "-pkeyopt",
            "ec_paramgen_curve:prime256v1",
            "-nodes",
            "-days",
            "2",
        ])
        .args(["-subj", &format!("/CN={name}"), "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1"])
        .args(["-addext", "basicConstraints=critical,CA:FALSE"])
        .arg("-out")
        .arg(place.path(&format!("{name}.pem")))
        .arg("-keyout")
        .arg(place.path(&format!("{name}.key")))
        .output();
    let made = made.is_ok_and(|output| output.status.success());
    if !made {
        eprintln!("left out: openssl is not installed");
    }
    made
}

fn serve(place: &Place, name: &str) -> Serving {
    let (certificate, key) = (place.path(&format!("{name}.pem")), place.path(&format!("{name}.key")));
    let files = [certificate.to_str().unwrap(), key.to_str().unwrap()];
    Serving::service(&place.path("data"), &["--tls-certificate", files[0], "--tls-key", files[1]])
}

/// `lookalike check` against the service, with a certificate that it is to trust.
fn check(place: &Place, address: &str, trusted: &str, text: &str) -> Run {
    let arguments = format!("check --server {address} --json");
    place.write("asked.txt", text);
    let mut command = place.command(&arguments);
    command
        .env("SSL_CERT_FILE", place.path(trusted))
        .stdin(std::fs::File::open(place.path("asked.txt")).unwrap());
    Run::new(&arguments, command.output().unwrap())
}

#[test]
fn the_service_answers_by_tls_and_only_who_is_trusted_is_asked() {
    let place = Place::new();
    if !make_certificate(&place, "one") || !make_certificate(&place, "two") {
        return;
    }
    let service = serve(&place, "one");
    let address = format!("https://localhost:{}", service.address.port());
    let text = words("sea", 60);
    let answer = check(&place, &address, "one.pem", &text);
    assert_eq!(answer.code, Some(0), "{}", answer.err);
    assert_eq!(serde_json::from_str::<Value>(&answer.out).unwrap()["verdict"], "new", "{}", answer.out);
    // By its number, too, which the certificate names.
    let by_number = format!("https://127.0.0.1:{}", service.address.port());
    assert_eq!(check(&place, &by_number, "one.pem", &text).code, Some(0));

    let told = check(&place, &address, "two.pem", &text);
    assert_eq!(told.code, Some(2));
    assert!(told.err.contains("certificate") && told.err.lines().count() == 1, "{}", told.err);
    let plain = format!("http://localhost:{}", service.address.port());
    assert_eq!(check(&place, &plain, "one.pem", &text).code, Some(2), "not in plain text");
    if let Ok(curl) = Command::new("curl")
        .args(["-s", "--cacert"])
        .arg(place.path("one.pem"))
        .arg(format!("{address}/readyz"))
        .output()
    {
        assert!(curl.status.success(), "{curl:?}");
    }

    // A new certificate, without an end of the service; and a broken one, which changes nothing.
    std::fs::copy(place.path("two.pem"), place.path("one.pem")).unwrap();
    std::fs::copy(place.path("two.key"), place.path("one.key")).unwrap();
    let hang_up = || Command::new("kill").args(["-HUP", &service.id().to_string()]).status().unwrap();
    let until = |trusted: &str| {
        let began = Instant::now();
        while check(&place, &address, trusted, &text).code != Some(0) {
            assert!(began.elapsed() < Duration::from_secs(20), "{}", service.log());
            std::thread::sleep(Duration::from_millis(50));
        }
    };
    hang_up();
    until("two.pem");
    place.write("one.pem", "nothing");
    hang_up();
    let began = Instant::now();
    while !service.log().contains("the certificate read before is used on") {
        assert!(began.elapsed() < Duration::from_secs(20), "{}", service.log());
        std::thread::sleep(Duration::from_millis(50));
    }
    until("two.pem");
}

/// Hundreds of connections at once, some of which say nothing, or not what is expected.
#[test]
fn connections_that_agree_on_nothing_disturb_nobody() {
    let place = Place::new();
    if !make_certificate(&place, "one") {
        return;
    }
    let service = serve(&place, "one");
    let address = format!("https://localhost:{}", service.address.port());
    let mut silent = Vec::new();
    for number in 0..200 {
        let mut stream = std::net::TcpStream::connect(service.address).unwrap();
        if number % 2 == 0 {
            stream.write_all(b"GET / HTTP/1.1\r\nhost: x\r\n\r\n").unwrap();
        }
        silent.push(stream);
    }
    let answer = check(&place, &address, "one.pem", &words("sea", 60));
    assert_eq!(answer.code, Some(0), "{}", answer.err);
}

#[test]
fn what_is_wrong_with_a_certificate_is_told_before_the_service_begins() {
    let place = Place::new();
    if !make_certificate(&place, "one") || !make_certificate(&place, "two") {
        return;
    }
    place.write("empty.pem", "");
    place.write("text.pem", document("a", "no certificate"));
    for (certificate, key, told) in [
        ("empty.pem", "one.key", "has no certificate"),
        ("text.pem", "one.key", "has no certificate"),
        ("one.pem", "one.pem", "has no private key"),
        ("one.pem", "two.key", "does not fit"),
        ("missing.pem", "one.key", "missing.pem"),
    ] {
        let arguments =
            format!("serve --data data --listen 127.0.0.1:0 --tls-certificate {certificate} --tls-key {key}");
        let error = place.run(&arguments).error();
        assert!(
            error.contains(told)
                && error.contains(if told.contains("private") || told.contains("fit") {
                    key
                } else {
                    certificate
                }),
            "{error}"
        );
    }
    let half = place.run("serve --data data --listen 127.0.0.1:0 --with tls_key=one.key").error();
    assert!(half.contains("tls_certificate"), "{half}");
}

/// A proxy may answer in place of the service.
#[test]
fn an_answer_of_somebody_else_is_told_as_that() {
    let place = Place::new();
    place.write("asked.txt", words("sea", 60));
    for (answer, told) in [
        ("HTTP/1.1 301 Moved\r\nLocation: https://host/\r\nContent-Length: 6\r\n\r\n<html>", "redirects"),
        ("HTTP/1.1 308 Moved\r\nLocation: /x/\r\nContent-Length: 0\r\n\r\n", "redirects"),
        ("HTTP/1.1 502 Bad Gateway\r\nContent-Length: 6\r\n\r\n<html>", "status 502"),
        ("HTTP/1.1 404 Not Found\r\nContent-Length: 6\r\n\r\n<html>", "the path of its proxy"),
    ] {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let proxy = std::thread::spawn(move || {
            let (mut stream, _) = listener.accept().unwrap();
            let _ = stream.read(&mut [0; 1 << 16]);
            let _ = stream.write_all(answer.as_bytes());
            // What the client sent and nobody read would break the connection off before it has read the answer.
            let _ = stream.shutdown(std::net::Shutdown::Write);
            let _ = std::io::copy(&mut stream, &mut std::io::sink());
        });
        let error = place.run(&format!("check asked.txt --server http://{address}")).error();
        assert!(error.contains(told) && error.contains(&address.to_string()), "{error}");
        proxy.join().unwrap();
    }
}
