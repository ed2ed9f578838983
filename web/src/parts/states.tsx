/** What stands where data will be, cannot be, or is not. */

import type { ComponentChildren } from "preact";

import { sentence } from "../lib/format";
import { Button } from "./button";

/** As many lines as what is expected has, so that nothing jumps. */
export function Loading({ lines = 4, label = "Loading" }: { lines?: number; label?: string }) {
  return (
    <div class="loading" role="status">
      <span class="hidden">{label}</span>
      {Array.from({ length: lines }, (_, line) => (
        <span key={line} class="skeleton" />
      ))}
    </div>
  );
}

export function Failed({ error, retry }: { error: Error; retry?: () => void }) {
  return (
    <div class="failed" role="alert">
      <p>{sentence(error.message)}</p>
      {retry && <Button onClick={retry}>Try again</Button>}
    </div>
  );
}

/** Says what is missing and, as its content, what to do about it. */
export function Empty({ title, children }: { title: string; children?: ComponentChildren }) {
  return (
    <div class="empty">
      <p class="empty-title">{title}</p>
      {children}
    </div>
  );
}
