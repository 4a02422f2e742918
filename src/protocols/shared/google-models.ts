import type { Opaque } from "../../core/answer/generation.ts";
import type { Model } from "../../core/catalog/catalog.ts";

/**
 * Whether a model is of the generation of Gemini 3: such models think by levels, require the signatures of their tool
 * calls, accept images in tool results, and give structured output beside tools. Earlier models think by a budget in
 * tokens or not at all: this difference in the catalogue is how generations are distinguished.
 */
export function isGemini3({ capabilities }: Model): boolean {
  if (!capabilities.thinking) return false;
  const { effort = [], budget_tokens } = capabilities.reasoning ?? {};
  return effort.length > 0 || budget_tokens === undefined;
}

/**
 * Google's own placeholder for an unknown signature, for a call that another model made or whose client dropped the
 * signature.
 */
const UNSIGNED = "skip_thought_signature_validator";

/** Signatures are bytes in base64, in the standard or the URL-safe alphabet. */
const BASE64 = /^[A-Za-z0-9+/_-]+={0,2}$/;

/**
 * Google's signature, or null. A signature that is not base64 was altered on its way: Google would refuse the whole
 * request for it.
 */
export function googleSignature(opaque: Opaque | null | undefined): string | null {
  if (opaque?.family !== "google") return null;
  return opaque.data === UNSIGNED || BASE64.test(opaque.data) ? opaque.data : null;
}

/**
 * The signatures of a turn's calls, in their order. The first call carries the signature for all calls of the turn:
 * models that require it get a placeholder where the signature is not known (docs/rulings.md 93).
 */
export function callSignatures(
  calls: readonly { readonly opaque?: Opaque | null }[],
  requires_signatures: boolean,
): readonly (string | null)[] {
  return calls.map(({ opaque }, at) => googleSignature(opaque) ?? (requires_signatures && at === 0 ? UNSIGNED : null));
}
