/** The known documents that are alike, and where. */

import { useMemo, useState } from "preact/hooks";

import { idPath } from "../../lib/api";
import { useData } from "../../lib/data";
import { count, plural, similarity } from "../../lib/format";
import { marksOf } from "../../lib/offsets";
import type { Answer, Match, Stored } from "../../lib/types";
import { Bar, Button, type Column, Failed, Loading, Name, Table } from "../../parts";
import { LongText } from "../../parts/long-text";

interface MatchesProps {
  answer: Answer;
  /** Absent for a file: only the service knows its text. */
  text: string | undefined;
}

export function Matches({ answer, text }: MatchesProps) {
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
      <Passages key={chosen} match={match} text={text} />
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
      cell: ({ match }) => <Name id={match.id} to={["documents", match.id]} />,
    },
    { title: "Similarity", sort: ({ match }) => match.similarity, cell: ({ match }) => <Bar value={match.similarity} /> },
    { title: "Of the asked in it", number: true, sort: ({ match }) => match.contained_in, cell: ({ match }) => similarity(match.contained_in) },
    { title: "Of it in the asked", number: true, sort: ({ match }) => match.contains, cell: ({ match }) => similarity(match.contains) },
    { title: "Found by", cell: ({ match }) => [match.method, ...(match.because ?? [])].join(", ") },
    { title: "Set", cell: ({ match }) => match.set ?? "–" },
    {
      title: "Passages",
      cell: ({ match, place }) => (
        <Button class="small" aria-pressed={place === chosen} onClick={() => choose(place)}>
          {match.passages === undefined ? "Show" : plural(match.passages.length, "passage")}
        </Button>
      ),
    },
  ];
}

function Passages({ match, text }: { match: Match; text: string | undefined }) {
  const { data, error, reload } = useData<Stored>(`/api/documents/${idPath(match.id)}`);
  const [shown, setShown] = useState<{ number: number }>();
  const passages = match.passages ?? [];
  const select = (number: number) => setShown({ number });
  return (
    <section class="card">
      <h2>Shared passages</h2>
      {passages.length === 0 && <p class="muted">No passage is shared word by word.</p>}
      <div class="row check-passages">
        {passages.map(({ words }, place) => (
          <Button key={place} class="small" aria-pressed={shown?.number === place + 1} onClick={() => select(place + 1)}>
            {place + 1}: {plural(words, "word")}
          </Button>
        ))}
      </div>
      {error && <Failed error={error} retry={reload} />}
      <div class="check-texts">
        <div>
          <h3>Asked</h3>
          {text === undefined ? (
            <p class="muted">The text of a file stays with the service. What it shares is marked in the known document.</p>
          ) : (
            <Side label="The text that was asked about" text={text} ranges={passages.map((one) => one.asked)} {...{ shown, select }} />
          )}
        </div>
        <div>
          <h3>
            <Name id={match.id} title={data?.document.title} to={["documents", match.id]} />
          </h3>
          {data === undefined && !error && <Loading lines={8} />}
          {data !== undefined && (
            <Side
              label="The known text"
              text={data.document.text ?? ""}
              ranges={passages.map((one) => one.known)}
              {...{ shown, select }}
            />
          )}
        </div>
      </div>
    </section>
  );
}

interface SideProps {
  label: string;
  text: string;
  ranges: [number, number][];
  shown: { number: number } | undefined;
  select: (number: number) => void;
}

function Side({ label, text, ranges, shown, select }: SideProps) {
  // The ranges are a new list with each render and yet the same for the same match.
  const marks = useMemo(() => marksOf(text, ranges), [text]);
  return <LongText {...{ label, text, marks, shown, select }} />;
}
