//! Unpacks streams, but not bombs.

use std::borrow::Cow;
use std::io::Read;

use flate2::read::ZlibDecoder;
use hayro_syntax::Filter;
use hayro_syntax::object::Stream;

/// No deflated byte unpacks to more than this many.
const MOST_INFLATION: u64 = 1032;

/// The stream's bytes; `None` if it cannot be unpacked, or to more than `most_bytes`.
pub fn unpacked<'a>(stream: &Stream<'a>, most_bytes: u64) -> Option<Cow<'a, [u8]>> {
    let packed = stream.raw_data();
    // The library unpacks without a limit, so what could be too much is measured first.
    if packed.len() as u64 * MOST_INFLATION > most_bytes && stream.filters().contains(&Filter::FlateDecode) {
        let mut measured = ZlibDecoder::new(&*packed).take(most_bytes + 1);
        let size = std::io::copy(&mut measured, &mut std::io::sink()).unwrap_or(0);
        if size > most_bytes {
            return None;
        }
    }
    drop(packed);
    stream.decoded_data().ok()
}
