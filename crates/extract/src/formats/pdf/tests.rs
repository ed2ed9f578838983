//! Small PDF files, made here, each with one difficulty.

use std::io::Write;

use flate2::Compression;
use flate2::write::ZlibEncoder;

use crate::{ExtractOutcome, Extracted, Kind, Options, PdfReader, Reason, Tag, extract};

/// A file of numbered objects, each as it stands between `obj` and `endobj`; the first is the catalog.
fn file(objects: &[Vec<u8>], trailer: &str) -> Vec<u8> {
    let mut bytes = b"%PDF-1.7\n".to_vec();
    let mut places = Vec::new();
    for (index, object) in objects.iter().enumerate() {
        places.push(bytes.len());
        bytes.extend(format!("{} 0 obj\n", index + 1).bytes());
        bytes.extend(object);
        bytes.extend(b"\nendobj\n");
    }
    let table = bytes.len();
    bytes.extend(format!("xref\n0 {}\n0000000000 65535 f \n", objects.len() + 1).bytes());
    for place in places {
        bytes.extend(format!("{place:010} 00000 n \n").bytes());
    }
    let size = objects.len() + 1;
    bytes.extend(format!("trailer\n<< /Root 1 0 R /Size {size} {trailer} >>\n").bytes());
    bytes.extend(format!("startxref\n{table}\n%%EOF\n").bytes());
    bytes
}

fn stream(dictionary: &str, contents: &[u8]) -> Vec<u8> {
    let mut object = format!("<< {dictionary} /Length {} >>\nstream\n", contents.len()).into_bytes();
    object.extend(contents);
    object.extend(b"\nendstream");
    object
}

const CATALOG: &str = "<< /Type /Catalog /Pages 2 0 R >>";
const PAGES: &str = "<< /Type /Pages /Kids [3 0 R] /Count 1 >>";
const PAGE: &str = "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] /Contents 4 0 R \
    /Resources << /Font << /F 5 0 R >> /XObject << /X 6 0 R >> /Properties << /L 6 0 R >> >> >>";
const FONT: &str = "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>";

fn object(text: &str) -> Vec<u8> {
    text.as_bytes().to_vec()
}

/// One page with this content, and further objects from number 6 on.
fn page(contents: &str, more: &[Vec<u8>]) -> Vec<u8> {
    let mut objects =
        vec![object(CATALOG), object(PAGES), object(PAGE), stream("", contents.as_bytes()), object(FONT)];
    objects.extend_from_slice(more);
    file(&objects, "")
}

fn outcome(bytes: &[u8]) -> ExtractOutcome {
    let mut found = Vec::new();
    extract(bytes, "test.pdf", &Options::default(), &mut |outcome| found.push(outcome));
    assert_eq!(found.len(), 1, "{found:?}");
    found.remove(0)
}

fn document(bytes: &[u8]) -> Extracted {
    match outcome(bytes) {
        ExtractOutcome::Document(document) => *document,
        ExtractOutcome::Unreadable { reason, .. } => panic!("{reason}"),
    }
}

fn reason(bytes: &[u8]) -> Reason {
    match outcome(bytes) {
        ExtractOutcome::Unreadable { reason, .. } => reason,
        ExtractOutcome::Document(document) => panic!("{}", document.text),
    }
}

#[test]
fn lines_words_and_paragraphs() {
    let text = document(&page(
        "BT /F 10 Tf 50 700 Td (Good morn) Tj (ing) Tj 14 0 Td 0 -12 Td ([) Tj ET
         BT /F 10 Tf 1 0 0 1 50 676 Tm [(to) -300 (all) 20 (of you)] TJ 0 -40 Td (Second para-) Tj
         0 -12 Td (graph.) Tj ET",
        &[],
    ))
    .text;
    assert_eq!(text, "Good morning\n[\nto allof you\n\nSecond paragraph.");
}

#[test]
fn packed_streams_and_what_the_file_says_of_itself() {
    let mut packed = ZlibEncoder::new(Vec::new(), Compression::best());
    packed.write_all(b"BT /F 12 Tf 50 700 Td (Packed) Tj ET").unwrap();
    let page = PAGE.replace(
        "/Parent",
        "/Annots [<< /Subtype /Link /Rect [0 0 9 9] /A << /URI (http://a.example/b#c) >> >>] /Parent",
    );
    let objects = [
        object("<< /Type /Catalog /Pages 2 0 R /Lang (de-AT) >>"),
        object(PAGES),
        object(&page),
        stream("/Filter /FlateDecode", &packed.finish().unwrap()),
        object(FONT),
        b"<< /Title (\xfe\xff\0\xdc\0b\0e\0r) /Author (A. \xc9crit) /CreationDate (D:20240131120000+01'00') >>".to_vec(),
    ];
    let document = document(&file(&objects, "/Info 6 0 R"));
    assert_eq!(document.text, "Packed");
    assert_eq!(document.title.as_deref(), Some("Über"));
    assert_eq!(document.author.as_deref(), Some("A. Écrit"));
    assert_eq!(document.date.as_deref(), Some("2024-01-31T11:00:00Z"));
    assert_eq!(document.language.as_deref(), Some("de-AT"));
    assert_eq!(document.links.into_iter().collect::<Vec<_>>(), ["http://a.example/b"]);
}

