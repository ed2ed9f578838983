import type { Choice } from "./types.js";

/** The service refuses a call or fails, cannot be reached, or does not answer as a service of Lookalike does. */
export class LookalikeError extends Error {
  override readonly name = "LookalikeError";

  constructor(
    message: string,
    /** The code of the service, which does not change, or one of ours: `unreachable`, `timeout`, `redirected`, `not-lookalike`, `cut-off`, `bad-id`. */
    readonly code: string,
    /** The HTTP status; undefined without an answer. */
    readonly status?: number,
    /** With `ambiguous`: the documents that have the id. */
    readonly choices: Choice[] = [],
    /** By which the log of the service knows the request. */
    readonly requestId?: string,
  ) {
    super(message);
  }
}
