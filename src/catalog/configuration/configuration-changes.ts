import type { Configuration } from "../../core/catalog/catalog.ts";
import { given } from "../../core/given.ts";
import { aliasEntries } from "../names/aliases.ts";

/** The differences between two configurations, by names alone: a vendor's fields may be secrets. */
export interface ConfigurationChanges {
  readonly vendors: NamedChanges;
  readonly models: NamedChanges;
  readonly aliases: NamedChanges;
  /** The limits that differ: `body_bytes`, `default_key`. */
  readonly limits: readonly string[];
}

export interface NamedChanges {
  readonly added: readonly string[];
  readonly removed: readonly string[];
  readonly changed: readonly { readonly id: string; readonly fields: readonly string[] }[];
}

/** The parts of its file that a gateway reads only when it starts: the file's sections, each with its fields of a configuration. */
const UNTIL_RESTART = {
  responses: "responses",
  cache: "cache",
  content_log: "content_log",
  answers: "answers",
  decisions: "decisions",
  cors: "cors",
  clients: "clients",
  messages: "messages",
  "retention, audit": "upkeep",
  console: "console",
  operations: "operations",
  mail: "mail",
  telemetry: "telemetry",
  alerts: "alerts",
  usage_events: "usage_events",
  hooks: "hooks",
  cells: "cells",
} as const satisfies Record<string, keyof Configuration>;

/** The differences between the configuration that was in force and the one that is now. */
export function configurationChanges(before: Configuration, after: Configuration): ConfigurationChanges {
  return {
    vendors: namedChanges(before.vendors, after.vendors),
    models: namedChanges(before.models, after.models),
    aliases: namedChanges(aliasesOf(before), aliasesOf(after)),
    limits: differentFields(before.limits, after.limits),
  };
}

/** Whether a reload found nothing that is different. */
export function isUnchanged({ vendors, models, aliases, limits }: ConfigurationChanges): boolean {
  const named = [vendors, models, aliases].flatMap(({ added, removed, changed }) => [added, removed, changed]);
  const lists = [...named, limits];
  return lists.every((list) => list.length === 0);
}

/** A configuration for a running gateway, and the sections of the file that differ and are not in force until a restart. */
export interface Reloadable {
  readonly configuration: Configuration;
  readonly after_restart: readonly string[];
}

/** Keeps the parts of the running configuration that cannot change while the gateway runs. */
export function reloadable(running: Configuration, read: Configuration): Reloadable {
  const sections = Object.entries(UNTIL_RESTART).filter(([, field]) => !Bun.deepEquals(running[field], read[field]));
  // The room that stored answers and contents take is set at the start; their charges and times are read from the new file at once.
  const fields = Object.values(UNTIL_RESTART).filter((field) => field !== "cache" && field !== "content_log");
  const kept = Object.fromEntries(fields.map((field) => [field, running[field]]));
  return {
    configuration: given({ ...read, ...kept }) as Configuration,
    after_restart: sections.map(([section]) => section),
  };
}

/** Aliases by their names, prefixes with their star. */
function aliasesOf({ aliases }: Configuration): Map<string, { readonly model: string }> {
  return new Map(aliasEntries(aliases).map(([name, model]) => [name, { model }]));
}

function namedChanges<Item extends object>(
  before: ReadonlyMap<string, Item>,
  after: ReadonlyMap<string, Item>,
): NamedChanges {
  const changed = [...after].flatMap(([id, item]) => {
    const known = before.get(id);
    const fields = known === undefined ? [] : differentFields(known, item);
    return fields.length === 0 ? [] : [{ id, fields }];
  });
  return {
    added: [...after.keys()].filter((id) => !before.has(id)).toSorted(),
    removed: [...before.keys()].filter((id) => !after.has(id)).toSorted(),
    changed: changed.toSorted((one, other) => (one.id < other.id ? -1 : 1)),
  };
}

function differentFields(before: object, after: object): string[] {
  const [was, is] = [before, after] as Record<string, unknown>[];
  const names = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...names].filter((name) => !Bun.deepEquals(was?.[name], is?.[name])).toSorted();
}
