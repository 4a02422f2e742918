import type { Opaque } from "../../core/generation.ts";
import { packOpaque, unpackOpaque } from "../shared/opaque.ts";

/**
 * Signed and encrypted reasoning in this style's blocks. What is of the style's own family stands there as it is, byte for
 * byte; what is not is packed, and clients that replay their answers hand it back unread.
 */

/** The id in a seal of the text before it; a seal of a tool call has the call's id. */
const TEXT_SEAL = "content";

/** The signature of a thinking block. */
export function signatureOf(opaque: Opaque): string {
  return opaque.family === "anthropic" && opaque.form === "signature" ? opaque.data : packOpaque(opaque);
}

/** The data of a redacted thinking block that stands for hidden reasoning. */
export function redactedOf(opaque: Opaque): string {
  return opaque.family === "anthropic" && opaque.form === "redacted" ? opaque.data : packOpaque(opaque);
}

/**
 * The data of a redacted thinking block that seals the text or the tool call before it: this style has no place for a
 * signature there, and some vendors refuse a call that comes back without.
 */
export function sealOf({ family, data }: Opaque, call_id: string | null): string {
  return packOpaque({ family, form: "signature", data, id: call_id ?? TEXT_SEAL });
}

export function readSignature(signature: string): Opaque {
  return unpackOpaque(signature) ?? { family: "anthropic", form: "signature", data: signature };
}

/** What the data of a redacted thinking block is: reasoning, or the seal of a tool call (by its id) or of text (null). */
export type Redacted =
  | { readonly kind: "reasoning"; readonly opaque: Opaque }
  | { readonly kind: "seal"; readonly opaque: Opaque; readonly call_id: string | null };

export function readRedacted(data: string): Redacted {
  const packed = unpackOpaque(data);
  if (packed === null) return { kind: "reasoning", opaque: { family: "anthropic", form: "redacted", data } };
  if (packed.form !== "signature") return { kind: "reasoning", opaque: packed };
  const { id, ...opaque } = packed;
  return { kind: "seal", opaque, call_id: id === undefined || id === TEXT_SEAL ? null : id };
}
