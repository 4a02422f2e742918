import type { SentBody, VendorFailure, WholeAnswer, WholeBody } from "../../core/answer/exchange.ts";
import type { JsonMembers, JsonRecord } from "../../core/json.ts";
import type { Usage } from "../../core/money/usage.ts";
import { invalidAnswer } from "./endings.ts";
import { findMembers, type MemberChange, memberText, replacedParts, replaceMembers } from "./json-members.ts";
import { nameText } from "./json-text.ts";
import { costMembers, shownUsage, type UsageEdit } from "./vendor-costs.ts";

/**
 * Decoding puts this character in the place of bytes that are not UTF-8, so such bytes would be lost if they were
 * converted to text and back.
 */
const REPLACEMENT = "\ufffd";

const ASCII = /^[ -~\s]*$/;

/** One answer in three forms: bytes as received, text, and parsed JSON. */
export interface SentAnswer {
  readonly sent: WholeBody;
  readonly text: string;
  readonly answer: JsonRecord;
}

/** Writes an answer's body for the client: with another usage, with none, and with the value of the usage's `cost`. */
export type WriteBody = (usage?: UsageEdit, cost?: string) => SentBody;

/**
 * How a whole answer is written for the client: with its model's name, without its vendor's costs, and with `changes`. Every other
 * byte stays as sent. Null where an answer names a member twice: readers disagree about which of the two counts, and a usage cannot
 * be put in later.
 */
export function bodyWriter(
  { sent, text, answer }: SentAnswer,
  model_id: string,
  changes: readonly MemberChange[] = [],
): WriteBody | null {
  const fixed = [...changes, ...costMembers(answer)];
  if (typeof answer.model === "string" || answer.model === null) fixed.push(["model", nameText(model_id)]);
  const is_utf8 = typeof sent === "string" || !text.includes(REPLACEMENT);
  const written = is_utf8 ? text : latin1Of(sent);
  let members: JsonMembers;
  try {
    members = findMembers(written);
  } catch {
    return null;
  }
  const usageText = (): string | null => {
    const own = memberText(written, members, "usage");
    return own === null || is_utf8 || ASCII.test(own) ? own : null;
  };
  return (usage, cost) => {
    const shown = shownUsage(answer.usage, usageText, usage, cost);
    const all: MemberChange[] = shown === undefined ? fixed : [...fixed, ["usage", shown]];
    if (all.length === 0) return sent;
    if (is_utf8) return replacedParts(written, all, members);
    const bytes = all.map(([key, value]) => [key, value === null ? null : latin1Of(value)] as const);
    return Buffer.from(replaceMembers(written, bytes, members), "latin1");
  };
}

/** The bytes of a body, each as a character: those that are no UTF-8 stay what they are. */
function latin1Of(body: WholeBody): string {
  return Buffer.from(body).toString("latin1");
}

interface ReadWhole {
  readonly sent: WholeBody;
  /** Null where the answer names a member twice. */
  readonly write: WriteBody | null;
  readonly failure: VendorFailure | null;
  readonly usage: Usage | null;
  /** As the vendor sent it. */
  readonly raw_usage: unknown;
  readonly has_content: boolean;
  /** The usage for the client: that which is billed, or where none is given yet, what is to be seen in place of the vendor's. */
  readonly usageFor: (billed: Usage | null) => UsageEdit;
  readonly generated: () => string;
}

/** The most generated text that an estimate starts from. */
const MAX_SAMPLE_LENGTH = 256 * 1024;

/** A whole answer for the client. What was generated is only gathered where it is asked for: by answers without a usage. */
export function relayedWhole(read: ReadWhole): WholeAnswer {
  const { sent, write, failure, usage, raw_usage, has_content, usageFor } = read;
  let text: string | null = null;
  const generated = (): string => {
    text ??= read.generated();
    return text;
  };
  const bodyWith = (billed: Usage | null, cost?: string): SentBody => write?.(usageFor(billed), cost) ?? sent;
  return {
    get body() {
      return bodyWith(null);
    },
    failure: write === null ? REPEATED_MEMBER : failure,
    bodyWith,
    usage,
    rejected_usage: usage === null ? raw_usage : null,
    has_content,
    get output_bytes() {
      return Buffer.byteLength(generated());
    },
    get output_sample() {
      return generated().slice(0, MAX_SAMPLE_LENGTH);
    },
  };
}

/** The failure of an answer that names a member twice (docs/rulings.md 130). */
export const REPEATED_MEMBER = invalidAnswer("The model service's answer names the same member twice.");
