import { useState } from "preact/hooks";

import { useAction } from "../../lib/action";
import { del, post, withQuery } from "../../lib/api";
import { shortName } from "../../lib/fields";
import { documentPath, isSame, masterOfStored, nameOf } from "../../lib/names";
import { toCluster, toDocument } from "../../lib/places";
import { go, visit } from "../../lib/router";
import { done } from "../../lib/undo";
import type { Answer, Stored } from "../../lib/types";
import { Button, Dialog } from "../../parts";

/** Removes the document; an undo adds it again as it was. */
export function RemoveDocument({ stored }: { stored: Stored }) {
  const [open, setOpen] = useState(false);
  const name = shortName(stored);
  const [remove, busy] = useAction(async () => {
    await del(documentPath(nameOf(stored)));
    setOpen(false);
    done(`Removed ${name}`, () => addAgain(stored));
    const master = masterOfStored(stored);
    if (master === null || isSame(master, nameOf(stored))) go("clusters");
    else visit(toCluster(master));
  });
  return (
    <>
      <Button kind="danger" onClick={() => setOpen(true)}>
        Delete…
      </Button>
      <Dialog
        title="Delete this document?"
        open={open}
        onClose={() => setOpen(false)}
        actions={
          <Button kind="danger" busy={busy} onClick={remove}>
            Delete
          </Button>
        }
      >
        <p>
          <strong dir="auto">{name}</strong> is removed from the index. If it stands for a cluster, the next best takes its place.
        </p>
        <p>An undo adds it again, but its versions and hits so far are lost.</p>
      </Dialog>
    </>
  );
}

async function addAgain(stored: Stored): Promise<void> {
  const left = stored.expires === undefined ? null : Math.max(1, Math.round(stored.expires - Date.now() / 1000));
  // Whatever the service does with near-duplicates: this one was there.
  const document = { ...stored.document, id: stored.id, labels: stored.labels };
  await post<Answer>(withQuery("/api/documents", { policy: "report", ttl: left }), document);
  visit(toDocument(nameOf(stored)));
}
