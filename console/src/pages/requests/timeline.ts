import type { ReceiptDetail } from "../../../../contract/requests.ts";

/** A stretch of a request's time, in ms from its arrival. */
export interface Stretch {
  readonly key: string;
  readonly label: string;
  readonly kind: "gateway" | "hook" | "waiting" | "answering" | "failed";
  readonly start_ms: number;
  readonly end_ms: number;
}

interface Timeline {
  readonly total_ms: number;
  readonly stretches: readonly Stretch[];
}

type Timed = Pick<ReceiptDetail, "queue_ms" | "hook_ms" | "duration_ms" | "attempts">;

/**
 * A request's time as consecutive stretches: admission with the operator's own check at its end, then each attempt with its wait for the first byte and its
 * answer. Receipts of earlier versions do not have the time at which an attempt began: it then begins where the attempt
 * before it ended. A receipt's attempt ends when it begins to answer; the rest of the request's time is the answer's. Null before
 * the request has ended.
 */
export function timelineOf({ queue_ms, hook_ms = 0, duration_ms, attempts }: Timed): Timeline | null {
  if (duration_ms === null) return null;
  const stretches: Stretch[] = [];
  let at_ms = queue_ms ?? 0;
  const hook_at_ms = Math.max(0, at_ms - hook_ms);
  if (hook_at_ms > 0)
    stretches.push({ key: "queue", label: "Queue and checks", kind: "gateway", start_ms: 0, end_ms: hook_at_ms });
  if (hook_at_ms < at_ms)
    stretches.push({
      key: "hook",
      label: "Hook before the request",
      kind: "hook",
      start_ms: hook_at_ms,
      end_ms: at_ms,
    });
  for (const [index, { vendor, error, first_byte_ms, duration_ms: took_ms, calls, started_ms }] of attempts.entries()) {
    at_ms = Math.max(at_ms, started_ms ?? at_ms);
    const name = attempts.length > 1 ? `${index + 1}. ${vendor}` : vendor;
    const answers = index === attempts.length - 1 && error === null && calls === undefined;
    const end_ms = answers ? Math.max(at_ms + took_ms, duration_ms) : at_ms + took_ms;
    const first_ms = at_ms + Math.min(first_byte_ms ?? took_ms, took_ms);
    const waiting = { key: `${index} wait`, label: `${name}, to the first byte`, start_ms: at_ms, end_ms: first_ms };
    if (error !== null)
      stretches.push({ key: `${index} failed`, label: `${name}, failed`, kind: "failed", start_ms: at_ms, end_ms });
    else {
      stretches.push({ ...waiting, kind: "waiting" });
      if (end_ms > first_ms)
        stretches.push({
          key: `${index} answer`,
          label: `${name}, answering`,
          kind: "answering",
          start_ms: first_ms,
          end_ms,
        });
    }
    at_ms = end_ms;
  }
  return { total_ms: Math.max(duration_ms, at_ms), stretches };
}
