/** Requests to the service: addresses, time limits, what is tried again, errors. */

import { Clock, pause } from "./clock.js";
import { Content, type Lines } from "./content.js";
import { LookalikeError } from "./errors.js";
import { parseJson, toJson } from "./json.js";
import { batches, linesOf } from "./lines.js";
import type { Error as Refusal, Id } from "./types.js";

export interface Options {
  /** Made by `lookalike serve token add`. */
  token?: string;
  /** Milliseconds in which an answer, or the next part of one, must come [60000]. */
  timeout?: number;
  /** How often a request is sent again that the service had no room for [3]. */
  retries?: number;
  /** Another `fetch`, such as one that goes through a proxy. */
  fetch?: typeof fetch;
}

/** What one call has of its own. */
export interface CallOptions {
  signal?: AbortSignal;
  /** Milliseconds in which an answer, or the next part of one, must come. */
  timeout?: number;
}

export type Query = Record<string, string | number | bigint | boolean | null | undefined>;

/** One operation of the service as it is called. */
export interface Operation {
  method: string;
  path: string;
  query?: object;
  body?: unknown;
}

const LINES = "application/x-ndjson";
/** With these answers the service has done nothing, so that even an insertion can be sent again. */
const REFUSED = new Set(["rate-limited", "busy"]);
const LONGEST_WAIT_SECONDS = 30;

/** An answer that has begun, and the clock of its call. */
interface Begun {
  response: Response;
  clock: Clock;
}

export class Http {
  readonly url: string;
  readonly #headers: Record<string, string>;
  readonly #options: Options;

  constructor(url: string | URL, options: Options) {
    const place = addressOf(url);
    this.url = place.origin + place.pathname.replace(/\/+$/, "");
    this.#headers = options.token === undefined ? {} : { authorization: `Bearer ${options.token}` };
    this.#options = options;
  }

  async json<T>(operation: Operation, call?: CallOptions): Promise<T> {
    const text = await this.text(operation, call);
    try {
      return parseJson<T>(text);
    } catch {
      throw new LookalikeError("the answer is not that of a Lookalike service", "not-lookalike");
    }
  }

  async text(operation: Operation, call?: CallOptions): Promise<string> {
    const { response, clock } = await this.#send(operation, call);
    try {
      return await clock.watch(() => response.text());
    } catch (error) {
      throw this.#failure(error, clock);
    } finally {
      clock.stop();
    }
  }

  /** An answer that is read as the caller likes: as a stream, a blob or a text. */
  async response(operation: Operation, call?: CallOptions): Promise<Response> {
    const { response, clock } = await this.#send(operation, call);
    clock.stop();
    return response;
  }

  /** Sends lines, as many at once as fit a request, and gives a line of the answer for each. */
  async *exchange<Sent, Got extends { line: number | null }>(
    operation: Operation,
    lines: Lines<Sent>,
    call?: CallOptions,
  ): AsyncGenerator<Got, void, undefined> {
    let before = 0;
    for await (const batch of batches(lines)) {
      const body = new Content(LINES, batch.text);
      const { response, clock } = await this.#send({ ...operation, body }, call);
      let answered = 0;
      try {
        for await (const got of linesOf<Got & Partial<Refusal>>(response, clock)) {
          if (got.line === null && got.error) throw new LookalikeError(got.error.message, got.error.code, response.status);
          answered += 1;
          yield { ...got, line: before + (got.line ?? answered) };
        }
      } catch (error) {
        throw this.#failure(error, clock);
      } finally {
        // Whoever stops reading has no use for the rest.
        clock.end();
      }
      if (answered !== batch.count) {
        const message = `the answer ended after ${before + answered} of ${before + batch.count} documents; what became of the others is not known`;
        throw new LookalikeError(message, "cut-off", response.status);
      }
      before += batch.count;
    }
  }

