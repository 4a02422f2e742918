import type { Opaque, ReasoningPart } from "../../core/answer/generation.ts";
import { isObject } from "../../core/json.ts";
import { isPacked, packOpaque, unpackOpaque } from "../shared/opaque.ts";
import { parseOrNull } from "../shared/parse-json.ts";

/**
 * The content of `thoughtSignature`. Google's own signature is carried byte for byte. All else that clients have to send back with an
 * answer is sealed there: the reasoning before the part, and a signature of another issuer (docs/rulings.md 192). Clients of this style
 * keep signatures with the parts that the model said, while several drop its thoughts, so the reasoning travels in the seal of what
 * follows it (docs/rulings.md 218).
 *
 * A signature is bytes in base64, and a client may give it back in the other alphabet of base64, as Google's Python client does.
 */
export interface ThoughtSeal {
  /** The signature of the part itself; null where it has none. */
  readonly own: Opaque | null;
  /** The reasoning that came before the part. */
  readonly reasoning: readonly ReasoningPart[];
}

const MARK = "camino:thoughts:";
/** The first signs of the mark in base64, the same in both alphabets. */
const SIGN = Buffer.from(MARK).toString("base64").slice(0, 20);
const NOTHING: ThoughtSeal = { own: null, reasoning: [] };

/** The signature of a part; undefined where it needs none. */
export function sealThoughts({ own, reasoning }: ThoughtSeal): string | undefined {
  if (reasoning.length === 0) {
    if (own === null) return undefined;
    if (own.family === "google" && own.form === "signature") return own.data;
  }
  const thoughts = reasoning.map(({ text, opaque }) => (opaque === undefined ? [text] : [text, packOpaque(opaque)]));
  const sealed = JSON.stringify({ ...(own !== null && { own: packOpaque(own) }), thoughts });
  return Buffer.from(MARK + sealed).toString("base64");
}

/** Whether a JSON text may hold a seal of this gateway. */
export function mayHoldSeal(json: string): boolean {
  return json.includes(SIGN);
}

export function isSeal(signature: string): boolean {
  return signature.startsWith(SIGN);
}

/** Reads a signature. A damaged seal of this gateway is read as no signature. */
export function readSeal(signature: string | null | undefined): ThoughtSeal {
  if (signature === null || signature === undefined || signature === "") return NOTHING;
  if (!isSeal(signature)) return { own: { family: "google", form: "signature", data: signature }, reasoning: [] };
  const sealed = parseOrNull(Buffer.from(signature, "base64").toString().slice(MARK.length));
  if (!isObject(sealed)) return NOTHING;
  const thoughts: readonly unknown[] = Array.isArray(sealed.thoughts) ? sealed.thoughts : [];
  return { own: unpacked(sealed.own), reasoning: thoughts.flatMap(readThought) };
}

function readThought(thought: unknown): ReasoningPart[] {
  const [text, packed]: readonly unknown[] = Array.isArray(thought) ? thought : [];
  if (typeof text !== "string") return [];
  const opaque = unpacked(packed);
  return [{ type: "reasoning", text, ...(opaque !== null && { opaque }) }];
}

function unpacked(packed: unknown): Opaque | null {
  return typeof packed === "string" && isPacked(packed) ? unpackOpaque(packed) : null;
}