#[test]
fn the_packet_fills_what_the_dictionary_lacks() {
    let packet = "<x:xmpmeta><rdf:Description xmp:CreateDate='2020-05-06'><dc:title><rdf:Alt>\
        <rdf:li>Rock &amp; Roll</rdf:li></rdf:Alt></dc:title></rdf:Description></x:xmpmeta>";
    let objects = [
        object("<< /Type /Catalog /Pages 2 0 R /Metadata 6 0 R >>"),
        object(PAGES),
        object(PAGE),
        stream("", b"BT /F 12 Tf 50 700 Td (x) Tj ET"),
        object(FONT),
        stream("/Type /Metadata /Subtype /XML", packet.as_bytes()),
    ];
    let document = document(&file(&objects, ""));
    assert_eq!(document.title.as_deref(), Some("Rock & Roll"));
    assert_eq!(document.date.as_deref(), Some("2020-05-06T00:00:00"));
}

/// Draws the lines from the top, each at its place from the left.
fn drawn(lines: &[(f64, f64, &str)]) -> String {
    let draw = |(x, y, text): &(f64, f64, &str)| format!("BT /F 10 Tf {x} {y} Td ({text}) Tj ET\n");
    lines.iter().map(draw).collect()
}

#[test]
fn columns_are_read_one_after_the_other() {
    let mut lines =
        vec![(50.0, 760.0, "One title above them both that runs from the left side to the right")];
    let left = ["The left column has", "several lines of text", "that belong together", "and end here."];
    let right = ["The right column is", "read only after that", "although it stands at", "the same heights."];
    for (index, (left, right)) in left.iter().zip(right).enumerate() {
        let y = 720.0 - 12.0 * index as f64;
        lines.extend([(50.0, y, *left), (250.0, y, right)]);
    }
    let text = document(&page(&drawn(&lines), &[])).text;
    let ends = text.find("end here").unwrap();
    assert!(text.starts_with("One title"), "{text}");
    assert!(ends < text.find("The right").unwrap(), "{text}");
}

#[test]
fn tables_are_read_line_by_line() {
    let mut lines = Vec::new();
    for (index, (name, count)) in [("Apples", "12"), ("Pears", "7"), ("Plums", "31")].into_iter().enumerate()
    {
        let y = 700.0 - 12.0 * index as f64;
        lines.extend([(50.0, y, name), (250.0, y, count)]);
    }
    assert_eq!(document(&page(&drawn(&lines), &[])).text, "Apples 12\nPears 7\nPlums 31");
}

#[test]
fn text_drawn_twice_or_turned_or_raised() {
    let content = "BT /F 10 Tf 50 700 Td (Bold) Tj ET BT /F 10 Tf 50.3 700 Td (Bold) Tj ET
        BT /F 10 Tf 0 1 -1 0 300 300 Tm (upwards we go) Tj ET
        BT /F 10 Tf 50 600 Td (note) Tj /F 6 Tf 4 Ts (2) Tj ET";
    let text = document(&page(content, &[])).text;
    assert_eq!(text.matches("Bold").count(), 1, "{text}");
    assert!(text.contains("upwards we go"), "{text}");
    assert!(text.contains("note2"), "{text}");
}

#[test]
fn large_lines_are_headings_and_fonts_may_be_bold() {
    let content =
        "BT /F 20 Tf 50 700 Td (Title) Tj /F 10 Tf 0 -30 Td (Text of the page that is longer.) Tj ET";
    let bytes = page(content, &[]);
    let found = document(&bytes);
    let marked =
        |tag| found.marks.iter().find(|mark| mark.tag == tag).map(|mark| &found.text[mark.start..mark.end]);
    assert_eq!(marked(Tag::Heading), Some("Title"));
    let font = String::from_utf8(bytes).unwrap().replace("/Helvetica", "/Helvetica-Bold");
    let found = document(font.as_bytes());
    assert_eq!(found.marks.iter().filter(|mark| mark.tag == Tag::Bold).count(), 2);
}

