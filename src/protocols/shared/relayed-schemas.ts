import type { ClientRequest } from "../../core/answer/exchange.ts";
import { isObject } from "../../core/json.ts";
import type { BodyChanges } from "./body-changes.ts";
import { mayLoseDigits, parseExact } from "./exact-json.ts";
import { findMembers, mapItems, memberText, replaceMembers } from "./json-members.ts";
import { objectSchema } from "./object-schema.ts";
import { parseJson } from "./parse-json.ts";

/**
 * The JSON text of relayed tools with plain objects at the roots of their schemas, or null where nothing has to change
 * (docs/rulings.md 196). `path` leads from a tool to its schema. What is no object is left to the vendor to judge.
 */
export function relayedSchemas(tools: unknown, path: readonly string[], textOf: () => string): string | null {
  if (!Array.isArray(tools) || !tools.some((tool) => mended(tool, path) !== null)) return null;
  const text = textOf();
  // Bounds and values of a schema keep their digits (docs/rulings.md 193).
  const exact: unknown = mayLoseDigits(text) ? parseExact(text) : tools;
  const sent: readonly unknown[] = Array.isArray(exact) ? exact : tools;
  return mapItems(text, (item, index) => {
    const schema = mended(sent[index], path);
    return schema === null ? item : withMember(item, path, JSON.stringify(schema));
  });
}

/** Changes a relayed body's tools to that form; some of them may have been left out before. */
export function fitSchemas(changes: BodyChanges, { body }: ClientRequest, path: readonly string[]): void {
  const text = changes.value("tools");
  if (text === null) return;
  const relayed = relayedSchemas(changes.isChanged("tools") ? parseJson(text) : body.tools, path, () => text);
  if (relayed !== null) changes.set("tools", relayed);
}

function mended(tool: unknown, path: readonly string[]): object | null {
  const sent = path.reduce<unknown>((holder, name) => (isObject(holder) ? holder[name] : undefined), tool);
  if (!isObject(sent)) return null;
  const found = objectSchema(sent);
  return "fault" in found || found.schema === sent ? null : found.schema;
}

function withMember(text: string, [name = "", ...rest]: readonly string[], value: string): string {
  const members = findMembers(text);
  if (rest.length === 0) return replaceMembers(text, [[name, value]], members);
  const inner = withMember(memberText(text, members, name) ?? "{}", rest, value);
  return replaceMembers(text, [[name, inner]], members);
}
