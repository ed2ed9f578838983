/** Corpora that were sent before, to choose from. */

import { useState } from "preact/hooks";

import type { Data } from "../../lib/data";
import { bytes, count, moment } from "../../lib/format";
import type { Uploads } from "../../lib/types";
import { Button, Failed, Loading } from "../../parts";

interface EarlierUploadsProps {
  uploads: Data<Uploads>;
  chosen: readonly string[];
  toggle: (name: string, on: boolean) => void;
}

interface Offered {
  name: string;
  about: string;
}

/** The newest are those that are wanted most. */
const SHOWN = 6;

export function EarlierUploads({ uploads: { data, error, loading, reload }, chosen, toggle }: EarlierUploadsProps) {
  const [all, setAll] = useState(false);
  const there = (data?.uploads ?? []).map((one): Offered => ({ name: one.name, about: `${bytes(one.bytes)}, ${moment(one.time)}` }));
  // A run that is made again may name what is not there any more.
  const gone = chosen
    .filter((name) => !there.some((one) => one.name === name))
    .map((name): Offered => ({ name, about: data === undefined || loading ? "" : "not there any more" }));
  const shown = [...gone, ...there.filter((one, place) => all || place < SHOWN || chosen.includes(one.name))];
  const hidden = gone.length + there.length - shown.length;
  return (
    <div role="group" aria-label="Uploads">
      {error && <Failed error={error} retry={reload} />}
      {data === undefined && loading && <Loading lines={2} />}
      {data !== undefined && shown.length === 0 && (
        <p class="muted">Nothing here yet: no corpus was uploaded. Send one under “Other documents”.</p>
      )}
      {shown.map(({ name, about }) => (
        <label key={name} class="run-check">
          <input type="checkbox" checked={chosen.includes(name)} onChange={(event) => toggle(name, event.currentTarget.checked)} />{" "}
          Upload <span class="mono">{name}</span> <span class="muted">{about}</span>
        </label>
      ))}
      {hidden > 0 && (
        <Button class="small" onClick={() => setAll(true)}>
          Show {count(hidden)} earlier
        </Button>
      )}
    </div>
  );
}