#[test]
fn actual_text_and_hidden_layers() {
    let content = "/Span << /ActualText (fish) >> BDC BT /F 10 Tf 50 700 Td (ghoti) Tj ET EMC
        /OC /L BDC BT /F 10 Tf 50 600 Td (hidden) Tj ET EMC";
    let shown = page(content, &[object("<< /Type /OCG /Name (L) >>")]);
    assert_eq!(document(&shown).text, "fish\n\nhidden");
    let hidden = String::from_utf8(shown).unwrap().replace(
        CATALOG,
        "<< /Type /Catalog /Pages 2 0 R /OCProperties << /OCGs [6 0 R] /D << /OFF [6 0 R] >> >> >>",
    );
    assert_eq!(document(hidden.as_bytes()).text, "fish");
}

#[test]
fn forms_are_drawn_but_not_within_themselves() {
    let form = "/Type /XObject /Subtype /Form /Resources << /Font << /F 5 0 R >> /XObject << /X 6 0 R >> >>";
    let within = b"BT /F 10 Tf 50 700 Td (in a form) Tj ET q 1 0 0 1 0 -50 cm /X Do Q /X Do";
    assert_eq!(document(&page("/X Do", &[stream(form, within)])).text, "in a form");
}

#[test]
fn filled_in_forms_are_read() {
    let page = PAGE.replace(
        "/Parent",
        "/Annots [<< /Subtype /Widget /Rect [100 100 300 120] /AP << /N 6 0 R >> >>] /Parent",
    );
    let objects = [
        object(CATALOG),
        object(PAGES),
        object(&page),
        stream("", b""),
        object(FONT),
        stream(
            "/BBox [0 0 200 20] /Resources << /Font << /F 5 0 R >> >>",
            b"BT /F 10 Tf 2 5 Td (Jane Doe) Tj ET",
        ),
    ];
    assert_eq!(document(&file(&objects, "")).text, "Jane Doe");
}

#[test]
fn a_cyclic_page_tree_ends() {
    let objects = [
        object(CATALOG),
        object("<< /Type /Pages /Kids [2 0 R 3 0 R 6 0 R] /Count 3 >>"),
        object(PAGE),
        stream("", b"BT /F 10 Tf 50 700 Td (once) Tj ET"),
        object(FONT),
        object("<< /Type /Pages /Kids [2 0 R 6 0 R] /Parent 6 0 R >>"),
    ];
    assert_eq!(document(&file(&objects, "")).text, "once");
}

#[test]
fn a_truncated_file_gives_what_is_left_and_rubbish_a_reason() {
    let whole = page("BT /F 10 Tf 50 700 Td (still here) Tj ET", &[]);
    let cut = whole.windows(4).position(|bytes| bytes == b"xref").unwrap();
    assert_eq!(document(&whole[..cut]).text, "still here");
    for end in 5..whole.len() {
        outcome(&whole[..end]);
    }
    assert!(matches!(reason(b"%PDF-1.4\nnothing of the kind"), Reason::Damaged(_)));
}

#[test]
fn a_password_is_a_reason() {
    let objects = [
        object(CATALOG),
        object(PAGES),
        object(PAGE),
        stream("", b"BT /F 10 Tf 50 700 Td (secret) Tj ET"),
        object(FONT),
        object(&format!(
            "<< /Filter /Standard /V 2 /R 3 /Length 128 /P -44 /O <{0}> /U <{0}> >>",
            "5a".repeat(32)
        )),
    ];
    let bytes = file(&objects, "/Encrypt 6 0 R /ID [<00> <00>]");
    assert_eq!(reason(&bytes), Reason::Encrypted);
}

#[test]
fn a_password_for_attached_files_only_is_no_obstacle() {
    let objects = [
        object(CATALOG),
        object(PAGES),
        object(PAGE),
        stream("", b"BT /F 10 Tf 50 700 Td (open) Tj ET"),
        object(FONT),
        object(&format!(
            "<< /Filter /Standard /V 4 /R 4 /Length 128 /P -44 /O <{0}> /U <{0}> /StmF /Identity /StrF /Identity \
             /EFF /StdCF /CF << /StdCF << /CFM /AESV2 /Length 16 >> >> >>",
            "5a".repeat(32)
        )),
    ];
    assert_eq!(document(&file(&objects, "/Encrypt 6 0 R /ID [<00> <00>]")).text, "open");
}

#[test]
fn what_is_out_of_date_in_forms_is_written_anew() {
    let page = PAGE.replace(
        "/Parent",
        "/Annots [<< /Subtype /Widget /Rect [100 100 300 120] /V (new) /AP << /N 6 0 R >> >>] /Parent",
    );
    let objects = [
        object("<< /Type /Catalog /Pages 2 0 R /AcroForm << /NeedAppearances true >> >>"),
        object(PAGES),
        object(&page),
        stream("", b""),
        object(FONT),
        stream("/BBox [0 0 200 20] /Resources << /Font << /F 5 0 R >> >>", b"BT /F 10 Tf 2 5 Td (old) Tj ET"),
    ];
    assert_eq!(document(&file(&objects, "")).text, "new");
}

