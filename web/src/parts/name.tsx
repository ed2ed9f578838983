import { nameText, titleOf } from "../lib/format";
import { Link, type Path } from "../lib/router";
import type { Query } from "../lib/api";
import type { Id } from "../lib/types";

interface NameProps {
  id: Id;
  labels?: readonly string[];
  title?: string | null;
  /** Where it leads; else it is only a text. */
  to?: Path;
  query?: Query;
  tabIndex?: number;
}

/** A document by its title, or else its name, on one line however long. */
export function Name({ id, labels, title, to, query, tabIndex }: NameProps) {
  const name = nameText({ id, labels });
  const text = titleOf({ id, labels, title });
  const all = text === name ? text : `${text} (${name})`;
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

/** The name below a title. Who has no title is called by the name already. */
export function NameBelow({ id, labels, title }: Pick<NameProps, "id" | "labels" | "title">) {
  if (!title?.trim()) return null;
  const name = nameText({ id, labels });
  return (
    <span class="name muted" dir="auto" title={name}>
      {name}
    </span>
  );
}
