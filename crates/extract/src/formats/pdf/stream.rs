//! Decompresses streams, but not bombs.

use std::borrow::Cow;
use std::io::Read;

use flate2::read::ZlibDecoder;
use hayro_syntax::Filter;
use hayro_syntax::object::Stream;

/// No deflated byte unpacks to more than this many.
const MOST_INFLATION: u64 = 1032;

/// The stream's bytes; `None` if it cannot be decompressed, or has more than `most_bytes`.
pub fn unpacked<'a>(stream: &Stream<'a>, most_bytes: u64) -> Option<Cow<'a, [u8]>> {
    if is_bomb(stream, most_bytes) { None } else { stream.decoded_data().ok() }
}

/// Whether the stream has more than `most_bytes`. The library decompresses without a limit, so a
/// stream that could be too large is measured first.
pub fn is_bomb(stream: &Stream<'_>, most_bytes: u64) -> bool {
    let packed = stream.raw_data();
    let filters = stream.filters();
    let layers = filters.iter().take_while(|filter| **filter == Filter::FlateDecode).count();
    let most_inflation = MOST_INFLATION.saturating_pow(layers as u32);
    if layers == 0 || (packed.len() as u64).saturating_mul(most_inflation) <= most_bytes {
        return packed.len() as u64 > most_bytes;
    }
    let mut layered: Box<dyn Read + '_> = Box::new(&*packed);
    for _ in 0..layers.min(8) {
        layered = Box::new(ZlibDecoder::new(layered));
    }
    let mut measured = layered.take(most_bytes.saturating_add(1));
    let mut chunk = [0; 16 << 10];
    let mut size = 0;
    // A broken end does not matter here: the library returns what comes before it.
    while let Ok(read @ 1..) = measured.read(&mut chunk) {
        size += read as u64;
    }
    size > most_bytes
}
