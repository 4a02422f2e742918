import { type AskedImage, BadRequest } from "../ask.ts";

/** Checking readers of untyped JSON, shared by the protocols. */

export type Json = Readonly<Record<string, unknown>>;

export function isObject(value: unknown): value is Json {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function objectsOf(value: unknown): readonly Json[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}

export function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

/** Reads a list of objects that must be present and must not be empty. */
export function requireObjects(body: Json, field: string): readonly Json[] {
  const value = body[field];
  if (!Array.isArray(value) || value.length === 0) {
    throw new BadRequest(`Missing or empty list '${field}': at least one object is required.`, field);
  }
  const wrong = value.findIndex((element) => !isObject(element));
  if (wrong >= 0) throw new BadRequest(`'${field}[${wrong}]' must be an object.`, `${field}[${wrong}]`);
  return value as readonly Json[];
}

/** The tier that OpenAI's shapes say was served: the one that was asked for, else the usual one. */
export function servedTier({ service_tier }: Json): string {
  return service_tier === "flex" || service_tier === "priority" ? service_tier : "default";
}

/** A cap on tokens: absent, or a whole number above 0. */
export function readCap(body: Json, field: string): number | null {
  const value = body[field];
  if (value === undefined || value === null) return null;
  if (typeof value === "number" && Number.isInteger(value) && value > 0) return value;
  throw new BadRequest(`'${field}' must be a whole number above 0, but it is ${JSON.stringify(value)}.`, field);
}

/** A list of stop sequences, given as one text or several. */
export function readStop(value: unknown): readonly string[] {
  if (typeof value === "string") return [value];
  return Array.isArray(value) ? value.filter((stop): stop is string => typeof stop === "string" && stop !== "") : [];
}

const DATA_URL = /^data:([^;,]+);base64,/;

/** An image from a data URL or any other URL. */
export function imageFromUrl(url: unknown, param: string): AskedImage {
  if (typeof url !== "string" || url === "") throw new BadRequest(`'${param}' must be an image URL.`, param);
  if (!url.startsWith("data:")) return { media_type: null, bytes: null, url };
  const head = DATA_URL.exec(url);
  if (head === null) throw new BadRequest(`'${param}' is not a base64 data URL of an image.`, param);
  return imageFromBase64(head[1] ?? null, url.slice(head[0].length));
}

/** An image given as base64; only its size is read. */
export function imageFromBase64(media_type: string | null, data: string): AskedImage {
  return { media_type, bytes: Buffer.byteLength(data, "base64"), url: null };
}
