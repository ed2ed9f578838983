/** Was this seen before? A text or a file is compared with all that is known, and may then be inserted. */

import { useState } from "preact/hooks";

import "../style/check.css";
import { bytes, sentence } from "../lib/format";
import { useKeys } from "../lib/keys";
import { nameOf } from "../lib/names";
import { toCluster } from "../lib/places";
import { Link } from "../lib/router";
import type { Answer } from "../lib/types";
import { Button, Failed, Field, Page } from "../parts";
import { DropZone } from "../parts/drop-zone";
import { type Asked, askedOfFile, check, verdictOf } from "./check/ask";
import { Insert } from "./check/insert";
import { Matches } from "./check/matches";

interface Result {
  asked: Asked;
  answer: Answer;
  /** Each answer is shown from its start. */
  number: number;
}

export default function Check() {
  const [result, setResult] = useState<Result>();
  const [error, setError] = useState<Error>();
  const [busy, setBusy] = useState(false);

  const ask = async (make: () => Promise<Asked>) => {
    setBusy(true);
    setError(undefined);
    try {
      const asked = await make();
      const answer = await check(asked);
      setResult((before) => ({ asked, answer, number: (before?.number ?? 0) + 1 }));
    } catch (failure) {
      setResult(undefined);
      setError(failure instanceof Error ? failure : new Error(String(failure)));
    } finally {
      setBusy(false);
    }
  };

  return (
    <Page title="Check" lead="Was a document seen before? Nothing is stored by looking.">
      <CheckForm busy={busy} ask={(make) => void ask(make)} />
      {error && <Failed error={error} />}
      <div aria-live="polite">{result && <Verdict answer={result.answer} />}</div>
      {result && <Matches key={`matches ${result.number}`} answer={result.answer} />}
      {result && result.answer.verdict !== "unreadable" && <Insert key={`insert ${result.number}`} asked={result.asked} />}
    </Page>
  );
}

interface CheckFormProps {
  busy: boolean;
  ask: (make: () => Promise<Asked>) => void;
}

/** A file goes before the text, as long as there is one. */
function CheckForm({ busy, ask }: CheckFormProps) {
  const [text, setText] = useState("");
  const [file, setFile] = useState<File>();
  const [url, setUrl] = useState("");
  const empty = file === undefined && text.trim() === "";
  const submit = () => {
    if (busy || empty) return;
    const address = url.trim();
    ask(file === undefined ? async () => ({ text, ...(address !== "" && { url: address }) }) : () => askedOfFile(file, address));
  };
  useKeys({}, { "Ctrl+Enter": "Check the text, while it is written" });
  return (
    <form
      class="card check-form"
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
    >
      <Field label="Text" help={file && "The file is checked instead."}>
        {(input) => (
          <textarea
            {...input}
            class="check-input"
            dir="auto"
            placeholder="Paste a text"
            value={text}
            onInput={(event) => setText(event.currentTarget.value)}
            onKeyDown={(event) => {
              if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) submit();
            }}
          />
        )}
      </Field>
      <div>
        <DropZone
          label="File or saved page"
          help="PDF, Office and OpenDocument files, HTML, mail, plain text and more. Drop one here or choose it."
          take={([taken]) => setFile(taken)}
        />
        {file && (
          <p class="row">
            <span dir="auto">{file.name}</span>
            <span class="muted">{bytes(file.size)}</span>
            <Button class="small" onClick={() => setFile(undefined)}>
              Take away
            </Button>
          </p>
        )}
        <Field label="Address" help="Where it was saved from, if it was. The service fetches nothing itself.">
          {(input) => (
            <input {...input} type="url" dir="ltr" value={url} onInput={(event) => setUrl(event.currentTarget.value)} />
          )}
        </Field>
        <Button kind="primary" type="submit" busy={busy} disabled={empty}>
          Check
        </Button>
      </div>
    </form>
  );
}

const verdictClasses: Record<Answer["verdict"], string> = {
  new: "good",
  "near-duplicate": "warn",
  duplicate: "bad",
  unreadable: "",
};

function Verdict({ answer }: { answer: Answer }) {
  return (
    <div class={`card check-verdict ${verdictClasses[answer.verdict]}`}>
      <p>
        <strong>{sentence(verdictOf(answer))}</strong>{" "}
        {answer.cluster !== null && (
          <Link {...toCluster(nameOf({ id: answer.cluster, labels: answer.master_labels }))}>See the cluster</Link>
        )}
      </p>
      {answer.set && (
        <p>
          It resembles the set <strong>{answer.set.name}</strong>.
        </p>
      )}
    </div>
  );
}
