//! Documents built by the tests, read as files are.

use super::super::package::build::zip_of;
use crate::{ExtractOutcome, Extracted, Kind, Options, Reason, Tag, extract};

const ODT: &str = "application/vnd.oasis.opendocument.text";

fn read(bytes: &[u8]) -> Result<Extracted, Reason> {
    let mut outcomes = Vec::new();
    extract(bytes, "", &Options::default(), &mut |outcome| outcomes.push(outcome));
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

fn odt(styles: &str, body: &str, more: &[(&str, &str)]) -> Vec<u8> {
    let content = format!(
        "<office:document-content><office:automatic-styles>{styles}</office:automatic-styles>\
         <office:body><office:text>{body}</office:text></office:body></office:document-content>"
    );
    let mut members = vec![("mimetype", ODT), ("content.xml", content.as_str())];
    members.extend_from_slice(more);
    zip_of(&members)
}

#[test]
fn headings_spans_links_and_what_is_left_out() {
    let styles = "<style:style style:name='T1' style:family='text'><style:text-properties fo:font-weight='bold'/></style:style>\
        <style:style style:name='T2' style:family='text' style:parent-style-name='T1'>\
        <style:text-properties fo:font-style='italic'/></style:style>\
        <style:style style:name='P1' style:family='paragraph' style:parent-style-name='Title'/>";
    let body = "<text:tracked-changes><text:p>deleted</text:p></text:tracked-changes><text:p text:style-name='P1'>Top</text:p>\
        <text:h text:outline-level='1'>Head</text:h><text:p>A<text:s text:c='3'/>b<text:tab/>c<text:line-break/>d \
        <text:span text:style-name='T1'>bold</text:span> <text:span text:style-name='T2'>both</text:span>\
        <office:annotation><text:p>comment</text:p></office:annotation>\
        <text:a xlink:href='http://a.test/b#c'>go</text:a></text:p>";
    let document = read(&odt(styles, body, &[])).unwrap();
    assert_eq!(document.kind, Kind::Odt);
    assert_eq!(document.text, "Top\n\nHead\n\nA b c\nd bold bothgo");
    assert_eq!(marked(&document, Tag::Heading), ["Top", "Head"]);
    assert_eq!(marked(&document, Tag::Bold), ["bold", "both"]);
    assert_eq!(marked(&document, Tag::Italic), ["both"]);
    assert_eq!(document.links.iter().collect::<Vec<_>>(), ["http://a.test/b"]);
}

#[test]
fn notes_follow_the_text_and_boxes_their_paragraph() {
    let body = "<text:p>One<text:note><text:note-citation>1</text:note-citation><text:note-body><text:p>noted</text:p>\
        </text:note-body></text:note> <draw:frame><draw:text-box><text:p>boxed</text:p></draw:text-box></draw:frame>two</text:p>\
        <text:p>three</text:p>";
    assert_eq!(read(&odt("", body, &[])).unwrap().text, "One two\n\nboxed\n\nthree\n\nnoted");
}

#[test]
fn lists_and_tables() {
    let styles = "<text:list-style style:name='L1'>\
        <text:list-level-style-number text:level='1' style:num-format='1' style:num-suffix='.'/>\
        <text:list-level-style-number text:level='2' style:num-format='a' style:num-suffix=')' text:display-levels='2'/>\
        </text:list-style>";
    let item = |inner: &str| format!("<text:list-item>{inner}</text:list-item>");
    let inner = format!(
        "<text:list>{}{}</text:list>",
        item("<text:p>x</text:p>"),
        item("<text:p>y</text:p><text:p>z</text:p>")
    );
    let list = format!(
        "<text:list text:style-name='L1'>{}{}</text:list>",
        item(&format!("<text:p>a</text:p>{inner}")),
        item("<text:p>b</text:p>")
    );
    let cell = |text: &str| format!("<table:table-cell><text:p>{text}</text:p></table:table-cell>");
    let table = format!(
        "<table:table><table:table-row>{}{}</table:table-row><table:table-row>{}</table:table-row></table:table>",
        cell("p"),
        cell("q"),
        cell("r"),
    );
    let text = read(&odt(styles, &format!("{list}{list}{table}"), &[])).unwrap().text;
    let once = "1. a\n\n1.a) x\n\n1.b) y\n\nz\n\n2. b\n\n";
    assert_eq!(text, format!("{once}{once}p q\nr"));
}

#[test]
fn metadata_and_margins() {
    let meta = "<office:meta><dc:title>T</dc:title><meta:initial-creator>A</meta:initial-creator><dc:creator>B</dc:creator>\
        <dc:date>2001-02-03T04:05:06.123456789</dc:date><dc:language>fr-FR</dc:language></office:meta>";
    let styles = "<office:master-styles><style:header><text:p>Letterhead</text:p></style:header></office:master-styles>";
    let document =
        read(&odt("", "<text:p>x</text:p>", &[("meta.xml", meta), ("styles.xml", styles)])).unwrap();
    assert_eq!(document.title.as_deref(), Some("T"));
    assert_eq!(document.author.as_deref(), Some("A"));
    assert_eq!(document.date.as_deref(), Some("2001-02-03T04:05:06"));
    assert_eq!(document.language.as_deref(), Some("fr-FR"));
    assert_eq!(document.fields["header"], "Letterhead");
}

#[test]
fn encrypted_broken_and_empty() {
    let manifest = "<manifest:file-entry><manifest:encryption-data/></manifest:file-entry>";
    assert_eq!(
        read(&odt("", "<text:p>x</text:p>", &[("META-INF/manifest.xml", manifest)])),
        Err(Reason::Encrypted)
    );
    assert_eq!(read(&odt("", "<text:p/>", &[])), Err(Reason::Empty));
    assert!(matches!(read(&zip_of(&[("mimetype", ODT)])), Err(Reason::Damaged(_))));
}

#[test]
fn a_spreadsheet_is_its_tables() {
    let cell = |text: &str| {
        format!("<table:table-cell office:value='1.5'><text:p>{text}</text:p></table:table-cell>")
    };
    let content = format!(
        "<office:body><office:spreadsheet><table:table><table:table-row>{}{}\
         <table:table-cell table:number-columns-repeated='16384'/></table:table-row>\
         <table:table-row table:number-rows-repeated='1048576'><table:table-cell/></table:table-row></table:table>\
         </office:spreadsheet></office:body>",
        cell("1,50 €"),
        cell("b")
    );
    let mime = "application/vnd.oasis.opendocument.spreadsheet";
    assert_eq!(read(&zip_of(&[("mimetype", mime), ("content.xml", &content)])).unwrap().text, "1,50 € b");
}
