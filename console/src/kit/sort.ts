import { useState } from "react";
import { useUrlState } from "./url-state.ts";

export type SortValue = string | number | null;

/** The column of a sort, and whether the largest value comes first. */
export interface Sort {
  readonly key: string;
  readonly descending: boolean;
}

/** "-cost" → by cost, the largest first. */
export function parseSort(text: string | undefined): Sort | null {
  if (text === undefined || text === "") return null;
  return text.startsWith("-") ? { key: text.slice(1), descending: true } : { key: text, descending: false };
}

/** The next sort when a column's head is pressed: its natural order, then the reverse, then none. */
export function nextSort(current: Sort | null, key: string, natural_descending: boolean): Sort | null {
  if (current?.key !== key) return { key, descending: natural_descending };
  return current.descending === natural_descending ? { key, descending: !natural_descending } : null;
}

/** Rows in the order of their `sortBy` values; rows without a value come last. Equal rows keep their order. */
export function sortRows<Row>(rows: readonly Row[], sortBy: (row: Row) => SortValue, descending: boolean): Row[] {
  return rows.toSorted((a, b) => {
    const [left, right] = [sortBy(a), sortBy(b)];
    if (left === null || right === null) return Number(left === null) - Number(right === null);
    const order =
      typeof left === "string" && typeof right === "string" ? left.localeCompare(right) : Number(left) - Number(right);
    return descending ? -order : order;
  });
}

/** The sort of a table, kept in the address under `param`, or in the table's state without `param`. */
export function useSort(
  param: string | undefined,
  initial: string | undefined,
): [Sort | null, (sort: Sort | null) => void] {
  const [own, setOwn] = useState(initial);
  const [search, setSearch] = useUrlState(param ?? "sort");
  const text = param === undefined ? own : (search[param] ?? initial);
  const set = (sort: Sort | null): void => {
    const next = sort === null ? undefined : `${sort.descending ? "-" : ""}${sort.key}`;
    if (param === undefined) setOwn(next);
    else setSearch({ [param]: next });
  };
  return [parseSort(text), set];
}
