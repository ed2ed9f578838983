//! A frozen partition as bytes. All numbers are little-endian:
//!
//! ```text
//! "LKPART\0\1"                       the kind of file and its version
//! documents, clusters, terms, cells    u64 each
//! lengths of the two texts             u64 each
//! clustering, features                 UTF-8
//! squares                              f32 for each cluster
//! hashes                               u64 for each term
//! ends                                 u64 for each term: where its cells end
//! clusters                             u16 for each cell
//! cells                                f32 for each cell
//! digest                               128 bits, of all bytes before
//! ```

use super::super::centres::FinalCentres;
use super::super::settings::MOST_CLUSTERS;
use super::{About, broken};
use crate::error::Result;
use crate::hash;

const MAGIC: &[u8; 8] = b"LKPART\0\x01";
const DIGEST: usize = 16;

pub(super) fn write(about: &About, centres: &FinalCentres) -> Vec<u8> {
    let FinalCentres { hashes, ends, clusters, cells, squares } = centres;
    let mut bytes = MAGIC.to_vec();
    let texts = [&about.clustering, &about.features];
    for number in [about.documents, squares.len() as u64, hashes.len() as u64, cells.len() as u64] {
        bytes.extend(number.to_le_bytes());
    }
    texts.iter().for_each(|text| bytes.extend((text.len() as u64).to_le_bytes()));
    texts.iter().for_each(|text| bytes.extend(text.as_bytes()));
    bytes.extend(squares.iter().flat_map(|square| square.to_le_bytes()));
    bytes.extend(hashes.iter().flat_map(|hash| hash.to_le_bytes()));
    bytes.extend(ends.iter().flat_map(|end| end.to_le_bytes()));
    bytes.extend(clusters.iter().flat_map(|cluster| cluster.to_le_bytes()));
    bytes.extend(cells.iter().flat_map(|cell| cell.to_le_bytes()));
    bytes.extend(hash::digest_bytes(&bytes).to_le_bytes());
    bytes
}

/// What the bytes say, and their digest.
pub(super) fn read(bytes: &[u8]) -> Result<(About, FinalCentres, u128)> {
    let Some(content) = bytes.strip_prefix(MAGIC) else {
        return Err(broken("it starts otherwise"));
    };
    let digest = bytes.last_chunk::<DIGEST>().map(|digest| u128::from_le_bytes(*digest));
    let digest = digest.filter(|digest| *digest == hash::digest_bytes(&bytes[..bytes.len() - DIGEST]));
    let Some(digest) = digest else { return Err(broken("it is damaged or incomplete")) };
    let mut rest = Rest(&content[..content.len().saturating_sub(DIGEST)]);
    let [documents, clusters, terms, cells] =
        [rest.number()?, rest.number()?, rest.number()?, rest.number()?];
    let lengths = [rest.number()?, rest.number()?];
    let [clustering, features] = [rest.text(lengths[0])?, rest.text(lengths[1])?];
    let centres = FinalCentres {
        squares: rest.list::<4, _>(clusters, f32::from_le_bytes)?,
        hashes: rest.list::<8, _>(terms, u64::from_le_bytes)?,
        ends: rest.list::<8, _>(terms, u64::from_le_bytes)?,
        clusters: rest.list::<2, _>(cells, u16::from_le_bytes)?,
        cells: rest.list::<4, _>(cells, f32::from_le_bytes)?,
    };
    if !rest.0.is_empty() {
        return Err(broken("there is more than it says"));
    }
    check(&centres)?;
    Ok((About { clustering, features, documents }, centres, digest))
}

/// The digest holds against accidents; this holds against a file that someone made up.
fn check(centres: &FinalCentres) -> Result<()> {
    let FinalCentres { hashes, ends, clusters, cells, squares } = centres;
    let count = squares.len();
    if count == 0 || count as u64 > MOST_CLUSTERS || hashes.len() > u32::MAX as usize {
        return Err(broken("it has no centres, or more than there can be"));
    }
    let ends_fit = ends.is_sorted() && ends.last().copied().unwrap_or(0) == cells.len() as u64;
    let clusters_fit = clusters.iter().all(|&cluster| usize::from(cluster) < count);
    let numbers = squares.iter().all(|square| square.is_finite() && *square >= 0.0)
        && cells.iter().all(|cell| cell.is_finite());
    if ends_fit && clusters_fit && numbers { Ok(()) } else { Err(broken("its coordinates do not fit")) }
}

/// What has not been read yet.
struct Rest<'a>(&'a [u8]);

impl<'a> Rest<'a> {
    fn take(&mut self, length: Option<usize>) -> Result<&'a [u8]> {
        let split = length.and_then(|length| self.0.split_at_checked(length));
        let (taken, rest) = split.ok_or_else(|| broken("it is shorter than it says"))?;
        self.0 = rest;
        Ok(taken)
    }

    fn number(&mut self) -> Result<u64> {
        let bytes = self.take(Some(8))?;
        Ok(bytes.first_chunk().map_or(0, |bytes| u64::from_le_bytes(*bytes)))
    }

    fn text(&mut self, length: u64) -> Result<String> {
        let bytes = self.take(usize::try_from(length).ok())?;
        String::from_utf8(bytes.to_vec()).map_err(|_| broken("it has a text that is no UTF-8"))
    }

    fn list<const WIDTH: usize, T>(&mut self, length: u64, read: fn([u8; WIDTH]) -> T) -> Result<Vec<T>> {
        let bytes = self.take(usize::try_from(length).ok().and_then(|length| length.checked_mul(WIDTH)))?;
        Ok(bytes.as_chunks().0.iter().map(|&chunk| read(chunk)).collect())
    }
}
