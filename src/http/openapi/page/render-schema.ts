import { isObject, type JsonObject, type JsonValue } from "../../../core/json.ts";
import { escapeHtml, inlineMarkdown, slug } from "./html.ts";
import { memberObjects, objectsOf, textOf } from "./read-json.ts";

/** Schemas for people: types in words, and the members of objects as nested lists. */

const REF = "#/components/schemas/";

/** A schema's type in words: `string`, `array of Model`, `integer or null`. */
export function typeInWords(schema: JsonObject): string {
  const { $ref, anyOf, type, items } = schema;
  if (typeof $ref === "string") return refLink($ref.slice(REF.length));
  if (anyOf !== undefined) return [...new Set(objectsOf(anyOf).map(branchInWords))].join(" or ");
  if (schema.const !== undefined) return constant(schema.const);
  if (Array.isArray(schema.enum)) return schema.enum.map(constant).join(" or ");
  if (type === "array") return isObject(items) ? `array of ${typeInWords(items)}` : "array";
  if (type === undefined) return "any value";
  return `${escapeHtml(textOf(type))}${bounds(schema)}`;
}

function constant(value: JsonValue): string {
  return `<code>${escapeHtml(JSON.stringify(value))}</code>`;
}

/** A branch of a union in words; objects without a name are distinguished by their `type` or `role`. */
function branchInWords(branch: JsonObject): string {
  const members = new Map(memberObjects(branch.properties));
  for (const key of ["type", "role"]) {
    const { const: value, enum: values = [] } = members.get(key) ?? {};
    const allowed = value === undefined ? values : [value];
    if (Array.isArray(allowed) && allowed.length > 0) return `object ${allowed.map(constant).join(" or ")}`;
  }
  return typeInWords(branch);
}

function refLink(name: string): string {
  return `<a href="#schema-${slug(name)}">${escapeHtml(name)}</a>`;
}

function bounds({ minimum, maximum, minLength, maxLength }: JsonObject): string {
  const unit = minLength === undefined && maxLength === undefined ? "" : " characters";
  const least = textOf(minimum ?? minLength);
  const most = textOf(maximum ?? maxLength);
  if (least !== "" && most !== "") return ` of ${least} to ${most}${unit}`;
  if (most !== "") return ` up to ${most}${unit}`;
  return minimum === undefined || minimum === 0 ? "" : ` from ${least}`;
}

/** The members of an object's schema, or the branches of a union's, as a list; empty when there is nothing inside. */
export function renderMembers(schema: JsonObject): string {
  const { properties, required, anyOf, items } = schema;
  if (properties !== undefined) return memberList(memberObjects(properties), Array.isArray(required) ? required : []);
  if (anyOf !== undefined) return branchList(objectsOf(anyOf));
  return isObject(items) ? renderMembers(items) : "";
}

function memberList(members: readonly [string, JsonObject][], required: readonly JsonValue[]): string {
  const rows = members.map(([name, schema]) => memberRow(name, schema, required.includes(name)));
  return rows.length === 0 ? "" : `<ul class="members">${rows.join("")}</ul>`;
}

function memberRow(name: string, schema: JsonObject, required: boolean): string {
  const mark = required ? ' <span class="required">required</span>' : "";
  const description = textOf(schema.description);
  const sentence = description === "" ? "" : `<p>${inlineMarkdown(description)}</p>`;
  const head = `<code class="name">${escapeHtml(name)}</code> <span class="type">${typeInWords(schema)}</span>${mark}`;
  return `<li>${head}${sentence}${folded(renderMembers(schema))}</li>`;
}

function branchList(branches: readonly JsonObject[]): string {
  const flat = branches.flatMap((branch) => (branch.anyOf === undefined ? [branch] : objectsOf(branch.anyOf)));
  const filled = flat.map((branch) => [branch, renderMembers(branch)] as const).filter(([, members]) => members !== "");
  if (filled.length === 1) return filled[0]?.[1] ?? "";
  const rows = filled.map(
    ([branch, members]) => `<li><span class="type">${branchInWords(branch)}</span>${members}</li>`,
  );
  return rows.length === 0 ? "" : `<ul class="branches">${rows.join("")}</ul>`;
}

function folded(members: string): string {
  return members === "" ? "" : `<details><summary>Members</summary>${members}</details>`;
}
