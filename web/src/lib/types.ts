/** The shapes of the service's answers and requests, as `/api/openapi.json` has them. */

export type * from "./job-types";

/** 17 and "17" are two ids. Whole numbers that JavaScript cannot hold are bigints. */
export type Id = string | number | bigint;

/** Seconds since 1970. */
export type Seconds = number;

/** Start and end in bytes of the UTF-8 text. */
export type ByteRange = [number, number];

export type Role = "read" | "write" | "admin";

export interface Me {
  name: string | null;
  role: Role;
  /** Null: sees every document. */
  labels: string[] | null;
}

export interface Level {
  threshold: number;
  pairs: number;
  clusters: number;
  removed: number;
}

export interface SourceCount {
  source: string;
  documents: number;
  removed: number;
}

export interface Warning {
  kind: "giant" | "loose" | "short" | "source";
  cluster: Id | null;
  labels?: string[];
  message: string;
}

export interface Survey {
  as_of: Seconds;
  documents: number;
  clusters: number;
  duplicates: number;
  pairs: number;
  threshold: number;
  method: string;
  /** Documents by their highest similarity to another; `alone`: like none. */
  histogram: { low: number; step: number; documents: number[]; alone: number };
  /** By rising threshold: what would be found there. */
  levels: Level[];
  /** Added in each interval. */
  growth: { start: Seconds; interval: number; documents: number[]; duplicates: number[] };
  warnings: Warning[];
  sources: SourceCount[];
}

export interface ClusterRow {
  /** The id of its master. */
  cluster: Id;
  labels?: string[];
  title: string | null;
  size: number;
  weakest: number;
  median: number;
  types: [string, number][];
  first: Seconds | null;
  last: Seconds | null;
  decided: number;
}

export interface ClusterPage {
  total: number;
  offset: number;
  clusters: ClusterRow[];
}

export interface MapMember {
  id: Id;
  labels?: string[];
  title: string | null;
  type: string | null;
  source: string | null;
  time: Seconds | null;
  bytes: number;
  similarity: number | null;
  /** A person prefers it as the one that stays. */
  kept: boolean;
}

/** A document of another cluster that may belong to this one. */
export interface Outside {
  id: Id;
  labels?: string[];
  title: string | null;
  similarity: number;
  /** The place of the member it resembles most. */
  beside: number;
  cluster: Id | null;
  cluster_labels?: string[];
}

export interface ClusterMap {
  cluster: Id;
  size: number;
  /** The master first. */
  members: MapMember[];
  /** Places of two members and their similarity. */
  pairs: [number, number, number][];
  outside: Outside[];
}

export interface ClusterMember {
  id: Id;
  labels?: string[];
  similarity: number | null;
}

export interface Cluster {
  cluster: Id;
  master: Id;
  /** Of the master. */
  labels?: string[];
  size: number;
  weakest: number;
  members: ClusterMember[];
}

/** A line of a corpus: these and any other fields. */
export interface DocumentLine {
  id?: Id;
  text?: string;
  title?: string;
  url?: string;
  time?: string | number;
  links?: unknown;
  images?: unknown;
  [field: string]: unknown;
}

export interface Stored {
  id: Id;
  document: DocumentLine;
  master: Id | null;
  master_labels?: string[];
  labels: string[];
  set?: string;
  added: Seconds;
  seen: Seconds;
  expires?: Seconds;
  hits: number;
}

export interface Version {
  time: Seconds;
  changed: boolean;
  similarity: number | null;
  bytes: number;
}

export interface History {
  id: Id;
  labels?: string[];
  versions: Version[];
  unchanged: number;
  recrawl: { interval: number; due: Seconds; crawl_priority: number; index_priority: number };
}

export interface Match {
  id: Id;
  labels?: string[];
  /** Or the beginning of the text; told with passages. */
  title?: string;
  similarity: number;
  contained_in: number | null;
  contains: number | null;
  method: string;
  because?: string[];
  set?: string;
  passages?: { asked: ByteRange; known: ByteRange; words: number }[];
}

