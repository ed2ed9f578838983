use encoding_rs::{
    BIG5, EUC_JP, EUC_KR, Encoding, GBK, ISO_2022_JP, KOI8_R, SHIFT_JIS, WINDOWS_1251, WINDOWS_1252,
};

use super::*;

const JAPANESE: &str =
    "吾輩は猫である。名前はまだ無い。\nどこで生れたかとんと見当がつかぬ。何でも薄暗いじめじめした所で";
const CHINESE: &str =
    "本公司现有一部分发票可以向外代开，公司信誉第一为宗旨，以互利互惠为原则，欢迎来电合作！";
const TAIWANESE: &str = "這是一個測試文件，我們希望能夠正確地讀取繁體中文的內容，謝謝大家的幫助與支持。";
const KOREAN: &str = "모든 인간은 태어날 때부터 자유로우며 그 존엄과 권리에 있어 동등하다.";
const RUSSIAN: &str = "Все люди рождаются свободными и равными в своём достоинстве и правах.";
const FRENCH: &str =
    "Tous les êtres humains naissent libres et égaux en dignité et en droits, où qu'ils soient nés.";

fn encoded(encoding: &'static Encoding, text: &str) -> Vec<u8> {
    let (bytes, _, unmappable) = encoding.encode(text);
    assert!(!unmappable);
    bytes.into_owned()
}

#[test]
fn encodings_are_found_without_a_declaration() {
    for (encoding, text) in [
        (SHIFT_JIS, JAPANESE),
        (EUC_JP, JAPANESE),
        (ISO_2022_JP, JAPANESE),
        (GBK, CHINESE),
        (BIG5, TAIWANESE),
        (EUC_KR, KOREAN),
        (WINDOWS_1251, RUSSIAN),
        (KOI8_R, RUSSIAN),
        (WINDOWS_1252, FRENCH),
    ] {
        let bytes = encoded(encoding, text);
        assert!(seems_text(&bytes), "{}", encoding.name());
        assert_eq!(decode(&bytes, None), text, "{}", encoding.name());
        assert_eq!(decode(&bytes, Some(encoding.name())), text, "{} declared", encoding.name());
    }
}

#[test]
fn declarations_that_do_not_fit_are_not_believed() {
    for (bytes, declared, text) in [
        (encoded(GBK, CHINESE), "iso-8859-1", CHINESE),
        (encoded(GBK, CHINESE), "us-ascii", CHINESE),
        (encoded(GBK, CHINESE), "utf-8", CHINESE),
        (encoded(BIG5, TAIWANESE), "gb2312", TAIWANESE),
        (encoded(SHIFT_JIS, JAPANESE), "euc-jp", JAPANESE),
        (CHINESE.as_bytes().to_vec(), "gb2312", CHINESE),
        (encoded(WINDOWS_1252, FRENCH), "utf-8", FRENCH),
        (encoded(WINDOWS_1252, FRENCH), "nonsense", FRENCH),
    ] {
        assert_eq!(decode(&bytes, Some(declared)), text, "declared {declared}");
    }
}

#[test]
fn a_declaration_that_fits_decides_what_statistics_cannot() {
    // Too short for statistics.
    assert_eq!(decode(&encoded(GBK, "你好"), Some("gb2312")), "你好");
    assert_eq!(decode(&encoded(WINDOWS_1251, "Да"), Some("windows-1251")), "Да");
    for careless in ["charset=GB2312", "'gb2312'", "gb2312_charset", "EUC-CN", "cp936"] {
        assert_eq!(decode(&encoded(GBK, "你好"), Some(careless)), "你好", "{careless}");
    }
}

#[test]
fn stray_bytes_do_not_change_the_encoding_of_the_rest() {
    let mut bytes = CHINESE.repeat(3).into_bytes();
    bytes.insert(30, 0xff);
    assert!(decode(&bytes, None).contains("欢迎来电合作"));
    bytes.truncate(bytes.len() - 1);
    assert!(decode(&bytes, Some("gb2312")).contains("欢迎来电合作"));
    let mut bytes = encoded(GBK, &CHINESE.repeat(3));
    bytes.insert(bytes.len() - 2, 0xff);
    assert!(decode(&bytes, Some("gb2312")).contains("欢迎来电合作"));
}

#[test]
fn detection_looks_where_the_text_leaves_ascii() {
    let text = format!("{}{}", "plain words ".repeat(40_000), JAPANESE);
    assert_eq!(decode(&encoded(SHIFT_JIS, &text), None), text);
}

#[test]
fn wide_text_with_and_without_a_mark() {
    for text in [JAPANESE, FRENCH, RUSSIAN, "one\r\ntwo", "一 二\n三"] {
        let little: Vec<u8> = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
        let big: Vec<u8> = text.encode_utf16().flat_map(u16::to_be_bytes).collect();
        let little32: Vec<u8> = text.chars().flat_map(|unit| u32::from(unit).to_le_bytes()).collect();
        let big32: Vec<u8> = text.chars().flat_map(|unit| u32::from(unit).to_be_bytes()).collect();
        for (bytes, mark) in [
            (&little, &b"\xff\xfe"[..]),
            (&big, b"\xfe\xff"),
            (&little32, b"\xff\xfe\0\0"),
            (&big32, b"\0\0\xfe\xff"),
        ] {
            assert_eq!(decode(&[mark, bytes].concat(), None), text);
            if memchr::memchr(0, bytes).is_some() {
                assert!(seems_text(bytes));
                assert_eq!(decode(bytes, Some("utf-8")), text, "{mark:x?}");
            }
        }
    }
    assert_eq!(decode(b"\xef\xbb\xbftext", None), "text");
}

#[test]
fn seven_bit_encodings() {
    assert_eq!(decode(b"see ~{<:Ky2;~} ~~", Some("hz-gb-2312")), "see 己所不 ~");
    assert_eq!(decode(b"see ~{<:Ky2;~}", None), "see ~{<:Ky2;~}");
    assert_eq!(decode(b"\x1b$)C\x0eGQ1[\x0f ok", Some("iso-2022-kr")), "한글 ok");
    assert_eq!(decode(b"Hi Mom +Jjo-! 1 +- 1", Some("utf-7")), "Hi Mom \u{263a}! 1 + 1");
}

#[test]
fn binaries_are_no_text() {
    let noise: Vec<u8> =
        (0..20_000u64).map(|n| (lookalike_core::hash::bytes(&n.to_le_bytes()) >> 17) as u8).collect();
    assert!(!seems_text(&noise));
    let without_nul: Vec<u8> = noise.iter().map(|byte| (*byte).max(1)).collect();
    assert!(!seems_text(&without_nul));
    let sound: Vec<u8> = (0..4000i32).flat_map(|n| ((n * 37 % 1000 - 500) as i16).to_le_bytes()).collect();
    assert!(!seems_text(&sound));
    assert!(!seems_text(b"some text\0and more"));
    assert!(!seems_text(&(0..500u32).flat_map(u32::to_le_bytes).collect::<Vec<u8>>()));
    assert!(seems_text("naïve \x0c page\x1a".as_bytes()));
    assert!(seems_text(b""));
}
