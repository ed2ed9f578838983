/** One lexicon: how rare its words are, where one word stands, and how stable signatures made with it are. */

import { useData } from "../../lib/data";
import { count, percent } from "../../lib/format";
import { Link } from "../../lib/router";
import type { Lexicon, KnownWord } from "../../lib/types";
import { Failed, Histogram, Loading, Numbers, Page } from "../../parts";
import { Facts } from "../../parts/facts";
import { StabilityCurves } from "./stability";
import { WordLookUp, useWord } from "./word";

export function LexiconView({ name, word }: { name: string; word: string }) {
  const path = `/api/lexicons/${encodeURIComponent(name)}`;
  const { data, error, loading, reload } = useData<Lexicon>(path);
  return (
    <Page title={`Lexicon ${name}`} actions={<Link to="lexicons">All lexicons</Link>}>
      {error && <Failed error={error} retry={reload} />}
      {data === undefined && loading && <Loading lines={10} />}
      {data !== undefined && <Content lexicon={data} path={path} word={word} />}
    </Page>
  );
}

function Content({ lexicon, path, word }: { lexicon: Lexicon; path: string; word: string }) {
  const found = useWord(path, word);
  return (
    <>
      <section class="card">
        <h2>Figures</h2>
        <Facts
          facts={[
            ["Documents", count(lexicon.documents)],
            ["Terms", count(lexicon.terms)],
            ["Terms in the window", `${count(inWindow(lexicon))} (${percent(inWindow(lexicon) / Math.max(1, lexicon.terms))})`],
            ["I-Match's window", `${lexicon.window.low} to ${lexicon.window.high}`],
          ]}
        />
      </section>
      <section class="card">
        <h2>How rare its words are</h2>
        <WordLookUp name={lexicon.name} word={word} found={found} />
        <Rarity lexicon={lexicon} found={found.error ? undefined : found.data} />
      </section>
      <StabilityCurves />
    </>
  );
}

function Rarity({ lexicon, found }: { lexicon: Lexicon; found: KnownWord | undefined }) {
  const { step, terms } = lexicon.histogram;
  const { low, high } = lexicon.window;
  const end = step * terms.length;
  const name = (place: number) => `nidf ${nidfText(place * step)} to ${nidfText((place + 1) * step)}`;
  const label = `Terms by normalised idf, from words of all documents at 0 to words of one document at 1. The window of I-Match, ${low} to ${high}, holds ${count(inWindow(lexicon))} of ${count(lexicon.terms)}.`;
  return (
    <>
      <p class="muted">{label}</p>
      <Histogram
        label={label}
        values={terms}
        name={name}
        shaded={[low / end, Math.min(1, high / end)]}
        ticks={Array.from({ length: 6 }, (_, place) => nidfText((end * place) / 5))}
      >
        {found !== undefined && (
          <span class="lexicon-word" style={{ left: `${(100 * Math.min(found.nidf, end)) / end}%` }}>
            <span dir="auto">{found.word}</span>
          </span>
        )}
      </Histogram>
      <Numbers
        caption="Terms by normalised idf"
        head={["nidf", "Terms"]}
        rows={terms.map((number, place) => [name(place), count(number)])}
      />
    </>
  );
}

/** By whole bars: the histogram does not tell more. */
function inWindow({ histogram: { step, terms }, window: { low, high } }: Lexicon): number {
  return terms.reduce((sum, number, place) => {
    const middle = (place + 0.5) * step;
    return middle >= low && middle <= high ? sum + number : sum;
  }, 0);
}

function nidfText(value: number): string {
  return String(Number(value.toFixed(3)));
}
