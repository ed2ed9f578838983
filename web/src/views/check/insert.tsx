/** Taking what was checked into the index. */

import { useState } from "preact/hooks";

import { ApiError, del } from "../../lib/api";
import { useMay } from "../../lib/data";
import { sentence } from "../../lib/format";
import { documentPath, nameOf } from "../../lib/names";
import { toDocument } from "../../lib/places";
import { Link } from "../../lib/router";
import { done } from "../../lib/undo";
import type { Answer } from "../../lib/types";
import { Button, Field } from "../../parts";
import { type Asked, actionOf, insert, policies } from "./ask";

export function Insert({ asked }: { asked: Asked }) {
  const [id, setId] = useState(asked.url ?? asked.title ?? "");
  const [policy, setPolicy] = useState("");
  const [answer, setAnswer] = useState<Answer>();
  const [error, setError] = useState<string>();
  const [busy, setBusy] = useState(false);
  const may = useMay("write");

  const submit = async () => {
    setBusy(true);
    setError(undefined);
    try {
      const told = await insert(asked, id.trim(), policy);
      setAnswer(told);
      const taken = told.action === "inserted" && (told.replaced ?? []).length === 0;
      // It was sent without labels; others of its id stay.
      const own = documentPath(nameOf({ id: id.trim() }));
      done(actionOf(told), taken ? () => del(own) : undefined);
    } catch (failure) {
      setError(failure instanceof ApiError ? sentence(failure.message) : String(failure));
    } finally {
      setBusy(false);
    }
  };

  if (!may) return null;
  return (
    <form
      class="card"
      onSubmit={(event) => {
        event.preventDefault();
        if (!busy && id.trim() !== "") void submit();
      }}
    >
      <h2>Insert into the index</h2>
      <div class="check-insert">
        <Field label="Id" help="The document's name; one of this name without labels gets a new version." error={error}>
          {(input) => (
            <input {...input} dir="auto" spellcheck={false} value={id} onInput={(event) => setId(event.currentTarget.value)} />
          )}
        </Field>
        <Field label="Policy" help="What becomes of it if it resembles a known document.">
          {(input) => (
            <select {...input} value={policy} onChange={(event) => setPolicy(event.currentTarget.value)}>
              {policies.map(([name, about]) => (
                <option key={name} value={name}>
                  {about}
                </option>
              ))}
            </select>
          )}
        </Field>
        <Button type="submit" busy={busy} disabled={id.trim() === ""}>
          Insert
        </Button>
      </div>
      {answer && (
        <p>
          {actionOf(answer)}{" "}
          {answer.id !== null && answer.action !== "rejected" && <Link {...toDocument(nameOf({ id: answer.id }))}>See the document</Link>}
        </p>
      )}
    </form>
  );
}
