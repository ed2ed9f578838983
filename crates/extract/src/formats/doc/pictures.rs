//! Pictures, found by the headers of their records: JPEG and PNG are embedded unchanged.

use crate::formats::compound::long;

/// Possible beginnings of a record's data, after one or two identifiers and a byte.
const BEFORE_DATA: [usize; 2] = [17, 33];
const MOST: usize = 64;

/// The pictures of a stream, in their order.
pub fn pictures(stream: &[u8]) -> Vec<&[u8]> {
    // 0xf01d is JPEG, 0xf01e PNG; both begin with the same byte of the number.
    let heads = memchr::memchr_iter(0xf0, stream).filter(|&at| at > 2);
    let mut end = 0;
    let mut found = Vec::new();
    for at in heads {
        if found.len() >= MOST {
            break;
        }
        // Data inside a picture is not another picture.
        if at < end || !matches!(stream[at - 1], 0x1d | 0x1e) {
            continue;
        }
        let Some(length) = long(stream, at + 1) else { break };
        let record = stream.get(at + 5..).unwrap_or_default();
        let record = &record[..record.len().min(length as usize)];
        let data = BEFORE_DATA.into_iter().filter_map(|before| record.get(before..));
        if let Some(picture) = data.into_iter().find(|data| is_picture(data)) {
            end = at + 5 + record.len();
            found.push(picture);
        }
    }
    found
}

fn is_picture(data: &[u8]) -> bool {
    data.starts_with(b"\xff\xd8\xff") || data.starts_with(b"\x89PNG\r\n\x1a\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_with_pictures_are_found() {
        let picture = b"\x89PNG\r\n\x1a\nrest\x1e\xf0";
        let mut stream = b"text \xf0 text".to_vec();
        stream.extend(b"\x00\x6e\x1e\xf0");
        stream.extend((17 + picture.len() as u32).to_le_bytes());
        stream.extend([7; 17]);
        stream.extend(picture);
        stream.extend(b"\x1e\xf0\xff\xff\xff\xff more");
        assert_eq!(pictures(&stream), [&picture[..]]);
        (0..stream.len()).for_each(|end| drop(pictures(&stream[..end])));
    }
}
