import { notices, dismiss, undo } from "../lib/undo";
import { useStore } from "../lib/store";
import { Button } from "./button";

/** The region is there before its first message: one that comes together with its text is not read out. */
export function Toasts() {
  const shown = useStore(notices);
  return (
    <div class="toasts" role="log" aria-live="polite" aria-label="Messages">
      {shown.map((notice) => (
        <div key={notice.number} class={`toast ${notice.kind}`}>
          <span title={notice.message}>{notice.message}</span>
          {notice.undo && (
            <Button kind="quiet" onClick={() => void undo(notice)}>
              Undo
            </Button>
          )}
          <Button kind="quiet" aria-label="Dismiss" onClick={() => dismiss(notice)}>
            ×
          </Button>
        </div>
      ))}
    </div>
  );
}
