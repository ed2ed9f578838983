//! Reports for tests.

use std::collections::HashMap;

use super::{ScanCluster, ScanMember, ScanReport, Streams, Unreadable};

fn member(path: &str, kind: &str, bytes: u64, modified: &str, similarity: f64) -> ScanMember {
    ScanMember {
        id: path.to_owned(),
        path: path.to_owned(),
        kind: kind.to_owned(),
        bytes,
        modified: modified.to_owned(),
        dated: modified.to_owned(),
        dated_by: "file".to_owned(),
        frees: bytes,
        found_by: if similarity < 1.0 { vec!["minhash".to_owned()] } else { Vec::new() },
        similarity,
        streams: Streams { text: Some(similarity), ..Streams::default() },
        words: 250,
        ..ScanMember::default()
    }
}

fn unreadable(path: &str, reason: &str) -> Unreadable {
    Unreadable { path: path.to_owned(), reason: reason.to_owned() }
}

/// Two clusters, one of which has everything that can be shown.
pub fn small() -> ScanReport {
    let whole = Streams { text: Some(1.0), images: Some(1.0), links: Some(1.0), ..Streams::default() };
    let title = Some("Annual report, 2023".to_owned());
    let annual = ScanCluster {
        cluster: 1,
        master: "reports/annual report.docx".to_owned(),
        size: 3,
        weakest: 0.934,
        kept_because: "the newest of the longest".to_owned(),
        members: vec![
            ScanMember {
                streams: whole.clone(),
                title: title.clone(),
                date: Some("2024-02-28T00:00:00".to_owned()),
                dated: "2024-02-28T00:00:00".to_owned(),
                dated_by: "document".to_owned(),
                frees: 0,
                ..member("reports/annual report.docx", "docx", 1_200_000, "2024-03-01T12:00:00Z", 1.0)
            },
            ScanMember {
                streams: whole,
                title,
                same: Some("file".to_owned()),
                found_by: vec!["exact".to_owned(), "file".to_owned()],
                ..member("old/annual report (copy).docx", "docx", 1_200_000, "2024-02-01T12:00:00Z", 1.0)
            },
            ScanMember {
                id: "mail/archive.zip#annual.pdf".to_owned(),
                part: Some("annual.pdf".to_owned()),
                frees: 0,
                streams: Streams { text: Some(0.934), images: Some(0.75), ..Streams::default() },
                contained_in_master: Some(0.98),
                contains_master: Some(0.951),
                ..member("mail/archive.zip", "pdf", 800_000, "2023-12-01T12:00:00Z", 0.934)
            },
        ],
        ..ScanCluster::default()
    };
    let notes = ScanCluster {
        cluster: 2,
        master: "notes.txt".to_owned(),
        size: 2,
        weakest: 0.9996,
        kept_because: "the newest".to_owned(),
        warnings: vec!["short texts, of 23 words at most".to_owned()],
        members: vec![
            ScanMember { frees: 0, ..member("notes.txt", "text", 1_500, "2024-01-05T08:00:00Z", 1.0) },
            member("notes-old.txt", "text", 1_400, "2024-01-04T08:00:00Z", 0.9996),
        ],
        ..ScanCluster::default()
    };
    ScanReport {
        files: 12,
        read: 8,
        documents: 9,
        unreadable: vec![
            unreadable("secret/plan.pdf", "encrypted, not compared"),
            unreadable("disk/broken.docx", "damaged: the archive ends too early"),
            unreadable("disk/half.zip", "damaged: no directory"),
            unreadable("disk/odd.doc", "damaged: no text stream"),
        ],
        partly: vec![unreadable("mail/archive.zip#locked.pdf", "encrypted, not compared")],
        clusters: vec![annual, notes],
        duplicate_bytes: 1_201_400,
        method: "minhash".to_owned(),
        threshold: 0.8,
        scheme: "minhash-0123".to_owned(),
        warnings: vec!["2 documents have no words".to_owned()],
        from_cache: 3,
        seconds: 1.25,
        ..ScanReport::default()
    }
}

