import type { ClientHeaders } from "../core/answer/exchange.ts";

/** A caller's span, as W3C Trace Context names it in `traceparent` and `tracestate`. */
export interface CallerSpan {
  readonly trace_id: string;
  readonly span_id: string;
  readonly is_sampled: boolean;
  readonly state: string | null;
}

/** Version 00 has nothing behind its flags; what later versions add is passed over. */
const TRACEPARENT = /^(?!ff)([0-9a-f]{2})-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;
/** At least so many characters have to be passed on; longer ones may be left out. */
const LONGEST_STATE = 512;
const STATE = /^[\x20-\x7e]*$/;
const SAMPLED = 1;

/** The caller's span; null where the call names none, or none that the recommendation allows. */
export function callerSpan(headers: ClientHeaders): CallerSpan | null {
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
