//! Documents built by the tests, read as files are.

use super::super::package::build::zip_of;
use crate::{ExtractOutcome, Extracted, Options, Reason, Tag, extract};

fn read(bytes: &[u8]) -> Result<Extracted, Reason> {
    let mut outcomes = Vec::new();
    extract(bytes, "", &Options::default(), &mut |outcome| outcomes.push(outcome));
    assert_eq!(outcomes.len(), 1);
    match outcomes.remove(0) {
        ExtractOutcome::Document(document) => Ok(*document),
        ExtractOutcome::Unreadable { reason, .. } => Err(reason),
    }
}

fn marked(document: &Extracted, tag: Tag) -> Vec<&str> {
    document
        .marks
        .iter()
        .filter(|mark| mark.tag == tag)
        .map(|mark| &document.text[mark.start..mark.end])
        .collect()
}

fn docx(body: &str, more: &[(&str, &str)]) -> Vec<u8> {
    let document = format!("<w:document xmlns:w='x'><w:body>{body}</w:body></w:document>");
    let relations = "<Relationships>\
        <Relationship Id='s' Type='http://x/styles' Target='styles.xml'/>\
        <Relationship Id='n' Type='http://x/numbering' Target='numbering.xml'/>\
        <Relationship Id='f' Type='http://x/footnotes' Target='footnotes.xml'/>\
        <Relationship Id='c' Type='http://x/aFChunk' Target='chunk.html'/>\
        <Relationship Id='h' Type='http://x/header' Target='header1.xml'/>\
        <Relationship Id='l' Type='http://x/hyperlink' Target='http://a.test/b#c' TargetMode='External'/>\
        </Relationships>";
    let mut members =
        vec![("word/document.xml", document.as_str()), ("word/_rels/document.xml.rels", relations)];
    members.extend_from_slice(more);
    zip_of(&members)
}

fn text(body: &str) -> String {
    read(&docx(body, &[])).unwrap().text
}

#[test]
fn paragraphs_runs_and_breaks() {
    let body = "<w:p><w:pPr><w:tabs><w:tab w:val='left'/></w:tabs></w:pPr><w:r><w:t>On</w:t></w:r><w:r><w:t>ly</w:t>\
        <w:tab/><w:t>two</w:t><w:br/><w:t xml:space='preserve'> three&amp;four</w:t></w:r></w:p><w:p/>\
        <w:p><w:r><w:t>End.</w:t></w:r></w:p>";
    assert_eq!(text(body), "Only two\nthree&four\n\nEnd.");
}

#[test]
fn headings_bold_and_italic() {
    let styles = "<w:styles><w:style w:styleId='H1'><w:name w:val='heading 1'/></w:style>\
        <w:style w:styleId='Mine'><w:basedOn w:val='H1'/></w:style>\
        <w:style w:styleId='Strong'><w:rPr><w:b/></w:rPr></w:style></w:styles>";
    let body = "<w:p><w:pPr><w:pStyle w:val='Mine'/></w:pPr><w:r><w:t>A</w:t></w:r></w:p>\
        <w:p><w:pPr><w:outlineLvl w:val='2'/></w:pPr><w:r><w:t>B</w:t></w:r></w:p>\
        <w:p><w:r><w:rPr><w:b/></w:rPr><w:t>bo</w:t></w:r><w:r><w:rPr><w:rStyle w:val='Strong'/></w:rPr><w:t>ld</w:t></w:r>\
        <w:r><w:rPr><w:b w:val='0'/><w:i/></w:rPr><w:t> slanted</w:t></w:r></w:p>";
    let document = read(&docx(body, &[("word/styles.xml", styles)])).unwrap();
    assert_eq!(marked(&document, Tag::Heading), ["A", "B"]);
    assert_eq!(marked(&document, Tag::Bold), ["bold"]);
    assert_eq!(marked(&document, Tag::Italic), ["slanted"]);
}

#[test]
fn links_by_relationship_and_by_field() {
    let field = |step: &str| format!("<w:r><w:fldChar w:fldCharType='{step}'/></w:r>");
    let body = format!(
        "<w:p><w:hyperlink r:id='l'><w:r><w:t>here</w:t></w:r></w:hyperlink>{}\
         <w:r><w:instrText> HYPERLINK \"http://c.test/\" \\o \"tip\"</w:instrText></w:r>{}\
         <w:r><w:t> there</w:t></w:r>{}{}<w:r><w:instrText>PAGE</w:instrText></w:r>{}<w:r><w:t> 7</w:t></w:r>{}</w:p>",
        field("begin"),
        field("separate"),
        field("end"),
        field("begin"),
        field("separate"),
        field("end"),
    );
    let document = read(&docx(&body, &[])).unwrap();
    assert_eq!(document.text, "here there 7");
    assert_eq!(marked(&document, Tag::Anchor), ["here", "there"]);
    assert_eq!(document.links.iter().collect::<Vec<_>>(), ["http://a.test/b", "http://c.test/"]);
}

