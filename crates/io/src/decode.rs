//! The decoded bytes of a file: decompressed, and as UTF-8.

use std::io::{self, BufRead, Read};

/// How the bytes of a file are compressed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Compression {
    /// Not compressed.
    None,
    /// gzip, one member or many.
    Gzip,
    /// Zstandard.
    Zstd,
    /// xz.
    Xz,
    /// bzip2.
    Bzip2,
    /// LZ4 in its frame format.
    Lz4,
}

/// The character encoding.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Encoding {
    /// UTF-8, with or without a mark.
    Utf8,
    /// UTF-16, the low byte first.
    Utf16Le,
    /// UTF-16, the high byte first.
    Utf16Be,
}

impl Compression {
    /// All except `None`.
    pub const PACKED: [Compression; 5] =
        [Compression::Gzip, Compression::Zstd, Compression::Xz, Compression::Bzip2, Compression::Lz4];

    /// Recognises the compression by the first bytes.
    pub fn of_bytes(first: &[u8]) -> Compression {
        match first {
            [0x1f, 0x8b, ..] => Compression::Gzip,
            [0x28, 0xb5, 0x2f, 0xfd, ..] => Compression::Zstd,
            [0xfd, b'7', b'z', b'X', b'Z', 0, ..] => Compression::Xz,
            // A block, or the end of a stream without any.
            [b'B', b'Z', b'h', b'1'..=b'9', 0x31, 0x41, 0x59, 0x26, ..] => Compression::Bzip2,
            [b'B', b'Z', b'h', b'1'..=b'9', 0x17, 0x72, 0x45, 0x38, ..] => Compression::Bzip2,
            [0x04, 0x22, 0x4d, 0x18, ..] => Compression::Lz4,
            _ => Compression::None,
        }
    }

    /// The usual ending of a file's name; empty for none.
    pub fn extension(self) -> &'static str {
        match self {
            Compression::None => "",
            Compression::Gzip => "gz",
            Compression::Zstd => "zst",
            Compression::Xz => "xz",
            Compression::Bzip2 => "bz2",
            Compression::Lz4 => "lz4",
        }
    }
}

/// The largest window that a zstd stream may use; `--long=27` is the most that the tool itself
/// accepts by default.
const MAX_WINDOW_LOG: u32 = 27;
/// The most memory that an xz stream may use, in KiB: twice what `xz -9` needs.
const MAX_XZ_KIB: u32 = 128 << 10;

/// Opens a decoder. For every compression, several consecutive members are one stream, and a
/// truncated stream is an error.
pub fn decoder<'a>(
    reader: impl BufRead + Send + 'a,
    compression: Compression,
    encoding: Encoding,
) -> io::Result<Box<dyn Read + Send + 'a>> {
    let unpacked: Box<dyn Read + Send + 'a> = match compression {
        Compression::None => Box::new(reader),
        Compression::Gzip => Box::new(flate2::bufread::MultiGzDecoder::new(reader)),
        Compression::Zstd => {
            let mut decoder = zstd::stream::read::Decoder::with_buffer(reader)?;
            decoder.window_log_max(MAX_WINDOW_LOG)?;
            Box::new(decoder)
        }
        Compression::Xz => {
            let decoder = lzma_rust2::XzReader::new_mem_limit(reader, true, MAX_XZ_KIB);
            Box::new(Fused { decoder, failed: false })
        }
        Compression::Bzip2 => Box::new(bzip2::bufread::MultiBzDecoder::new(reader)),
        Compression::Lz4 => Box::new(Lz4Frames::new(reader)),
    };
    Ok(match encoding {
        Encoding::Utf8 => unpacked,
        Encoding::Utf16Le => Box::new(Utf16::new(unpacked, encoding_rs::UTF_16LE)),
        Encoding::Utf16Be => Box::new(Utf16::new(unpacked, encoding_rs::UTF_16BE)),
    })
}

/// A decoder that is not called again after an error: that of xz would loop.
struct Fused<R> {
    decoder: R,
    failed: bool,
}

impl<R: Read> Read for Fused<R> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        if self.failed {
            return Err(io::Error::other("the stream failed before"));
        }
        let read = self.decoder.read(out);
        self.failed = read.as_ref().is_err_and(|error| error.kind() != io::ErrorKind::Interrupted);
        read
    }
}

/// Consecutive frames of lz4. The decoder ends after each frame, and ends in the same way if a frame is
/// cut between two blocks; only what it read from the file distinguishes the two.
struct Lz4Frames<R: BufRead> {
    decoder: lz4_flex::frame::FrameDecoder<Watched<R>>,
    within_frame: bool,
}

struct Watched<R> {
    inner: R,
    /// Whether more was requested than there is, and how much was returned.
    met_end: bool,
    given: u64,
}

impl<R: BufRead> Lz4Frames<R> {
    fn new(inner: R) -> Self {
        let watched = Watched { inner, met_end: false, given: 0 };
        Lz4Frames { decoder: lz4_flex::frame::FrameDecoder::new(watched), within_frame: false }
    }
}

impl<R: BufRead> Read for Lz4Frames<R> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        if out.is_empty() {
            return Ok(0);
        }
        loop {
            let before = self.decoder.get_ref().given;
            let read = self.decoder.read(out)?;
            if read > 0 {
                self.within_frame = true;
                return Ok(read);
            }
            let file = self.decoder.get_ref();
            match (file.met_end, file.given == before) {
                // The mark at the end of a frame was read.
                (false, _) => self.within_frame = false,
                (true, true) if !self.within_frame => return Ok(0),
                (true, _) => return Err(io::ErrorKind::UnexpectedEof.into()),
            }
        }
    }
}

impl<R: Read> Read for Watched<R> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let read = self.inner.read(out)?;
        self.met_end |= read == 0 && !out.is_empty();
        self.given += read as u64;
        Ok(read)
    }
}

/// UTF-16 as UTF-8. Invalid input is an error: a sign of damage, not a character to replace.
struct Utf16<R> {
    inner: R,
    decoder: encoding_rs::Decoder,
    encoded: Vec<u8>,
    decoded: Vec<u8>,
    given: usize,
    ended: bool,
}

impl<R: Read> Utf16<R> {
    fn new(inner: R, encoding: &'static encoding_rs::Encoding) -> Self {
        // The byte order mark is dropped.
        let decoder = encoding.new_decoder_with_bom_removal();
        Utf16 { inner, decoder, encoded: Vec::new(), decoded: Vec::new(), given: 0, ended: false }
    }

    fn fill(&mut self) -> io::Result<()> {
        const STEP: u64 = 64 << 10;
        self.encoded.clear();
        self.ended = self.inner.by_ref().take(STEP).read_to_end(&mut self.encoded)? == 0;
        // Three bytes for each unit of two, and what the decoder holds back.
        self.decoded.resize(self.encoded.len() * 2 + 16, 0);
        let (result, _, written) =
            self.decoder.decode_to_utf8_without_replacement(&self.encoded, &mut self.decoded, self.ended);
        self.decoded.truncate(written);
        self.given = 0;
        match result {
            encoding_rs::DecoderResult::InputEmpty => Ok(()),
            _ => Err(io::Error::new(io::ErrorKind::InvalidData, "not valid UTF-16")),
        }
    }
}

impl<R: Read> Read for Utf16<R> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        while self.given == self.decoded.len() {
            if self.ended {
                return Ok(0);
            }
            self.fill()?;
        }
        let length = out.len().min(self.decoded.len() - self.given);
        out[..length].copy_from_slice(&self.decoded[self.given..self.given + length]);
        self.given += length;
        Ok(length)
    }
}
