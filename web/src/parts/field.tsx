import type { ComponentChildren } from "preact";
import { useId } from "preact/hooks";

/** To be given to the input. */
export interface FieldInput {
  id: string;
  "aria-describedby"?: string;
  "aria-invalid"?: boolean;
}

interface FieldProps {
  label: string;
  help?: ComponentChildren;
  error?: string;
  /** The label is read out but not shown. */
  hideLabel?: boolean;
  class?: string;
  children: (input: FieldInput) => ComponentChildren;
}

/** An input with its label: `<Field label="Name">{(input) => <input {...input} />}</Field>`. */
export function Field({ label, help, error, hideLabel, class: more, children }: FieldProps) {
  const id = useId();
  const about = `${id}-about`;
  const described = help !== undefined || error !== undefined;
  return (
    <div class={more ? `field ${more}` : "field"}>
      <label for={id} class={hideLabel ? "hidden" : undefined}>
        {label}
      </label>
      {children({ id, ...(described && { "aria-describedby": about }), ...(error !== undefined && { "aria-invalid": true }) })}
      {described && (
        <div id={about} class={error === undefined ? "field-help" : "field-error"} aria-live="polite">
          {error ?? help}
        </div>
      )}
    </div>
  );
}
