import type { Opaque } from "../../core/generation.ts";
import { isPacked, packHidden, packOpaque, packUnsigned } from "../shared/opaque.ts";
import { unpackHidden, unpackOpaque, unpackUnsigned } from "../shared/opaque.ts";
import { type SealedName, textDigest } from "../shared/seals.ts";

/**
 * Signed and encrypted reasoning in this style's blocks. Values of the style's own family are carried byte for byte;
 * values of other families are packed, and clients that replay answers return them unread.
 */

/** The id in a seal of text, with the text's digest behind it; a seal of a tool call has the call's id. */
const TEXT_SEAL = "content";
const NAMED_TEXT = `${TEXT_SEAL}:`;

/** The signature of a thinking block. It holds the text that the client is not shown: vendors refuse the one without the other. */
export function signatureOf(opaque: Opaque, hidden_text: string): string {
  const signed = opaque.family === "anthropic" && opaque.form === "signature" ? opaque.data : packOpaque(opaque);
  return hidden_text === "" ? signed : packHidden(hidden_text, signed);
}

/** The data of a redacted thinking block that stands for hidden reasoning. */
export function redactedOf(opaque: Opaque): string {
  return opaque.family === "anthropic" && opaque.form === "redacted" ? opaque.data : packOpaque(opaque);
}

/**
 * The signature of thinking that its vendor did not sign: clients keep only what has one. It holds the text where the client
 * is shown none, so that a vendor which wants its thoughts back gets them.
 */
export function unsignedSignature(hidden_text: string): string {
  return packUnsigned(hidden_text);
}

/**
 * The data of a redacted thinking block that seals a text or a tool call and names it: this style has no place for a
 * signature there, and some vendors refuse a call that comes back without.
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

/** Reads a signature. A damaged signature of this gateway's making is read as no signature. */
export function readSignature(signature: string): ReadSignature {
  const hidden = unpackHidden(signature);
  if (hidden !== null) return { opaque: readSigner(hidden.signature), hidden_text: hidden.text };
  return { opaque: readSigner(signature), hidden_text: unpackUnsigned(signature) ?? "" };
}

function readSigner(signature: string): Opaque | null {
  return isPacked(signature) ? unpackOpaque(signature) : { family: "anthropic", form: "signature", data: signature };
}

/** What the data of a redacted thinking block is: reasoning, or the seal of a tool call or a text. */
export type Redacted =
  | { readonly kind: "reasoning"; readonly opaque: Opaque }
  | { readonly kind: "seal"; readonly opaque: Opaque; readonly sealed: SealedName };

/** `text_before` is the place of the last text before it. Null for what this gateway made and that is broken. */
export function readRedacted(data: string, text_before: number): Redacted | null {
  if (!isPacked(data)) return { kind: "reasoning", opaque: { family: "anthropic", form: "redacted", data } };
  const packed = unpackOpaque(data);
  if (packed === null) return null;
  if (packed.form !== "signature") return { kind: "reasoning", opaque: packed };
  const { id = TEXT_SEAL, ...opaque } = packed;
  return { kind: "seal", opaque, sealed: nameOf(id, text_before) };
}

function nameOf(id: string, text_before: number): SealedName {
  if (id === TEXT_SEAL) return { kind: "text-before", part: text_before };
  if (id.startsWith(NAMED_TEXT)) return { kind: "text", digest: id.slice(NAMED_TEXT.length) };
  return { kind: "call", id };
}
