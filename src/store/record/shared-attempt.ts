import type { Attempt, RouteReason } from "../../core/ledger/ledger.ts";

/** The number of a text that many requests have alike (batch/shared-texts.ts). */
export type NumberOf = (text: string) => number;

/** The part of an attempt that many requests have alike: its JSON is one of `texts`. */
export type AttemptHead = readonly [
  vendor: string,
  upstream_model: string,
  status: Attempt["status"],
  error: Attempt["error"],
  credential?: string | null,
  why?: RouteReason,
];

/** The shared text of attempts whose row has it and two times; null for several attempts, and for one of which more is recorded. */
export function sharedAttempt(attempts: readonly Attempt[]): string | null {
  const [attempt] = attempts;
  if (attempt === undefined || attempts.length > 1) return null;
  const { vendor, upstream_model, status, error, credential, why, passed_over, calls, started_ms } = attempt;
  if (calls !== undefined || started_ms !== undefined || passed_over !== undefined) return null;
  const head: AttemptHead = [vendor, upstream_model, status, error];
  if (credential === undefined && why === undefined) return JSON.stringify(head);
  return JSON.stringify([...head, credential ?? null, ...(why === undefined ? [] : [why])]);
}
