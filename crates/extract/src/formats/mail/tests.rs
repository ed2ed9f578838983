use crate::document::Extracted;
use crate::{ExtractOutcome, Options, Reason, extract};

fn outcomes(bytes: &[u8]) -> Vec<ExtractOutcome> {
    let mut found = Vec::new();
    extract(bytes, "", &Options::default(), &mut |outcome| found.push(outcome));
    found
}

fn documents(bytes: &[u8]) -> Vec<Extracted> {
    let documents = outcomes(bytes).into_iter().filter_map(|outcome| match outcome {
        ExtractOutcome::Document(document) => Some(*document),
        ExtractOutcome::Unreadable { .. } => None,
    });
    documents.collect()
}

fn text(bytes: &[u8]) -> String {
    documents(bytes).into_iter().next().map(|document| document.text).unwrap_or_default()
}

#[test]
fn a_message_with_its_header() {
    let message = b"From: =?utf-8?Q?J=C3=B6rg_M=C3=BCller?= <jm@example.org>\r\nTo: a@example.org,\r\n b@example.org\r\n\
        Subject: =?iso-8859-1?B?R3L832U=?=\r\n =?iso-8859-1?Q?_aus_K=F6ln?=\r\nDate: Thu, 7 Jun 2001 08:10:42 -0700 (PDT)\r\n\
        Message-ID: <1@example.org>\r\nList-Id: A list <list.example.org>\r\n\r\nHello,\r\n\r\nthis is\r\nwrapped.\r\n";
    let found = &documents(message)[0];
    assert_eq!(found.text, "Hello,\n\nthis is\nwrapped.");
    assert_eq!(found.title.as_deref(), Some("Grüße aus Köln"));
    assert_eq!(found.author.as_deref(), Some("Jörg Müller"));
    assert_eq!(found.date.as_deref(), Some("2001-06-07T15:10:42Z"));
    assert_eq!(found.fields["from"], "Jörg Müller <jm@example.org>");
    assert_eq!(found.fields["to"], "a@example.org, b@example.org");
    assert_eq!(found.fields["message-id"], "1@example.org");
    assert_eq!(found.fields["list-id"], "A list <list.example.org>");
    assert_eq!(found.part, None);
}

#[test]
fn characters_may_be_cut_between_encoded_words() {
    let message = b"From: a@example.org\nSubject: =?gb2312?B?xOM=?= =?gb2312?B?usM=?= =?gb2312?B?ug==?=\n =?gb2312?B?ww==?=\n\nx";
    assert_eq!(documents(message)[0].title.as_deref(), Some("你好好"));
}

#[test]
fn headers_broken_by_blank_lines_go_on() {
    let message = b"From: a@example.org\nSubject: =?gb2312?B?xOM=?=\n\n =?gb2312?B?usM=?=\nTo: b@example.org\n \nDate: x\n\ntext";
    let found = &documents(message)[0];
    assert_eq!((found.title.as_deref(), found.text.as_str()), (Some("你好"), "text"));
    let message = b"From: a@example.org\nSubject: =?gb2312?B?xOO6\nww==?=\nTo: b@example.org\n\ntext";
    let found = &documents(message)[0];
    assert_eq!((found.title.as_deref(), found.text.as_str()), (Some("你好"), "text"));
    let message = b"From: a@example.org\nSubject: =?iso-2022-jp?B?GyRCJUYlOSVIGyhC?=\n =?iso-2022-jp?B?GyRCJUYlOSVIGyhC?=\n\nx";
    assert_eq!(documents(message)[0].title.as_deref(), Some("テストテスト"));
}

#[test]
fn plain_text_is_preferred_to_its_html_alternative() {
    let message = b"From: a@example.org\nTo: b@example.org\nContent-Type: multipart/alternative; boundary=b\n\nignored\n--b\n\
        Content-Type: text/plain; charset=utf-8\nContent-Transfer-Encoding: quoted-printable\n\ncaf=C3=A9 =\nau lait\n\
        --b\nContent-Type: text/html\n\n<p>html</p>\n--b--\n";
    assert_eq!(text(message), "café au lait");
    let blank = String::from_utf8_lossy(message).replace("caf=C3=A9 =\nau lait", "=20");
    assert!(text(blank.as_bytes()).contains("html"));
}

