import type { TokenLogprob } from "../../core/answer/stream-event.ts";
import { isObject } from "../../core/json.ts";
import { type RawLogprob, readTokenLogprob } from "../shared/read-logprobs.ts";

/** A vendor's log probabilities; undefined where it sent none. Vendors leave the bytes out in streams. */
export function readLogprobs(raw: unknown): readonly TokenLogprob[] | undefined {
  if (!Array.isArray(raw) || raw.length === 0) return undefined;
  return raw.map((sent) => {
    const entry = isObject(sent) ? sent : {};
    return readTokenLogprob({ ...membersOf(entry), alternatives: entry.top_logprobs }, membersOf);
  });
}

function membersOf({ token, logprob, bytes }: Record<string, unknown>): Omit<RawLogprob, "alternatives"> {
  return { token, logprob, bytes: Array.isArray(bytes) && bytes.length > 0 ? bytes : null };
}
