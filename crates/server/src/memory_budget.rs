//! Limits the memory that the bodies of all requests may take together.

use std::sync::Arc;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::error::{ApiError, ApiResult};

/// Counted in kilobytes.
pub struct MemoryBudget(Arc<Semaphore>);

impl MemoryBudget {
    pub fn new(bytes: u64) -> Self {
        let kilobytes = usize::try_from(bytes / 1000).unwrap_or(usize::MAX);
        MemoryBudget(Arc::new(Semaphore::new(kilobytes.clamp(1, Semaphore::MAX_PERMITS))))
    }

    /// Takes memory until the permit is dropped; 503 if there is not enough left.
    pub fn take(&self, kilobytes: u32) -> ApiResult<OwnedSemaphorePermit> {
        Arc::clone(&self.0).try_acquire_many_owned(kilobytes).map_err(|_| ApiError::busy())
    }
}
