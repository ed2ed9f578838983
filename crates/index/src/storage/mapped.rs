//! Records that are used where they lie in a file. They take no memory of their own: the system reads their pages when
//! they are needed, and drops them when it needs the room.

use std::fs::File;
use std::io;
use std::marker::PhantomData;

use lookalike_core::numbers::Number;
use memmap2::{Mmap, MmapOptions};

#[cfg(target_endian = "big")]
compile_error!("the records of an index are little-endian, and used where they lie");

/// Where records may begin in a file: at multiples of this.
pub const ALIGNMENT: usize = 64;

/// A value that can be used where it lies in a file.
///
/// # Safety
///
/// Every pattern of bits must be a valid value, there must be no padding, and no alignment above [`ALIGNMENT`].
pub unsafe trait Record: Copy + Default + Send + Sync + 'static {}

// SAFETY: numbers have all of these properties.
unsafe impl Record for u8 {}
// SAFETY: as above.
unsafe impl Record for u32 {}
// SAFETY: as above.
unsafe impl Record for u64 {}
// SAFETY: as above; an array has no padding.
unsafe impl Record for [u32; 2] {}
// SAFETY: a `Number` is a transparent `NonZeroU32`, of which an `Option` is a `u32` with 0 for `None`.
unsafe impl<Of: 'static> Record for Option<Number<Of>> {}

/// Records of a file that never changes.
pub struct Mapped<T> {
    map: Option<Mmap>,
    count: usize,
    of: PhantomData<fn() -> T>,
}

impl<T> Default for Mapped<T> {
    fn default() -> Self {
        Mapped { map: None, count: 0, of: PhantomData }
    }
}

impl<T: Record> Mapped<T> {
    /// Uses `bytes` bytes of a file; `None` if no whole records can be there.
    pub fn new(file: &File, offset: u64, bytes: u64) -> io::Result<Option<Mapped<T>>> {
        let size = size_of::<T>() as u64;
        if !bytes.is_multiple_of(size) || !offset.is_multiple_of(ALIGNMENT as u64) {
            return Ok(None);
        }
        let (Ok(length), Ok(count)) = (usize::try_from(bytes), usize::try_from(bytes / size)) else {
            return Ok(None);
        };
        if count == 0 {
            return Ok(Some(Mapped::default()));
        }
        // SAFETY: the bytes must not change while they are mapped. The file was written under another name and renamed
        // when complete, and is never written again.
        let map = unsafe { MmapOptions::new().offset(offset).len(length).map(file) }?;
        Ok(Some(Mapped { map: Some(map), count, of: PhantomData }))
    }

    #[inline]
    pub fn as_slice(&self) -> &[T] {
        let Some(map) = &self.map else { return &[] };
        // SAFETY: there are so many bytes, pages are aligned to more than the offset in them, which is a multiple of
        // `ALIGNMENT`, and a `Record` may have any bytes.
        unsafe { std::slice::from_raw_parts(map.as_ptr().cast(), self.count) }
    }
}

/// The bytes of records, as they are in a file.
pub fn bytes_of<T: Record>(records: &[T]) -> &[u8] {
    // SAFETY: a `Record` has no padding, so all of its bytes can be read.
    unsafe { std::slice::from_raw_parts(records.as_ptr().cast(), size_of_val(records)) }
}
