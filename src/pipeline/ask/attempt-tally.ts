import type { Attempt } from "../../core/ledger/ledger.ts";
import type { PricedCandidate } from "../plan/prospects.ts";
import type { AttemptContext, AttemptNotes, AttemptResult } from "./attempt.ts";
import type { FailureReason } from "./failure-reason.ts";

interface AttemptSum {
  readonly vendor: string;
  readonly upstream_model: string;
  readonly credential: string | undefined;
  readonly started_ms: number;
  readonly first_byte_ms: number | null;
  calls: number;
  failures: number;
  status: Attempt["status"];
  error: Attempt["error"];
  ended_ms: number;
  /** Why the last failed call failed; null where no reason is known. */
  reason: FailureReason | null;
}

/**
 * Sums up a request's many calls as a few lines of its receipt: a line for each route, for any number of questions and
 * orders.
 */
export class AttemptTally {
  readonly #sums = new Map<string, AttemptSum>();
  #arrived_ms = 0;

  notesFor({ deps, call, notes }: AttemptContext, signal: AttemptContext["signal"]): AttemptNotes {
    const attempts: Attempt[] = [];
    return {
      attempts,
      firstByte: (at_ms) => notes.firstByte(at_ms),
      leftOut: (names) => notes.leftOut(names),
      attempted: (candidate, result, ended_ms) => {
        deps.metrics.attempts.add(1, candidate.vendor.id, result.error?.code ?? "ok");
        // A call that the gateway itself closed did not fail.
        this.#arrived_ms = call.arrived_ms;
        attempts.push(this.#add(candidate, result, signal.aborted ? null : (result.error?.code ?? null), ended_ms));
      },
    };
  }

  /** The lines so far, ordered by the first attempt on each route. */
  attempts(): Attempt[] {
    return Array.from(this.#sums.values(), ({ started_ms, ended_ms, first_byte_ms, reason, ...sum }) => ({
      vendor: sum.vendor,
      upstream_model: sum.upstream_model,
      ...(sum.credential !== undefined && { credential: sum.credential }),
      status: sum.status,
      error: sum.error,
      first_byte_ms: first_byte_ms === null ? null : Math.round(first_byte_ms),
      duration_ms: Math.round(ended_ms - started_ms),
      calls: sum.calls,
      failures: sum.failures,
      ...(sum.failures > 0 && { started_ms: Math.max(0, Math.round(started_ms - this.#arrived_ms)) }),
      ...(reason !== null && { said: reason.text, ...(reason.is_private && { said_to_operator: true as const }) }),
    }));
  }

  /** Adds an attempt to its line. A line has the status and error of its last failure, if any failed. */
  #add(
    { vendor, route, credential }: PricedCandidate,
    { status, started_ms, first_byte_ms, reason }: AttemptResult,
    code: Attempt["error"],
    ended_ms: number,
  ): Attempt {
    const key = `${vendor.id}\n${route.upstream_model}\n${credential?.name ?? ""}`;
    const names = { vendor: vendor.id, upstream_model: route.upstream_model };
    const sum = this.#sums.get(key) ?? {
      ...{ ...names, credential: credential?.name, started_ms, first_byte_ms, status, error: code, ended_ms },
      ...{ calls: 0, failures: 0, reason: null },
    };
    this.#sums.set(key, sum);
    sum.calls += 1;
    sum.ended_ms = ended_ms;
    if (code !== null) {
      sum.failures += 1;
      sum.status = status;
      sum.error = code;
      sum.reason = reason;
    }
    const named = credential === undefined ? names : { ...names, credential: credential.name };
    return { ...named, status, error: code, first_byte_ms, duration_ms: ended_ms - started_ms };
  }
}
