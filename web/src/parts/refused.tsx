import { useMemo } from "preact/hooks";

import { plural } from "../lib/format";
import { type Labels, ambiguityOf } from "../lib/names";
import { rememberShared } from "../lib/places";
import { Link, type Place } from "../lib/router";
import { Failed } from "./states";

interface RefusedProps {
  error: Error;
  retry: () => void;
  /** Where the document with this id and these labels is shown. */
  choose: (labels: Labels, id: string) => Place;
}

/** Why there is nothing to show; where the address fits several documents, these to choose from. */
export function Refused({ error, retry, choose }: RefusedProps) {
  const found = useMemo(() => {
    const ambiguity = ambiguityOf(error);
    if (ambiguity !== undefined) rememberShared(ambiguity.id);
    return ambiguity;
  }, [error]);
  if (found === undefined) return <Failed error={error} retry={retry} />;
  const { id, choices } = found;
  return (
    <section class="card">
      <h2>Which one is meant?</h2>
      <p>
        {plural(choices.length, "document")} have the id <strong dir="auto">{id}</strong>, for different readers:
      </p>
      <ul>
        {choices.map((labels) => (
          <li key={labels.join("\n")}>
            <Link {...choose(labels, id)}>
              {labels.length === 0 ? "the one without labels" : `the one labelled ${labels.join(", ")}`}
            </Link>
          </li>
        ))}
      </ul>
    </section>
  );
}
