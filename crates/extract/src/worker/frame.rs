//! Messages between parent and child: a length, then JSON. A message of length 0 ends an answer.

use std::io::{self, Read, Write};

use serde::Serialize;
use serde::de::DeserializeOwned;

pub fn write(to: &mut impl Write, message: &impl Serialize) -> io::Result<()> {
    let bytes = serde_json::to_vec(message)?;
    let length = u32::try_from(bytes.len()).map_err(|_| io::Error::other("a message of over 4 GiB"))?;
    to.write_all(&length.to_le_bytes())?;
    to.write_all(&bytes)
}

pub fn write_end(to: &mut impl Write) -> io::Result<()> {
    to.write_all(&0u32.to_le_bytes())
}

/// The next message, or `None` at the end of an answer.
pub fn read<T: DeserializeOwned>(from: &mut impl Read, buffer: &mut Vec<u8>) -> io::Result<Option<T>> {
    let mut length = [0; 4];
    from.read_exact(&mut length)?;
    let length = u32::from_le_bytes(length);
    if length == 0 {
        return Ok(None);
    }
    buffer.clear();
    // Grows with the bytes that arrive, whatever the length says.
    let read = from.take(u64::from(length)).read_to_end(buffer)?;
    if read < length as usize {
        return Err(io::ErrorKind::UnexpectedEof.into());
    }
    Ok(Some(serde_json::from_slice(buffer)?))
}