#[test]
fn rows_are_lines() {
    let cell = |text: &str| format!("<w:tc><w:p><w:r><w:t>{text}</w:t></w:r></w:p></w:tc>");
    let body = format!(
        "<w:tbl><w:tr>{}{}</w:tr><w:tr>{}<w:tc><w:p><w:r><w:t>d</w:t></w:r></w:p><w:p><w:r><w:t>e</w:t></w:r></w:p></w:tc>\
         </w:tr></w:tbl><w:p><w:r><w:t>after</w:t></w:r></w:p>",
        cell("a"),
        cell("b"),
        cell("c"),
    );
    assert_eq!(text(&body), "a b\nc d\ne\n\nafter");
}

#[test]
fn deleted_text_is_out_and_inserted_text_is_in() {
    let body = "<w:p><w:del><w:r><w:delText>gone</w:delText></w:r></w:del><w:ins><w:r><w:t>new</w:t></w:r></w:ins>\
        <w:moveFrom><w:r><w:t>moved</w:t></w:r></w:moveFrom>\
        <w:r><w:t> text</w:t></w:r></w:p>";
    assert_eq!(text(body), "new text");
}

#[test]
fn a_text_box_is_read_once_and_after_its_paragraph() {
    let content = "<w:txbxContent><w:p><w:r><w:t>in the box</w:t></w:r></w:p></w:txbxContent>";
    let body = format!(
        "<w:p><w:r><w:t>A whole</w:t></w:r><w:r><mc:AlternateContent><mc:Choice>{content}</mc:Choice>\
         <mc:Fallback>{content}</mc:Fallback></mc:AlternateContent></w:r><w:r><w:t> sentence.</w:t></w:r></w:p>"
    );
    assert_eq!(text(&body), "A whole sentence.\n\nin the box");
}

#[test]
fn text_boxes_in_text_boxes_end_somewhere() {
    let body = format!(
        "{}<w:p><w:r><w:t>x</w:t></w:r></w:p>{}",
        "<w:p><w:r><w:txbxContent>".repeat(5000),
        "</w:txbxContent></w:r></w:p>".repeat(5000)
    );
    assert_eq!(read(&docx(&body, &[])), Err(Reason::Empty));
}

#[test]
fn numbers_notes_and_margins() {
    let numbering = "<w:numbering><w:abstractNum w:abstractNumId='0'><w:lvl w:ilvl='0'><w:start w:val='1'/><w:numFmt w:val='decimal'/>\
        <w:lvlText w:val='§ %1'/></w:lvl></w:abstractNum><w:num w:numId='4'><w:abstractNumId w:val='0'/></w:num></w:numbering>";
    let notes = "<w:footnotes><w:footnote w:id='0'><w:p><w:r><w:t>unused</w:t></w:r></w:p></w:footnote>\
        <w:footnote w:id='2'><w:p><w:r><w:footnoteRef/><w:t>noted</w:t></w:r></w:p></w:footnote></w:footnotes>";
    let header = "<w:hdr><w:p><w:r><w:t>Letterhead</w:t></w:r></w:p></w:hdr>";
    let item = "<w:p><w:pPr><w:numPr><w:ilvl w:val='0'/><w:numId w:val='4'/></w:numPr></w:pPr><w:r><w:t>item</w:t>\
        <w:footnoteReference w:id='2'/></w:r></w:p>";
    let parts =
        [("word/numbering.xml", numbering), ("word/footnotes.xml", notes), ("word/header1.xml", header)];
    let document = read(&docx(&item.repeat(2), &parts)).unwrap();
    assert_eq!(document.text, "§ 1 item\n\n§ 2 item\n\nnoted");
    assert_eq!(document.fields["header"], "Letterhead");
    assert_eq!(read(&docx("", &parts)).unwrap().text, "Letterhead");
}

#[test]
fn a_web_page_within_the_text() {
    let body =
        "<w:p><w:r><w:t>before</w:t></w:r></w:p><w:altChunk r:id='c'/><w:p><w:r><w:t>after</w:t></w:r></w:p>";
    let page = "<!DOCTYPE html><html><body><p>from the page</p></body></html>";
    let text = read(&docx(body, &[("word/chunk.html", page)])).unwrap().text;
    let places = ["before", "from the page", "after"].map(|words| text.find(words));
    assert!(places.is_sorted() && places[0].is_some(), "{text}");
}

