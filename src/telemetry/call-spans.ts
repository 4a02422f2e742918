import { type Attributes, type HrTime, SpanKind, SpanStatusCode } from "@opentelemetry/api";
import type { ProtobufTraceSerializer } from "@opentelemetry/otlp-transformer";
import type { Conventions } from "../core/catalog/telemetry-settings.ts";
import type { CallTrace, TracedAttempt } from "../observe/call-trace.ts";
import {
  GEN_AI,
  INPUT_TOKENS,
  OPERATION,
  OPERATIONS,
  OUTPUT_TOKENS,
  providerName,
  REQUEST_MODEL,
  RESPONSE_MODEL,
} from "./gen-ai-names.ts";
import { hrTime, type Source } from "./source.ts";
import type { TracedCall } from "./tracer.ts";

export type ExportedSpan = Parameters<typeof ProtobufTraceSerializer.serializeRequest>[0][number];

const SAMPLED = 1;
const SERVER_ERROR = 500;

/**
 * The spans of a call: the call itself, its admission, each attempt at a vendor, and its settlement. Everything in them is a name of the catalogue,
 * an id, a code or a count: no text of a client's or a vendor's (docs/rulings.md 186).
 */
export function callSpans(traced: TracedCall, source: Source, conventions: Conventions): ExportedSpan[] {
  const { trace, call, ended_ms } = traced;
  const writer = new SpanWriter(traced, source);
  const operation = isOperation(call.endpoint) ? OPERATIONS[call.endpoint] : call.endpoint;
  const spans = [
    writer.span({
      ...{
        name: call.model === null ? operation : `${operation} ${call.model}`,
        kind: SpanKind.SERVER,
        id: trace.span_id,
      },
      ...{ began_ms: trace.arrived_ms, ended_ms, attributes: callAttributes(traced, operation, conventions) },
      error: call.status >= SERVER_ERROR || (call.status < 400 && trace.error !== null) ? trace.error : null,
    }),
    writer.inside("admission", trace.arrived_ms, trace.admitted_ms ?? ended_ms, {
      error: trace.admitted_ms === null ? trace.error : null,
    }),
    ...trace.attempts.map((attempt) => attemptSpan(writer, attempt, trace.settlement?.began_ms ?? ended_ms)),
  ];
  if (trace.settlement !== null) {
    const { began_ms, ended_ms: settled_ms, is_void } = trace.settlement;
    const attributes = { "camino.outcome": is_void ? "voided" : "settled", ...micro("charge", trace.charge_micro) };
    spans.push(writer.inside("settlement", began_ms, settled_ms, { attributes }));
  }
  return spans;
}

function isOperation(endpoint: string): endpoint is keyof typeof OPERATIONS {
  return Object.hasOwn(OPERATIONS, endpoint);
}

function attemptSpan(writer: SpanWriter, attempt: TracedAttempt, goes_on_until_ms: number): ExportedSpan {
  const { vendor, span_id, started_ms, ended_ms, status, error, first_byte_ms, upstream_model } = attempt;
  return writer.span({
    ...{ name: `vendor ${vendor}`, kind: SpanKind.CLIENT, id: span_id, parent_id: writer.root_id },
    ...{ began_ms: started_ms, ended_ms: ended_ms ?? Math.max(started_ms, goes_on_until_ms), error },
    attributes: {
      "camino.vendor": vendor,
      "camino.upstream_model": upstream_model,
      ...(status !== null && { "http.response.status_code": status }),
      ...(first_byte_ms !== null && { "camino.first_byte_ms": Math.round(first_byte_ms) }),
    },
  });
}

