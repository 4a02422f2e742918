import { CONSOLE_DOCUMENT, nameKey, pathOf } from "../../catalog/configuration/element-layer.ts";
import { canonicalValue } from "../../catalog/configuration/element-value.ts";
import { fileElementToKeep } from "../../catalog/elements/file-elements.ts";
import { writeModel } from "../../catalog/elements/write-elements.ts";
import type { Problem } from "../../catalog/reading/problem.ts";
import type { ElementName, ElementValue } from "../../core/catalog/configuration-elements.ts";
import { GatewayError, invalidRequest } from "../../core/errors.ts";
import { isObject } from "../../core/json.ts";
import { StoreConflict } from "../../core/store/ports.ts";
import type { ConfigurationElements } from "./configuration-elements.ts";
import { type Below, LIMITS, type Views } from "./element-views.ts";

/** The actions on an element (contract/configuration.ts). */
export type ChangeAction = "put" | "retire" | "reinstate" | "delete" | "take-over" | "give-back" | "take-back";

export interface AskedChange extends ElementName {
  readonly action: ChangeAction;
  /** For `put`. */
  readonly value?: unknown;
  /** For `put`: an element of the file is taken over by it. */
  readonly take_over?: boolean;
  /** For `take-back`: the number of an earlier version; 0: none. */
  readonly to?: number;
}

/** The element's value after a change; null: the database has none. `problem`: the sent value cannot be a value of any element. */
export type NextValue = { readonly value: ElementValue | null } | { readonly problem: Problem };

/** The value of an element after a change. Throws where the action does not fit the element. */
export async function nextValue(elements: ConfigurationElements, views: Views, asked: AskedChange): Promise<NextValue> {
  if (asked.kind === "limits" && asked.id !== LIMITS.id) {
    throw new GatewayError(
      "not_found",
      `There are no limits '${asked.id.slice(0, 100)}'; the only ones are '${LIMITS.id}'.`,
    );
  }
  const own = elements.state.versions.get(nameKey(asked))?.value ?? null;
  const below = views.below(asked);
  if (asked.action === "put") return putValue(asked, own, below);
  if (asked.action === "take-back") return { value: await earlierValue(elements, asked) };
  if (own === null && below === null) throw new GatewayError("not_found", `There is no ${wordOf(asked)}.`);
  if (asked.action === "take-over") return { value: takenOver(elements, asked, own, below) };
  if (asked.action === "retire" || asked.action === "reinstate") return { value: retired(asked, own, below) };
  return { value: dropped(asked, own, below) };
}

function putValue(asked: AskedChange, own: ElementValue | null, below: Below | null): NextValue {
  // What is shown of a vendor lacks the file's secrets, and would be written without them.
  const takes_over = asked.take_over === true && asked.kind !== "vendor";
  if (own === null && below?.origin === "file" && !takes_over) throw fileOwns(asked);
  const made = canonicalValue(asked.value);
  if ("value" in made) return made;
  const { path, found, allowed } = made;
  const inside = path === "" || path.startsWith("[") ? path : `.${path}`;
  return { problem: { file: CONSOLE_DOCUMENT, line: 0, path: `${pathOf(asked)}${inside}`, found, allowed } };
}

async function earlierValue({ store }: ConfigurationElements, asked: AskedChange): Promise<ElementValue | null> {
  const { to, kind, id } = asked;
  if (to === undefined) {
    throw invalidRequest("'to' is missing; allowed: the number of an earlier version, or 0.", "to");
  }
  if (to === 0) return null;
  const [found] = await store.elementHistory({ kind, id }, { before: to + 1, limit: 1 });
  if (found?.version === to) return found.value;
  throw new GatewayError("not_found", `The ${wordOf(asked)} has no version ${to}.`, { param: "to" });
}

function takenOver(
  elements: ConfigurationElements,
  asked: AskedChange,
  own: ElementValue | null,
  below: Below | null,
): ElementValue {
  if (own !== null) throw new StoreConflict(`The ${wordOf(asked)} is the console's already.`);
  const { base } = elements.state;
  const value = below?.origin === "file" ? fileElementToKeep(base.input, asked) : (below?.value ?? null);
  if (value === null) throw new GatewayError("not_found", `There is no ${wordOf(asked)}.`);
  if (typeof value === "string" || !isObject(value.decide_with)) return value;
  // The file names its calibration by a path, which other nodes may not have.
  const { models, retired: gone } = base.configuration;
  const model = models.get(asked.id) ?? gone?.get(asked.id);
  return model === undefined ? value : { ...value, decide_with: writeModel(model).decide_with };
}

function retired(asked: AskedChange, own: ElementValue | null, below: Below | null): ElementValue {
  if (asked.kind !== "model") {
    const message = `A ${asked.kind} is not retired; models are. Delete it, or change it.`;
    throw new GatewayError("invalid_request", message);
  }
  if (own === null && below?.origin === "file") throw fileOwns(asked);
  const value = own ?? below?.value ?? {};
  const { retired: _retired, ...rest } = typeof value === "string" ? {} : value;
  return asked.action === "retire" ? { ...rest, retired: true } : rest;
}

function dropped(asked: AskedChange, own: ElementValue | null, below: Below | null): null {
  const whose = below?.origin === "file" ? "the configuration file" : "the bundled catalog or the environment";
  if (own === null) {
    const message = `The ${wordOf(asked)} comes from ${whose}. Change it there, or take it over first: ${takeOver(asked)}.`;
    throw new StoreConflict(message);
  }
  if (asked.action === "delete" && below !== null) {
    throw new StoreConflict(`The ${wordOf(asked)} is also in ${whose}: give it back, and that one applies again.`);
  }
  if (asked.action === "give-back" && below === null) {
    throw new StoreConflict(`The ${wordOf(asked)} is only in the database: delete it to remove it.`);
  }
  return null;
}

function fileOwns(asked: ElementName): StoreConflict {
  const message = `The ${wordOf(asked)} comes from the configuration file and is read-only here. Change the file, or take it over first: ${takeOver(asked)}.`;
  return new StoreConflict(message);
}

/** The command that copies an element into the database, for messages. */
function takeOver({ kind, id }: ElementName): string {
  return `camino config take-over ${kind} ${id.slice(0, 150)}`;
}

/** How messages call an element. */
export function wordOf({ kind, id }: ElementName): string {
  return kind === "limits" ? "section 'limits'" : `${kind} '${id.slice(0, 150)}'`;
}