#[test]
fn properties_and_a_date() {
    let core = "<cp:coreProperties><dc:title>T</dc:title><dc:creator>A &amp; B</dc:creator><dc:language>nl</dc:language>\
        <cp:keywords>x, y</cp:keywords><dcterms:created>2001-02-03T04:05:06Z</dcterms:created>\
        <dcterms:modified>2002-02-03T04:05:06Z</dcterms:modified></cp:coreProperties>";
    let document = read(&docx("<w:p><w:r><w:t>x</w:t></w:r></w:p>", &[("docProps/core.xml", core)])).unwrap();
    assert_eq!(document.title.as_deref(), Some("T"));
    assert_eq!(document.author.as_deref(), Some("A & B"));
    assert_eq!(document.language.as_deref(), Some("nl"));
    assert_eq!(document.date.as_deref(), Some("2002-02-03T04:05:06Z"));
    assert_eq!(document.fields["keywords"], "x, y");
}

#[test]
fn a_cut_document_gives_its_beginning() {
    let paragraphs: String =
        (0..3000).map(|number| format!("<w:p><w:r><w:t>line {number}</w:t></w:r></w:p>")).collect();
    let bytes = docx(&paragraphs, &[]);
    let document = read(&bytes[..bytes.len() / 2]).unwrap();
    assert!(document.text.starts_with("line 0\n\nline 1\n\n"), "{}", document.text);
    assert!(!document.text.contains("line 2999"));
    assert!(document.weakness().is_some_and(|why| why.contains("only a part")), "{:?}", document.doubts);
    // Without its directory, but with all of its text.
    let whole = read(&bytes[..bytes.len() - 30]).unwrap();
    assert!(whole.text.ends_with("line 2999") && whole.weakness().is_none() && whole.doubts.len() == 1);
    assert!(matches!(read(&zip_of(&[("word/document.xml", "<w:p <")])), Err(Reason::Damaged(_))));
}

#[test]
fn slides_in_their_order_with_notes() {
    let slide = |title: &str, more: &str| {
        format!(
            "<p:sld><p:sp><p:nvSpPr><p:nvPr><p:ph type='title'/></p:nvPr></p:nvSpPr><p:txBody><a:p><a:r><a:t>{title}</a:t>\
             </a:r></a:p></p:txBody></p:sp>{more}</p:sld>"
        )
    };
    let body = "<p:sp><p:txBody><a:p><a:r><a:rPr b='1'><a:hlinkClick r:id='l'/></a:rPr><a:t>go</a:t></a:r></a:p>\
        <a:p><a:fld type='slidenum'><a:t>9</a:t></a:fld><a:r><a:t>on</a:t></a:r></a:p></p:txBody></p:sp>\
        <a:tbl><a:tr><a:tc><a:p><a:r><a:t>x</a:t></a:r></a:p></a:tc><a:tc><a:p><a:r><a:t>y</a:t></a:r></a:p></a:tc></a:tr></a:tbl>";
    let bytes = zip_of(&[
        ("[Content_Types].xml", ""),
        ("ppt/presentation.xml", "<p><p:sldId id='1' r:id='b'/><p:sldId id='2' r:id='a'/></p>"),
        (
            "ppt/_rels/presentation.xml.rels",
            "<r><r Id='a' Type='x/slide' Target='slides/slide1.xml'/><r Id='b' Type='x/slide' Target='slides/slide2.xml'/></r>",
        ),
        ("ppt/slides/slide1.xml", &slide("Second", "")),
        ("ppt/slides/slide2.xml", &slide("First", body)),
        (
            "ppt/slides/_rels/slide2.xml.rels",
            "<r><r Id='n' Type='x/notesSlide' Target='../notes/n.xml'/>\
             <r Id='l' Type='x/hyperlink' Target='http://a.test/' TargetMode='External'/></r>",
        ),
        ("ppt/notes/n.xml", "<p:notes><p:sp><a:p><a:r><a:t>say this</a:t></a:r></a:p></p:sp></p:notes>"),
    ]);
    let document = read(&bytes).unwrap();
    assert_eq!(document.text, "First\n\ngo\non\n\nx y\n\nsay this\n\nSecond");
    assert_eq!(marked(&document, Tag::Heading), ["First", "Second"]);
    assert_eq!(marked(&document, Tag::Anchor), ["go"]);
    assert!(document.links.contains("http://a.test/"));
}
