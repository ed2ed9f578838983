use crate::{ExtractOutcome, Extracted, File, Kind, Options, extract_as};

/// Reads the bytes as the given kind: recognising the kind is not tested here.
fn read(kind: Kind, bytes: &[u8]) -> Vec<Extracted> {
    let mut found = Vec::new();
    let mut sink = |outcome| match outcome {
        ExtractOutcome::Document(document) => found.push(*document),
        ExtractOutcome::Unreadable { reason, .. } => panic!("{reason}"),
    };
    extract_as(&File { bytes, name: "", kind }, &Options::default(), &mut sink);
    found
}

#[test]
fn reuters_records() {
    let bytes = b"<!DOCTYPE lewis SYSTEM \"lewis.dtd\">\n<REUTERS TOPICS=\"YES\" LEWISSPLIT=\"TRAIN\" CGISPLIT=\"TRAINING-SET\" OLDID=\"5544\" NEWID=\"1\">\n\
        <DATE>26-FEB-1987 15:01:01.79</DATE>\n<TOPICS><D>cocoa</D><D>coffee</D></TOPICS>\n<PLACES><D>el-salvador</D></PLACES>\n<PEOPLE></PEOPLE>\n\
        <UNKNOWN> \n&#5;&#5;&#5;C T\n</UNKNOWN>\n<TEXT>&#2;\n<TITLE>BAHIA &amp; CO</TITLE>\n<AUTHOR>    By Jane Doe, Reuters</AUTHOR>\n\
        <DATELINE>    SALVADOR, Feb 26 - </DATELINE><BODY>Showers\ncontinued &lt;here>, 1 < 2.\n    Second caf\xe9.\n Reuter\n&#3;</BODY></TEXT>\n</REUTERS>\n\
        <REUTERS NEWID=\"2\"><DATE> 1-MAR-1987 00:00:00.00</DATE><TEXT TYPE=\"UNPROC\">&#2;\nTELEX\nunformatted\n&#3;</TEXT></REUTERS>\n\
        <REUTERS NEWID=\"3\"><TEXT TYPE=\"BRIEF\">&#2;<TITLE>ONLY A TITLE</TITLE>&#3;</TEXT></REUTERS>";
    let found = read(Kind::Reuters, bytes);
    assert_eq!(found.len(), 3);
    let first = &found[0];
    assert_eq!(first.part.as_deref(), Some("1"));
    assert_eq!(first.title.as_deref(), Some("BAHIA & CO"));
    assert_eq!(first.author.as_deref(), Some("By Jane Doe, Reuters"));
    assert_eq!(first.date.as_deref(), Some("1987-02-26T15:01:01"));
    assert_eq!(first.text, "Showers\ncontinued <here>, 1 < 2.\n\nSecond café.\nReuter");
    assert_eq!(
        (first.lists["topics"].as_slice(), first.fields["has-topics"].as_str()),
        (&["cocoa".to_owned(), "coffee".to_owned()][..], "YES")
    );
    assert_eq!(first.lists["places"], ["el-salvador"]);
    assert_eq!(first.headings[0].text, "BAHIA & CO");
    assert_eq!(first.fields["lewissplit"], "TRAIN");
    assert_eq!(first.fields["cgisplit"], "TRAINING-SET");
    assert_eq!(first.fields["dateline"], "SALVADOR, Feb 26 -");
    assert_eq!(found[1].text, "TELEX\nunformatted");
    assert_eq!((found[2].text.as_str(), found[2].headings.len()), ("ONLY A TITLE", 0));
}

