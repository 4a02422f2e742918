import type { Command } from "commander";

/** A field that `--clear` names, with the API's value for an empty field. */
export interface Cleared {
  /** The name in the option's text. */
  readonly name: string;
  readonly field: string;
  readonly value: string | null | readonly never[];
}

/**
 * The body of an edit: the given and the cleared fields; other fields stay. Ends the command with status 2 where a
 * field is both, or where no field is named. `what`: the command's noun, such as `key`.
 */
export function editBody<Given extends object>(
  edit: Command,
  what: string,
  given: Given,
  cleared: readonly Cleared[],
): Given & Record<string, unknown> {
  const fields = new Map<string, unknown>(Object.entries(given));
  const set_too = cleared.find(({ field }) => fields.get(field) !== undefined);
  if (set_too !== undefined) edit.error(`error: --clear ${set_too.name} and a value for it are given`, { exitCode: 2 });
  const body = { ...given, ...Object.fromEntries(cleared.map(({ field, value }) => [field, value])) };
  if (Object.values(body).every((value) => value === undefined))
    edit.error(`error: nothing is given that could be changed; see camino ${what} edit --help`, { exitCode: 2 });
  return body;
}

/** Cleared limits: no limit is null. */
export function withoutLimits(names: readonly string[]): Cleared[] {
  return names.map((name) => ({ name, field: name.replaceAll("-", "_"), value: null }));
}
