/** Views by the part of the address behind `#`, so that each has a link and the browser's history works. */

import type { JSX } from "preact";

import { store, useStore } from "./store";
import { type Query, withQuery } from "./api";
import type { Id } from "./types";

export interface Route {
  /** The decoded parts: `#/clusters/a%2F1` is `["clusters", "a/1"]`. */
  path: string[];
  query: URLSearchParams;
}

/** What every view gets. */
export type ViewProps = Route;

/** Parts, to be encoded, or a path that is encoded already. */
export type Path = string | readonly Id[];

/** Where a link leads. */
export interface Place {
  to: Path;
  query?: Query;
}

const current = store(parse(location.hash));

addEventListener("hashchange", () => current.set(parse(location.hash)));

export function useRoute(): Route {
  return useStore(current);
}

export function href(path: Path, query: Query = {}): string {
  const parts = typeof path === "string" ? path.replace(/^\/+/, "") : path.map((part) => encodeURIComponent(String(part))).join("/");
  return withQuery(`#/${parts}`, query);
}

/** With `replace` the address changes without a step in the history: for filters while they are typed. */
export function go(path: Path, query: Query = {}, replace = false): void {
  const address = href(path, query);
  if (address === location.hash) return;
  if (replace) history.replaceState(null, "", address);
  else history.pushState(null, "", address);
  current.set(parse(location.hash));
}

/** Goes where a link to the place would. */
export function visit({ to, query }: Place): void {
  go(to, query);
}

type LinkProps = Omit<JSX.IntrinsicElements["a"], "href" | "role"> & Place;

export function Link({ to, query, ...rest }: LinkProps) {
  return <a {...rest} href={href(to, query)} />;
}

function parse(hash: string): Route {
  const text = hash.replace(/^#\/?/, "");
  const mark = text.indexOf("?");
  const before = mark < 0 ? text : text.slice(0, mark);
  const after = mark < 0 ? "" : text.slice(mark + 1);
  return { path: before.split("/").filter(Boolean).map(decode), query: new URLSearchParams(after) };
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
