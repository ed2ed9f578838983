//! Panics of the Arrow library as errors.

use std::cell::Cell;
use std::sync::Once;

use arrow_schema::ArrowError;

thread_local! {
    /// Whether a panic of this thread is caught and reported as damage.
    static GUARDED: Cell<bool> = const { Cell::new(false) };
}

/// The library may panic on bytes that no writer wrote; that means damaged data and must not end the program.
pub fn guarded<T>(read: impl FnOnce() -> Result<T, ArrowError>) -> Result<T, ArrowError> {
    static HOOK: Once = Once::new();
    // The data is reported as damaged; a backtrace besides that would look like a bug of ours.
    HOOK.call_once(|| {
        let usual = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |info| {
            if !GUARDED.get() {
                usual(info);
            }
        }));
    });
    let before = GUARDED.replace(true);
    let outcome = std::panic::catch_unwind(std::panic::AssertUnwindSafe(read));
    GUARDED.set(before);
    outcome.unwrap_or_else(|_| Err(ArrowError::IpcError("lengths or offsets that cannot be".to_owned())))
}
