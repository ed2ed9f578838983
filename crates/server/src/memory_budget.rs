//! How much memory the bodies of all requests together may take.

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

    /// Counts as taken until it is dropped; 503 if there is not so much left.
    pub fn take(&self, kilobytes: u32) -> ApiResult<OwnedSemaphorePermit> {
        Arc::clone(&self.0).try_acquire_many_owned(kilobytes).map_err(|_| ApiError::busy())
    }
}
