/** The known documents that are alike, and where. */

import { useMemo, useState } from "preact/hooks";

import { useData } from "../../lib/data";
import { textOf } from "../../lib/fields";
import { count, plural, similarity } from "../../lib/format";
import { documentPath, nameOf } from "../../lib/names";
import { toDocument } from "../../lib/places";
import type { Answer, Match, Stored } from "../../lib/types";
import { Bar, Button, type Column, Contradiction, Failed, Loading, Name, Table } from "../../parts";
import { NameBelow } from "../../parts/name";
import { SharedPassages } from "../../parts/shared-passages";

export function Matches({ answer }: { answer: Answer }) {
  const [chosen, setChosen] = useState(0);
  const match = answer.matches[chosen];
  if (match === undefined) return null;
  const columns = columnsFor(chosen, setChosen);
  return (
    <>
      <section class="card">
        <h2>{plural(answer.matching, "match", "matches")}</h2>
        {answer.matching > answer.matches.length && <p class="muted">The {count(answer.matches.length)} most similar are shown.</p>}
        <Table
          caption="Known documents that are alike"
          columns={columns}
          rows={answer.matches.map((one, place) => ({ match: one, place }))}
          rowKey={(row) => row.place}
          rowClass={(row) => (row.place === chosen ? "check-chosen" : undefined)}
        />
      </section>
      <Passages key={chosen} match={match} asked={answer.text ?? ""} />
    </>
  );
}

interface MatchRow {
  match: Match;
  place: number;
}

function columnsFor(chosen: number, choose: (place: number) => void): Column<MatchRow>[] {
  return [
    {
      title: "Document",
      heading: true,
      class: "wide",
      cell: ({ match: { id, labels, title } }) => (
        <>
          <Name {...{ id, labels, title }} {...toDocument(nameOf({ id, labels }))} />
          <NameBelow {...{ id, labels, title }} />
        </>
      ),
    },
    { title: "Similarity", sort: ({ match }) => match.similarity, cell: ({ match }) => <Bar value={match.similarity} /> },
    { title: "Of the asked in it", number: true, sort: ({ match }) => match.contained_in, cell: ({ match }) => similarity(match.contained_in) },
    { title: "Of it in the asked", number: true, sort: ({ match }) => match.contains, cell: ({ match }) => similarity(match.contains) },
    {
      title: "Differs in",
      cell: ({ match }) => (
        <>
          {match.difference?.join(", ") ?? "–"} <Contradiction streams={match.streams} />
        </>
      ),
    },
    { title: "Found by", cell: ({ match }) => [match.method, ...(match.because ?? [])].join(", ") },
    { title: "Set", cell: ({ match }) => match.set ?? "–" },
    {
      title: "Passages",
      cell: ({ match, place }) => (
        <Button class="small" aria-pressed={place === chosen} onClick={() => choose(place)}>
          {plural(match.passages?.length ?? 0, "passage")}
        </Button>
      ),
    },
  ];
}

/** What was asked about and the known document side by side. */
function Passages({ match, asked }: { match: Match; asked: string }) {
  const { data, error, reload } = useData<Stored>(documentPath(nameOf(match)));
  const passages = match.passages ?? [];
  const inAsked = useMemo(() => passages.map((passage) => passage.asked), [match]);
  const inKnown = useMemo(() => passages.map((passage) => passage.known), [match]);
  return (
    <section class="card">
      <h2>Shared passages</h2>
      {error && <Failed error={error} retry={reload} />}
      {data === undefined && !error && <Loading lines={10} />}
      {data !== undefined && (
        <div class="check-texts">
          <SharedPassages
            left={{ label: "The text that was asked about", head: <h3>What was asked</h3>, text: asked, ranges: inAsked }}
            right={{
              label: "The known text",
              head: (
                <h3>
                  <Name id={match.id} labels={match.labels} title={match.title} {...toDocument(nameOf(match))} />
                </h3>
              ),
              text: textOf(data),
              ranges: inKnown,
            }}
            words={passages.map((passage) => passage.words)}
          />
        </div>
      )}
    </section>
  );
}
