/** Which view an address shows. Views other than those most readers begin with are fetched when they are needed. */

import type { ComponentType } from "preact";

import type { Role } from "./lib/types";
import type { ViewProps } from "./lib/router";
import Clusters from "./views/clusters";
import Dashboard from "./views/dashboard";

export type View = ComponentType<ViewProps>;

interface ViewModule {
  default: View;
}

interface Entry {
  /** Set once it was fetched. */
  view?: View;
  fetch?: () => Promise<ViewModule>;
}

const list: Record<string, Entry> = {
  "": { view: Dashboard },
  clusters: { view: Clusters },
  pairs: { fetch: () => import("./views/pair") },
  review: { fetch: () => import("./views/review") },
  decisions: { fetch: () => import("./views/decisions") },
  keep: { fetch: () => import("./views/keep") },
  run: { fetch: () => import("./views/run") },
  label: { fetch: () => import("./views/label") },
  check: { fetch: () => import("./views/check") },
  due: { fetch: () => import("./views/due") },
  mirrors: { fetch: () => import("./views/mirrors") },
  search: { fetch: () => import("./views/search") },
  lexicons: { fetch: () => import("./views/lexicons") },
  methods: { fetch: () => import("./views/methods") },
  documents: { fetch: () => import("./views/document") },
};

const cluster: Entry = { fetch: () => import("./views/cluster") };

/** Absent: there is no such address. */
export function entryOf(path: readonly string[]): Entry | undefined {
  const [name = "", id] = path;
  if (name === "clusters" && id !== undefined) return cluster;
  return Object.hasOwn(list, name) ? list[name] : undefined;
}

export interface NavItem {
  name: string;
  label: string;
  needs: Role;
}

/** The menu, in groups. */
export const menu: readonly (readonly NavItem[])[] = [
  [
    { name: "", label: "Overview", needs: "read" },
    { name: "clusters", label: "Clusters", needs: "read" },
    { name: "review", label: "Review", needs: "reviewer" },
    { name: "decisions", label: "Decisions", needs: "read" },
    { name: "label", label: "Labelling", needs: "admin" },
    { name: "keep", label: "Keep and remove", needs: "read" },
  ],
  [
    { name: "search", label: "Search", needs: "read" },
    { name: "check", label: "Check", needs: "read" },
    { name: "due", label: "Due", needs: "read" },
    { name: "mirrors", label: "Mirrors", needs: "read" },
  ],
  [
    { name: "run", label: "Runs", needs: "admin" },
    { name: "lexicons", label: "Lexicons", needs: "read" },
    { name: "methods", label: "Methods", needs: "read" },
  ],
];
