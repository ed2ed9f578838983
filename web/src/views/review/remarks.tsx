/** A note on a pair, or its tags. */

import { useLayoutEffect, useRef, useState } from "preact/hooks";

import { useAction } from "../../lib/action";
import { post } from "../../lib/api";
import { useMe } from "../../lib/data";
import { nameOf } from "../../lib/names";
import type { Remarks, ReviewPair } from "../../lib/types";
import { done } from "../../lib/undo";
import { Button, Field } from "../../parts";
import type { Review } from "./queue";

export type RemarkKind = "note" | "tags";

interface RemarkFormProps {
  kind: RemarkKind;
  pair: ReviewPair;
  review: Review;
  close: () => void;
}

/** Enter saves and Escape leaves it, so that the hands stay on the keys. */
export function RemarkForm({ kind, pair, review, close }: RemarkFormProps) {
  const me = useMe();
  const input = useRef<HTMLInputElement>(null);
  const before = kind === "tags" ? pair.tags.join(", ") : (pair.notes.find((note) => note.by === me?.name)?.text ?? "");
  const [typed, setTyped] = useState<string>();
  const text = typed ?? before;
  // At once: what is typed next must not be taken for keys that decide.
  useLayoutEffect(() => input.current?.focus(), [kind]);

  const [save, saving] = useAction(async () => {
    const set = async (value: string) => {
      const [a, b] = [nameOf(pair.a), nameOf(pair.b)];
      const change = kind === "note" ? { note: value } : { tags: tagsOf(value) };
      const names = { a: a.id, a_labels: a.labels, b: b.id, b_labels: b.labels };
      review.patch(pair, await post<Remarks>("/api/review/remarks", { ...names, ...change }));
    };
    await set(text);
    done(kind === "note" ? "Note saved" : "Tags saved", () => set(before));
    close();
  });
  return (
    <form
      class="row review-remark"
      onSubmit={(event) => {
        event.preventDefault();
        save();
      }}
      onKeyDown={(event) => event.key === "Escape" && close()}
    >
      <Field label={kind === "note" ? "Your note" : "Tags, parted by commas"} class="review-remark-field">
        {(field) => (
          <input
            {...field}
            ref={input}
            type="text"
            dir="auto"
            autocomplete="off"
            maxLength={4000}
            value={text}
            onInput={(event) => setTyped(event.currentTarget.value)}
          />
        )}
      </Field>
      <Button kind="primary" type="submit" busy={saving}>
        Save
      </Button>
      <Button onClick={close}>Cancel</Button>
    </form>
  );
}

function tagsOf(text: string): string[] {
  return text
    .split(",")
    .map((tag) => tag.trim())
    .filter(Boolean);
}