/// The small report, with this text wherever a document, a name or a setting could put it.
pub fn with(text: &str) -> ScanReport {
    let mut report = small();
    let own = || text.to_owned();
    for cluster in &mut report.clusters {
        cluster.kept_because = own();
        cluster.warnings = vec![own()];
        for member in &mut cluster.members {
            (member.path, member.kind, member.modified) = (own(), own(), own());
            (member.title, member.date) = (Some(own()), Some(own()));
            (member.dated, member.dated_by, member.found_by) = (own(), own(), vec![own()]);
            member.part = Some(own());
        }
    }
    for file in report.unreadable.iter_mut().chain(&mut report.partly) {
        file.path = own();
        file.reason = format!("{text}: {text}");
    }
    (report.method, report.scheme) = (own(), own());
    report.warnings = vec![own()];
    report.recipe.insert("value".to_owned(), own().into());
    report
}

/// Like a scan of a real folder, with the texts of its documents.
pub fn rich() -> (ScanReport, HashMap<String, String>) {
    let mut report = small();
    let mut texts = HashMap::new();
    let paragraph = |number: usize| {
        format!(
            "Section {number}. The committee met on the third Tuesday of the month and considered the {number} \
            proposals that had been handed in, of which most were put off until members had read them."
        )
    };
    let text: Vec<String> = (1..60).map(paragraph).collect();
    let mut changed = text.clone();
    changed[3] = changed[3].replace("third Tuesday", "second Wednesday").replace("members", "all members");
    changed[30] = changed[30].replace("proposals", "motions");
    changed.insert(20, "A paragraph that only the duplicate has.\nWith a line of its own.".to_owned());
    changed.remove(40);
    let moved = changed.remove(10);
    changed.insert(50, moved);
    texts.insert("reports/annual report.docx".to_owned(), text.join("\n\n"));
    texts.insert("mail/archive.zip#annual.pdf".to_owned(), changed.join("\n"));
    texts.insert(
        "notes.txt".to_owned(),
        "東京都は日本の首都である。\n<script>alert(1)</script>\nשלום עולם\nTo do: call".to_owned(),
    );
    texts.insert(
        "notes-old.txt".to_owned(),
        "東京都は日本の中心である。\n<b>bold</b>\nשלום חבר\nTo do: \u{202e}call".to_owned(),
    );
    for number in 3..40 {
        let size = 2 + (number * number) % 7;
        let name =
            |place: usize| format!("projects/{}/drafts/version {place}/proposal-{number}.odt", 2000 + number);
        let kinds = ["docx", "pdf", "html", "text", "mail", "odt", "pptx", "epub", "rtf", "xlsx"];
        let members = (0..size).map(|place| {
            let similarity = if place == 0 { 1.0 } else { 0.99 - (place * number % 19) as f64 / 100.0 };
            let kind = kinds[(number + place) % kinds.len()];
            let mut member =
                member(&name(place), kind, (number * 12_345) as u64, "2023-05-06T07:08:09Z", similarity);
            member.title = (place == 1).then(|| format!("Proposal <{number}>"));
            member.same = (place == 2).then(|| "text".to_owned());
            texts.insert(name(place), text[..place + 2].join("\n"));
            member
        });
        report.clusters.push(ScanCluster {
            cluster: number as u64,
            master: name(0),
            size: size as u64,
            weakest: 0.8,
            kept_because: "it has the most words".to_owned(),
            members: members.collect(),
            ..ScanCluster::default()
        });
    }
    let odd = "odd/\u{202e}gpj.exe\n\"quoted\" <img src=x> and a name that is so long that it has to be broken into several lines somewhere.txt";
    report.clusters[1].members[1].path = odd.to_owned();
    for number in 0..25 {
        report.unreadable.push(unreadable(
            &format!("backup/disk-{number}.img"),
            "not a document this program reads: disk image",
        ));
    }
    (report.files, report.read, report.documents) = (1_234, 1_205, 1_300);
    (report.duplicate_bytes, report.from_cache) = (34_567_890, 800);
    report.recipe.insert("method".to_owned(), "minhash".into());
    (report, texts)
}
