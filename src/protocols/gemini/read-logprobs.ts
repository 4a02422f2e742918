import { isObject } from "../../core/json.ts";
import type { TokenLogprob } from "../../core/stream-event.ts";

/** A candidate's `logprobsResult` in style A's shape; undefined when it has none. */
export function readLogprobs(result: unknown): readonly TokenLogprob[] | undefined {
  if (!isObject(result) || !Array.isArray(result.chosenCandidates)) return undefined;
  const tops = Array.isArray(result.topCandidates) ? result.topCandidates : [];
  return result.chosenCandidates.flatMap((chosen, index) => {
    const token = readToken(chosen);
    if (token === null) return [];
    const top: unknown = tops[index];
    const candidates = isObject(top) && Array.isArray(top.candidates) ? top.candidates : [];
    return [{ ...token, top_logprobs: candidates.map(readToken).filter((each) => each !== null) }];
  });
}

function readToken(candidate: unknown) {
  if (!isObject(candidate) || typeof candidate.token !== "string") return null;
  const { token, logProbability } = candidate;
  return { token, logprob: typeof logProbability === "number" ? logProbability : 0, bytes: [...Buffer.from(token)] };
}
