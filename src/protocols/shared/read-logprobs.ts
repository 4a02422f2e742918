import type { AlternativeLogprob, TokenLogprob } from "../../core/answer/stream-event.ts";
import { isObject } from "../../core/json.ts";

/** A vendor's values for one token, under the names of its protocol. They are not checked yet. */
export interface RawLogprob {
  readonly token: unknown;
  readonly logprob: unknown;
  readonly bytes: unknown;
  /** The token's likely alternatives, in the same shape as the token, without alternatives of their own. */
  readonly alternatives: unknown;
}

/** How a protocol names the members of a token. */
export type ReadMembers = (entry: Record<string, unknown>) => Omit<RawLogprob, "alternatives">;

/** A number in single precision may exceed 0, the log-probability of certainty, by its last bits. */
const ROUNDING = 1e-6;

/**
 * Reads what any vendor sent as a log-probability: a finite number not above 0, or null where there is none
 * (docs/rulings.md 157). Nothing else is ever made into a number.
 */
export function readLogProbability(value: unknown): number | null {
  if (typeof value !== "number" || !Number.isFinite(value) || value > ROUNDING) return null;
  return Math.min(value, 0);
}

/**
 * Reads a token with its alternatives. A token keeps its place among the others even where nothing of it can be read;
 * an alternative without a token or a log-probability is left out.
 */
export function readTokenLogprob(raw: RawLogprob, read: ReadMembers): TokenLogprob {
  const { token, alternatives } = raw;
  const listed = Array.isArray(alternatives) ? alternatives : [];
  return {
    token: typeof token === "string" ? token : "",
    logprob: readLogProbability(raw.logprob),
    bytes: bytesOf(raw.bytes),
    top_logprobs: listed.filter(isObject).flatMap((entry) => readAlternative(read(entry))),
  };
}

function readAlternative({ token, logprob: value, bytes }: Omit<RawLogprob, "alternatives">): AlternativeLogprob[] {
  const logprob = readLogProbability(value);
  return typeof token !== "string" || logprob === null ? [] : [{ token, logprob, bytes: bytesOf(bytes) }];
}

function bytesOf(bytes: unknown): readonly number[] | null {
  return Array.isArray(bytes) ? (bytes as number[]) : null;
}

/** The tokens that have a log-probability: clients' libraries take no token without one. */
export function shownLogprobs(logprobs: readonly TokenLogprob[]): readonly TokenLogprob[] {
  return logprobs.every(({ logprob }) => logprob !== null)
    ? logprobs
    : logprobs.filter(({ logprob }) => logprob !== null);
}

/**
 * The log-probabilities of style A's tokens; undefined where the vendor sent none. Responses has an empty list for a token
 * without bytes of its own (`empty_is_none`), and vendors leave the bytes out in streams.
 */
export function readLogprobs(raw: unknown, empty_is_none: boolean): readonly TokenLogprob[] | undefined {
  if (!Array.isArray(raw) || raw.length === 0) return undefined;
  const read: ReadMembers = ({ token, logprob, bytes }) => {
    const is_none = empty_is_none && Array.isArray(bytes) && bytes.length === 0;
    return { token, logprob, bytes: is_none ? null : bytes };
  };
  return raw.map((sent) => {
    const entry = isObject(sent) ? sent : {};
    return readTokenLogprob({ ...read(entry), alternatives: entry.top_logprobs }, read);
  });
}
