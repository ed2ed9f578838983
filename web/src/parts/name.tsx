import { idText, titleOf } from "../lib/format";
import { Link, type Path } from "../lib/router";
import type { Query } from "../lib/api";
import type { Id } from "../lib/types";

interface NameProps {
  id: Id;
  title?: string | null;
  /** Where it leads; else it is only a text. */
  to?: Path;
  query?: Query;
  tabIndex?: number;
}

/** A document by its title, or else its id, on one line however long. */
export function Name({ id, title, to, query, tabIndex }: NameProps) {
  const text = titleOf({ id, title });
  const all = text === idText(id) ? text : `${text} (${idText(id)})`;
  if (to === undefined) {
    return (
      <span class="name" dir="auto" title={all}>
        {text}
      </span>
    );
  }
  return (
    <Link class="name" dir="auto" title={all} to={to} query={query} tabIndex={tabIndex}>
      {text}
    </Link>
  );
}

/** The id below a title. Who has no title is called by the id already. */
export function IdBelow({ id, title }: { id: Id; title?: string | null }) {
  if (!title?.trim()) return null;
  return (
    <span class="name muted" dir="auto" title={idText(id)}>
      {idText(id)}
    </span>
  );
}
