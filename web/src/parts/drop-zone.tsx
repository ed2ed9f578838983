import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";

import "../style/drop-zone.css";
import { Field } from "./field";

interface DropZoneProps {
  label: string;
  help?: ComponentChildren;
  error?: string;
  /** Ends of file names that the file dialog offers, parted by commas. */
  accept?: string;
  multiple?: boolean;
  take: (files: File[]) => void;
}

/** Files by dropping them here, or with the browser's dialog. */
export function DropZone({ label, help, error, accept, multiple = false, take }: DropZoneProps) {
  const [over, setOver] = useState(false);
  const accepted = (list: FileList | null | undefined) => {
    const files = [...(list ?? [])].slice(0, multiple ? undefined : 1);
    if (files.length > 0) take(files);
  };
  return (
    <div
      class={over ? "drop-zone over" : "drop-zone"}
      onDragOver={(event) => {
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={(event) => {
        event.preventDefault();
        setOver(false);
        accepted(event.dataTransfer?.files);
      }}
    >
      <Field label={label} help={help} error={error}>
        {(input) => (
          <input
            {...input}
            type="file"
            accept={accept}
            multiple={multiple}
            onChange={(event) => {
              accepted(event.currentTarget.files);
              // The same file can be chosen again after it was changed.
              event.currentTarget.value = "";
            }}
          />
        )}
      </Field>
    </div>
  );
}
