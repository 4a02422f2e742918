import { isObject } from "../../core/json.ts";
import type { Schema } from "./schema-words.ts";

/**
 * A schema without `const`, and with `enum` for texts and numbers only, which is what Gemini takes. Other values become
 * types, and a value that no type says is told in the description.
 */
export function fitValues(schema: Schema): Schema {
  const values: unknown = "const" in schema ? [schema.const] : schema.enum;
  if (!Array.isArray(values)) return schema;
  const { const: _, enum: __, ...rest } = schema;
  const plain = values.filter(isPlain);
  if (plain.length === values.length) return { ...rest, enum: values };
  const forms = [...(plain.length > 0 ? [plainForm(plain)] : []), ...typedForms(values.filter((one) => !isPlain(one)))];
  const [only, ...others] = forms;
  if (only !== undefined && others.length === 0) return { ...rest, ...only, ...described(rest, only) };
  const { type: ___, ...untyped } = rest;
  if (!("anyOf" in untyped)) return { ...untyped, anyOf: forms };
  return { ...untyped, ...described(untyped, { description: `One of ${JSON.stringify(values)}.` }) };
}

/** A number that no double holds is written with its digits, by an object of the runtime that is frozen. */
function isPlain(value: unknown): boolean {
  return typeof value === "string" || typeof value === "number" || (isObject(value) && Object.isFrozen(value));
}

function plainForm(values: readonly unknown[]): Schema {
  const texts = values.filter((value) => typeof value === "string").length;
  const type = texts === values.length ? { type: "string" } : texts === 0 ? { type: "number" } : {};
  return { ...type, enum: values };
}

function typedForms(values: readonly unknown[]): Schema[] {
  const forms: Schema[] = [];
  const flags = new Set(values.filter((value) => typeof value === "boolean"));
  if (flags.size > 0) forms.push(flags.size > 1 ? { type: "boolean" } : exactly("boolean", [...flags][0]));
  if (values.includes(null)) forms.push({ type: "null" });
  for (const value of values) {
    if (typeof value === "object" && value !== null)
      forms.push(exactly(Array.isArray(value) ? "array" : "object", value));
  }
  return forms;
}

function exactly(type: string, value: unknown): Schema {
  return { type, description: `Exactly ${JSON.stringify(value)}.` };
}

function described({ description: said }: Schema, { description: more }: Schema): Schema {
  if (typeof more !== "string") return {};
  return { description: typeof said === "string" && said !== "" ? `${said} ${more}` : more };
}
