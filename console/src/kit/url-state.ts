import { useNavigate, useSearch } from "@tanstack/react-router";

/** The query of the page's address. Every value is a text; undefined and empty values are left out. */
export type Search = Readonly<Record<string, string | undefined>>;

/**
 * State that lives in the page's address, so that it survives a reload and can be sent to somebody:
 * `const [{ model, status }, setFilters] = useUrlState("model", "status")`. Setting a field to "" or undefined removes
 * it; other fields stay. Changes replace the entry in the history: filters are not steps to go back through.
 */
export function useUrlState<Name extends string>(
  ..._names: readonly Name[]
): [Readonly<Partial<Record<Name, string>>>, (changes: Readonly<Partial<Record<Name, string | undefined>>>) => void] {
  const search: Search = useSearch({ strict: false });
  const navigate = useNavigate();
  const set = (changes: Readonly<Partial<Record<Name, string | undefined>>>): void => {
    void navigate({
      to: ".",
      search: (before: Search) => ({ ...before, ...changes }),
      replace: true,
      resetScroll: false,
    });
  };
  return [search as Readonly<Partial<Record<Name, string>>>, set];
}

/** A query text as fields. Of a repeated field, the last value counts. */
export function parseSearch(text: string): Search {
  return Object.fromEntries(new URLSearchParams(text));
}

/** The fields that are set, as a query text with its question mark; empty when no field is set. */
export function stringifySearch(search: Readonly<Record<string, unknown>>): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(search))
    if (typeof value === "string" && value !== "") query.set(name, value);
  return query.size === 0 ? "" : `?${query}`;
}
