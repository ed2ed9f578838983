/** Where the documents of a run come from: index, uploads, files of the server. */

import { useState } from "preact/hooks";

import type { Data } from "../../lib/data";
import type { Uploads } from "../../lib/types";
import { Field } from "../../parts";
import type { SourceDraft } from "./draft";
import { EarlierUploads } from "./earlier-uploads";
import { NewUploads } from "./new-uploads";

interface SourceFieldsProps {
  title: string;
  about: string;
  source: SourceDraft;
  uploads: Data<Uploads>;
  change: (source: SourceDraft) => void;
  error: string | undefined;
}

export function SourceFields({ title, about, source, uploads, change, error }: SourceFieldsProps) {
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
      <EarlierUploads uploads={uploads} chosen={source.uploads} toggle={toggle} />
      <details open={open}>
        <summary>Other documents</summary>
        <NewUploads added={(name) => !source.uploads.includes(name) && toggle(name, true)} />
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
