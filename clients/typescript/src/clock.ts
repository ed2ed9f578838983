/** How long a call waits for the next part of an answer; also ended by the caller's signal. */
export class Clock {
  /** Whether the time was over. */
  isOver = false;
  readonly #controller = new AbortController();
  readonly #forward: () => void;

  constructor(
    readonly milliseconds: number,
    readonly given?: AbortSignal,
  ) {
    this.#forward = () => this.#controller.abort(given?.reason);
    if (given?.aborted) this.#forward();
    else given?.addEventListener("abort", this.#forward, { once: true });
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Waits for one part. */
  async watch<T>(step: () => Promise<T>): Promise<T> {
    const timer = setTimeout(() => {
      this.isOver = true;
      this.#controller.abort();
    }, this.milliseconds);
    try {
      return await step();
    } finally {
      clearTimeout(timer);
    }
  }

  /** The call is over. */
  end(): void {
    this.stop();
    this.#controller.abort();
  }

  /** Nothing more is waited for. */
  stop(): void {
    this.given?.removeEventListener("abort", this.#forward);
  }
}

export function pause(milliseconds: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", stop);
      resolve();
    }, milliseconds);
    if (signal?.aborted) stop();
    else signal?.addEventListener("abort", stop, { once: true });
  });
}
