import { BadRequest } from "../ask.ts";
import type { Json } from "../protocols/read.ts";

/** Refuses fields that are not in `known`. */
export function onlyFields(body: Json, known: readonly string[], param: string): void {
  const unknown = Object.keys(body).find((field) => !known.includes(field));
  if (unknown === undefined) return;
  const path = param === "" ? unknown : `${param}.${unknown}`;
  throw new BadRequest(`Unknown parameter: '${path}'.`, path);
}

export function requireText(value: unknown, param: string): string {
  if (typeof value === "string" && value.trim() !== "") return value;
  throw new BadRequest(`'${param}' must be a text that is not empty, but it is ${shown(value)}.`, param);
}

/** A text that may be absent or null. */
export function optionalText(value: unknown, param: string): string | null {
  if (value === undefined || value === null) return null;
  if (typeof value === "string") return value;
  throw new BadRequest(`'${param}' must be a text, but it is ${shown(value)}.`, param);
}

/** Refuses a count outside its bounds. */
export function requireCount(count: number, least: number, most: number, param: string): void {
  if (count >= least && count <= most) return;
  throw new BadRequest(`'${param}' must have ${least} to ${most} elements, but it has ${count}.`, param);
}

/** Refuses values that come twice. */
export function requireUnique(values: readonly unknown[], param: string): void {
  const twice = values.find((value, index) => values.indexOf(value) !== index);
  if (twice !== undefined) throw new BadRequest(`${shown(twice)} is repeated in '${param}'.`, param);
}

export function shown(value: unknown): string {
  return (JSON.stringify(value) ?? "absent").slice(0, 100);
}
