import { useState } from "preact/hooks";

import { useAction } from "../../lib/action";
import { post } from "../../lib/api";
import { refreshAll } from "../../lib/data";
import { bytes, plural } from "../../lib/format";
import { done } from "../../lib/undo";
import type { Preview, RemovalChoice } from "../../lib/types";
import { Button, Dialog } from "../../parts";

/** Removes what the preview shows, once the reader has said so twice. */
export function Apply({ choice, preview }: { choice: RemovalChoice; preview: Preview }) {
  const [open, setOpen] = useState(false);
  const [apply, busy] = useAction(async () => {
    const { removal, documents } = await post<{ removal: number; documents: number }>("/api/removals", choice);
    setOpen(false);
    done(`Removed ${plural(documents, "document")}`, () => post(`/api/removals/${removal}/undo`, {}));
    refreshAll();
  });
  const what = plural(preview.removed, "document");
  return (
    <div class="no-print">
      <Button kind="danger" disabled={preview.removed === 0} onClick={() => setOpen(true)}>
        Remove…
      </Button>
      <Dialog
        title={`Remove ${what}?`}
        open={open}
        onClose={() => setOpen(false)}
        actions={
          <Button kind="danger" busy={busy} onClick={apply}>
            Remove {what}
          </Button>
        }
      >
        <p>
          {what} of {plural(preview.clusters, "cluster")}, {bytes(preview.bytes)} of text, are removed from the index. One document of each
          cluster stays.
        </p>
        <dl class="keep-chosen">
          <dt>Rules</dt>
          <dd>{choice.keep ? <code>{choice.keep}</code> : "the index's own"}</dd>
          <dt>Filter</dt>
          <dd>{choice.filter ? <code dir="auto">{choice.filter}</code> : "none: all clusters"}</dd>
        </dl>
        <p>It can be taken back in the list of removals below.</p>
      </Dialog>
    </div>
  );
}
