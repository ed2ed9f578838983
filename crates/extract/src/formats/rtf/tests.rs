use super::*;
use crate::{ExtractOutcome, Options, extract};

fn read_all(rtf: &[u8]) -> Extracted {
    let mut found = Vec::new();
    extract(rtf, "a.rtf", &Options::default(), &mut |outcome| found.push(outcome));
    match found.remove(0) {
        ExtractOutcome::Document(document) => *document,
        other => panic!("{other:?}"),
    }
}

#[test]
fn paragraphs_cells_and_marks() {
    let rtf = br"{\rtf1\ansi{\fonttbl{\f0 Arial;}}{\colortbl;}{\stylesheet{\s1\outlinelevel0 heading 1;}}
{\*\generator Nobody;}{\header page 1\par}\pard\s1 Minutes\par\pard All {\b did} ag\-ree.\line Next\par
\trowd\intbl a\cell b\cell\row\intbl c\cell d\cell\row\pard{\v hidden}{\deleted gone}End\par}junk";
    let document = read_all(rtf);
    assert_eq!(document.text, "Minutes\n\nAll did agree.\nNext\n\na b\nc d\nEnd");
    let marked: Vec<(Tag, &str)> =
        document.marks.iter().map(|mark| (mark.tag, &document.text[mark.start..mark.end])).collect();
    assert_eq!(marked, [(Tag::Heading, "Minutes"), (Tag::Bold, "did")]);
}

#[test]
fn letters_in_all_their_forms() {
    let rtf = br"{\rtf1\ansi\ansicpg1252\deff0{\fonttbl{\f0\fcharset0 A;}{\f1\fcharset204 B;}{\f2\fcharset128 C;}}
na\'efve {\f1 \'cf\'f0\'e8} {\f2\'93\'fa\'96\'7b} \u1055?\u-10179?\u-8704?\uc2\u20013\'d6\'d0{\uc0\u33 }\emdash\~x\{\}}";
    assert_eq!(read_all(rtf).text, "naïve При 日本 П😀中! — x{}".replace(" —", "—"));
}

#[test]
fn links_notes_and_metadata() {
    let rtf = br#"{\rtf1{\info{\title A {\b t}itle}{\author Ann}{\creatim\yr2008\mo2\dy3\hr4\min5}}
See {\field{\*\fldinst{HYPERLINK "http://a.example/#x"}}{\fldrslt{here}}}{\footnote\chftn  A note.}, now.\par More.}"#;
    let document = read_all(rtf);
    assert_eq!(document.text, "See here, now.\n\nMore.\n\nA note.");
    assert_eq!(document.title.as_deref(), Some("A title"));
    assert_eq!(document.author.as_deref(), Some("Ann"));
    assert_eq!(document.date.as_deref(), Some("2008-02-03T04:05:00"));
    assert_eq!(document.links.into_iter().collect::<Vec<_>>(), ["http://a.example/"]);
    assert_eq!(document.marks.iter().map(|mark| mark.tag).collect::<Vec<_>>(), [Tag::Anchor]);
}

#[test]
fn both_forms_of_a_name_and_what_is_marked_as_optional() {
    let rtf = br"{\rtf1{\info{\upr{\title Dorfler}{\*\ud{\title D\u246\'3frfler}}}}{\*\unknown no}{\loch\*\cs7 yes}}";
    let document = read_all(rtf);
    assert_eq!(document.text, "yes");
    assert_eq!(document.title.as_deref(), Some("Dörfler"));
}

#[test]
fn groups_without_end_are_no_problem() {
    let deep =
        [b"{\\rtf1 a".to_vec(), b"{".repeat(100_000), b"b".to_vec(), b"}".repeat(99_999), b"c".to_vec()]
            .concat();
    assert_eq!(read_all(&deep).text, "abc");
}

#[test]
fn pages_in_rtf_are_taken_out() {
    let rtf = br"{\rtf1\ansi\fromhtml1{\*\htmltag64 <p>}\htmlrtf \b\htmlrtf0 Caf\'e9{\*\htmltag84 &amp;}\htmlrtf {x}\htmlrtf0 bar{\*\htmltag72 </p>}}";
    assert_eq!(html_within(rtf).as_deref(), Some("<p>Café&amp;bar</p>"));
}
