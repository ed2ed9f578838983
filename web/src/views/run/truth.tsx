/** What is taken as true, for learning and judging. */

import { Field } from "../../parts";
import type { TruthDraft, TruthKind } from "./draft";

const kinds: Record<TruthKind, string> = {
  decisions: "Decisions of reviewers",
  cluster_field: "A field that names the cluster",
  pairs: "A file of labelled pairs",
  clusters: "A file of clusters",
  exact: "Every pair of an exact measure",
};

interface TruthFieldsProps {
  truth: TruthDraft;
  change: (truth: TruthDraft) => void;
  measures: readonly string[];
  error: string | undefined;
}

export function TruthFields({ truth, change, measures, error }: TruthFieldsProps) {
  return (
    <fieldset class="run-group">
      <legend>Truth</legend>
      <div class="field-grid">
        <Field label="What is true" error={error}>
          {(input) => (
            <select
              {...input}
              value={truth.kind}
              onChange={(event) => change({ ...truth, kind: event.currentTarget.value as TruthKind })}
            >
              {Object.entries(kinds).map(([kind, name]) => (
                <option key={kind} value={kind}>
                  {name}
                </option>
              ))}
            </select>
          )}
        </Field>
        {truth.kind === "cluster_field" && (
          <TextField
            label="Field"
            help="Documents with the same value are near-duplicates."
            value={truth.field}
            change={(field) => change({ ...truth, field })}
          />
        )}
        {(truth.kind === "pairs" || truth.kind === "clusters") && (
          <>
            <Field label="Where it is" help={truth.isUpload ? undefined : "In a folder that the setting corpora names."}>
              {(input) => (
                <select
                  {...input}
                  value={truth.isUpload ? "upload" : "server"}
                  onChange={(event) => change({ ...truth, isUpload: event.currentTarget.value === "upload" })}
                >
                  <option value="server">On the server</option>
                  <option value="upload">It was uploaded</option>
                </select>
              )}
            </Field>
            <TextField
              label="File"
              help={truth.kind === "pairs" ? "JSON lines or CSV with a, b and label." : "JSON lines or CSV with id and cluster, or clusters.jsonl of a run."}
              value={truth.file}
              change={(file) => change({ ...truth, file })}
            />
          </>
        )}
        {truth.kind === "exact" && (
          <>
            <Field label="Measure">
              {(input) => (
                <select
                  {...input}
                  value={truth.measure}
                  onChange={(event) => change({ ...truth, measure: event.currentTarget.value })}
                >
                  {measures.map((name) => (
                    <option key={name} value={name}>
                      {name}
                    </option>
                  ))}
                </select>
              )}
            </Field>
            <TextField
              label="From"
              help="A similarity above 0 and at most 1."
              value={truth.threshold}
              change={(threshold) => change({ ...truth, threshold })}
            />
          </>
        )}
      </div>
    </fieldset>
  );
}

interface TextFieldProps {
  label: string;
  help: string;
  value: string;
  change: (value: string) => void;
}

function TextField({ label, help, value, change }: TextFieldProps) {
  return (
    <Field label={label} help={help}>
      {(input) => (
        <input {...input} spellcheck={false} value={value} onInput={(event) => change(event.currentTarget.value)} />
      )}
    </Field>
  );
}
