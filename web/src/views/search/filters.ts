/** Filters of a search as the address and the service have them: `field:value`, parted by commas. */

export interface Filter {
  field: string;
  value: string;
}

export function filtersOf(text: string): Filter[] {
  return text.split(",").flatMap((part) => {
    const colon = part.indexOf(":");
    return colon < 0 ? [] : [{ field: part.slice(0, colon).trim(), value: part.slice(colon + 1).trim() }];
  });
}

export function filterText(filters: readonly Filter[]): string {
  return filters.map(({ field, value }) => `${field}:${value}`).join(",");
}

/** A comma would part it in two, and spaces at its ends are lost. */
export function canFilter(value: string): boolean {
  return value !== "" && !value.includes(",") && value === value.trim();
}

export function hasFilter(filters: readonly Filter[], field: string, value: string): boolean {
  return filters.some((filter) => filter.field === field && filter.value === value);
}

/** With the filter, or without it if it is there. */
export function toggled(filters: readonly Filter[], field: string, value: string): Filter[] {
  if (!hasFilter(filters, field, value)) return [...filters, { field, value }];
  return filters.filter((filter) => filter.field !== field || filter.value !== value);
}
