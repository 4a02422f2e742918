import type { Opaque } from "../../core/answer/generation.ts";
import { isObject, type JsonRecord } from "../../core/json.ts";
import { googleSignature } from "../shared/google-models.ts";
import { issued } from "../shared/issuer.ts";
import { isPacked, unpackOpaque } from "../shared/opaque.ts";

/**
 * The signature of a tool call in the shape of Google's own endpoint for OpenAI's clients:
 * `extra_content.google.thought_signature` on the call, in a stream on its first delta. AI SDK keeps it.
 */

export interface ExtraContent {
  readonly extra_content?: { readonly google: { readonly thought_signature: string } };
}

const GOOGLE = "google";

/** The members that carry a call's signature; none unless it is signed. */
export function extraContentOf(opaque: Opaque | undefined): ExtraContent {
  const signature = googleSignature(opaque);
  if (signature !== null) return extraContent(signature);
  // Other issuers sign calls in Google's protocol, too: their signatures say whose they are (docs/rulings.md 192).
  if (opaque?.form !== "signature" || opaque.family === GOOGLE) return {};
  return extraContent(issued(opaque.family, { form: opaque.form, data: opaque.data }));
}

export function extraContent(thought_signature: string): ExtraContent {
  return { extra_content: { google: { thought_signature } } };
}

/** Whether a call's signature is none of Google's, but of a vendor with its name (docs/rulings.md 192). */
export function isPackedIn(call: JsonRecord): boolean {
  return isPacked(textIn(call));
}

/** The signature of a call, read from the call or its delta, or null. */
export function signatureIn(call: JsonRecord): Opaque | null {
  const data = textIn(call);
  if (data === "") return null;
  return unpackOpaque(data) ?? { family: GOOGLE, form: "signature", data };
}

function textIn({ extra_content }: JsonRecord): string {
  const google = isObject(extra_content) ? extra_content.google : undefined;
  const signature = isObject(google) ? google.thought_signature : undefined;
  return typeof signature === "string" ? signature : "";
}
