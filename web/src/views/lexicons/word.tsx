/** Where a word stands in a lexicon. */

import { useState } from "preact/hooks";

import { withQuery } from "../../lib/api";
import { type Data, useData } from "../../lib/data";
import { count, plural, sentence } from "../../lib/format";
import { go } from "../../lib/router";
import type { KnownWord } from "../../lib/types";
import { Button, Field } from "../../parts";

export function useWord(path: string, word: string): Data<KnownWord> {
  return useData<KnownWord>(word === "" ? null : withQuery(`${path}/word`, { word }));
}

interface WordLookUpProps {
  name: string;
  word: string;
  found: Data<KnownWord>;
}

export function WordLookUp({ name, word, found }: WordLookUpProps) {
  const [text, setText] = useState(word);
  return (
    <>
      <form
        class="lexicon-form"
        role="search"
        onSubmit={(event) => {
          event.preventDefault();
          go(["lexicons", name], { word: text.trim() }, true);
        }}
      >
        <Field label="Word" hideLabel error={found.error && sentence(found.error.message)}>
          {(input) => (
            <input
              {...input}
              type="search"
              dir="auto"
              placeholder="Look up a word"
              value={text}
              onInput={(event) => setText(event.currentTarget.value)}
            />
          )}
        </Field>
        <Button type="submit">Look up</Button>
      </form>
      <p aria-live="polite">{found.data && !found.error && wordText(found.data)}</p>
    </>
  );
}

function wordText({ word, df, nidf, rank, in_window }: KnownWord): string {
  if (rank === null) return `“${word}” is not in the lexicon; it counts as a word that occurs once.`;
  const place = in_window ? "I-Match uses it" : "it lies outside of I-Match's window";
  const often = plural(df, "document has", "documents have");
  return `${often} “${word}”: number ${count(rank)} by frequency, nidf ${nidf.toFixed(3)}; ${place}.`;
}
