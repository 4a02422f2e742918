import { InvalidArgumentError } from "commander";
import type { UpdateKey } from "../../contract/keys.ts";
import type { Cleared } from "./edit-body.ts";

/** What `--clear` of an edit can take away, by the names of the options that set it. */

/** The field of a key that each option sets, and its value where nothing is set. */
const OF_KEYS = {
  name: ["name", ""],
  alias: ["aliases", []],
  "prefix-alias": ["prefix_aliases", []],
  models: ["models", null],
  rpm: ["rpm", null],
  tpm: ["tpm", null],
  concurrent: ["concurrent", null],
  budget: ["budget", null],
  "model-limits": ["model_limits", null],
  cache: ["cache", null],
  expires: ["expires_at", null],
  project: ["project", null],
  tag: ["tags", null],
} as const satisfies Readonly<Record<string, readonly [keyof UpdateKey, Cleared["value"]]>>;

export const CLEARABLE = Object.keys(OF_KEYS) as readonly (keyof typeof OF_KEYS)[];

export function clearedOfKey(names: readonly (typeof CLEARABLE)[number][]): Cleared[] {
  return names.map((name) => ({ name, field: OF_KEYS[name][0], value: OF_KEYS[name][1] }));
}

/** The limits of an account that `camino account edit --clear` can clear. */
export const CLEARABLE_LIMITS = [
  ...(["models", "rpm", "tpm", "concurrent", "budget"] as const),
  ...(["model-limits", "tag-limits", "end-user-tag"] as const),
] as const;

export const CLEARABLE_PROJECT = [...CLEARABLE_LIMITS, "cache"] as const;

/** Reads `FIELD,…`, with these names. */
export function clearing<Name extends string>(allowed: readonly Name[]) {
  return (text: string, earlier: readonly Name[] = []): readonly Name[] => [...earlier, ...readNames(text, allowed)];
}

function readNames<Name extends string>(text: string, allowed: readonly Name[]): Name[] {
  const names = text.split(",").map((word) => allowed.find((name) => name === word.trim()));
  if (names.every((name) => name !== undefined)) return names;
  throw new InvalidArgumentError(`What can be cleared is ${allowed.join(", ")}.`);
}
