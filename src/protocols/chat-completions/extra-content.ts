import type { Opaque } from "../../core/generation.ts";
import { isObject } from "../../core/json.ts";
import { googleSignature } from "../shared/google-models.ts";

/**
 * The signature of a tool call in the shape of Google's own endpoint for OpenAI's clients:
 * `extra_content.google.thought_signature` on the call, in a stream on its first delta. AI SDK keeps it.
 */

export interface ExtraContent {
  readonly extra_content?: { readonly google: { readonly thought_signature: string } };
}

/** The members that carry a call's signature; none unless Google signed the call. */
export function extraContentOf(opaque: Opaque | undefined): ExtraContent {
  const signature = googleSignature(opaque);
  return signature === null ? {} : extraContent(signature);
}

export function extraContent(thought_signature: string): ExtraContent {
  return { extra_content: { google: { thought_signature } } };
}

/** Google's signature of a call, read from the call or its delta, or null. */
export function signatureIn(call: Readonly<Record<string, unknown>>): Opaque | null {
  const { extra_content } = call;
  const google = isObject(extra_content) ? extra_content.google : undefined;
  const data = isObject(google) ? google.thought_signature : undefined;
  return typeof data === "string" && data !== "" ? { family: "google", form: "signature", data } : null;
}
