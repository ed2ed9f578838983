/** Long work in short turns, so that the page answers meanwhile. */

/** Longer turns would be felt while scrolling. */
const TURN_MILLISECONDS = 12;

/** Does work that pauses now and then with `yield`. Who aborts gets an `AbortError`. */
export async function inSlices<T>(work: Generator<void, T>, signal: AbortSignal): Promise<T> {
  for (;;) {
    signal.throwIfAborted();
    const end = performance.now() + TURN_MILLISECONDS;
    while (performance.now() < end) {
      const step = work.next();
      if (step.done) return step.value;
    }
    await new Promise((resolve) => setTimeout(resolve, 0));
  }
}
