//! Files of some types out of a compressed archive, so that reading them can be timed by type.

use std::fs::{self, File};
use std::io::Read;
use std::path::{Path, PathBuf};

use lookalike_core::{Error, Result};

const BLOCK: usize = 512;
/// Archives of data are compressed with windows of up to this many bytes (power of two).
const WINDOW: u32 = 27;

/// Writes every member of the archive that has one of the endings, by number, to `folder`.
pub fn unpack(archive: &Path, endings: &[&str], folder: &Path) -> Result<Vec<PathBuf>> {
    let file = File::open(archive).map_err(Error::io(archive))?;
    let mut decoder = zstd::Decoder::new(file).map_err(Error::io(archive))?;
    decoder.window_log_max(WINDOW).map_err(Error::io(archive))?;
    fs::create_dir_all(folder).map_err(Error::io(folder))?;
    let mut written = Vec::new();
    for_each_member(decoder, |name, bytes| {
        let name = name.to_lowercase();
        if let Some(ending) = endings.iter().find(|ending| name.ends_with(*ending)) {
            let path = folder.join(format!("{:04}{ending}", written.len()));
            fs::write(&path, bytes)?;
            written.push(path);
        }
        Ok(())
    })
    .map_err(Error::io(archive))?;
    Ok(written)
}

fn for_each_member(
    mut archive: impl Read,
    mut visit: impl FnMut(&str, &[u8]) -> std::io::Result<()>,
) -> std::io::Result<()> {
    let mut header = [0u8; BLOCK];
    loop {
        archive.read_exact(&mut header)?;
        if header.iter().all(|&byte| byte == 0) {
            return Ok(());
        }
        let size = octal(&header[124..136]);
        let mut bytes = Vec::new();
        archive.by_ref().take(size).read_to_end(&mut bytes)?;
        let padding = (BLOCK as u64 - size % BLOCK as u64) % BLOCK as u64;
        std::io::copy(&mut archive.by_ref().take(padding), &mut std::io::sink())?;
        let end = header[..100].iter().position(|&byte| byte == 0).unwrap_or(100);
        if matches!(header[156], 0 | b'0') {
            visit(&String::from_utf8_lossy(&header[..end]), &bytes)?;
        }
    }
}

fn octal(field: &[u8]) -> u64 {
    let digits = field.iter().filter(|byte| (b'0'..=b'7').contains(*byte));
    digits.fold(0u64, |value, digit| value.saturating_mul(8).saturating_add(u64::from(digit - b'0')))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn member(name: &str, bytes: &[u8]) -> Vec<u8> {
        let mut member = vec![0; BLOCK];
        member[..name.len()].copy_from_slice(name.as_bytes());
        member[124..135].copy_from_slice(format!("{:011o}", bytes.len()).as_bytes());
        member[156] = b'0';
        member.extend_from_slice(bytes);
        member.resize(member.len().next_multiple_of(BLOCK), 0);
        member
    }

    #[test]
    fn members_of_a_type_are_written_out() {
        let folder = tempfile::tempdir().unwrap();
        let archive = folder.path().join("a.tar.zst");
        let mut tar =
            [member("x/one.PDF", b"first"), member("two.txt", &[7; 600]), member("3.pdf", b"")].concat();
        tar.extend_from_slice(&[0; 2 * BLOCK]);
        fs::write(&archive, zstd::encode_all(&tar[..], 1).unwrap()).unwrap();
        let files = unpack(&archive, &[".pdf"], &folder.path().join("out")).unwrap();
        assert_eq!(files.len(), 2);
        assert_eq!(fs::read(&files[0]).unwrap(), b"first");
        assert_eq!(fs::read(&files[1]).unwrap(), b"");
        let texts = unpack(&archive, &[".txt"], &folder.path().join("texts")).unwrap();
        assert_eq!(fs::read(&texts[0]).unwrap(), [7; 600]);
    }

    #[test]
    fn a_torn_archive_is_an_error() {
        let folder = tempfile::tempdir().unwrap();
        let archive = folder.path().join("a.tar.zst");
        fs::write(&archive, zstd::encode_all(&member("one.pdf", b"x")[..], 1).unwrap()).unwrap();
        assert!(unpack(&archive, &[".pdf"], folder.path()).is_err());
    }
}
