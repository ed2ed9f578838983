import { useMemo } from "preact/hooks";

import { ApiError, post } from "../../lib/api";
import { useAsk, useData } from "../../lib/data";
import { count, plural, sentence } from "../../lib/format";
import { toJson } from "../../lib/json";
import type { DocumentName } from "../../lib/names";
import { type Changes, stagesOf } from "../../lib/recipe";
import { saveText } from "../../lib/save";
import type { Methods, NewProfile, Profile } from "../../lib/types";
import { Button, Empty, Failed, Field, Loading, Table } from "../../parts";
import { Settings } from "../../parts/settings";
import { WeightChart, featureText, weightText } from "../../parts/weight-chart";

interface WeightsProps {
  name: DocumentName;
  given: Record<string, string>;
  change: (more: Record<string, string | null>, replace?: boolean) => void;
}

const TYPING_MILLISECONDS = 300;
const HEAVIEST_SHOWN = 50;

/** What each word or phrase of a document weighs, by the index's recipe or by another method. */
export function Weights({ name, given, change }: WeightsProps) {
  const method = given["method"] ?? "";
  const set = changesOf(given["set"] ?? "");
  const { id, labels } = name;
  const question: NewProfile = { id, labels: labels && [...labels], ...(method && { method }), ...(Object.keys(set).length > 0 && { set }) };
  const ask = (signal: AbortSignal) => post<Profile>("/api/profile", question, signal);
  const { data, error, loading, reload } = useAsk(toJson(question), ask, { wait: TYPING_MILLISECONDS });
  const wrong = error instanceof ApiError && error.status < 500 ? sentence(error.message) : undefined;
  return (
    <section class="card" aria-busy={loading}>
      <h2>What weighs in it</h2>
      <Choice
        {...{ method, set, wrong }}
        choose={(name) => change({ method: name || null, set: null }, true)}
        change={(next) => change({ set: linesOf(next) }, true)}
      />
      {error && <Failed error={error} retry={reload} />}
      {data === undefined && loading && <Loading lines={18} />}
      {data && <Charts profile={data} />}
    </section>
  );
}

interface ChoiceProps {
  method: string;
  set: Changes;
  /** What the service found wrong with the choice. */
  wrong: string | undefined;
  choose: (method: string) => void;
  change: (set: Changes) => void;
}

function Choice({ method, set, wrong, choose, change }: ChoiceProps) {
  const { data: methods } = useData<Methods>("/api/methods");
  const chosen = methods?.methods.find((one) => one.name === method);
  // Weights are made with the features; what comes later only reads them.
  const stages = methods && chosen ? stagesOf(methods, chosen.recipe, set).filter((stage) => stage.name === "features") : [];
  const errorOf = (key: string) => (wrong !== undefined && Object.hasOwn(set, key) && wrong.includes(key) ? wrong : undefined);
  return (
    <>
      <Field label="Weighed by" help={chosen?.summary} class="document-method">
        {(input) => (
          <select {...input} value={method} onChange={(event) => choose(event.currentTarget.value)}>
            <option value="">the index's recipe</option>
            {methods?.methods.map(({ name }) => (
              <option key={name} value={name}>
                {name}
              </option>
            ))}
          </select>
        )}
      </Field>
      {stages.length > 0 && <Settings {...{ stages, errorOf, change }} changes={set} />}
    </>
  );
}

function Charts({ profile: { features, variant, distinct } }: { profile: Profile }) {
  const inOrder = useMemo(() => features.toSorted((one, other) => one.place - other.place), [features]);
  const byWeight = useMemo(() => features.toSorted((one, other) => other.weight - one.weight), [features]);
  const heaviest = byWeight[0];
  if (heaviest === undefined) {
    return <Empty title="Nothing weighs anything in this document.">It has no features by this method, so it matches nothing.</Empty>;
  }
  // Such as shingles without weights: bars of one height say nothing.
  const isEven = byWeight.at(-1)?.weight === heaviest.weight;
  const most = `the heaviest is ${featureText(heaviest)} with ${weightText(heaviest.weight)}`;
  return (
    <>
      <div class="row">
        <span>{plural(distinct, "feature")}</span>
        {features.length < distinct && <span class="muted">The first {count(features.length)} are shown.</span>}
        <span class="muted document-variant">{variant}</span>
        <Button class="small" onClick={() => saveText(tableOf(inOrder), "text/csv", "weights.csv")}>
          Download as CSV
        </Button>
      </div>
      {isEven ? (
        <p>All weigh the same, {weightText(heaviest.weight)}: it counts which features two documents share, not how heavy they are.</p>
      ) : (
        <>
          <h3>In the order of the text</h3>
          <WeightChart label={`Weights in the order of the text; ${most}`} features={inOrder} />
          <h3>By weight</h3>
          <WeightChart label={`Weights from the heaviest to the lightest; ${most}`} features={byWeight} />
        </>
      )}
      <h3>
        The {isEven && "first "}
        {count(Math.min(HEAVIEST_SHOWN, features.length))} {isEven ? "of the text" : "heaviest"}
      </h3>
      <Table
        caption={isEven ? "The first features" : "The heaviest features"}
        rows={(isEven ? inOrder : byWeight).slice(0, HEAVIEST_SHOWN)}
        rowKey={(row) => `${row.place} ${row.text}`}
        columns={[
          {
            title: "Feature",
            heading: true,
            class: "document-value",
            sort: (row) => row.text,
            cell: (row) => <span dir="auto">{featureText(row)}</span>,
          },
          { title: "Weight", number: true, sort: (row) => row.weight, cell: (row) => weightText(row.weight) },
          { title: "Place", number: true, sort: (row) => row.place, cell: (row) => count(row.place) },
        ]}
      />
    </>
  );
}

/** In an address the changes are lines such as `features.weight=idf`. */
function changesOf(lines: string): Record<string, string> {
  const parts = lines.split("\n").filter((line) => line.includes("="));
  return Object.fromEntries(parts.map((line) => [line.slice(0, line.indexOf("=")), line.slice(line.indexOf("=") + 1)]));
}

function linesOf(changes: Changes): string {
  return Object.entries(changes)
    .map(([key, value]) => `${key}=${value}`)
    .join("\n");
}

function tableOf(features: Profile["features"]): string {
  const rows = features.map(({ place, weight, text }) => `${place},${weight},"${text.replaceAll('"', '""')}"`);
  return ["place,weight,feature", ...rows, ""].join("\n");
}
