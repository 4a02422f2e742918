import { parseTime } from "../../../contract/day.ts";
import type { UpdateKey } from "../../../contract/keys.ts";
import { checkAlias } from "../../catalog/names/aliases.ts";
import { parseCacheTime } from "../../core/answer/cache-time.ts";
import type { Configuration } from "../../core/catalog/catalog.ts";
import type { Clock } from "../../core/clock.ts";
import { invalidRequest } from "../../core/errors.ts";
import type { Alias, KeyRecord, PrefixAlias } from "../../core/people/principal.ts";
import type { KeyPatch } from "../../core/store/ports.ts";
import { readBudget, readModelLimits, requireDifferent } from "./read-limits.ts";
import { requireTags } from "./read-tags.ts";

/**
 * The stored fields of a key from a body whose shape was checked: times, amounts and alias targets are read here.
 * A field that the body lacks is absent from the result. Throws a 400 that names the field. What `known` has already is no change, and
 * not judged again: an alias whose model has gone, an end that is past (docs/rulings.md 206).
 */
export function readKeyFields(
  body: Omit<UpdateKey, "project">,
  { configuration, clock }: { readonly configuration: Configuration; readonly clock: Pick<Clock, "now_ms"> },
  known: Pick<KeyRecord, "aliases" | "prefix_aliases" | "expires_ms"> | null = null,
): KeyPatch {
  const { budget, expires_at, model_limits, cache, ...plain } = body;
  requireTags(body.tags);
  requireAliases("aliases", body.aliases ?? [], { configuration, known: known?.aliases ?? [] });
  const [prefixes, known_prefixes] = [body.prefix_aliases ?? [], known?.prefix_aliases ?? []].map(named);
  requireAliases("prefix_aliases", prefixes ?? [], { configuration, known: known_prefixes ?? [] });
  const readEnd = (text: string): number => {
    const time_ms = parseTime(text);
    return time_ms !== null && time_ms === known?.expires_ms ? time_ms : readExpiry(text, clock.now_ms());
  };
  return {
    ...plain,
    ...(budget !== undefined && { budget: budget && readBudget(budget) }),
    ...(model_limits === undefined ? {} : { model_limits: readModelLimits(model_limits) }),
    ...(cache === undefined ? {} : { cache_ms: readCacheTime(cache) }),
    ...(expires_at === undefined ? {} : { expires_ms: expires_at === null ? null : readEnd(expires_at) }),
  };
}

/** The time of a field whose form was checked. */
export function readCacheTime(cache: string | null): number | null {
  return cache === null ? null : parseCacheTime(cache);
}

/** A time in the future. A day without a time is its beginning in UTC. */
export function readExpiry(text: string, now_ms: number): number {
  const time_ms = parseTime(text);
  if (time_ms !== null && time_ms > now_ms) return time_ms;
  const found = time_ms === null ? "which is not a date of the calendar" : "which is not in the future";
  throw invalidRequest(`'expires_at' is '${text}', ${found}; allowed: a future day or time.`, "expires_at");
}

type AliasField = "aliases" | "prefix_aliases";

function named(prefixes: readonly PrefixAlias[]): Alias[] {
  return prefixes.map(({ prefix, model }) => ({ name: prefix, model }));
}

/** Throws a 400 unless each name is unique and leads to a model (docs/rulings.md 20). */
function requireAliases(
  field: AliasField,
  aliases: readonly Alias[],
  { configuration, known }: { readonly configuration: Configuration; readonly known: readonly Alias[] },
): void {
  const names = aliases.map(({ name }) => name);
  requireDifferent(field, "name", names);
  for (const [index, { name, model }] of aliases.entries()) {
    if (known.some((alias) => alias.name === name && alias.model === model)) continue;
    const objection = checkAlias(configuration, name, model);
    if (objection !== null) throw invalidRequest(objection, `${field}[${index}].model`);
  }
}
