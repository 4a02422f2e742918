import type { SentBody, VendorFailure, WholeBody } from "../../core/exchange.ts";
import { type ChangeOf, findMembers, rewrittenParts } from "./json-members.ts";
import { nameText } from "./json-text.ts";
import { ModelSwap } from "./swap-model.ts";

/**
 * Decoding puts this character in the place of bytes that are not UTF-8, so such bytes would be lost if they were
 * converted to text and back.
 */
const REPLACEMENT = "\ufffd";

/** One answer in three forms: bytes as received, text, and parsed JSON. */
export interface SentAnswer {
  readonly sent: WholeBody;
  readonly text: string;
  readonly answer: Readonly<Record<string, unknown>>;
}

/**
 * A whole answer as the client receives it: with its model's name, and with the given usage as JSON text; null removes
 * the usage. Every other byte stays as sent. Null where an answer names a member twice: readers disagree about which of the
 * two counts, and a usage cannot be put in later.
 */
export function rewriteAnswer(
  { sent, text, answer }: SentAnswer,
  model_id: string,
  usage?: string | null,
): SentBody | null {
  const is_named = typeof answer.model === "string" || answer.model === null;
  try {
    const members = findMembers(text);
    if (typeof sent !== "string" && usage === undefined && text.includes(REPLACEMENT)) {
      return new ModelSwap(model_id).swap(Buffer.from(sent.buffer, sent.byteOffset, sent.byteLength));
    }
    if (usage === undefined && !is_named) return sent;
    const change_of = new Array<ChangeOf>(members.size).fill(undefined);
    if (is_named) change_of[members.indexOf("model")] = nameText(model_id);
    if (usage !== undefined) change_of[members.indexOf("usage")] = usage;
    return rewrittenParts(text, members, change_of, "");
  } catch {
    return null;
  }
}

/** The failure of an answer that names a member twice. */
export const REPEATED_MEMBER: VendorFailure = {
  status: 502,
  message: "The model service's answer names the same member twice.",
  retry_after_ms: null,
};
