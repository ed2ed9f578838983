/** What ended jobs tell in their summary. */

import type { Interval } from "./job-types";

/** Of `dedup`, as `report.json` has it. */
export interface Report {
  scheme: string;
  method: string;
  recipe: Record<string, unknown>;
  documents: number;
  against: number;
  rejected: number;
  empty: number;
  unsigned: number;
  kept: number;
  removed: number;
  exact_copies: number;
  clusters: number;
  pairs: number;
  candidates: number;
  expected_recall: number | null;
  threshold: number;
  found_by?: FoundBy[];
  narrowing?: Narrowed[];
  seconds: number;
  stages: Record<string, number>;
  peak_memory_bytes: number;
  input_bytes: number;
  threads: number;
  warnings: string[];
}

export interface FoundBy {
  method: string;
  candidates: number;
  pairs: number;
  only: number;
  missed: number;
}

/** What comparing only within clusters saved and cost. */
export interface Narrowed {
  method: string;
  clustering: string;
  documents: number;
  clusters: number;
  largest: number;
  comparisons: number;
  all_pairs: number;
  saved: number;
  sampled: number;
  lost: { cosine: number; pairs: number; lost: number }[];
  warnings: string[];
}

export interface Confusion {
  true_positives: number;
  false_positives: number;
  false_negatives: number;
  true_negatives: number;
}

export interface Quality {
  precision: number;
  recall: number;
  f1: number;
  accuracy: number;
  counts: Confusion;
}

/** Of a classifier that was trained. */
export interface TrainingReport {
  truth: string;
  documents: number;
  pairs: number;
  near_duplicates: number;
  hard_negatives: number;
  missed: number;
  groups: number;
  folds: number;
  tested: Quality;
  best_threshold: Quality;
  gain: Interval | null;
  recommended: boolean;
  brier: number;
  calibration_error: number;
  tried: [string, Quality][];
  importance: [string, number][];
  notes: string[];
}

export interface Judgement {
  counts: Confusion;
  precision: Interval | null;
  recall: Interval | null;
  f1: Interval | null;
  accuracy: Interval | null;
  queries: { asked: number; recall: Interval | null; precision: Interval | null };
  pure_clusters: Interval | null;
  ari: number | null;
  cluster_sizes: { clusters: number; average: number | null; largest: number };
  groups: number;
}

export interface Judged {
  name: string;
  scheme: string;
  threshold: number;
  judgement: Judgement;
  neighbours: number;
  candidates: number;
  narrowing?: Narrowed[];
  seconds: number;
  stages: Record<string, number>;
  peak_memory_bytes: number;
  curve?: { threshold: number; precision: number; recall: number; f1: number }[];
}

/** Of `evaluate`. */
export interface Evaluated {
  documents: number;
  truth: string;
  results: Judged[];
}

export type JobSummary = { report?: Report; training?: TrainingReport; evaluation?: Evaluated };
