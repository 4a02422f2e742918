import type { ClientHeaders } from "../core/answer/exchange.ts";
import type { ErrorCode } from "../core/errors.ts";
import type { SettleResult } from "../core/ledger/ledger.ts";
import type { Micro } from "../core/money/money.ts";
import type { Usage } from "../core/money/usage.ts";
import type { KeyRecord } from "../core/people/principal.ts";
import type { FinishedRequest } from "./access-log.ts";
import type { RandomIds } from "./random-ids.ts";

/** Makes the traces of calls, and takes them once they have ended. Neither throws nor waits. */
export interface Tracing {
  /** Null for a call that is not traced. */
  begin(headers: ClientHeaders, arrived_ms: number): CallTrace | null;
  /** `key`: null where none was accepted. */
  finished(trace: CallTrace, call: FinishedRequest, key: TracedKey | null): void;
}

export type TracedKey = Pick<KeyRecord, "id" | "account_id">;

/** Whose span a trace continues, and what vendors are told of it. */
export interface TraceOrigin {
  /** In hexadecimal digits, as all ids; null where the trace begins here, and nothing has asked for its id so far. */
  readonly trace_id: string | null;
  /** The caller's span; null where the trace begins here. */
  readonly parent_id: string | null;
  /** The caller's `tracestate`, which is passed on with the trace. */
  readonly state: string | null;
  readonly is_sampled: boolean;
  /** Whether vendors are told. */
  readonly is_forwarded: boolean;
}

interface TracedSettlement {
  readonly usage: Usage;
  readonly estimated: boolean;
  readonly held_micro: Micro;
  readonly result: SettleResult;
}

/**
 * What is noted of one call while it runs, for its spans: times are monotonic milliseconds. The spans themselves are made later, apart from the
 * call.
 */
export class CallTrace {
  readonly origin: TraceOrigin;
  /** Null: it is drawn when the spans are written, as are their ids. */
  trace_id: string | null;
  readonly arrived_ms: number;
  readonly attempts: TracedAttempt[] = [];
  admitted_ms: number | null = null;
  hold_micro: Micro | null = null;
  settlement: { readonly began_ms: number; readonly ended_ms: number; readonly is_void: boolean } | null = null;
  usage: Usage | null = null;
  is_estimated = false;
  charge_micro: Micro | null = null;
  /** The code of the error that the client got, at the beginning or within its stream. */
  error: string | null = null;
  readonly #ids: RandomIds;

  constructor(origin: TraceOrigin, arrived_ms: number, ids: RandomIds) {
    this.origin = origin;
    this.trace_id = origin.trace_id;
    this.arrived_ms = arrived_ms;
    this.#ids = ids;
  }

  admitted(at_ms: number, { hold_micro }: { readonly hold_micro: Micro }): void {
    this.admitted_ms = at_ms;
    this.hold_micro = hold_micro;
  }

  attempt(started_ms: number, vendor: string, upstream_model: string): TracedAttempt {
    const attempt = new TracedAttempt(started_ms, vendor, upstream_model);
    this.attempts.push(attempt);
    return attempt;
  }

  /** The headers that tell a vendor of its attempt: its own span is the parent there, not the caller's. Null where it is not told. */
  headersFor(attempt: TracedAttempt | null): Record<string, string> | null {
    const { is_forwarded, is_sampled, state } = this.origin;
    if (!is_forwarded || attempt === null) return null;
    this.trace_id ??= this.#ids.next(TRACE_BYTES);
    attempt.span_id ??= this.#ids.next(SPAN_BYTES);
    const traceparent = `00-${this.trace_id}-${attempt.span_id}-${is_sampled ? "01" : "00"}`;
    return state === null ? { traceparent } : { traceparent, tracestate: state };
  }

  /** The vendor broke its answer off after it had begun. */
  brokeOff(code: ErrorCode): void {
    const last = this.attempts.at(-1);
    if (last !== undefined) last.error = code;
    this.error = code;
  }

  settled(began_ms: number, ended_ms: number, { usage, estimated, held_micro, result }: TracedSettlement): void {
    this.settlement = { began_ms, ended_ms, is_void: false };
    this.usage = usage;
    this.is_estimated = estimated;
    this.hold_micro = held_micro;
    if (result.outcome === "settled") this.charge_micro = result.charge_micro;
  }

  voided(began_ms: number, ended_ms: number): void {
    this.settlement = { began_ms, ended_ms, is_void: true };
  }
}

export const TRACE_BYTES = 16;
const SPAN_BYTES = 8;

/** One try at a vendor. */
export class TracedAttempt {
  /** Null where the vendor was not told of it. */
  span_id: string | null = null;
  readonly started_ms: number;
  readonly vendor: string;
  readonly upstream_model: string;
  status: number | null = null;
  error: ErrorCode | null = null;
  first_byte_ms: number | null = null;
  /** Null: until the settlement begins, as a stream goes on. */
  ended_ms: number | null = null;

  constructor(started_ms: number, vendor: string, upstream_model: string) {
    this.started_ms = started_ms;
    this.vendor = vendor;
    this.upstream_model = upstream_model;
  }

  answered({ status, first_byte_ms }: AttemptFacts, ended_ms: number | null): void {
    this.status = status;
    this.first_byte_ms = first_byte_ms;
    this.ended_ms = ended_ms;
  }

  failed({ status, first_byte_ms }: AttemptFacts, error: ErrorCode, ended_ms: number): void {
    this.answered({ status, first_byte_ms }, ended_ms);
    this.error = error;
  }
}

interface AttemptFacts {
  readonly status: number | null;
  readonly first_byte_ms: number | null;
}
