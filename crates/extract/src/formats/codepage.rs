//! Text in a numbered code page, as Microsoft's formats name their encodings.

use encoding_rs::Encoding;

/// The upper half of the code pages of DOS, which the library does not know.
const DOS_437: &str = "ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜ¢£¥₧ƒáíóúñÑªº¿⌐¬½¼¡«»░▒▓│┤╡╢╖╕╣║╗╝╜╛┐└┴┬├─┼╞╟╚╔╩╦╠═╬╧╨╤╥╙╘╒╓╫╪┘┌█▄▌▐▀αßΓπΣσµτΦΘΩδ∞φε∩≡±≥≤⌠⌡÷≈°∙·√ⁿ²■\u{a0}";
const DOS_850: &str = "ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜø£Ø×ƒáíóúñÑªº¿®¬½¼¡«»░▒▓│┤ÁÂÀ©╣║╗╝¢¥┐└┴┬├─┼ãÃ╚╔╩╦╠═╬¤ðÐÊËÈıÍÎÏ┘┌█▄¦Ì▀ÓßÔÒõÕµþÞÚÛÙýÝ¯´\u{ad}±‗¾¶§÷¸°¨·¹³²■\u{a0}";

/// Never fails: an unknown page is treated as Western Windows; what cannot be decoded becomes
/// U+FFFD.
pub fn decode(bytes: &[u8], page: u16) -> String {
    match page {
        437 => decode_dos(bytes, DOS_437),
        850 | 858 => decode_dos(bytes, DOS_850),
        _ => encoding(page).decode_without_bom_handling(bytes).0.into_owned(),
    }
}

/// The page of a font's character set.
pub fn of_charset(charset: u8) -> Option<u16> {
    Some(match charset {
        0 => 1252,
        77 => 10000,
        128 => 932,
        129 => 949,
        130 => 1361,
        134 => 936,
        136 => 950,
        161 => 1253,
        162 => 1254,
        163 => 1258,
        177 => 1255,
        178 => 1256,
        186 => 1257,
        204 => 1251,
        222 => 874,
        238 => 1250,
        254 => 437,
        255 => 850,
        _ => return None,
    })
}

/// The page that Windows uses for a language.
pub fn of_language(language: u16) -> u16 {
    match language & 0x3ff {
        0x01 | 0x20 | 0x29 => 1256,
        0x02 | 0x19 | 0x22 | 0x23 | 0x2f => 1251,
        0x04 if matches!(language, 0x0404 | 0x0c04 | 0x1404) => 950,
        0x04 => 936,
        0x05 | 0x0e | 0x15 | 0x18 | 0x1b | 0x1c | 0x24 => 1250,
        0x1a if matches!(language, 0x0c1a | 0x1c1a) => 1251,
        0x1a => 1250,
        0x08 => 1253,
        0x0d => 1255,
        0x11 => 932,
        0x12 => 949,
        0x1e => 874,
        0x1f => 1254,
        0x25..=0x27 => 1257,
        0x2a => 1258,
        _ => 1252,
    }
}

fn encoding(page: u16) -> &'static Encoding {
    match page {
        708 | 1256 => encoding_rs::WINDOWS_1256,
        866 => encoding_rs::IBM866,
        874 => encoding_rs::WINDOWS_874,
        932 => encoding_rs::SHIFT_JIS,
        936 | 20936 => encoding_rs::GBK,
        949 | 1361 | 51949 => encoding_rs::EUC_KR,
        950 => encoding_rs::BIG5,
        1200 => encoding_rs::UTF_16LE,
        1201 => encoding_rs::UTF_16BE,
        1250 => encoding_rs::WINDOWS_1250,
        1251 => encoding_rs::WINDOWS_1251,
        1253 => encoding_rs::WINDOWS_1253,
        1254 => encoding_rs::WINDOWS_1254,
        1255 => encoding_rs::WINDOWS_1255,
        1257 => encoding_rs::WINDOWS_1257,
        1258 => encoding_rs::WINDOWS_1258,
        10000 => encoding_rs::MACINTOSH,
        10007 => encoding_rs::X_MAC_CYRILLIC,
        20866 => encoding_rs::KOI8_R,
        21866 => encoding_rs::KOI8_U,
        28592 => encoding_rs::ISO_8859_2,
        28593 => encoding_rs::ISO_8859_3,
        28594 => encoding_rs::ISO_8859_4,
        28595 => encoding_rs::ISO_8859_5,
        28596 => encoding_rs::ISO_8859_6,
        28597 => encoding_rs::ISO_8859_7,
        28598 => encoding_rs::ISO_8859_8,
        28605 => encoding_rs::ISO_8859_15,
        50220..=50222 => encoding_rs::ISO_2022_JP,
        51932 | 20932 => encoding_rs::EUC_JP,
        52936 | 54936 => encoding_rs::GB18030,
        65001 => encoding_rs::UTF_8,
        _ => encoding_rs::WINDOWS_1252,
    }
}

fn decode_dos(bytes: &[u8], upper: &str) -> String {
    let upper: Vec<char> = upper.chars().collect();
    let decode = |&byte: &u8| match usize::from(byte).checked_sub(128) {
        None => char::from(byte),
        Some(place) => upper.get(place).copied().unwrap_or('\u{fffd}'),
    };
    bytes.iter().map(decode).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_decode_as_their_makers_meant() {
        assert_eq!(decode(b"Stra\xe1e\xff", 437), "Straße\u{a0}");
        assert_eq!(decode(b"\xcf\xd0\xc8\xc2\xc5\xd2", 1251), "ПРИВЕТ");
        assert_eq!(decode(b"\x93\xfa\x96{", 932), "日本");
        assert_eq!(decode(b"na\xefve", 4242), "naïve");
        assert_eq!((DOS_437.chars().count(), DOS_850.chars().count()), (128, 128));
    }
}
