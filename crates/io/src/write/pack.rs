//! Compressed output, whatever the compression.

use std::io::{self, Write};

use crate::decode::Compression;

/// Writes into `W`, compressed; complete only when [`Packer::finish`]ed.
pub enum Packer<W: Write> {
    None(W),
    Gzip(flate2::write::GzEncoder<W>),
    Zstd(zstd::Encoder<'static, W>),
    Xz(Box<lzma_rust2::XzWriter<W>>),
    Bzip2(bzip2::write::BzEncoder<W>),
    Lz4(Box<lz4_flex::frame::FrameEncoder<W>>),
}

impl<W: Write> Packer<W> {
    pub fn new(inner: W, compression: Compression) -> io::Result<Self> {
        Ok(match compression {
            Compression::None => Packer::None(inner),
            Compression::Gzip => {
                Packer::Gzip(flate2::write::GzEncoder::new(inner, flate2::Compression::default()))
            }
            Compression::Zstd => Packer::Zstd(zstd::Encoder::new(inner, 3)?),
            Compression::Xz => {
                // As fast as gzip and still smaller; the tool's own default takes ten times as long.
                let options = lzma_rust2::XzOptions::with_preset(1);
                Packer::Xz(Box::new(lzma_rust2::XzWriter::new(inner, options)?))
            }
            Compression::Bzip2 => {
                Packer::Bzip2(bzip2::write::BzEncoder::new(inner, bzip2::Compression::default()))
            }
            Compression::Lz4 => {
                let mut frame = lz4_flex::frame::FrameInfo::new();
                // The checksum exposes a truncated or changed file.
                frame.content_checksum = true;
                Packer::Lz4(Box::new(lz4_flex::frame::FrameEncoder::with_frame_info(frame, inner)))
            }
        })
    }

    pub fn finish(self) -> io::Result<W> {
        match self {
            Packer::None(inner) => Ok(inner),
            Packer::Gzip(encoder) => encoder.finish(),
            Packer::Zstd(encoder) => encoder.finish(),
            Packer::Xz(encoder) => encoder.finish(),
            Packer::Bzip2(encoder) => encoder.finish(),
            Packer::Lz4(encoder) => encoder.finish().map_err(io::Error::other),
        }
    }
}

impl<W: Write> Write for Packer<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Packer::None(inner) => inner.write(bytes),
            Packer::Gzip(encoder) => encoder.write(bytes),
            Packer::Zstd(encoder) => encoder.write(bytes),
            Packer::Xz(encoder) => encoder.write(bytes),
            Packer::Bzip2(encoder) => encoder.write(bytes),
            Packer::Lz4(encoder) => encoder.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Packer::None(inner) => inner.flush(),
            Packer::Gzip(encoder) => encoder.flush(),
            Packer::Zstd(encoder) => encoder.flush(),
            Packer::Xz(encoder) => encoder.flush(),
            Packer::Bzip2(encoder) => encoder.flush(),
            Packer::Lz4(encoder) => encoder.flush(),
        }
    }
}
