import { useState } from "react";
import type { Key } from "../../../../contract/keys.ts";
import { useApi } from "../../api/use-api.ts";
import { useFoundKeys } from "../../api/use-found.ts";
import { keyName } from "./key-state.ts";

interface KeyChoice {
  readonly account: string;
  /** The id of the chosen key; "" for none. */
  readonly value: string;
  /** Which keys may be chosen. Default: all. */
  readonly fits?: (key: Key) => boolean;
}

const all = (): boolean => true;

/**
 * The options of a combobox of an account's keys: the first keys that the server finds by the typed text, and the name of the chosen key
 * where it is not among them.
 */
export function useKeyChoice({ account, value, fits = all }: KeyChoice) {
  const [typed, setTyped] = useState("");
  const { rows, searching } = useFoundKeys({ typed, account });
  const is_found = value === "" || rows.some(({ id }) => id === value);
  const chosen = useApi("GET /keys/{key}", { path: { key: value } }, { enabled: !is_found });
  return {
    options: rows.filter(fits).map((row) => ({
      value: row.id,
      label: keyName(row),
      note: `…${row.hint}`,
      // Rows of an earlier text count only where their names match.
      ...(searching ? {} : { also: typed }),
    })),
    shown: nameOf([...rows, ...(chosen.data ? [chosen.data] : [])], value),
    onType: setTyped,
    searching,
  };
}

function nameOf(keys: readonly Key[], id: string): string | undefined {
  const key = keys.find((each) => each.id === id);
  return key && keyName(key);
}
