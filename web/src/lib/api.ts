/**
 * Requests to the service.
 *
 * A token that the reader gave goes with each of them. A service that has too much work says when to come again: reading does so by
 * itself, writing is left to the reader.
 */

import { address } from "./base";
import { parseJson, toJson } from "./json";
import { recall, remember } from "./storage";
import { store } from "./store";
import type { Choice, Id } from "./types";

/** Headers as a plain object, so that the token's can be laid beside them. */
type Init = Omit<RequestInit, "headers"> & { headers?: Record<string, string> };

export type Query = Record<string, string | number | boolean | null | undefined>;

export class ApiError extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
    /** With `ambiguous`: the documents that have the id. */
    readonly choices: Choice[] = [],
  ) {
    super(message);
    this.name = "ApiError";
  }
}

/** Whether the service refused the last request for want of a valid token. */
export const tokenNeeded = store(false);

/** The code of an error that may last for minutes: views tell it and ask again themselves. */
export const SEARCH_NOT_READY = "search-not-ready";

const TOKEN = "token";
const RETRIES = 3;
/** Who is asked to wait longer should be told rather than kept waiting. */
const LONGEST_WAIT_SECONDS = 5;

export function hasToken(): boolean {
  return recall(TOKEN, "session") !== null;
}

export function setToken(token: string | null): void {
  remember(TOKEN, token, "session");
  tokenNeeded.set(false);
}

export function tokenHeader(): Record<string, string> {
  const token = recall(TOKEN, "session");
  return token === null ? {} : { authorization: `Bearer ${token}` };
}

/** What the service says in the body of an answer that is no success. */
export function refusal(status: number, body: string): ApiError {
  if (status === 401) tokenNeeded.set(true);
  // Something between the page and the service may have answered in its place.
  const unexplained = new ApiError(status, "unknown", `the service answered with status ${status}`);
  try {
    const { error } = parseJson<{ error?: { code?: unknown; message?: unknown; choices?: Choice[] } }>(body);
    if (typeof error?.code !== "string" || typeof error.message !== "string") return unexplained;
    return new ApiError(status, error.code, error.message, error.choices);
  } catch {
    return unexplained;
  }
}

export function unreachable(): ApiError {
  return new ApiError(0, "unreachable", "the service does not answer; is it running?");
}

export function idPath(id: Id): string {
  return encodeURIComponent(String(id));
}

/** The path with a query of those values that are not empty. */
export function withQuery(path: string, query: Query): string {
  const given = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== null && value !== undefined && value !== "") given.set(name, String(value));
  }
  const text = given.toString();
  return text ? `${path}?${text}` : path;
}

export async function get<T>(path: string, signal?: AbortSignal): Promise<T> {
  return parseJson<T>(await getText(path, signal));
}

export async function getText(path: string, signal?: AbortSignal): Promise<string> {
  return (await read(path, signal)).text();
}

export async function getBlob(path: string): Promise<Blob> {
  return (await read(path)).blob();
}

export function post<T = void>(path: string, body: unknown, signal?: AbortSignal): Promise<T> {
  return send<T>(path, toJson(body), "application/json", signal);
}

/** Posts a body that is not JSON, such as a file. */
export async function send<T>(path: string, body: BodyInit, type: string, signal?: AbortSignal): Promise<T> {
  const response = await request(path, { method: "POST", body, headers: { "content-type": type }, signal });
  return parseBody<T>(await response.text());
}

export async function del(path: string): Promise<void> {
  await request(path, { method: "DELETE" });
}

async function read(path: string, signal?: AbortSignal): Promise<Response> {
  for (let tries = 0; ; tries += 1) {
    const response = await reach(path, { signal });
    if (response.ok) return response;
    const error = await refusalOf(response);
    const wait = Number(response.headers.get("retry-after") ?? Number.NaN);
    const again = error.status === 503 && error.code !== SEARCH_NOT_READY && wait <= LONGEST_WAIT_SECONDS && tries < RETRIES;
    if (!again) throw error;
    await pause(wait * 1000, signal);
  }
}

async function request(path: string, init: Init): Promise<Response> {
  const response = await reach(path, init);
  if (response.ok) return response;
  throw await refusalOf(response);
}

async function reach(path: string, init: Init): Promise<Response> {
  try {
    return await fetch(address(path), { ...init, headers: { ...init.headers, ...tokenHeader() } });
  } catch (error) {
    if (init.signal?.aborted) throw error;
    throw unreachable();
  }
}

async function refusalOf(response: Response): Promise<ApiError> {
  return refusal(response.status, await response.text().catch(() => ""));
}

function parseBody<T>(text: string): T {
  // 204 has no body, and who asks for one does not look at it.
  return text === "" ? (undefined as T) : parseJson<T>(text);
}

function pause(milliseconds: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, milliseconds);
    signal?.addEventListener("abort", () => {
      clearTimeout(timer);
      reject(new DOMException("aborted", "AbortError"));
    });
  });
}
