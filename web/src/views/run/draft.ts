/** The form of a run as it is filled in, and the job it stands for. */

import type { Changes } from "../../lib/recipe";
import type { JobSource, LabelFile, NewJob, Truth } from "../../lib/types";

export type DraftKind = Extract<NewJob["kind"], "dedup" | "train" | "evaluate">;
export type TruthKind = "cluster_field" | "pairs" | "clusters" | "exact" | "decisions";

export interface SourceDraft {
  index: boolean;
  uploads: readonly string[];
  /** One a line. */
  paths: string;
}

export interface TruthDraft {
  kind: TruthKind;
  field: string;
  /** Of pairs or clusters. */
  file: string;
  isUpload: boolean;
  measure: string;
  threshold: string;
}

export interface Draft {
  kind: DraftKind;
  testing: SourceDraft;
  training: SourceDraft;
  truth: TruthDraft;
  /** Empty: a recipe of one's own. */
  method: string;
  recipe: string;
  changes: Changes;
  /** Empty: none. */
  clustering: string;
  /** Empty: none. */
  classifier: string;
}

const indexOnly: SourceDraft = { index: true, uploads: [], paths: "" };

export const emptyDraft: Draft = {
  kind: "dedup",
  testing: indexOnly,
  training: indexOnly,
  truth: { kind: "decisions", field: "cluster", file: "", isUpload: false, measure: "jaccard", threshold: "0.8" },
  method: "minhash",
  recipe: "",
  changes: {},
  clustering: "",
  classifier: "",
};

/** Which parts of the form such a job asks for. */
export function needs({ kind, classifier }: Draft) {
  const training = kind === "train" || classifier !== "";
  return { testing: kind !== "train", method: kind !== "train", training, truth: training || kind === "evaluate" };
}

export function jobOf(draft: Draft): NewJob {
  const needed = needs(draft);
  const job: NewJob = { kind: draft.kind };
  if (needed.testing) job.testing = sourceOf(draft.testing);
  if (needed.training) job.training = sourceOf(draft.training);
  if (needed.truth) job.truth = truthOf(draft.truth);
  if (draft.classifier !== "") job.classifier = draft.classifier;
  if (!needed.method) return job;
  if (draft.method === "") job.recipe = draft.recipe;
  else job.method = draft.method;
  if (draft.clustering !== "") job.clustering = draft.clustering as NewJob["clustering"];
  if (Object.keys(draft.changes).length > 0) job.set = { ...draft.changes };
  return job;
}

/** The form of a job that was run before. */
export function draftOf(job: NewJob): Draft {
  return {
    ...emptyDraft,
    kind: job.kind === "train" || job.kind === "evaluate" ? job.kind : "dedup",
    testing: sourceDraft(job.testing),
    training: sourceDraft(job.training),
    truth: truthDraft(job.truth ?? undefined),
    method: job.recipe == null ? (job.method ?? emptyDraft.method) : "",
    recipe: job.recipe ?? "",
    changes: job.set ?? {},
    clustering: job.clustering ?? "",
    classifier: job.classifier ?? "",
  };
}

function sourceOf({ index, uploads, paths }: SourceDraft): JobSource {
  const given = paths.split("\n").map((path) => path.trim()).filter(Boolean);
  return { index, ...(uploads.length > 0 && { uploads: [...uploads] }), ...(given.length > 0 && { paths: given }) };
}

function sourceDraft(source: JobSource | undefined): SourceDraft {
  if (source === undefined) return indexOnly;
  return { index: source.index ?? false, uploads: source.uploads ?? [], paths: (source.paths ?? []).join("\n") };
}

function truthOf({ kind, field, file, isUpload, measure, threshold }: TruthDraft): Truth {
  const labels: LabelFile = isUpload ? { upload: file.trim() } : file.trim();
  switch (kind) {
    case "cluster_field":
      return { cluster_field: field.trim() };
    case "pairs":
      return { pairs: labels };
    case "clusters":
      return { clusters: labels };
    case "exact":
      return { exact: [measure, threshold.trim()] };
    case "decisions":
      return { decisions: true };
  }
}

function truthDraft(truth: Truth | undefined): TruthDraft {
  const draft = emptyDraft.truth;
  if (truth === undefined) return draft;
  if ("cluster_field" in truth) return { ...draft, kind: "cluster_field", field: truth.cluster_field };
  if ("pairs" in truth) return { ...draft, kind: "pairs", ...fileDraft(truth.pairs) };
  if ("clusters" in truth) return { ...draft, kind: "clusters", ...fileDraft(truth.clusters) };
  if ("exact" in truth) return { ...draft, kind: "exact", measure: truth.exact[0], threshold: truth.exact[1] };
  return draft;
}

function fileDraft(file: LabelFile): Pick<TruthDraft, "file" | "isUpload"> {
  return typeof file === "string" ? { file, isUpload: false } : { file: file.upload, isUpload: true };
}

/** The part of the form that a message of the service is about: a name, or a key such as `decide.threshold`. */
export function placeOf(message: string): string {
  const setting = /\b(?:features|sign|candidates|decide|cluster|keep)\.[a-z_]+/.exec(message);
  if (setting !== null) return setting[0];
  const named = /\b(testing|training|truth|classifier|partition|method|recipe)\b/.exec(message);
  return named?.[1] === "partition" ? "clustering" : (named?.[1] ?? "");
}
