/**
 * Keys of a view and of the whole page.
 *
 * A key is `event.key`, with `Ctrl+` before it where Ctrl or ⌘ is held. Keys rest while somebody types in a field or a dialog is open,
 * and Enter and the space bar belong to the button or link that has the focus.
 */

import { useLayoutEffect, useRef } from "preact/hooks";

import { store } from "./store";

export type Handlers = Record<string, (event: KeyboardEvent) => void>;
/** What each key does, in the order it is shown: `{ "j / k": "next or previous" }`. */
export type KeyHelp = Record<string, string>;

interface Layer {
  handlers: Handlers;
  help: KeyHelp;
}

const layers: { current: Layer }[] = [];

export const keyHelpShown = store(false);

/** The help of everything that listens, the view's before the page's. */
export function keyHelp(): [key: string, does: string][] {
  return layers.toReversed().flatMap((layer) => Object.entries(layer.current.help));
}

export function useKeys(handlers: Handlers, help: KeyHelp): void {
  const layer = useRef<Layer>({ handlers, help });
  layer.current = { handlers, help };
  // Before anything is painted: who sees a view may use its keys.
  useLayoutEffect(() => {
    layers.push(layer);
    return () => {
      layers.splice(layers.indexOf(layer), 1);
    };
  }, []);
}

addEventListener("keydown", (event) => {
  if (event.defaultPrevented || event.altKey || isTaken(event)) return;
  const name = event.ctrlKey || event.metaKey ? `Ctrl+${event.key}` : event.key;
  const handler = layers.findLast((layer) => Object.hasOwn(layer.current.handlers, name))?.current.handlers[name];
  if (handler === undefined) return;
  event.preventDefault();
  handler(event);
});

function isTaken(event: KeyboardEvent): boolean {
  const target = event.target;
  if (document.querySelector("dialog[open]") !== null) return true;
  if (!(target instanceof Element)) return false;
  if (target instanceof HTMLElement && target.isContentEditable) return true;
  if (target.matches("textarea, select, input:not([type=checkbox], [type=radio], [type=button])")) return true;
  const activates = event.key === "Enter" || event.key === " ";
  return activates && target.closest("a, button, summary, input, [role=button], [role=tab]") !== null;
}
