import type { CountedRequest, LimitHolder } from "../../../../support/limit-holder.ts";
import type { Said } from "./read-refusal.ts";

/** What a plain model of all limits of an account says to a request (docs/rulings.md 176, 177). */

/** By how much the times of the model may be wrong about those of the gateways. */
export const UNSURE_MS = 1000;
/** By how much a told time may be wrong: it is in whole seconds. */
export const MOST_OFF_S = 2.5;

/** A node that judges by what it has seen itself may tell of a shorter time than there is, as it does not know what others have counted. */
type Expected = Said & { readonly is_at_most?: true };

/** What may be said to a request now: more than one answer only where a limit is about to open, or two places judge it. */
export function expectedOf(
  { hold, bound_tokens, at_ms }: CountedRequest,
  holders: readonly LimitHolder[],
  time_zone: string | null,
): Expected[] {
  const expected: Expected[] = [];
  let is_full = false;
  for (const holder of holders) {
    for (const { limit, over_ms } of holder.judge(bound_tokens, at_ms)) {
      if (over_ms < -UNSURE_MS + 1 || is_full || over_ms === -1000) continue;
      expected.push(rateSaid(holder, limit, over_ms));
      is_full = limit === "concurrency" ? over_ms > 0 : over_ms > UNSURE_MS;
      if (is_full) break;
    }
    if (is_full) break;
  }
  if (is_full || expected.length > 0) expected.push(...byHead(holders, bound_tokens, at_ms));
  if (is_full) return expected;
  let least: { readonly whose: string; readonly left: number } | null = null;
  for (const holder of holders) {
    const left = holder.left(at_ms, time_zone);
    if (left !== null && (least === null || left < least.left)) least = { whose: holder.name, left };
  }
  if (least !== null && hold > least.left)
    return [...expected, { outcome: "budget_exceeded", ...least, needs: hold, renews: null }];
  return [...expected, { outcome: "admitted" }, { outcome: "unavailable", retry_s: 0 }];
}

/** What a node says to a request by its head, before others are judged: that a key's, project's or account's rate, or its key's places are used up. */
function byHead(holders: readonly LimitHolder[], bound_tokens: number, at_ms: number): Expected[] {
  return holders.flatMap((holder) => {
    const limits =
      holder.name === "key"
        ? ["requests", "concurrency"]
        : ["project", "account"].includes(holder.name)
          ? ["requests"]
          : [];
    return holder
      .judge(bound_tokens, at_ms)
      .filter(({ limit, over_ms }) => limits.includes(limit) && over_ms > -UNSURE_MS)
      .map(({ limit, over_ms }) => ({ ...rateSaid(holder, limit, over_ms), is_at_most: true }));
  });
}

function rateSaid(holder: LimitHolder, limit: string, over_ms: number): Said {
  const of =
    { requests: holder.limits.rpm, tokens: holder.limits.tpm, concurrency: holder.limits.concurrent }[limit] ?? null;
  return { outcome: "rate_limited", whose: holder.name, limit, allowed: of, retry_s: over_ms / 1000 };
}

/** Whether an answer is what was expected: whole seconds of a time that is known to a second. */
export function isAs(expected: Expected, said: Said): boolean {
  if (expected.outcome !== said.outcome) return false;
  if (expected.outcome === "rate_limited" && said.outcome === "rate_limited") {
    const { whose, limit, allowed } = expected;
    const by_s = said.retry_s - expected.retry_s;
    const is_time = by_s <= MOST_OFF_S && (expected.is_at_most === true || by_s >= -MOST_OFF_S);
    return whose === said.whose && limit === said.limit && (said.allowed ?? allowed) === allowed && is_time;
  }
  if (expected.outcome === "budget_exceeded" && said.outcome === "budget_exceeded")
    return expected.whose === said.whose && expected.left === said.left;
  return true;
}
