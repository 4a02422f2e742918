import type { ResponseCipher } from "../../access/response-cipher.ts";
import type { ResponsePart, StoredResponse } from "../../core/answer/stored-responses.ts";
import { isObject } from "../../core/json.ts";
import type { JsonText } from "./kept-answer.ts";

/** Level 3 is zstd's default: it compresses to a third, at hundreds of megabytes a second. */
const LEVEL = 3;
/** Up to this size compressing takes less time than handing the text to another thread. */
const AT_ONCE_CHARACTERS = 32 * 1024;
/** The limit for packed bytes: unpacked they may be a thousand times as large. */
const AT_ONCE_PACKED_BYTES = 4096;

type Owner = Pick<StoredResponse, "response_key" | "parent_key"> & { readonly account_id: string };

/** JSON in its stored form: compressed and encrypted, off the serving thread where it is large. */
export async function encryptPart(
  cipher: ResponseCipher,
  owner: Owner,
  part: ResponsePart,
  json: JsonText,
): Promise<Uint8Array> {
  const options = { level: LEVEL };
  const at_once = json.length <= AT_ONCE_CHARACTERS;
  const packed = at_once ? Bun.zstdCompressSync(json, options) : await Bun.zstdCompress(json, options);
  return await cipher.encrypt({ ...owner, part }, new Uint8Array(packed));
}

/** A part's JSON as bytes. Null for a part that cannot be read: it was changed, or encrypted under another secret. */
export async function decryptPart(
  cipher: ResponseCipher,
  owner: Owner,
  part: ResponsePart,
  encrypted: Uint8Array,
): Promise<Buffer | null> {
  const packed = await cipher.decrypt({ ...owner, part }, encrypted);
  if (packed === null) return null;
  const at_once = packed.byteLength <= AT_ONCE_PACKED_BYTES;
  return at_once ? Bun.zstdDecompressSync(packed) : await Bun.zstdDecompress(packed);
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
