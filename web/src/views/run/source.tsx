/** Where the documents of a run come from: index, uploads, files of the server. */

import { useState } from "preact/hooks";

import { useData } from "../../lib/data";
import { useStore } from "../../lib/store";
import type { Jobs } from "../../lib/types";
import { uploaded } from "../../lib/upload";
import { Field } from "../../parts";
import type { SourceDraft } from "./draft";
import { Uploads } from "./uploads";

interface SourceFieldsProps {
  title: string;
  about: string;
  source: SourceDraft;
  change: (source: SourceDraft) => void;
  error: string | undefined;
}

export function SourceFields({ title, about, source, change, error }: SourceFieldsProps) {
  const known = useKnownUploads(source.uploads);
  // It must not close under the hands of who empties the field.
  const [open] = useState(source.paths !== "");
  const toggle = (name: string, on: boolean) =>
    change({ ...source, uploads: on ? [...source.uploads, name] : source.uploads.filter((other) => other !== name) });
  return (
    <fieldset class="run-group">
      <legend>{title}</legend>
      <p class="muted">{about}</p>
      <label class="run-check">
        <input
          type="checkbox"
          checked={source.index}
          onChange={(event) => change({ ...source, index: event.currentTarget.checked })}
        />{" "}
        The documents of the index
      </label>
      {known.map((name) => (
        <label key={name} class="run-check">
          <input
            type="checkbox"
            checked={source.uploads.includes(name)}
            onChange={(event) => toggle(name, event.currentTarget.checked)}
          />{" "}
          Upload <span class="mono">{name}</span>
        </label>
      ))}
      <details open={open}>
        <summary>Other documents</summary>
        <Uploads added={(name) => !source.uploads.includes(name) && toggle(name, true)} />
        <Field label="Files of the server" help="Paths, one a line. They must lie in a folder that the setting corpora names.">
          {(input) => (
            <textarea
              {...input}
              rows={2}
              spellcheck={false}
              value={source.paths}
              onInput={(event) => change({ ...source, paths: event.currentTarget.value })}
            />
          )}
        </Field>
      </details>
      {error !== undefined && <p class="field-error">{error}</p>}
    </fieldset>
  );
}

/** What was sent now, what earlier jobs used, and what is chosen. */
function useKnownUploads(chosen: readonly string[]): string[] {
  const sent = useStore(uploaded).map((one) => one.name);
  const { data } = useData<Jobs>("/api/jobs");
  const used = (data?.jobs ?? []).flatMap(({ spec }) => [...(spec.testing?.uploads ?? []), ...(spec.training?.uploads ?? [])]);
  return [...new Set([...sent, ...used, ...chosen])].sort();
}
