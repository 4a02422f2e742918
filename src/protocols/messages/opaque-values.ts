import type { Opaque } from "../../core/answer/generation.ts";
import {
  isPacked,
  packHidden,
  packOpaque,
  packUnsigned,
  unpackHidden,
  unpackOpaque,
  unpackUnsigned,
} from "../shared/opaque.ts";
import { type SealedName, textDigest } from "../shared/seals.ts";

/**
 * Signed and encrypted reasoning in this protocol's blocks. Values of Anthropic's family are carried byte for byte.
 * Values of other families are packed; clients that replay answers return them unread.
 */

/** Before the text's digest in the id of a text's seal; the seal of a tool call has the call's id. */
const NAMED_TEXT = "content:";

/**
 * The signature of a thinking block. It also holds the text that the client is not shown: vendors refuse a signature
 * without its text.
 */
export function signatureOf(opaque: Opaque, hidden_text: string): string {
  const signed = opaque.family === "anthropic" && opaque.form === "signature" ? opaque.data : packOpaque(opaque);
  return hidden_text === "" ? signed : packHidden(hidden_text, signed);
}

/** The data of a redacted thinking block for hidden reasoning. */
export function redactedOf(opaque: Opaque): string {
  return opaque.family === "anthropic" && opaque.form === "redacted" ? opaque.data : packOpaque(opaque);
}

/**
 * The signature of thinking that its vendor did not sign: clients keep only signed thinking. Where the client is shown
 * no text, the signature holds the text, for vendors that want their thinking back.
 */
export function unsignedSignature(hidden_text: string): string {
  return packUnsigned(hidden_text);
}

/**
 * The data of a redacted thinking block that seals a text or a tool call, and names it: this protocol has no place for
 * a signature on those, and some vendors refuse a call that comes back without its signature.
 */
export function sealOf(
  { family, data }: Opaque,
  sealed: { readonly call_id: string } | { readonly text: string },
): string {
  const id = "text" in sealed ? NAMED_TEXT + textDigest(sealed.text) : sealed.call_id;
  return packOpaque({ family, form: "signature", data, id });
}

/** The content of a thinking block's signature: the vendor's signature, and the text that the client was not shown. */
export interface ReadSignature {
  readonly opaque: Opaque | null;
  readonly hidden_text: string;
}

/** Reads a signature. A damaged signature that this gateway wrote is read as no signature. */
export function readSignature(signature: string): ReadSignature {
  const hidden = unpackHidden(signature);
  if (hidden !== null) return { opaque: readSigner(hidden.signature), hidden_text: hidden.text };
  return { opaque: readSigner(signature), hidden_text: unpackUnsigned(signature) ?? "" };
}

function readSigner(signature: string): Opaque | null {
  return isPacked(signature) ? unpackOpaque(signature) : { family: "anthropic", form: "signature", data: signature };
}

/** The data of a redacted thinking block: reasoning, or the seal of a tool call or a text. */
export type Redacted =
  | { readonly kind: "reasoning"; readonly opaque: Opaque }
  | { readonly kind: "seal"; readonly opaque: Opaque; readonly sealed: SealedName };

/** Reads the data of a redacted thinking block. Null for data that this gateway wrote and that is damaged. */
export function readRedacted(data: string): Redacted | null {
  if (!isPacked(data)) return { kind: "reasoning", opaque: { family: "anthropic", form: "redacted", data } };
  const packed = unpackOpaque(data);
  if (packed === null) return null;
  if (packed.form !== "signature") return { kind: "reasoning", opaque: packed };
  const { id, ...opaque } = packed;
  return id === undefined ? null : { kind: "seal", opaque, sealed: nameOf(id) };
}

function nameOf(id: string): SealedName {
  if (id.startsWith(NAMED_TEXT)) return { kind: "text", digest: id.slice(NAMED_TEXT.length) };
  return { kind: "call", id };
}
