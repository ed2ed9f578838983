import { useEffect, useRef, useState } from "preact/hooks";

import { useKeys } from "../lib/keys";
import { Field } from "./field";

interface FilterFieldProps {
  placeholder: string;
  value: string;
  /** Called when the reader pauses. */
  set: (value: string) => void;
  error?: string;
}

const TYPING_MILLISECONDS = 250;

/** A field for a filter that is in the address; `/` goes to it. */
export function FilterField({ placeholder, value, set, error }: FilterFieldProps) {
  const input = useRef<HTMLInputElement>(null);
  const typing = useRef<ReturnType<typeof setTimeout>>(undefined);
  const latest = useRef(set);
  latest.current = set;
  const [text, setText] = useState(value);

  // The address may change by the browser's history, but not under the reader's hands.
  useEffect(() => {
    if (document.activeElement !== input.current) setText(value);
  }, [value]);
  useEffect(() => () => clearTimeout(typing.current), []);
  useKeys({ "/": () => input.current?.focus() }, { "/": "Filter" });

  const type = (typed: string) => {
    setText(typed);
    clearTimeout(typing.current);
    typing.current = setTimeout(() => latest.current(typed.trim()), TYPING_MILLISECONDS);
  };
  return (
    <Field label="Filter" hideLabel error={error} class="filter-field">
      {(field) => (
        <input
          {...field}
          ref={input}
          type="search"
          dir="auto"
          spellcheck={false}
          placeholder={placeholder}
          value={text}
          onInput={(event) => type(event.currentTarget.value)}
        />
      )}
    </Field>
  );
}
