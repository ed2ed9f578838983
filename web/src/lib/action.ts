/** Something a button does: not twice at once, and a failure is told. */

import { useRef, useState } from "preact/hooks";

import { failed } from "./undo";

export type Action<A extends unknown[]> = [run: (...given: A) => void, busy: boolean];

export function useAction<A extends unknown[]>(act: (...given: A) => Promise<unknown>): Action<A> {
  const [busy, setBusy] = useState(false);
  // The state would be seen by the next click only after a render.
  const running = useRef(false);
  const run = (...given: A) => {
    if (running.current) return;
    running.current = true;
    setBusy(true);
    act(...given)
      .catch(failed)
      .finally(() => {
        running.current = false;
        setBusy(false);
      });
  };
  return [run, busy];
}
