import { InvalidArgumentError } from "commander";
import type { UpdateKey } from "../../contract/keys.ts";

/** The fields that `camino key edit --clear` can clear, by the names of the options that set them. */

export type FieldName = keyof UpdateKey;

/** The field that each option sets. */
export const FIELDS = {
  name: "name",
  alias: "aliases",
  "prefix-alias": "prefix_aliases",
  models: "models",
  rpm: "rpm",
  tpm: "tpm",
  concurrent: "concurrent",
  budget: "budget",
  "model-limits": "model_limits",
  cache: "cache",
  expires: "expires_at",
  project: "project",
  tag: "tags",
} as const satisfies Readonly<Record<string, FieldName>>;

export type Clearable = keyof typeof FIELDS;
export const CLEARABLE = Object.keys(FIELDS) as readonly Clearable[];

/** The value of each field where nothing is set. */
export const CLEARED: Readonly<Record<Clearable, string | null | readonly never[]>> = {
  name: "",
  alias: [],
  "prefix-alias": [],
  models: null,
  rpm: null,
  tpm: null,
  concurrent: null,
  budget: null,
  "model-limits": null,
  cache: null,
  expires: null,
  project: null,
  tag: null,
};

/** `FIELD,…` */
export function readClearable(text: string, earlier: readonly Clearable[] = []): readonly Clearable[] {
  return [...earlier, ...readNames(text, CLEARABLE)];
}

/** The limits of an account that `camino account edit --clear` can clear. */
export const CLEARABLE_LIMITS = [
  ...(["models", "rpm", "tpm", "concurrent", "budget"] as const),
  ...(["model-limits", "tag-limits", "end-user-tag"] as const),
] as const;
export type ClearableLimit = (typeof CLEARABLE_LIMITS)[number];

/** What of a project can be cleared. */
export const CLEARABLE_PROJECT = [...CLEARABLE_LIMITS, "cache"] as const;
export type ClearableOfProject = (typeof CLEARABLE_PROJECT)[number];

/** `FIELD,…` */
export function readClearableOfProject(text: string, earlier: readonly ClearableOfProject[] = []) {
  return [...earlier, ...readNames(text, CLEARABLE_PROJECT)];
}

/** `FIELD,…` */
export function readClearableLimits(text: string, earlier: readonly ClearableLimit[] = []): readonly ClearableLimit[] {
  return [...earlier, ...readNames(text, CLEARABLE_LIMITS)];
}

function readNames<Name extends string>(text: string, allowed: readonly Name[]): Name[] {
  const names = text.split(",").map((word) => allowed.find((name) => name === word.trim()));
  if (names.every((name) => name !== undefined)) return names;
  throw new InvalidArgumentError(`What can be cleared is ${allowed.join(", ")}.`);
}
