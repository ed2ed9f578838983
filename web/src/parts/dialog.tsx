import type { ComponentChildren } from "preact";
import { useEffect, useId, useRef } from "preact/hooks";

import { Button } from "./button";

interface DialogProps {
  title: string;
  open: boolean;
  onClose: () => void;
  /** Buttons beside the one that closes. */
  actions?: ComponentChildren;
  children?: ComponentChildren;
}

export function Dialog({ title, open, onClose, actions, children }: DialogProps) {
  const element = useRef<HTMLDialogElement>(null);
  const heading = useId();
  useEffect(() => {
    const dialog = element.current;
    if (dialog === null || dialog.open === open) return;
    if (open) dialog.showModal();
    else dialog.close();
  }, [open]);
  return (
    <dialog
      ref={element}
      class="dialog"
      aria-labelledby={heading}
      onClose={onClose}
      onClick={(event) => event.target === element.current && onClose()}
    >
      {open && (
        <div class="dialog-body">
          <h2 id={heading}>{title}</h2>
          {children}
          <div class="dialog-actions">
            {actions}
            <Button onClick={onClose}>Close</Button>
          </div>
        </div>
      )}
    </dialog>
  );
}
