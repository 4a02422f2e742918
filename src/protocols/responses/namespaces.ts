import { isObject, type JsonRecord, plainText } from "../../core/json.ts";

/** Tools that are grouped under a namespace get one flat name for other protocols, which have no namespaces. */

/** The longest tool name that every vendor accepts. */
const MAX_NAME_LENGTH = 64;
const SEPARATOR = "__";

export function flatName(namespace: string, name: string): string {
  const joined = namespace.endsWith(SEPARATOR) ? namespace + name : namespace + SEPARATOR + name;
  if (joined.length <= MAX_NAME_LENGTH) return joined;
  const hash = Bun.hash(joined).toString(36).slice(0, 8);
  return `${joined.slice(0, MAX_NAME_LENGTH - hash.length - 1)}_${hash}`;
}

/** The flat name of the tool that a call, or a tool choice, names. */
export function nameOf({ name, namespace }: JsonRecord): string {
  return typeof namespace === "string" && namespace !== "" ? flatName(namespace, plainText(name)) : plainText(name);
}

export interface NamespacedName {
  readonly namespace: string;
  readonly name: string;
}

/** The request's tools in namespaces, by their flat names, so that calls in the answer get their original names. */
export function namespacedNames(body: JsonRecord): ReadonlyMap<string, NamespacedName> {
  const names = new Map<string, NamespacedName>();
  for (const tools of toolLists(body)) {
    for (const tool of tools) {
      if (!isObject(tool) || tool.type !== "namespace" || !Array.isArray(tool.tools)) continue;
      const namespace = plainText(tool.name);
      for (const { name } of tool.tools.filter(isObject))
        names.set(flatName(namespace, plainText(name)), { namespace, name: plainText(name) });
    }
  }
  return names;
}

/** The lists of the request's tools: its own list, and those that items of the conversation brought. */
export function* toolLists({ tools, input }: JsonRecord): Iterable<readonly unknown[]> {
  if (Array.isArray(tools)) yield tools;
  if (!Array.isArray(input)) return;
  for (const item of input) if (isObject(item) && bringsTools(item)) yield item.tools;
}

/** Whether an item brings tools: the result of a search for tools, or tools that the client adds. */
export function bringsTools(item: JsonRecord): item is JsonRecord & { readonly tools: readonly unknown[] } {
  return (item.type === "tool_search_output" || item.type === "additional_tools") && Array.isArray(item.tools);
}
