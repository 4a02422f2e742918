import type { Receipt } from "../../../../contract/requests.ts";

/** The meaning of a request's status, as a sentence. */
export const STATUS_WORDS: Readonly<Record<Receipt["status"], string>> = {
  held: "It runs: what it may cost at most is held.",
  settled: "It ended, and was charged for what it used.",
  voided: "It ended before anything was used, and cost nothing.",
  expired: "Its hold was still open past its deadline: it was charged for what was recorded until then.",
};

interface Shown {
  readonly label: string;
  /** A state whose tone StatusBadge knows. */
  readonly tone: string;
}

/** A status in words. A request that ended with an error gets words that say so. */
export function statusOf({ status, error }: Pick<Receipt, "status" | "error">): Shown {
  if (status === "held") return { label: "running", tone: "running" };
  if (status === "voided")
    return error === null ? { label: "voided", tone: "voided" } : { label: "failed", tone: "failed" };
  if (status === "settled" && error !== null) return { label: "broken off", tone: "degraded" };
  return { label: status, tone: status };
}
