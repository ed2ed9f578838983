/** The shapes of the service's answers and requests, and what the page knows of them beyond the OpenAPI document. */

import type { JobSummary, Stored as AnyStored } from "../../../clients/typescript/src/types";

export type * from "../../../clients/typescript/src/types";

/** Start and end in bytes of the UTF-8 text. */
export type ByteRange = [number, number];

/** A line of a corpus: these and any other fields. */
export interface DocumentLine {
  text?: string;
  title?: string;
  url?: string;
  time?: string | number;
  links?: unknown;
  images?: unknown;
  [field: string]: unknown;
}

export type Stored = Omit<AnyStored, "document"> & { document: DocumentLine };

/** The file `questions.json` of a job of the kind `ask`. */
export type Questions = Required<Pick<JobSummary, "questions" | "labelled" | "trained" | "estimate">>;
