//! Compressed RTF, as Exchange keeps a message's text.

use crate::formats::compound::long;

const RING: usize = 4096;
/// The window starts with what RTF usually begins with.
const START: &[u8] = b"{\\rtf1\\ansi\\mac\\deff0\\deftab720{\\fonttbl;}{\\f0\\fnil \\froman \\fswiss \\fmodern \\fscript \\fdecor MS Sans SerifSymbolArialTimes New RomanCourier{\\colortbl\\red0\\green0\\blue0\r\n\\par \\pard\\plain\\f0\\fs20\\b\\i\\u\\tab\\tx";

/// The RTF, as far as it can be unpacked; `None` for what is not compressed RTF. At most nine times
/// the length of what goes in.
pub fn unpack(bytes: &[u8]) -> Option<Vec<u8>> {
    let size = long(bytes, 4)? as usize;
    let packed = bytes.get(16..)?;
    match bytes.get(8..12)? {
        b"MELA" => return Some(packed[..packed.len().min(size)].to_vec()),
        b"LZFu" => {}
        _ => return None,
    }
    let mut ring = [0; RING];
    ring[..START.len()].copy_from_slice(START);
    let mut at = START.len();
    let mut out = Vec::new();
    let mut input = packed.iter().copied();
    let mut put = |byte: u8, ring: &mut [u8; RING]| {
        out.push(byte);
        ring[at] = byte;
        at = (at + 1) % RING;
        at
    };
    let mut here = START.len();
    'all: while let Some(control) = input.next() {
        for bit in 0..8 {
            if control >> bit & 1 == 0 {
                let Some(byte) = input.next() else { break 'all };
                here = put(byte, &mut ring);
                continue;
            }
            let (Some(high), Some(low)) = (input.next(), input.next()) else { break 'all };
            let place = usize::from(high) << 4 | usize::from(low >> 4);
            // A reference to where the next byte will be is the end.
            if place == here {
                break 'all;
            }
            for step in 0..usize::from(low & 15) + 2 {
                here = put(ring[(place + step) % RING], &mut ring);
            }
        }
    }
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_examples_of_the_specification() {
        let packed = b"\x2d\0\0\0\x2b\0\0\0LZFu\xf1\xc5\xc7\xa7\x03\0\x0a\0rcpg125B2\x0a\xf3 hel\x09\0 bw\x05\xb0ld}\x0a\x80\x0f\xa0";
        assert_eq!(unpack(packed).unwrap(), b"{\\rtf1\\ansi\\ansicpg1252\\pard hello world}\r\n");
        let crossing = b"\x1a\0\0\0\x1c\0\0\0LZFu\xe2\xd4\x4b\x51\x41\0\x04 WXYZ\x0d\x6e\x7d\x01\x0e\xb0";
        assert_eq!(unpack(crossing).unwrap(), b"{\\rtf1 WXYZWXYZWXYZWXYZWXYZ}");
        for end in 0..packed.len() {
            unpack(&packed[..end]);
        }
        assert_eq!(unpack(b"0123456789abcdefgh"), None);
    }
}
