/** How likely a signature survives changes, by the number of randomised lexicons. */

import { useMemo, useState } from "preact/hooks";

import { useData } from "../../lib/data";
import { exactPercent } from "../../lib/figures";
import { count, percent, plural } from "../../lib/format";
import type { Stability } from "../../lib/types";
import { Button, Failed, Loading, Numbers } from "../../parts";
import { LineChart } from "../../parts/line-chart";

export function StabilityCurves() {
  const [wanted, setWanted] = useState(false);
  const { data, error, reload } = useData<Stability>(wanted ? "/api/stability" : null);
  return (
    <section class="card">
      <h2>Stability</h2>
      <p class="muted">
        I-Match makes further signatures with copies of a lexicon that lack some of its words. The more copies, the likelier one of the
        signatures survives when words of a document change. This holds for every lexicon.
      </p>
      {!wanted && <Button onClick={() => setWanted(true)}>Show the curves</Button>}
      {error && <Failed error={error} retry={reload} />}
      {wanted && data === undefined && !error && <Loading lines={6} label="Computing the curves" />}
      {data !== undefined && <Curves stability={data} />}
    </section>
  );
}

function Curves({ stability: { dropped, changes, curves } }: { stability: Stability }) {
  const names = curves.map(({ lexicons }) => (lexicons === 0 ? "No further lexicon" : plural(lexicons, "further lexicon")));
  const lines = useMemo(
    () =>
      curves.map(({ survive }, place) => ({
        name: names[place] ?? "",
        points: survive.map((share, at) => [changes[at] ?? at, share] as const),
      })),
    [curves],
  );
  const label = `How likely a signature survives, by changed words; each further lexicon lacks ${percent(dropped)} of the words.`;
  return (
    <>
      <p>{label}</p>
      <LineChart
        label={label}
        lines={lines}
        x={{ name: "changed words", low: 0, high: Math.max(1, ...changes), text: count }}
        y={{ name: "survives", low: 0, high: 1, text: percent }}
      />
      <Numbers
        caption="How likely a signature survives"
        head={["Changed words", ...names]}
        rows={changes.map((number, at) => [count(number), ...curves.map(({ survive }) => exactPercent(survive[at]))])}
      />
    </>
  );
}
