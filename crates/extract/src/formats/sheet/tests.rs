//! Workbooks built by the tests, read as files are.

use super::super::package::build::zip_of;
use crate::{ExtractOutcome, Kind, Options, extract};

fn text(bytes: &[u8]) -> String {
    let mut outcomes = Vec::new();
    extract(bytes, "", &Options::default(), &mut |outcome| outcomes.push(outcome));
    let ExtractOutcome::Document(document) = outcomes.remove(0) else { panic!("{outcomes:?}") };
    assert_eq!(document.kind, Kind::Xlsx);
    document.text
}

fn xlsx(shared: &str, sheet: &str) -> Vec<u8> {
    zip_of(&[
        ("[Content_Types].xml", ""),
        ("xl/workbook.xml", "<workbook><sheets><sheet name='A' r:id='a'/></sheets></workbook>"),
        (
            "xl/_rels/workbook.xml.rels",
            "<r><r Id='a' Type='x/worksheet' Target='worksheets/sheet1.xml'/><r Id='s' Type='x/sharedStrings' Target='s.xml'/>\
             <r Id='t' Type='x/styles' Target='t.xml'/></r>",
        ),
        ("xl/s.xml", shared),
        (
            "xl/t.xml",
            "<styleSheet><numFmts><numFmt numFmtId='200' formatCode='[Red]0 \"days\"'/><numFmt numFmtId='201' formatCode='d. mmm'/>\
             </numFmts><cellXfs><xf numFmtId='0'/><xf numFmtId='14'/><xf numFmtId='200'/><xf numFmtId='201'/></cellXfs></styleSheet>",
        ),
        ("xl/worksheets/sheet1.xml", sheet),
    ])
}

#[test]
fn cells_of_all_kinds() {
    let shared = "<sst uniqueCount='99999999999'><si><t>one</t></si><si><r><t>t</t></r><r><t>wo</t></r><rPh><t>no</t></rPh></si></sst>";
    let sheet = "<worksheet><dimension ref='A1:XFD1048576'/><sheetData>\
        <row r='1'><c r='A1' t='s'><v>0</v></c><c r='B1' t='s'><v>1</v></c><c t='s'><v>7</v></c></row>\
        <row r='5'><c t='inlineStr'><is><t>in line</t></is></c><c t='b'><v>1</v></c><c><f>1+1</f><v>0.30000000000000004</v></c></row>\
        <row r='1048576'><c r='XFD1048576' s='1'><v>45322</v></c><c s='2'><v>45322</v></c><c s='3'><v>45322</v></c></row>\
        </sheetData></worksheet>";
    assert_eq!(text(&xlsx(shared, sheet)), "one two\nin line TRUE 0.3\n2024-01-31 45322 2024-01-31");
}

#[test]
fn a_long_text_that_all_cells_share_is_a_limit() {
    let shared = format!("<sst><si><t>{}</t></si></sst>", "word ".repeat(2_000));
    let sheet = format!("<sheetData>{}</sheetData>", "<row><c t='s'><v>0</v></c></row>".repeat(2_000));
    let bytes = xlsx(&shared, &sheet);
    let mut outcomes = Vec::new();
    extract(&bytes, "", &Options::default(), &mut |outcome| outcomes.push(outcome));
    assert!(
        matches!(&outcomes[..], [ExtractOutcome::Unreadable { reason: crate::Reason::Limit(_), .. }]),
        "{outcomes:?}"
    );
}