#[test]
fn wrong_and_missing_declarations_of_the_encoding() {
    let body = encoding_rs::GBK.encode("本公司现有一部分发票可以向外代开，欢迎来电合作！").0.into_owned();
    for header in [
        "Content-Type: text/plain; charset=iso-8859-1",
        "Content-Type: text/plain; charset=\"charset=\"GB2312\"\"",
        "Content-Type: text/plain",
        "Content-Type: text/plain; charset=gb2312\nContent-Transfer-Encoding: base64",
        // The boundary does not occur: the body is where the preamble would be.
        "Content-Type: multipart/mixed; boundary=nowhere",
    ] {
        let message =
            [b"From: a@example.org\nTo: b@example.org\n", header.as_bytes(), b"\n\n", &body].concat();
        assert!(text(&message).contains("欢迎来电合作"), "{header}: {}", text(&message));
    }
}

#[test]
fn text_without_a_declaration_is_read_as_the_subject_is() {
    let message = b"From: a@example.org\nSubject: =?gb2312?B?xOM=?=\nTo: b@example.org\n\n\xc4\xe3\xba\xc3";
    assert_eq!(text(message), "你好");
}

#[test]
fn forwarded_messages_stand_in_the_text() {
    let message = b"From: a@example.org\nSubject: Fw\nContent-Type: multipart/mixed; boundary=b\n\n--b\n\nSee below.\n--b\n\
        Content-Type: message/rfc822\n\nFrom: c@example.org\nSubject: First\nX-Odd: 1\n\nThe first one.\n--b--\n";
    let found = documents(message);
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].text, "See below.\n\nFrom: c@example.org\nSubject: First\n\nThe first one.");
}

#[test]
fn attachments_are_documents_of_their_own_and_signatures_are_not() {
    let message = b"From: a@example.org\nTo: b@example.org\nContent-Type: multipart/mixed; boundary=b\n\n--b\n\nHere.\n--b\n\
        Content-Type: application/octet-stream; name=\"../a b.txt\"\nContent-Transfer-Encoding: base64\n\nYXR0YWNoZWQ=\n--b\n\
        Content-Type: text/plain; charset=utf-8\nContent-Disposition: attachment; filename*=utf-8''%C3%A4.txt\n\nnamed\n--b\n\
        Content-Type: application/pkcs7-signature; name=smime.p7s\n\nMIAG\n--b--\n";
    let found = documents(message);
    let shown: Vec<(Option<&str>, &str)> =
        found.iter().map(|document| (document.part.as_deref(), document.text.as_str())).collect();
    assert_eq!(shown, [(None, "Here."), (Some("a b.txt"), "attached"), (Some("ä.txt"), "named")]);
}

#[test]
fn files_and_armour_within_text_are_left_out() {
    let message =
        b"From: a@example.org\nTo: b@example.org\n\nHi\nbegin 644 a.txt\n+:&5L;&\\@=V]R;&0`\n`\nend\nbye\n";
    let found = documents(message);
    assert_eq!((found[0].text.as_str(), found[1].text.as_str()), ("Hi\n\nbye", "hello world"));
    let message = b"From: a@example.org\nTo: b@example.org\n\n-----BEGIN PGP SIGNED MESSAGE-----\nHash: SHA1\n\nsaid\n- - so\n\
        -----BEGIN PGP SIGNATURE-----\niQEV\n-----END PGP SIGNATURE-----\n";
    assert_eq!(text(message), "said\n- so");
}

#[test]
fn what_is_encrypted_is_said_to_be() {
    for content in [
        "Content-Type: multipart/encrypted; boundary=b\n\n--b\nContent-Type: application/pgp-encrypted\n\nVersion: 1\n--b--\n",
        "Content-Type: application/pkcs7-mime; smime-type=enveloped-data\nContent-Transfer-Encoding: base64\n\nMIAGCSqGSIb3DQEHA6CA\n",
        "\n-----BEGIN PGP MESSAGE-----\n\nhQEM\n-----END PGP MESSAGE-----\n",
    ] {
        let message = format!("From: a@example.org\nTo: b@example.org\n{content}");
        let expected = ExtractOutcome::Unreadable { part: None, reason: Reason::Encrypted };
        assert_eq!(outcomes(message.as_bytes()), [expected], "{content}");
    }
}

