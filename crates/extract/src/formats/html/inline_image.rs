//! Images embedded in the page as `data:` addresses.

/// The bytes of a `data:` address with an image in base64.
pub fn decode(address: &str) -> Option<Vec<u8>> {
    let (kind, data) = address.split_once(',')?;
    let kind = kind.to_ascii_lowercase();
    if !kind.contains("image/") || !kind.trim_end().ends_with(";base64") {
        return None;
    }
    base64(data.as_bytes())
}

/// Accepts both alphabets; white space and escaped `=` may occur. `None` if it is not base64.
fn base64(data: &[u8]) -> Option<Vec<u8>> {
    let mut bytes = Vec::with_capacity(data.len() / 4 * 3);
    let (mut bits, mut count) = (0_u32, 0);
    for &byte in data {
        let value = match byte {
            b'A'..=b'Z' => byte - b'A',
            b'a'..=b'z' => byte - b'a' + 26,
            b'0'..=b'9' => byte - b'0' + 52,
            b'+' | b'-' => 62,
            b'/' | b'_' => 63,
            b'=' | b'%' => break,
            _ if byte.is_ascii_whitespace() => continue,
            _ => return None,
        };
        bits = bits << 6 | u32::from(value);
        count += 6;
        if count >= 8 {
            count -= 8;
            bytes.push((bits >> count) as u8);
        }
    }
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base64_of_images_only() {
        assert_eq!(decode("data:image/gif;base64,R0lGODlh").as_deref(), Some(&b"GIF89a"[..]));
        assert_eq!(decode("data:image/png;base64,R0lG\n ODk=").as_deref(), Some(&b"GIF89"[..]));
        assert_eq!(decode("data:text/plain;base64,R0lG"), None);
        assert_eq!(decode("data:image/svg+xml,<svg/>"), None);
        assert_eq!(decode("data:image/png;base64,§"), None);
    }
}
