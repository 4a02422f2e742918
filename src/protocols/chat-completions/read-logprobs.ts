import { isObject } from "../../core/json.ts";
import type { TokenLogprob } from "../../core/stream-event.ts";
import { type RawLogprob, readTokenLogprob } from "../shared/read-logprobs.ts";

/** The log-probabilities of a choice, or of its delta; undefined where the vendor sent none. */
export function readLogprobs(logprobs: unknown): readonly TokenLogprob[] | undefined {
  if (!isObject(logprobs) || !Array.isArray(logprobs.content) || logprobs.content.length === 0) return undefined;
  return logprobs.content.map((sent) => {
    const entry = isObject(sent) ? sent : {};
    return readTokenLogprob({ ...membersOf(entry), alternatives: entry.top_logprobs }, membersOf);
  });
}

function membersOf({ token, logprob, bytes }: Record<string, unknown>): Omit<RawLogprob, "alternatives"> {
  return { token, logprob, bytes };
}