#[test]
fn absurd_fonts_cost_nothing() {
    let content = "BT /F 10 Tf 50 700 Td (A) Tj ET";
    for font in [
        "<< /Type /Font /Subtype /TrueType /BaseFont /X /FirstChar 4000000000 /LastChar 4000000001 /Widths [1] >>",
        "<< /Type /Font /Subtype /Type0 /BaseFont /X /Encoding /Identity-H /DescendantFonts [<< /Type /Font \
         /Subtype /CIDFontType2 /BaseFont /X /W [0 4294967295 500] >>] >>",
    ] {
        let objects =
            [object(CATALOG), object(PAGES), object(PAGE), stream("", content.as_bytes()), object(font)];
        outcome(&file(&objects, ""));
    }
}

#[test]
fn another_program_is_asked_if_wanted() {
    let bytes = page("BT /F 10 Tf 50 700 Td (said by another) Tj ET", &[]);
    let options = Options { pdf: PdfReader::Pdftotext, ..Options::default() };
    let mut found = Vec::new();
    extract(&bytes, "test.pdf", &options, &mut |outcome| found.push(outcome));
    match &found[..] {
        [ExtractOutcome::Document(document)] => assert_eq!(document.text, "said by another"),
        [ExtractOutcome::Unreadable { reason: Reason::Io(what), .. }] => {
            assert!(what.contains("not installed"), "{what}")
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_header_that_is_cut_damaged_or_far_away_is_done_without() {
    let whole = page("BT /F 12 Tf 72 700 Td (All members agreed.) Tj ET", &[]);
    let far = [b"x".repeat(3000), b"\n".to_vec(), whole.clone()].concat();
    let log = [b"HTTP/1.1 200 OK\nServer: x\n\n".to_vec(), whole.clone()].concat();
    let damaged = [b"%P\0F-".to_vec(), whole[5..].to_vec()].concat();
    for bytes in [&whole[..], &far, &log, &damaged, &whole[1..], &whole[9..]] {
        assert_eq!(Kind::detect(bytes, "a.txt"), Kind::Pdf, "{}", String::from_utf8_lossy(&bytes[..20]));
        assert_eq!(document(bytes).text, "All members agreed.");
    }
    let prose = "A file begins with %PDF-1.4 and ends with %%EOF. Between them stand objects, as in 1 0 obj … endobj.";
    assert_eq!(Kind::detect(format!("{}{prose}", "Words. ".repeat(300)).as_bytes(), ""), Kind::Text);
    assert_eq!(Kind::detect(b"The header %PDF-1.4 says the version.", ""), Kind::Text);
}

#[test]
fn pages_that_are_pictures_and_letters_without_a_meaning_make_a_text_weak() {
    let kids: Vec<String> = (0..4).map(|n| format!("{} 0 R", 10 + 2 * n)).collect();
    let mut objects = vec![
        object(CATALOG),
        object(&format!("<< /Type /Pages /Kids [{}] /Count 4 >>", kids.join(" "))),
        object("null"),
        object("null"),
        object(FONT),
    ];
    for number in 0..4 {
        objects.push(stream(
            "/Type /XObject /Subtype /Image /Width 2 /Height 2 /BitsPerComponent 8 /ColorSpace /DeviceGray",
            &[number, 9, 99, 200],
        ));
    }
    for number in 0..4 {
        objects.push(object(&format!(
            "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] /Contents {} 0 R \
             /Resources << /Font << /F 5 0 R >> /XObject << /X {} 0 R >> >> >>",
            11 + 2 * number,
            6 + number
        )));
        let contents = format!("q 600 0 0 800 0 0 cm /X Do Q BT /F 9 Tf 9 9 Td (Page {number}) Tj ET");
        objects.push(stream("", contents.as_bytes()));
    }
    let scan = document(&file(&objects, ""));
    assert_eq!(scan.weakness().as_deref(), Some("8 words on 4 pages that are images: a scan"));
    // Two bytes for each glyph, and nothing to identify their characters.
    let font =
        "<< /Type /Font /Subtype /Type0 /BaseFont /X /Encoding /Identity-H /DescendantFonts [6 0 R] >>";
    let descendant = "<< /Type /Font /Subtype /CIDFontType2 /BaseFont /X /CIDSystemInfo << /Registry (Adobe) /Ordering (Identity) /Supplement 0 >> >>";
    let contents = "BT /F 12 Tf 72 700 Td <0024004F004F0003> Tj ET";
    let objects = [
        object(CATALOG),
        object(PAGES),
        object(PAGE),
        stream("", contents.as_bytes()),
        object(font),
        object(descendant),
    ];
    let unknown = document(&file(&objects, ""));
    assert!(unknown.weakness().is_some_and(|why| why.contains("fonts")), "{unknown:?}");
}
