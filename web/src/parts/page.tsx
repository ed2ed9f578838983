import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";

interface PageProps {
  title: string;
  /** Buttons and links beside the title. */
  actions?: ComponentChildren;
  /** A sentence below the title. */
  lead?: ComponentChildren;
  /** As high as the window, for views that are one long list. */
  fill?: boolean;
  children?: ComponentChildren;
}

/** Nobody came from anywhere when the page opens, so the focus stays where the browser has it. */
let opened = false;

/** The frame of a view: one heading, which takes the focus when the reader comes here from another view. */
export function Page({ title, actions, lead, fill, children }: PageProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    document.title = `${title} – Lookalike`;
  }, [title]);
  useEffect(() => {
    if (opened) heading.current?.focus();
    opened = true;
  }, []);
  return (
    <div class={fill ? "page fill" : "page"}>
      <header class="page-head">
        <h1 ref={heading} tabIndex={-1} dir="auto" title={title}>
          {title}
        </h1>
        {actions && <div class="page-actions">{actions}</div>}
      </header>
      {lead && <p class="lead">{lead}</p>}
      {children}
    </div>
  );
}
