import type { ResponseCipher } from "../../access/response-cipher.ts";
import { copyWithCost } from "../../core/answer/shown-cost.ts";
import { LF } from "../../core/ascii.ts";
import { type Micro, micro } from "../../core/money/money.ts";
import type { Price } from "../../core/money/price.ts";
import type { Usage } from "../../core/money/usage.ts";

/** An answer that is stored to be given again. */
export interface CachedAnswer {
  /** The model that answered. */
  readonly model: string;
  readonly price: Price;
  readonly usage: Usage;
  readonly estimated: boolean;
  /** What the answer was charged. */
  readonly charge_micro: Micro;
  /** How it was sent: whole, or with these options as a stream. */
  readonly form: string;
  readonly content_type: string;
  readonly headers: Readonly<Record<string, string>>;
  /** With the mark in place of the cost, where answers have it, under the name that the mark had when it was stored. */
  readonly body: Uint8Array;
  readonly mark: string;
}

/** What is written in front of the body. */
type Head = Omit<CachedAnswer, "body" | "charge_micro"> & { readonly charge: string };

/** Level 3 is zstd's default: it compresses to a third, at hundreds of megabytes a second. */
const LEVEL = 3;
/** Up to this size compressing takes less time than handing the text to another thread. */
const AT_ONCE_BYTES = 32 * 1024;
/** The limit for packed bytes: unpacked they may be a thousand times as large. */
const AT_ONCE_PACKED_BYTES = 4096;

/** An answer in its stored form: compressed, and encrypted for its account and its place. */
export async function sealAnswer(
  cipher: ResponseCipher,
  owner: { readonly account_id: string; readonly key: string },
  { body, charge_micro, ...facts }: CachedAnswer,
): Promise<Uint8Array> {
  const head: Head = { ...facts, charge: String(charge_micro) };
  const plain = Buffer.concat([Buffer.from(`${JSON.stringify(head)}\n`), body]);
  const options = { level: LEVEL };
  const at_once = plain.byteLength <= AT_ONCE_BYTES;
  const packed = at_once ? Bun.zstdCompressSync(plain, options) : await Bun.zstdCompress(plain, options);
  return await cipher.encrypt(bindingOf(owner), new Uint8Array(packed));
}

/** Null for what cannot be read: it was changed, or encrypted under another secret, or for another account. */
export async function openAnswer(
  cipher: ResponseCipher,
  owner: { readonly account_id: string; readonly key: string },
  content: Uint8Array,
): Promise<CachedAnswer | null> {
  const packed = await cipher.decrypt(bindingOf(owner), content);
  if (packed === null) return null;
  const at_once = packed.byteLength <= AT_ONCE_PACKED_BYTES;
  const plain = at_once ? Bun.zstdDecompressSync(packed) : await Bun.zstdDecompress(packed);
  const end = plain.indexOf(LF);
  const { charge, ...facts }: Head = JSON.parse(plain.toString("utf8", 0, end));
  return { ...facts, charge_micro: micro(BigInt(charge)), body: plain.subarray(end + 1) };
}

/** The bytes of a stored answer with what it costs now in the place of the mark that it was stored with. */
export function bodyWithCost({ body, mark }: CachedAnswer, charge_micro: Micro): Uint8Array {
  const text = JSON.stringify(mark);
  const start = Buffer.from(body.buffer, body.byteOffset, body.byteLength).lastIndexOf(text);
  return start === -1 ? body : copyWithCost(body, { start, end: start + text.length }, charge_micro);
}

function bindingOf({ account_id, key }: { readonly account_id: string; readonly key: string }) {
  return { account_id, response_key: key, parent_key: null, part: "cached answer" };
}
