import { isObject, type Json } from "../protocols/read.ts";

/**
 * OpenAI's sentence about an unsupported JSON schema, without the words in front that name its place; null for a
 * supported schema. Source: its guide to structured outputs (supported schemas) and public reports of these sentences.
 */
export function schemaFault(schema: unknown, strict: boolean): string | null {
  if (!isObject(schema)) return null;
  if (schema.type !== "object") {
    const type = typeof schema.type === "string" ? schema.type : "None";
    return `schema must be a JSON Schema of 'type: "object"', got 'type: "${type}"'.`;
  }
  // langchain-ai/langchainjs#9804, nspady/google-calendar-mcp#39.
  if (["oneOf", "anyOf", "allOf", "enum", "not"].some((keyword) => keyword in schema))
    return "schema must have type 'object' and not have 'oneOf'/'anyOf'/'allOf'/'enum'/'not' at the top level.";
  return faultAt(schema, [], strict);
}

function faultAt(schema: unknown, path: readonly string[], strict: boolean): string | null {
  if (!isObject(schema)) return null;
  const context = `In context=(${path.map((name) => `'${name}'`).join(", ")}${path.length === 1 ? "," : ""}), `;
  if (schema.type === "array" && schema.items === undefined && schema.prefixItems === undefined)
    return `${context}array schema missing items.`;
  if (strict) {
    const fault = strictFault(schema);
    if (fault !== null) return context + fault;
  }
  return inside(schema, path, strict);
}

/** Every object must close itself and require every property that it has. */
function strictFault(schema: Json): string | null {
  const properties = isObject(schema.properties) ? Object.keys(schema.properties) : [];
  if (schema.type === "object" && schema.additionalProperties !== false)
    return "'additionalProperties' is required to be supplied and to be false.";
  const required: readonly unknown[] = Array.isArray(schema.required) ? schema.required : [];
  const missing = properties.find((name) => !required.includes(name));
  if (missing !== undefined)
    return `'required' is required to be supplied and to be an array including every key in properties. Missing '${missing}'.`;
  const forbidden = ["allOf", "not", "if", "dependentRequired", "dependentSchemas"].find((name) => name in schema);
  return forbidden === undefined ? null : `'${forbidden}' is not permitted.`;
}

function inside(schema: Json, path: readonly string[], strict: boolean): string | null {
  for (const [group, members] of [
    ["properties", schema.properties],
    ["$defs", schema.$defs],
  ] as const) {
    if (!isObject(members)) continue;
    for (const [name, member] of Object.entries(members)) {
      const fault = faultAt(member, [...path, group, name], strict);
      if (fault !== null) return fault;
    }
  }
  const items = faultAt(schema.items, [...path, "items"], strict);
  if (items !== null) return items;
  const options: readonly unknown[] = Array.isArray(schema.anyOf) ? schema.anyOf : [];
  for (const [index, option] of options.entries()) {
    const fault = faultAt(option, [...path, "anyOf", String(index)], strict);
    if (fault !== null) return fault;
  }
  return null;
}
