/** Every method and part of the service, with parameters, defaults and papers. */

import { useEffect, useMemo, useRef, useState } from "preact/hooks";

import "../style/methods.css";
import { useData } from "../lib/data";
import { plural } from "../lib/format";
import { useKeys } from "../lib/keys";
import { type Setting, defaultText, stagesOf } from "../lib/recipe";
import { type ViewProps, go } from "../lib/router";
import type { Methods as All } from "../lib/types";
import { type Column, Empty, Failed, Field, Loading, Page, Table } from "../parts";

/** A method or a part. */
interface Entry {
  /** What it is of: methods, or a stage of recipes. */
  group: string;
  name: string;
  summary: string;
  paper: string;
  settings: readonly Setting[];
}

const groupNames: Record<string, string> = {
  method: "Methods",
  features: "Features: what documents are taken apart into",
  sign: "Signatures: what stands for a document",
  candidates: "Candidates: which pairs are compared",
  partition: "Clusterings: within which pairs are compared",
  measure: "Measures: how alike two documents are",
  decide: "Decisions: what counts as a pair",
  cluster: "Clusters: what belongs together",
  keep: "Keep rules: which document stays",
};

export default function Methods({ query }: ViewProps) {
  const { data, error, loading, reload } = useData<All>("/api/methods");
  const name = query.get("name") ?? "";
  const filter = query.get("filter") ?? "";
  const entries = useMemo(() => (data === undefined ? [] : entriesOf(data)), [data]);
  const shown = useMemo(() => matching(entries, filter), [entries, filter]);
  // The method comes before parts of the same name.
  const sought = shown.find((entry) => entry.name === name);
  const groups = [...new Set(shown.map((entry) => entry.group))];
  return (
    <Page
      title="Methods"
      lead="A method is a recipe with a name; each stage of a recipe is filled by a part."
      actions={data && <span aria-live="polite">{plural(shown.length, "entry", "entries")}</span>}
    >
      <FilterField filter={filter} />
      {error && <Failed error={error} retry={reload} />}
      {data === undefined && loading && <Loading lines={14} />}
      {data !== undefined && shown.length === 0 && (
        <Empty title="Nothing matches the filter.">It is sought in names, summaries, papers and parameters.</Empty>
      )}
      {groups.map((group) => (
        <section key={group} class="card">
          <h2>{groupNames[group] ?? group}</h2>
          {shown
            .filter((entry) => entry.group === group)
            .map((entry) => (
              <EntryDetails key={entry.name} entry={entry} named={entry.name === name} sought={entry === sought} />
            ))}
        </section>
      ))}
    </Page>
  );
}

function FilterField({ filter }: { filter: string }) {
  const input = useRef<HTMLInputElement>(null);
  useKeys({ "/": () => input.current?.focus() }, { "/": "Filter" });
  return (
    <Field label="Filter" hideLabel class="methods-filter">
      {(field) => (
        <input
          {...field}
          ref={input}
          type="search"
          placeholder="Filter by name, parameter or paper"
          spellcheck={false}
          value={filter}
          onInput={(event) => go(["methods"], { filter: event.currentTarget.value }, true)}
        />
      )}
    </Field>
  );
}

interface EntryDetailsProps {
  entry: Entry;
  /** The address names it. */
  named: boolean;
  /** It is brought into sight. */
  sought: boolean;
}

function EntryDetails({ entry, named, sought }: EntryDetailsProps) {
  const element = useRef<HTMLDetailsElement>(null);
  const [open, setOpen] = useState(named);
  useEffect(() => {
    if (named) setOpen(true);
    if (sought) element.current?.scrollIntoView({ block: "start" });
  }, [named, sought]);
  return (
    <details
      ref={element}
      class={named ? "methods-entry named" : "methods-entry"}
      open={open}
      onToggle={(event) => setOpen(event.currentTarget.open)}
    >
      <summary>
        <span class="methods-name">{entry.name}</span> <span class="muted">{entry.summary}</span>
      </summary>
      {open && <Content entry={entry} />}
    </details>
  );
}

function Content({ entry }: { entry: Entry }) {
  return (
    <div class="methods-content">
      {entry.paper !== "" && <p>Paper: {entry.paper}</p>}
      {entry.settings.length === 0 ? (
        <p class="muted">No parameters.</p>
      ) : (
        <Table caption={`Parameters of ${entry.name} (${entry.group})`} columns={columns} rows={entry.settings} rowKey={(row) => row.key} />
      )}
    </div>
  );
}

const columns: Column<Setting>[] = [
  { title: "Parameter", heading: true, cell: (row) => <code>{row.key}</code> },
  { title: "Default", cell: (row) => (row.standard === "" ? "–" : <code>{row.standard}</code>) },
  { title: "Meaning", cell: (row) => row.help },
];

function entriesOf(all: All): Entry[] {
  const methods = all.methods.map((method) => ({
    group: "method",
    name: method.name,
    summary: method.summary,
    paper: method.paper,
    settings: stagesOf(all, method.recipe).flatMap((stage) => [
      { key: `${stage.name}.type`, standard: stage.part, help: stage.summary },
      ...stage.settings,
    ]),
  }));
  const parts = all.parts.map((part) => ({
    group: part.stage,
    name: part.name,
    summary: part.summary,
    paper: part.paper,
    settings: part.params.map((param) => ({ key: param.name, standard: defaultText(param.default), help: param.help })),
  }));
  return [...methods, ...parts];
}

/** Entries that have every word of the filter somewhere. */
function matching(entries: readonly Entry[], filter: string): readonly Entry[] {
  const words = filter.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return entries;
  return entries.filter(({ name, summary, paper, settings }) => {
    const text = [name, summary, paper, ...settings.flatMap(({ key, help }) => [key, help])].join(" ").toLowerCase();
    return words.every((word) => text.includes(word));
  });
}
