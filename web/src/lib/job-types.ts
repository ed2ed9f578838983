/** The shapes of offline runs, lexicons and methods. */

import type { Id, Seconds } from "./types";

export interface JobSource {
  index?: boolean;
  paths?: string[];
  uploads?: string[];
}

/** Labels in a folder that jobs may read, or in an upload. */
export type LabelFile = string | { upload: string };

export type Truth =
  | { cluster_field: string }
  | { pairs: LabelFile }
  | { clusters: LabelFile }
  | { exact: [string, string] }
  | { decisions: true };

export interface NewJob {
  kind: "dedup" | "train" | "evaluate" | "ask";
  testing?: JobSource;
  training?: JobSource;
  truth?: Truth;
  method?: string;
  recipe?: string;
  set?: Record<string, string>;
  clustering?: "fuzzy-c-means" | "k-means" | "none";
  classifier?: string;
  questions?: number;
}

export type JobState = "queued" | "running" | "done" | "failed" | "cancelled";

export interface Job {
  id: number;
  spec: NewJob;
  state: JobState;
  created: Seconds;
  started?: Seconds;
  finished?: Seconds;
  error?: string;
  summary?: Record<string, unknown>;
  progress?: { stage: string; done: number };
}

export interface Jobs {
  jobs: Job[];
}

export interface JobFiles {
  files: string[];
}

export interface Upload {
  name: string;
  bytes: number;
}

/** What was uploaded and is still there, the newest first. */
export interface Uploads {
  uploads: (Upload & { time: Seconds })[];
}

export interface Interval {
  value: number;
  low: number;
  high: number;
}

/** The file `questions.json` of a job of the kind `ask`. */
export interface Questions {
  questions: { a: Id; b: Id; confidence: number; reason: string }[];
  labelled: number;
  trained: boolean;
  estimate: { precision: Interval; recall: Interval } | null;
}

export interface LexiconEntry {
  name: string;
  id: string;
  documents: number;
  terms: number;
  rules: string;
  counted: string;
}

export interface Lexicons {
  lexicons: LexiconEntry[];
}

export interface Lexicon {
  name: string;
  documents: number;
  terms: number;
  /** Terms by normalised inverse document frequency, 0 to 1. */
  histogram: { step: number; terms: number[] };
  /** I-Match's default. */
  window: { low: number; high: number };
}

export interface LexiconWord {
  word: string;
  df: number;
  nidf: number;
  /** Null: the lexicon does not have it. */
  rank: number | null;
  in_window: boolean;
}

/** How likely an I-Match signature survives when words of a document change. */
export interface Stability {
  /** The part of its words that each further lexicon lacks. */
  dropped: number;
  changes: number[];
  /** For each of the changes. */
  curves: { lexicons: number; survive: number[] }[];
}

export interface NewProfile {
  id?: Id;
  labels?: readonly string[];
  text?: string;
  method?: string;
  set?: Record<string, string>;
}

export interface Profile {
  features: { text: string; weight: number; place: number }[];
  variant: string;
  /** Features in all; only the first are told. */
  distinct: number;
}

export interface Param {
  name: string;
  default: string;
  help: string;
}

/** What a classifier can be learnt by. */
export interface Learner {
  name: string;
  about: string;
}

export interface Methods {
  methods: { name: string; summary: string; paper: string; recipe: Record<string, unknown> }[];
  parts: { stage: string; name: string; summary: string; paper: string; params: Param[] }[];
  learners: Learner[];
}
