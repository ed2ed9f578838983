/** What the hits are, by field: a click keeps to one value. */

import { count } from "../../lib/format";
import type { SearchResult } from "../../lib/types";
import { type Filter, canFilter, hasFilter, toggled } from "./filters";

interface FacetsProps {
  facets: SearchResult["facets"];
  filters: readonly Filter[];
  show: (filters: Filter[]) => void;
}

const SHOWN = 12;

export function Facets({ facets, filters, show }: FacetsProps) {
  const fields = Object.keys(facets).filter((field) => valuesOf(field, facets, filters).length > 0);
  return (
    <>
      {fields.map((field) => (
        <fieldset key={field} class="search-facet">
          <legend>{field}</legend>
          {valuesOf(field, facets, filters).map(({ value, number }) => (
            <label key={value} title={value}>
              <input
                type="checkbox"
                checked={hasFilter(filters, field, value)}
                disabled={!canFilter(value)}
                onChange={() => show(toggled(filters, field, value))}
              />
              <span class="name" dir="auto">
                {value === "" ? "(none)" : value}
              </span>
              <span class="muted">{number === undefined ? "" : count(number)}</span>
            </label>
          ))}
        </fieldset>
      ))}
    </>
  );
}

interface Value {
  value: string;
  /** Absent: no hit has it. */
  number: number | undefined;
}

/** The most frequent, and those that are chosen: they must not vanish with their last hit. */
function valuesOf(field: string, facets: SearchResult["facets"], filters: readonly Filter[]): Value[] {
  const counted = (facets[field] ?? []).map(({ value, count: number }) => ({ value, number }));
  const shown = counted.slice(0, SHOWN);
  const chosen = filters.filter((filter) => filter.field === field && shown.every((one) => one.value !== filter.value));
  return [...shown, ...chosen.map(({ value }) => ({ value, number: counted.find((one) => one.value === value)?.number }))];
}
