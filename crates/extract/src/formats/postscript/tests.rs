use crate::{ExtractOutcome, Kind, Options, PostScriptReader, Reason, extract};

const PAGE: &[u8] = b"%!PS-Adobe-3.0\n%%Title: (Minutes)\n%%For: (A. Writer)\n%%EndComments\n\
    (this is printed, not shown) print\n/Helvetica findfont 12 scalefont setfont\n\
    72 700 moveto (Minutes of the ) show (meet) show (ing) show\n72 680 moveto (All agreed.) show\nshowpage\n";

fn read(bytes: &[u8], reader: PostScriptReader) -> ExtractOutcome {
    let mut outcomes = Vec::new();
    let options = Options { postscript: reader, ..Options::default() };
    extract(bytes, "", &options, &mut |outcome| outcomes.push(outcome));
    outcomes.remove(0)
}

fn has_ghostscript() -> bool {
    let has = std::process::Command::new("gs").arg("--version").output().is_ok();
    if !has {
        eprintln!("skipped: Ghostscript is not installed");
    }
    has
}

#[test]
fn programs_are_told_from_text() {
    let preview = {
        let mut bytes = b"\xc5\xd0\xd3\xc6".to_vec();
        bytes.extend([30_u32, PAGE.len() as u32, 0, 0, 0, 0].map(u32::to_le_bytes).concat());
        bytes.extend([0xff, 0xff]);
        bytes.extend(PAGE);
        bytes
    };
    let job = [&b"\x1b%-12345X@PJL JOB\n@PJL ENTER LANGUAGE=POSTSCRIPT\n"[..], PAGE].concat();
    for bytes in [
        PAGE,
        &preview,
        &job,
        b"\x04%!PS-Adobe-2.0\n",
        b"%!\n%%Creator: x\n/a 1 def\n",
        &[b"\r\n", PAGE].concat(),
    ] {
        assert_eq!(
            Kind::detect(bytes, "a.txt"),
            Kind::PostScript,
            "{}",
            String::from_utf8_lossy(&bytes[..20])
        );
    }
    for text in ["%!TEX root = a.tex\n\\section{One}", "%! is how such programs begin", "100 %! No %%"] {
        assert_eq!(Kind::detect(text.as_bytes(), ""), Kind::Text, "{text}");
    }
}

#[test]
fn it_is_refused_unless_ghostscript_is_asked_for() {
    let ExtractOutcome::Unreadable { reason: Reason::Unsupported(why), .. } =
        read(PAGE, PostScriptReader::None)
    else {
        panic!()
    };
    assert!(why.contains("extract.postscript"), "{why}");
    let ExtractOutcome::Unreadable { reason, .. } =
        read(b"%!PS-AdobeFont-1.0: Xyz\n", PostScriptReader::Ghostscript)
    else {
        panic!()
    };
    assert_eq!(reason, Reason::Unsupported("a PostScript font".to_owned()));
    if !has_ghostscript() {
        return;
    }
    let ExtractOutcome::Document(document) = read(PAGE, PostScriptReader::Ghostscript) else { panic!() };
    assert_eq!(document.text, "Minutes of the meeting\nAll agreed.");
    assert_eq!((document.title.as_deref(), document.author.as_deref()), (Some("Minutes"), Some("A. Writer")));
    assert_eq!(document.weakness(), None);
}

#[test]
fn a_program_that_fails_or_reaches_for_files_gives_no_other_text() {
    if !has_ghostscript() {
        return;
    }
    let broken = [&PAGE[..PAGE.len() - 9], b"showpage\n72 72 moveto nonsense show\n"].concat();
    let ExtractOutcome::Document(document) = read(&broken, PostScriptReader::Ghostscript) else { panic!() };
    assert!(document.text.starts_with("Minutes") && document.weakness().is_some(), "{document:?}");
    let nothing = read(b"%!PS\nnonsense\n", PostScriptReader::Ghostscript);
    assert!(matches!(nothing, ExtractOutcome::Unreadable { reason: Reason::Damaged(_), .. }), "{nothing:?}");
    let secret = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(secret.path(), "nobody may know").unwrap();
    let thief = format!(
        "%!PS\n/Helvetica findfont 12 scalefont setfont 72 700 moveto\n({}) (r) file 100 string readstring pop show showpage\n",
        secret.path().display()
    );
    let caught = read(thief.as_bytes(), PostScriptReader::Ghostscript);
    assert!(!format!("{caught:?}").contains("nobody may know"), "{caught:?}");
}
