import { useState } from "preact/hooks";

import { useAction } from "../../lib/action";
import { ApiError, post } from "../../lib/api";
import { refreshAll } from "../../lib/data";
import { bytes, plural } from "../../lib/format";
import { done } from "../../lib/undo";
import type { Removal } from "../../lib/types";
import { Button, Dialog } from "../../parts";
import type { Previewed } from "./preview";
import { putBack } from "./put-back";

interface ApplyProps {
  shown: Previewed;
  /** What another choice would do is asked for already. */
  isStale: boolean;
}

/** Removes exactly what the preview shows, once the reader has said so twice. */
export function Apply({ shown: { choice, preview }, isStale }: ApplyProps) {
  const [open, setOpen] = useState(false);
  const [apply, busy] = useAction(async () => {
    try {
      const { plan } = preview;
      const { removal, documents, refused = [] } = await post<Removal>("/api/removals", plan === undefined ? choice : { plan });
      const stayed = refused.length === 0 ? "" : `; ${plural(refused.length, "document")} changed since and stayed`;
      done(`Removed ${plural(documents, "document")}${stayed}`, async () => void (await putBack(removal)));
    } catch (error) {
      throw isForgotten(error) ? new Error("nothing was removed: what was shown here is out of date, look at it again") : error;
    } finally {
      // A plan serves once, also where it failed.
      setOpen(false);
      refreshAll();
    }
  });
  const what = plural(preview.removed, "document");
  return (
    <div class="no-print">
      <Button kind="danger" disabled={preview.removed === 0 || isStale} onClick={() => setOpen(true)}>
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
          cluster stays, and so does whatever changed since this was shown.
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

/** The service remembers the last few plans only. */
function isForgotten(error: unknown): boolean {
  return error instanceof ApiError && error.code === "unknown-plan";
}