export interface Answer {
  verdict: "new" | "near-duplicate" | "duplicate" | "unreadable";
  action: "checked" | "inserted" | "updated" | "unchanged" | "rejected";
  id: Id | null;
  master: Id | null;
  /** Named by its master. */
  cluster: Id | null;
  master_labels?: string[];
  matches: Match[];
  matching: number;
  replaced?: Id[];
  /** Of each of them; absent if none has any. */
  replaced_labels?: string[][];
  set?: { name: string; similarity: number; hits: number };
  version?: Version;
  reason?: string;
  /** Of a check with passages: what they have been found in. A file's text is known to the service alone. */
  text?: string;
}

export interface Side {
  name: string;
  bytes: number;
  words: number;
  in_passages: number;
  contained_in_other: number;
}

/** The signatures of one branch of a method. */
export interface SignaturePair {
  method: string;
  /** Whether the branch proposes the pair. */
  candidate: boolean;
  /** What the signatures say of each other. */
  says: string;
  /** In hexadecimal; absent when the method has none. */
  a?: string;
  b?: string;
}

export interface Pair {
  a: Side;
  b: Side;
  identical: boolean;
  measures: { features: string; measure: string; similarity: number }[];
  methods: {
    method: string;
    verdict: string;
    similarity: number;
    threshold: number;
    measure: string;
    because?: string[];
    signatures: SignaturePair[];
  }[];
  passages: { a: ByteRange; b: ByteRange; words: number; text: string }[];
  only_in_a: [string, number][];
  only_in_b: [string, number][];
  decision: Decision | null;
}

export interface Decision {
  a: Id;
  b: Id;
  a_labels?: string[];
  b_labels?: string[];
  duplicate: boolean;
  /** Digests of the two texts. */
  a_text: string;
  b_text: string;
  by: string;
  time: Seconds;
}

export interface Decisions {
  decisions: Decision[];
}

export interface Keeper {
  id: Id;
  labels?: string[];
  text: string;
  by: string;
  time: Seconds;
}

export interface Keepers {
  keepers: Keeper[];
}

export interface RemovalChoice {
  keep?: string;
  filter?: string;
}

export interface Preview {
  clusters: number;
  removed: number;
  bytes: number;
  changed: number;
  /** Documents that are not like the one that is kept, or whose readers may not see that one, and stay. */
  stay: number;
  /** Names exactly what was shown; absent for who may not carry it out. */
  plan?: string;
  examples: RemovalExample[];
  sources: SourceCount[];
}

export interface RemovalExample {
  /** The one of `kept_before`. */
  cluster: Id;
  title: string | null;
  keeps: Id;
  kept_before: Id;
  removes: Id[];
  keeps_labels?: string[];
  kept_before_labels?: string[];
  /** Of each of those that go. */
  removes_labels: string[][];
}

/** A document that was left as it is. */
export interface LeftAlone {
  id: Id;
  labels?: string[];
  reason: string;
}

export interface Removal {
  removal: number;
  time: Seconds;
  by: string;
  keep: string | null;
  filter: string;
  documents: number;
  /** False: the service ended before all were removed. */
  complete: boolean;
  undone: boolean;
  /** Shown in the preview, but changed since: they stayed. */
  refused?: LeftAlone[];
  /** Could not be put back. */
  not_restored?: LeftAlone[];
}

export interface Removals {
  removals: Removal[];
}

export interface Hit {
  id: Id;
  labels?: string[];
  /** Of the document that shows the cluster, or the beginning of its text. */
  title: string | null;
  score: number;
  snippet: string;
  marks: ByteRange[];
  matching: number;
  near_duplicates: NearDuplicate[];
}

export interface NearDuplicate extends ClusterMember {
  /** Or the beginning of the text. Of a long list only the first have one. */
  title: string | null;
}

export interface SearchResult {
  total: number;
  hits: Hit[];
  facets: Record<string, { value: string; count: number }[]>;
}
