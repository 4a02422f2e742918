import type { VendorFailure, WholeBody } from "../../core/exchange.ts";
import { type MemberChanges, replaceMembers } from "./json-members.ts";
import { ModelSwap } from "./swap-model.ts";

const utf8 = new TextDecoder();

/** A vendor's bytes as text. */
export function textOf(bytes: Uint8Array): string {
  return utf8.decode(bytes);
}

/** What stands for bytes that are no UTF-8: they would not survive the way through text. */
const REPLACEMENT = "\ufffd";

/** One answer three times: as it came, as text, and parsed. */
export interface SentAnswer {
  readonly bytes: Uint8Array;
  readonly text: string;
  readonly answer: Readonly<Record<string, unknown>>;
}

/**
 * A whole answer as the client gets it: with its model's name, and with what else `changes` among its members. All else
 * stays as it was sent. Null where an answer that has to change names a member twice: readers
 * disagree about which of the two counts.
 */
export function rewriteAnswer(
  { bytes, text, answer }: SentAnswer,
  model_id: string,
  changes: Map<string, string | null> = new Map(),
): WholeBody | null {
  if (changes.size === 0 && text.includes(REPLACEMENT)) {
    return new ModelSwap(model_id).swap(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength));
  }
  if (typeof answer.model === "string" || answer.model === null) changes.set("model", JSON.stringify(model_id));
  if (changes.size === 0) return bytes;
  try {
    return replaceMembers(text, changes satisfies MemberChanges);
  } catch {
    return null;
  }
}

/** Why an answer that names a member twice is none. */
export const REPEATED_MEMBER: VendorFailure = {
  status: 502,
  message: "The model service's answer names the same member twice.",
  retry_after_ms: null,
};
