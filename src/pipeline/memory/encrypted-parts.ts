import type { ResponseCipher } from "../../access/response-cipher.ts";
import type { ResponsePart, StoredResponse } from "../../core/answer/stored-responses.ts";
import { isObject } from "../../core/json.ts";
import { packed, unpacked } from "../../core/packed.ts";
import type { JsonText } from "./kept-answer.ts";

type PartOwner = Pick<StoredResponse, "response_key" | "parent_key"> & { readonly account_id: string };

/** JSON in its stored form: compressed and encrypted, off the serving thread where it is large. */
export async function encryptPart(
  cipher: ResponseCipher,
  owner: PartOwner,
  part: ResponsePart,
  json: JsonText,
): Promise<Uint8Array> {
  return await cipher.encrypt({ ...owner, part }, await packed(json));
}

/** A part's JSON as bytes. Null for a part that cannot be read: it was changed, or encrypted under another secret. */
export async function decryptPart(
  cipher: ResponseCipher,
  owner: PartOwner,
  part: ResponsePart,
  encrypted: Uint8Array,
): Promise<Buffer | null> {
  const bytes = await cipher.decrypt({ ...owner, part }, encrypted);
  return bytes === null ? null : await unpacked(bytes);
}

/** An answer's items with the vendor that made them, which they need wherever they are used. */
export interface KeptOutput {
  readonly vendor: string;
  readonly items: readonly unknown[];
}

export function outputJson(vendor: string, items_json: JsonText): JsonText {
  const before = `{"vendor":${JSON.stringify(vendor)},"items":`;
  if (typeof items_json === "string") return `${before}${items_json}}`;
  return Buffer.concat([Buffer.from(before), items_json, Buffer.from("}")]);
}

/** The bytes of the items in the JSON of a KeptOutput; null where it is none. */
export function itemsOfOutput(output: Buffer): Uint8Array | null {
  const [before] = OUTPUT_START.exec(output.toString("latin1", 0, MOST_START_BYTES)) ?? [];
  return before === undefined ? null : output.subarray(before.length, -1);
}

const OUTPUT_START = /^\{"vendor":"(?:[^"\\]|\\.)*","items":(?=\[)/;
const MOST_START_BYTES = 4096;

export function asOutput(value: unknown): KeptOutput | null {
  if (!isObject(value) || typeof value.vendor !== "string" || !Array.isArray(value.items)) return null;
  return { vendor: value.vendor, items: value.items };
}