function callAttributes({ trace, call }: TracedCall, operation: string, conventions: Conventions): Attributes {
  const names = GEN_AI[conventions];
  const { usage } = trace;
  const answered = trace.attempts.findLast(({ error }) => error === null) ?? trace.attempts.at(-1);
  const attributes: Attributes = {
    [OPERATION]: operation,
    "http.request.method": "POST",
    "http.response.status_code": call.status,
    "camino.endpoint": call.endpoint,
    "camino.request_id": call.request_id,
    ...(call.key !== null && { "camino.account_id": call.key.account_id, "camino.key_id": call.key.id }),
    ...micro("hold", trace.hold_micro),
    ...micro("charge", trace.charge_micro),
  };
  if (call.model !== null) attributes[REQUEST_MODEL] = call.model;
  if (answered !== undefined) {
    attributes[names.provider] = providerName(answered.vendor);
    attributes[RESPONSE_MODEL] = answered.upstream_model;
  }
  if (usage === null) return attributes;
  const { input_tokens, cache_read_tokens, cache_write_tokens, output_tokens } = usage;
  attributes[INPUT_TOKENS] = input_tokens + cache_read_tokens + cache_write_tokens;
  attributes[OUTPUT_TOKENS] = output_tokens;
  if (cache_read_tokens > 0 && names.cache_read !== null) attributes[names.cache_read] = cache_read_tokens;
  if (cache_write_tokens > 0 && names.cache_write !== null) attributes[names.cache_write] = cache_write_tokens;
  if (trace.is_estimated) attributes["camino.usage_estimated"] = true;
  return attributes;
}

function micro(name: string, amount: CallTrace["charge_micro"]): Attributes {
  return amount === null ? {} : { [`camino.${name}_micro`]: Number(amount) };
}

interface SpanFacts {
  readonly name: string;
  readonly kind: SpanKind;
  readonly id: string;
  readonly parent_id?: string;
  readonly began_ms: number;
  readonly ended_ms: number;
  readonly attributes: Attributes;
  readonly error: string | null;
}

/** Writes the spans of one call in the form that the exporter takes. */
class SpanWriter {
  readonly root_id: string;
  readonly #traced: TracedCall;
  readonly #source: Source;
  /** The children without an id of their own get the call's, counted on: ids are unique within a trace. */
  #children = 0;

  constructor(traced: TracedCall, source: Source) {
    this.#traced = traced;
    this.#source = source;
    this.root_id = traced.trace.span_id;
  }

  inside(
    name: string,
    began_ms: number,
    ended_ms: number,
    { attributes = {}, error = null }: { readonly attributes?: Attributes; readonly error?: string | null },
  ): ExportedSpan {
    this.#children += 1;
    const id = nextId(this.root_id, this.#children);
    const kind = SpanKind.INTERNAL;
    return this.span({ name, kind, id, parent_id: this.root_id, began_ms, ended_ms, attributes, error });
  }

  span({ name, kind, id, parent_id, began_ms, ended_ms, attributes, error }: SpanFacts): ExportedSpan {
    const { origin } = this.#traced.trace;
    const context = this.#contextOf(id);
    const caller_id = parent_id ?? origin.parent_id;
    return {
      name,
      kind,
      spanContext: () => context,
      ...(caller_id !== null && {
        parentSpanContext: { ...this.#contextOf(caller_id), isRemote: parent_id === undefined },
      }),
      startTime: this.#time(began_ms),
      endTime: this.#time(ended_ms),
      duration: hrTime(ended_ms - began_ms),
      status: { code: error === null ? SpanStatusCode.UNSET : SpanStatusCode.ERROR },
      attributes: error === null ? attributes : { ...attributes, "error.type": error },
      ...{ links: [], events: [], ended: true, ...this.#source },
      ...{ droppedAttributesCount: 0, droppedEventsCount: 0, droppedLinksCount: 0 },
    };
  }

  #contextOf(spanId: string) {
    const { trace_id, state } = this.#traced.trace.origin;
    const context = { traceId: trace_id, spanId, traceFlags: SAMPLED };
    return state === null ? context : { ...context, traceState: stateOf(state) };
  }

  #time(monotonic_ms: number): HrTime {
    return hrTime(monotonic_ms + this.#traced.offset_ms);
  }
}

/** A caller's state as it came: it is passed on, and read by nobody here. */
function stateOf(text: string) {
  const state = { serialize: () => text, get: () => undefined, set: () => state, unset: () => state };
  return state;
}

/** The id that stands so far behind another one. */
function nextId(id: string, distance: number): string {
  const next = BigInt.asUintN(64, BigInt(`0x${id}`) + BigInt(distance));
  return next.toString(16).padStart(16, "0");
}
