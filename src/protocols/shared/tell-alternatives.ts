import { isObject } from "../../core/json.ts";
import { localTarget } from "./json-pointer.ts";

type Schema = Readonly<Record<string, unknown>>;

/** A sentence for the model about alternatives that a schema cannot say at its root. */
export function tellAlternatives(keyword: "anyOf" | "oneOf", alternatives: readonly unknown[], root: Schema): string {
  const texts = new Map<unknown, string>();
  const told = alternatives.slice(0, MOST_TOLD).map((each, index) => {
    const target = isObject(each) && typeof each.$ref === "string" ? localTarget(root, each.$ref) : each;
    const text = texts.get(target) ?? tell(target);
    texts.set(target, text);
    return `${index + 1}. ${text}`;
  });
  const how_many = keyword === "oneOf" ? "exactly" : "at least";
  return `The arguments fit ${how_many} one of these:\n${told.join("\n")}`;
}

const MOST_TOLD = 100;
/** An alternative that takes more characters is told in part. */
const MOST_CHARACTERS = 2000;

/** Keywords that the members' own schemas say, or that say nothing of which members are given. */
const SAID_ELSEWHERE: ReadonlySet<string> = new Set([
  ...["type", "properties", "required", "additionalProperties", "unevaluatedProperties", "title", "description"],
  ...["$ref", "$defs", "definitions", "$schema", "$id", "$comment"],
]);

function tell(target: unknown): string {
  if (!isObject(target)) return "anything";
  const properties = isObject(target.properties) ? target.properties : {};
  const required = new Set<unknown>(Array.isArray(target.required) ? target.required : []);
  const fixed: string[] = [];
  const needed: string[] = [];
  const optional: string[] = [];
  for (const name of new Set([...Object.keys(properties), ...[...required].map(String)])) {
    const value = constantOf(properties[name]);
    if (value !== undefined) fixed.push(`${name} = ${JSON.stringify(value)}`);
    else (required.has(name) ? needed : optional).push(name);
  }
  const rest = Object.entries(target).filter(([keyword]) => !SAID_ELSEWHERE.has(keyword));
  const parts = [
    ...[target.title, target.description].filter((text) => typeof text === "string" && text !== ""),
    ...fixed,
    ...(needed.length > 0 ? [`required: ${needed.join(", ")}`] : []),
    ...(optional.length > 0 ? [`optional: ${optional.join(", ")}`] : []),
    ...(rest.length > 0 ? [JSON.stringify(Object.fromEntries(rest))] : []),
  ];
  const text = parts.length === 0 ? "no arguments" : parts.join("; ");
  return text.length <= MOST_CHARACTERS ? text : `${text.slice(0, MOST_CHARACTERS)}…`;
}

/** The only value that a member takes; undefined where it takes several. */
function constantOf(schema: unknown): unknown {
  if (!isObject(schema)) return undefined;
  if ("const" in schema) return schema.const;
  return Array.isArray(schema.enum) && schema.enum.length === 1 ? schema.enum[0] : undefined;
}