#[test]
fn trec_records_of_several_sources() {
    let bytes = b"<DOC>\n<DOCNO> WSJ870324-0001 </DOCNO>\n<HL> Profit Up </HL>\n<DD> 03/24/87</DD>\n<SO> WALL STREET JOURNAL (J)</SO>\n\
        <AUTHOR>Jane Doe</AUTHOR>\n<TEXT>\n   First line\nsecond line &amp; AT&T.\n<P>Another <F P=105>one</F>.\n</TEXT>\n</DOC>\n\
        <DOC id=\"AFP_ENG_1\" type=\"story\">\n<HEADLINE>\nHead\n</HEADLINE>\n<DATELINE>Paris, May 1</DATELINE>\n<TEXT>\n<P>\nBody 1 < 2\n</P>\n</TEXT>\n</DOC>\n\
        <DOC><DOCNO>LA010189-0001<DATE><P>January 1, 1989, Sunday, Home Edition</P></DATE><HEADLINE><P>BOOKS</P></HEADLINE><TEXT><P>Unclosed\n\
        <DOC>\n<DOCNO>Z-1</DOCNO><SUMMARY>Only a summary.</SUMMARY></DOC>\n<DOC><DOCNO>Z-1</DOCNO>Loose text</DOC>";
    let found = read(Kind::Trec, bytes);
    let shown: Vec<(&str, &str, &str)> = found
        .iter()
        .map(|document| {
            let part = document.part.as_deref().unwrap_or_default();
            (part, document.title.as_deref().unwrap_or_default(), document.text.as_str())
        })
        .collect();
    assert_eq!(
        shown,
        [
            ("WSJ870324-0001", "Profit Up", "First line\nsecond line & AT&T.\n\nAnother one."),
            ("AFP_ENG_1", "Head", "Body 1 < 2"),
            ("LA010189-0001", "BOOKS", "Unclosed"),
            ("Z-1", "", "Only a summary."),
            ("Z-1#2", "", "Loose text"),
        ]
    );
    assert_eq!(found[0].author.as_deref(), Some("Jane Doe"));
    assert_eq!(found[0].fields["so"], "WALL STREET JOURNAL (J)");
    assert_eq!(found[1].fields["dateline"], "Paris, May 1");
    assert_eq!(found[2].date.as_deref(), Some("1989-01-01T00:00:00"));
}

#[test]
fn a_nitf_story() {
    let bytes = "<?xml version=\"1.0\" encoding=\"UTF-8\"?><nitf xml:lang=\"de\"><head><title>File title</title><meta name=\"DSK\" content=\"Arts\"/><meta content=\"a\" name=\"tag\"/>\
        <meta content=\"b\" name=\"tag\"/><meta name=\"empty\" content=\"\"/><docdata><date.issue norm=\"20070101T000000Z\"/>\
        <identified-content><org>ACME &amp; Co</org><person>Doe, Jane</person><person>Roe</person>\
        <classifier type=\"descriptor\">Arts &amp; Crafts</classifier><classifier type=\"code\" value=\"017\"/></identified-content></docdata>\
        <pubdata name=\"The Paper\" ex-ref=\"http://example.org/1\"/></head><body><body.head><hedline><hl1>Head &#8211; line</hl1><hl2>Sub</hl2></hedline>\
        <byline>By JANE DOE</byline><dateline>Köln</dateline></body.head><body.content><block class=\"lead_paragraph\"><p>Lead.</p></block>\
        <block class=\"full_text\"><p>Lead.</p><hl2>Part</hl2><p>More <em>words</em>\n here &lt;x&gt;.</p><ul><li>one</li><li>two</li></ul></block>\
        </body.content><body.end>bye</body.end></body></nitf>";
    let found = &read(Kind::Nitf, bytes.as_bytes())[0];
    assert_eq!(found.text, "Lead.\n\nPart\n\nMore words here <x>.\n\none\n\ntwo");
    assert_eq!(found.title.as_deref(), Some("Head – line"));
    assert_eq!(found.author.as_deref(), Some("By JANE DOE"));
    assert_eq!(found.date.as_deref(), Some("2007-01-01T00:00:00Z"));
    assert_eq!(found.language.as_deref(), Some("de"));
    let list = |name: &str| found.lists[name].join("|");
    assert_eq!((list("org"), list("person")), ("ACME & Co".to_owned(), "Doe, Jane|Roe".to_owned()));
    assert_eq!((list("dsk"), list("tag")), ("Arts".to_owned(), "a|b".to_owned()));
    assert_eq!(list("classifier"), "Arts & Crafts|017");
    assert!(!found.lists.contains_key("empty"));
    let headings: Vec<&str> = found.headings.iter().map(|heading| heading.text.as_str()).collect();
    assert_eq!(headings, ["Head – line", "Sub"], "both headlines, in their order");
    assert!(found.marked_up().starts_with("<h1>Head – line</h1>\n\n<h1>Sub</h1>\n\nLead.\n\n<h2>Part</h2>"));
    assert_eq!(
        (found.fields["publication"].as_str(), found.fields["url"].as_str()),
        ("The Paper", "http://example.org/1")
    );
    assert_eq!(found.marks.len(), 2);
    // If the file is truncated, its beginning is still read.
    let cut = &read(Kind::Nitf, &bytes.as_bytes()[..bytes.len() - 100])[0];
    assert!(cut.text.starts_with("Lead.\n\nPart"), "{}", cut.text);
}