#[test]
fn what_is_signed_as_a_whole_is_unpacked() {
    // ContentInfo { signedData, SignedData { 1, {}, { data, "…" } } }
    let inner = b"Content-Type: text/plain\n\nSigned words.";
    let wrap = |tag: u8, inside: &[u8]| [&[tag, inside.len() as u8], inside].concat();
    let octets = wrap(0x04, inner);
    let kind = wrap(0x06, b"\x2a\x86\x48\x86\xf7\x0d\x01\x07\x01");
    let content = wrap(0x30, &[kind, wrap(0xa0, &octets)].concat());
    let signed = wrap(0x30, &[wrap(0x02, b"\x01"), wrap(0x31, b""), content].concat());
    let outer_kind = wrap(0x06, b"\x2a\x86\x48\x86\xf7\x0d\x01\x07\x02");
    let whole = wrap(0x30, &[outer_kind, wrap(0xa0, &signed)].concat());
    let header =
        b"From: a@example.org\nSubject: S\nContent-Type: application/pkcs7-mime; smime-type=signed-data\n\n";
    let found = documents(&[&header[..], &whole].concat());
    assert_eq!((found[0].text.as_str(), found[0].title.as_deref()), ("Signed words.", Some("S")));
}

#[test]
fn a_saved_page_is_a_page() {
    let message = b"From: <Saved by Blink>\nSnapshot-Content-Location: http://example.org/\nSubject: Page\nMIME-Version: 1.0\n\
        Content-Type: multipart/related; type=\"text/html\"; boundary=b\n\n--b\nContent-Type: text/html\n\n<p>words</p>\n--b--\n";
    let found = &documents(message)[0];
    assert_eq!((found.kind, found.fields["url"].as_str()), (crate::Kind::Html, "http://example.org/"));
    assert!(found.text.contains("words"));
}

#[test]
fn messages_of_a_mailbox_are_named() {
    let one = |id: &str, text: &str| {
        format!("From x Thu Jun  7 08:10:42 2001\nMessage-ID: <{id}>\nFrom: a@example.org\n\n{text}\n\n")
    };
    let mailbox = [one("1@x", "first"), one("2@x", ">From here"), one("1@x", "third")].concat();
    let found = documents(mailbox.as_bytes());
    let shown: Vec<(Option<&str>, &str)> =
        found.iter().map(|document| (document.part.as_deref(), document.text.as_str())).collect();
    assert_eq!(shown, [(Some("#1"), "first"), (Some("2@x"), "From here"), (Some("#3"), "third")]);
    assert!(found[0].file_hash != found[2].file_hash && found[0].bytes < 100);
}

#[test]
fn a_broken_message_does_not_stop_a_mailbox() {
    let mailbox = b"From x Thu Jun  7 08:10:42 2001\nFrom: a\nTo: b\n\n-----BEGIN PGP MESSAGE-----\nx\n\n\
        From x Thu Jun  7 08:10:42 2001\nFrom: a\nTo: b\n\nfine\n";
    let found = outcomes(mailbox);
    assert_eq!(
        found[0],
        ExtractOutcome::Unreadable { part: Some("#1".to_owned()), reason: Reason::Encrypted }
    );
    assert!(matches!(&found[1], ExtractOutcome::Document(document) if document.text == "fine"));
}

#[test]
fn nesting_without_end_is_cut_off() {
    let mut message = b"From: a@example.org\nTo: b@example.org\n".to_vec();
    for _ in 0..100_000 {
        message.extend_from_slice(b"Content-Type: message/rfc822\n\n");
    }
    message.extend_from_slice(b"\n\ninnermost");
    outcomes(&message);
    let mut message = b"From: a@example.org\nTo: b@example.org\n".to_vec();
    for number in 0..20_000 {
        message.extend(format!("Content-Type: multipart/mixed; boundary=b{number}\n\n--b{number}\n").bytes());
    }
    outcomes(&message);
}