  async #send(operation: Operation, call: CallOptions = {}): Promise<Begun> {
    const { retries = 3 } = this.#options;
    const [body, type] = await bodyOf(operation.body);
    for (let tries = 0; ; tries += 1) {
      const begun = await this.#once(operation, body, type, call);
      const { response, clock } = begun;
      if (response.ok) return begun;
      const error = await refusalOf(response, clock).finally(() => clock.stop());
      const wait = Number(response.headers.get("retry-after") ?? Number.NaN);
      if (!REFUSED.has(error.code) || !(wait <= LONGEST_WAIT_SECONDS) || tries >= retries) throw error;
      // Callers that were told the same should not all come back at once.
      await pause(wait * 1000 * (1 + Math.random() / 4), call.signal);
    }
  }

  async #once({ method, path, query }: Operation, body: BodyInit | undefined, type: string | undefined, call: CallOptions): Promise<Begun> {
    const clock = new Clock(call.timeout ?? this.#options.timeout ?? 60_000, call.signal);
    const headers = type === undefined ? this.#headers : { ...this.#headers, "content-type": type };
    const send = this.#options.fetch ?? fetch;
    try {
      const address = this.url + path + queryOf((query ?? {}) as Query);
      // A redirection would take a body, and perhaps the token, to wherever it says.
      const response = await clock.watch(() => send(address, { method, headers, body, redirect: "manual", signal: clock.signal }));
      return { response, clock };
    } catch (error) {
      clock.stop();
      throw this.#failure(error, clock);
    }
  }

  #failure(error: unknown, clock: Clock): unknown {
    if (error instanceof LookalikeError) return error;
    if (clock.isOver) return new LookalikeError(`${this.url} did not answer within ${clock.milliseconds} ms`, "timeout");
    if (clock.signal.aborted) return clock.signal.reason;
    const cause = error instanceof Error ? ((error.cause as Error | undefined)?.message ?? error.message) : String(error);
    return new LookalikeError(`cannot reach a service at ${this.url}, or it broke off (${cause})`, "unreachable");
  }
}

/** An id as a part of a path. */
export function segment(id: Id): string {
  const name = String(id);
  // Every program takes these for steps in the path, however they are written.
  if (name === "" || name === "." || name === "..") throw new LookalikeError(`the id \`${name}\` cannot be asked for by name`, "bad-id");
  return encodeURIComponent(name);
}

function addressOf(url: string | URL): URL {
  let place: URL;
  try {
    // In a browser a path is one of the same host.
    place = new URL(url, (globalThis as { location?: { href?: string } }).location?.href);
  } catch {
    throw new TypeError(`${String(url)} is not an address such as https://host/lookalike`);
  }
  if (!/^https?:$/.test(place.protocol) || place.username || place.password || place.search || place.hash) {
    throw new TypeError("the address of a service is http or https, without user, password, query and fragment; give `token`");
  }
  return place;
}

function queryOf(query: Query): string {
  const given = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined && value !== null) given.set(name, String(value));
  }
  const text = given.toString();
  return text && `?${text}`;
}

async function bodyOf(body: unknown): Promise<[BodyInit | undefined, string | undefined]> {
  if (body === undefined) return [undefined, undefined];
  if (body instanceof Content) return [body.data as BodyInit, body.type];
  if (!isLines(body)) return [toJson(body), "application/json"];
  const parts: string[] = [];
  for await (const batch of batches(body)) parts.push(batch.text);
  return [new Blob(parts), LINES];
}

function isLines(body: unknown): body is Lines<unknown> {
  return typeof body === "object" && body !== null && (Symbol.iterator in body || Symbol.asyncIterator in body);
}

async function refusalOf(response: Response, clock: Clock): Promise<LookalikeError> {
  const { status, headers, type } = response;
  if (type === "opaqueredirect" || (status >= 300 && status < 400)) {
    return new LookalikeError("the service redirects, which is not followed; give its own address", "redirected", status);
  }
  const id = headers.get("x-request-id") ?? undefined;
  try {
    const { error } = parseJson<Refusal>(await clock.watch(() => response.text()));
    if (typeof error.code === "string" && typeof error.message === "string") {
      return new LookalikeError(error.message, error.code, status, error.choices, id);
    }
  } catch {
    // Something between here and the service may have answered in its place.
  }
  return new LookalikeError(`the answer is ${status}, which is not of a Lookalike service`, "not-lookalike", status, [], id);
}
