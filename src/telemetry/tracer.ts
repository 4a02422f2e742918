import type { ClientHeaders } from "../core/answer/exchange.ts";
import type { TraceSampling } from "../core/catalog/telemetry-settings.ts";
import { systemClock } from "../core/clock.ts";
import { CallTrace, type FinishedCall, type Tracing } from "../observe/call-trace.ts";
import { RandomIds } from "../observe/random-ids.ts";
import { callerSpan } from "./trace-context.ts";

/** A call that has ended, with its trace. `offset_ms` makes its monotonic times wall-clock times. */
export interface TracedCall {
  readonly trace: CallTrace;
  readonly call: FinishedCall;
  readonly ended_ms: number;
  readonly offset_ms: number;
}

interface TracerParts extends TraceSampling {
  readonly forwards: boolean;
  /** Takes a call that is to be sent. */
  readonly take: (call: TracedCall) => void;
}

const TRACE_BYTES = 16;
/** So many digits at a trace id's end decide: they are random, and exact in a number. */
const DECIDING_DIGITS = 13;

/** Makes the traces of calls: a caller's trace goes on, and its word on being recorded counts where there is one (docs/rulings.md 186). */
export class Tracer implements Tracing {
  readonly #parts: TracerParts;
  readonly #ids = new RandomIds();
  readonly #least: number;

  constructor(parts: TracerParts) {
    this.#parts = parts;
    this.#least = (1 - parts.share) * 16 ** DECIDING_DIGITS;
  }

  begin(headers: ClientHeaders, arrived_ms: number): CallTrace {
    const caller = callerSpan(headers);
    const trace_id = caller?.trace_id ?? this.#ids.next(TRACE_BYTES);
    const origin = {
      trace_id,
      parent_id: caller?.span_id ?? null,
      state: caller?.state ?? null,
      is_sampled: caller !== null && this.#parts.follows_caller ? caller.is_sampled : this.#isDrawn(trace_id),
      is_forwarded: this.#parts.forwards,
    };
    return new CallTrace(origin, arrived_ms, this.#ids);
  }

  finished(trace: CallTrace, call: FinishedCall): void {
    if (!trace.origin.is_sampled) return;
    const ended_ms = trace.arrived_ms + call.duration_ms;
    this.#parts.take({ trace, call, ended_ms, offset_ms: systemClock.now_ms() - performance.now() });
  }

  /** The same for all services that draw by a trace's id alone. */
  #isDrawn(trace_id: string): boolean {
    return Number.parseInt(trace_id.slice(-DECIDING_DIGITS), 16) >= this.#least;
  }
}
