import type { ClientHeaders } from "../core/answer/exchange.ts";
import type { TraceSampling } from "../core/catalog/telemetry-settings.ts";
import { systemClock } from "../core/clock.ts";
import type { FinishedRequest } from "../observe/access-log.ts";
import { CallTrace, TRACE_BYTES, type TracedKey, type TraceOrigin, type Tracing } from "../observe/call-trace.ts";
import type { RandomIds } from "../observe/random-ids.ts";

/** A caller's span, as W3C Trace Context names it in `traceparent` and `tracestate`. */
interface CallerSpan {
  readonly trace_id: string;
  readonly span_id: string;
  readonly is_sampled: boolean;
  readonly state: string | null;
}

/** Version 00 has nothing behind its flags; what later versions add is passed over. */
const TRACEPARENT = /^(?!ff)([0-9a-f]{2})-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;
/** The recommendation wants at least this many characters passed on; a longer state may be left out. */
const LONGEST_STATE = 512;
const STATE = /^[\x20-\x7e]*$/;
const SAMPLED = 1;

/** The caller's span; null where the call names none, or none that the recommendation allows. */
function callerSpan(headers: ClientHeaders): CallerSpan | null {
  const text = headers.get("traceparent");
  if (text === null) return null;
  const [, version, trace_id, span_id, flags = "", more] = TRACEPARENT.exec(text.trim()) ?? [];
  if (trace_id === undefined || span_id === undefined || (version === "00" && more !== undefined)) return null;
  const state = headers.get("tracestate")?.trim() ?? "";
  return {
    trace_id,
    span_id,
    is_sampled: (Number.parseInt(flags, 16) & SAMPLED) === SAMPLED,
    state: state !== "" && state.length <= LONGEST_STATE && STATE.test(state) ? state : null,
  };
}

/** A call that has ended, with its trace. `offset_ms` makes its monotonic times wall-clock times. */
export interface TracedCall {
  readonly trace: CallTrace;
  readonly call: FinishedRequest;
  readonly key: TracedKey | null;
  readonly ended_ms: number;
  readonly offset_ms: number;
}

interface TracerParts extends TraceSampling {
  readonly ids: RandomIds;
  readonly forwards: boolean;
  readonly take: (call: TracedCall) => void;
}

/** How many digits at a trace id's end decide whether it is recorded: they are random, and exact in a number. */
const DECIDING_DIGITS = 13;

/** Makes the traces of calls: a caller's trace goes on, and its word on being recorded counts where there is one (docs/rulings.md 186). */
export class Tracer implements Tracing {
  readonly #parts: TracerParts;
  readonly #least: number;
  /** The origin of all traces that begin here, where all are recorded. */
  readonly #own: TraceOrigin;

  constructor(parts: TracerParts) {
    this.#parts = parts;
    this.#least = (1 - parts.share) * 16 ** DECIDING_DIGITS;
    this.#own = { trace_id: null, parent_id: null, state: null, is_sampled: true, is_forwarded: parts.forwards };
  }

  begin(headers: ClientHeaders, arrived_ms: number): CallTrace | null {
    const origin = this.#originOf(callerSpan(headers));
    return origin.is_sampled || origin.is_forwarded ? new CallTrace(origin, arrived_ms, this.#parts.ids) : null;
  }

  finished(trace: CallTrace, call: FinishedRequest, key: TracedKey | null): void {
    if (!trace.origin.is_sampled) return;
    const ended_ms = trace.arrived_ms + call.duration_ms;
    this.#parts.take({ trace, call, key, ended_ms, offset_ms: systemClock.now_ms() - performance.now() });
  }

  #originOf(caller: CallerSpan | null): TraceOrigin {
    const { share, follows_caller, forwards, ids } = this.#parts;
    if (caller === null && share >= 1) return this.#own;
    const trace_id = caller?.trace_id ?? ids.next(TRACE_BYTES);
    const is_sampled = caller !== null && follows_caller ? caller.is_sampled : this.#isDrawn(trace_id);
    const { span_id: parent_id, state } = caller ?? NOBODY;
    return { trace_id, parent_id, state, is_sampled, is_forwarded: forwards };
  }

  /** The same for all services that draw by a trace's id alone. */
  #isDrawn(trace_id: string): boolean {
    return Number.parseInt(trace_id.slice(-DECIDING_DIGITS), 16) >= this.#least;
  }
}

const NOBODY = { span_id: null, state: null } as const;
