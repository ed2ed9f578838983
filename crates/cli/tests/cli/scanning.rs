//! Folders of documents to scan, and what a scan reports of them.

use std::fs;

use serde_json::Value;

use crate::support::Place;

/// A text of many words that no other seed shares.
pub fn essay(seed: u64) -> String {
    let words = (0..120).map(|place| format!("w{}", (seed * 7919 + place * place * 31) % 5000));
    words.collect::<Vec<_>>().chunks(12).map(|line| line.join(" ") + ".\n").collect()
}

pub fn place(files: &[(&str, &[u8])]) -> Place {
    let place = Place::new();
    for (name, bytes) in files {
        let path = place.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
    }
    place
}

pub fn scan(place: &Place, arguments: &str) -> Value {
    let run = place.run(&format!("scan {arguments} --json --cache cache")).ok();
    serde_json::from_str(&run.out).unwrap()
}

/// The members of each cluster, by name.
pub fn clusters(report: &Value) -> Vec<Vec<String>> {
    let members = |cluster: &Value| {
        let ids = cluster["members"].as_array().unwrap().iter();
        let mut ids: Vec<String> = ids.map(|member| member["id"].as_str().unwrap().to_owned()).collect();
        ids.sort();
        ids
    };
    report["clusters"].as_array().unwrap().iter().map(members).collect()
}

pub fn reason(report: &Value, path: &str) -> String {
    let unreadable = report["unreadable"].as_array().unwrap();
    let found = unreadable.iter().find(|entry| entry["path"] == path);
    found.unwrap_or_else(|| panic!("{path} in {unreadable:?}"))["reason"].as_str().unwrap().to_owned()
}

pub fn html(body: &str) -> String {
    let paragraphs: String = body.lines().map(|line| format!("<p>{line}</p>\n")).collect();
    format!(
        "<!doctype html><html><head><title>An essay</title></head><body><article>{paragraphs}</article></body></html>"
    )
}

pub fn mail(body: &str) -> String {
    format!(
        "From: a@example.org\nTo: b@example.org\nSubject: essay\nDate: Mon, 5 Feb 2024 10:00:00 +0100\n\n{body}"
    )
}

/// A gray picture of 64 × 64 whose pixels a function gives, as PNG.
pub fn png(pixel: impl Fn(u32, u32) -> u8) -> Vec<u8> {
    use std::io::Write;
    let mut rows = Vec::new();
    for y in 0..64 {
        rows.push(0);
        rows.extend((0..64).map(|x| pixel(x, y)));
    }
    let mut packed = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::fast());
    packed.write_all(&rows).unwrap();
    let mut bytes = b"\x89PNG\r\n\x1a\n".to_vec();
    let mut chunk = |name: &[u8; 4], data: &[u8]| {
        bytes.extend((data.len() as u32).to_be_bytes());
        let mut sum = flate2::Crc::new();
        sum.update(name);
        sum.update(data);
        bytes.extend(name);
        bytes.extend(data);
        bytes.extend(sum.sum().to_be_bytes());
    };
    chunk(b"IHDR", &[0, 0, 0, 64, 0, 0, 0, 64, 8, 0, 0, 0, 0]);
    chunk(b"IDAT", &packed.finish().unwrap());
    chunk(b"IEND", &[]);
    bytes
}

pub fn base64(bytes: &[u8]) -> String {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::new();
    for three in bytes.chunks(3) {
        let bits =
            three.iter().fold(0u32, |bits, &byte| bits << 8 | u32::from(byte)) << (8 * (3 - three.len()));
        let letter = |place: usize| char::from(LETTERS[(bits >> (18 - 6 * place)) as usize & 63]);
        (0..4).for_each(|place| text.push(if place <= three.len() { letter(place) } else { '=' }));
    }
    text
}

/// A PDF that opens with a password only.
pub fn locked_pdf() -> Vec<u8> {
    let key = "5a".repeat(32);
    let objects = [
        "<</Type/Catalog/Pages 2 0 R>>".to_owned(),
        "<</Type/Pages/Kids[3 0 R]/Count 1>>".to_owned(),
        "<</Type/Page/Parent 2 0 R/MediaBox[0 0 99 99]/Contents 4 0 R>>".to_owned(),
        "<</Length 9>>\nstream\nabcdefghi\nendstream".to_owned(),
        format!("<</Filter/Standard/V 1/R 2/P -44/O<{key}>/U<{key}>>>"),
    ];
    let mut file = "%PDF-1.4\n".to_owned();
    let mut places = "0000000000 65535 f \n".to_owned();
    for (object, number) in objects.iter().zip(1..) {
        places += &format!("{:010} 00000 n \n", file.len());
        file += &format!("{number} 0 obj\n{object}\nendobj\n");
    }
    let start = file.len();
    file += &format!(
        "xref\n0 6\n{places}trailer\n<</Size 6/Root 1 0 R/Encrypt 5 0 R/ID[<00><00>]>>\nstartxref\n{start}\n%%EOF\n"
    );
    file.into_bytes()
}

/// The same time for all, or one that is later by so many seconds.
pub fn touch(place: &Place, name: &str, seconds: u64) {
    let time = std::time::UNIX_EPOCH + std::time::Duration::from_secs(1_700_000_000 + seconds);
    fs::File::options().write(true).open(place.path(name)).unwrap().set_modified(time).unwrap();
}
