import { isObject } from "../../core/json.ts";
import type { TokenLogprob } from "../../core/stream-event.ts";
import { type RawLogprob, readTokenLogprob } from "../shared/read-logprobs.ts";

/** A candidate's `logprobsResult` in style A's shape; undefined when it has none. */
export function readLogprobs(result: unknown): readonly TokenLogprob[] | undefined {
  if (!isObject(result) || !Array.isArray(result.chosenCandidates)) return undefined;
  const tops = Array.isArray(result.topCandidates) ? result.topCandidates : [];
  return result.chosenCandidates.map((chosen, index) => {
    const top: unknown = tops[index];
    const alternatives = isObject(top) ? top.candidates : null;
    return readTokenLogprob({ ...membersOf(isObject(chosen) ? chosen : {}), alternatives }, membersOf);
  });
}

function membersOf({ token, logProbability }: Record<string, unknown>): Omit<RawLogprob, "alternatives"> {
  return { token, logprob: logProbability, bytes: typeof token === "string" ? [...Buffer.from(token)] : null };
}
