import { isObject } from "../../core/json.ts";
import type { TokenLogprob } from "../../core/stream-event.ts";

/** A vendor's log probabilities; undefined where it sent none. Vendors leave the bytes out in streams. */
export function readLogprobs(raw: unknown): readonly TokenLogprob[] | undefined {
  if (!Array.isArray(raw) || raw.length === 0) return undefined;
  return raw.filter(isObject).map((entry) => ({
    ...readToken(entry),
    top_logprobs: Array.isArray(entry.top_logprobs) ? entry.top_logprobs.filter(isObject).map(readToken) : [],
  }));
}

function readToken({ token, logprob, bytes }: Record<string, unknown>) {
  const known = Array.isArray(bytes) && bytes.length > 0 ? (bytes as number[]) : null;
  return { token: String(token), logprob: typeof logprob === "number" ? logprob : 0, bytes: known };
}
