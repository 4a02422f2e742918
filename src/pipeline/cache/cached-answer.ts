import type { ResponseCipher } from "../../access/response-cipher.ts";
import { copyWithCost } from "../../core/answer/shown-cost.ts";
import { LF } from "../../core/ascii.ts";
import { type Micro, micro } from "../../core/money/money.ts";
import type { Price } from "../../core/money/price.ts";
import type { Usage } from "../../core/money/usage.ts";
import { packed, unpacked } from "../../core/packed.ts";

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

/** Whose stored answer it is, and under which key. */
export interface CachePlace {
  readonly account_id: string;
  readonly key: string;
}

/** What is written in front of the body. */
type Head = Omit<CachedAnswer, "body" | "charge_micro"> & { readonly charge: string };

/** An answer in its stored form: compressed, and encrypted for its account and its place. */
export async function sealAnswer(
  cipher: ResponseCipher,
  place: CachePlace,
  { body, charge_micro, ...facts }: CachedAnswer,
): Promise<Uint8Array> {
  const head: Head = { ...facts, charge: String(charge_micro) };
  const plain = Buffer.concat([Buffer.from(`${JSON.stringify(head)}\n`), body]);
  return await cipher.encrypt(bindingOf(place), await packed(plain));
}

/** Null for what cannot be read: it was changed, or encrypted under another secret, or for another account. */
export async function openAnswer(
  cipher: ResponseCipher,
  place: CachePlace,
  content: Uint8Array,
): Promise<CachedAnswer | null> {
  const bytes = await cipher.decrypt(bindingOf(place), content);
  if (bytes === null) return null;
  const plain = await unpacked(bytes);
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

function bindingOf({ account_id, key }: CachePlace) {
  return { account_id, response_key: key, parent_key: null, part: "cached answer" };
}
