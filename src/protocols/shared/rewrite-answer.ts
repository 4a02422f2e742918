import type { VendorFailure, WholeBody } from "../../core/exchange.ts";
import { type MemberChange, replaceMembers } from "./json-members.ts";
import { nameText } from "./json-text.ts";
import { ModelSwap } from "./swap-model.ts";

const NONE: readonly MemberChange[] = [];

/** What stands for bytes that are no UTF-8: they would not survive the way through text. */
const REPLACEMENT = "\ufffd";

/** One answer three times: as it came, as text, and parsed. */
export interface SentAnswer {
  readonly sent: WholeBody;
  readonly text: string;
  readonly answer: Readonly<Record<string, unknown>>;
}

/**
 * A whole answer as the client gets it: with its model's name, and with what else `changes` among its members. All else
 * stays as it was sent. Null where an answer that has to change names a member twice: readers
 * disagree about which of the two counts.
 */
export function rewriteAnswer(
  { sent, text, answer }: SentAnswer,
  model_id: string,
  changes: readonly MemberChange[] = NONE,
): WholeBody | null {
  if (typeof sent !== "string" && changes.length === 0 && text.includes(REPLACEMENT)) {
    return new ModelSwap(model_id).swap(Buffer.from(sent.buffer, sent.byteOffset, sent.byteLength));
  }
  const is_named = typeof answer.model === "string" || answer.model === null;
  if (changes.length === 0 && !is_named) return sent;
  try {
    return replaceMembers(text, is_named ? [...changes, ["model", nameText(model_id)]] : changes);
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
