import { SpanKind } from "@opentelemetry/api";
import type { Conventions } from "../core/catalog/telemetry-settings.ts";
import type { BilledEndpoint } from "../core/endpoints.ts";
import type { Micro } from "../core/money/money.ts";
import type { CallTrace, TracedAttempt } from "../observe/call-trace.ts";
import { RandomIds } from "../observe/random-ids.ts";
import type { Source } from "./source.ts";
import { attribute, cached, encoded, prefixed, SpanBytes } from "./span-bytes.ts";
import type { TracedCall } from "./tracer.ts";

/**
 * The attributes of OpenTelemetry's conventions for generative AI, all of which are still in development: this file is the one place where they are
 * named. `latest` is what collectors ask for that know 1.37 and later; 1.36 is the last version with the provider as `gen_ai.system`.
 */
const GEN_AI = {
  latest: {
    provider: "gen_ai.provider.name",
    cache_read: "gen_ai.usage.cache_read.input_tokens",
    cache_write: "gen_ai.usage.cache_creation.input_tokens",
  },
  "1.36": { provider: "gen_ai.system", cache_read: null, cache_write: null },
} as const satisfies Record<Conventions, object>;

const OPERATION = "gen_ai.operation.name";
const REQUEST_MODEL = "gen_ai.request.model";
const RESPONSE_MODEL = "gen_ai.response.model";
const INPUT_TOKENS = "gen_ai.usage.input_tokens";
const OUTPUT_TOKENS = "gen_ai.usage.output_tokens";

/** Well-known names where there is one for what an endpoint does; others are allowed. */
const OPERATIONS: Readonly<Record<BilledEndpoint, string>> = {
  "chat.completions": "chat",
  responses: "chat",
  messages: "chat",
  generateContent: "generate_content",
  completions: "text_completion",
  embeddings: "embeddings",
  rerank: "rerank",
  moderations: "moderation",
  "responses.compact": "chat",
  "audio.speech": "speech",
  "images.generations": "image_generation",
  "images.edits": "image_edit",
  "audio.transcriptions": "transcription",
  "audio.translations": "translation",
  decisions: "decision",
  systemone: "decision",
};

/** The names that the conventions have for vendors that are called otherwise here. */
const PROVIDERS: Readonly<Record<string, string>> = {
  google: "gcp.gemini",
  "google-vertex": "gcp.vertex_ai",
  "google-vertex-anthropic": "gcp.vertex_ai",
  "amazon-bedrock": "aws.bedrock",
  "amazon-bedrock-anthropic": "aws.bedrock",
  azure: "azure.ai.openai",
  mistral: "mistral_ai",
  xai: "x_ai",
};

function providerName(vendor: string): string {
  return PROVIDERS[vendor] ?? vendor;
}

const SERVER_ERROR = 500;
const ID_BYTES = 8;
/** Fields of OpenTelemetry's messages, as tags. */
const RESOURCE_SPANS = 0x0a;
const RESOURCE = 0x0a;
const SCOPE_SPANS = 0x12;
const SCOPE = 0x0a;
const SPANS = 0x12;
const SCOPE_NAME = 0x0a;
const SCOPE_VERSION = 0x12;
const STRING = 0x0a;
const RESOURCE_ATTRIBUTE = 0x0a;

interface Span {
  readonly name: string;
  readonly kind: SpanKind;
  readonly id: string;
  readonly parent_id: string | null;
  readonly began_ms: number;
  readonly ended_ms: number;
  readonly error: string | null;
}

type InnerSpan = Pick<Span, "name" | "began_ms" | "ended_ms">;

/**
 * Writes the spans of calls: each call itself, its admission, each attempt at a vendor, and its settlement. Everything in them is a name of the
 * catalogue, an id, a code or a count: no text of a client's or a vendor's (docs/rulings.md 186).
 */
export class CallSpans {
  readonly #bytes = new SpanBytes();
  readonly #draft = new SpanBytes();
  readonly #descriptions = new Map<string, Buffer>();
  readonly #ids = new RandomIds();
  readonly #names: (typeof GEN_AI)[Conventions];
  readonly #resource: Buffer;
  readonly #scope: Buffer;

  constructor({ resource, instrumentationScope: { name, version = "" } }: Source, conventions: Conventions) {
    this.#names = GEN_AI[conventions];
    const attributes = Object.entries(resource.attributes).map(([key, value]) => {
      // The same pair as an attribute of a span, under the number that it has in a resource.
      const pair = attribute(key, encoded(STRING, String(value)));
      pair[0] = RESOURCE_ATTRIBUTE;
      return pair;
    });
    this.#resource = prefixed(RESOURCE, Buffer.concat(attributes));
    this.#scope = prefixed(SCOPE, Buffer.concat([encoded(SCOPE_NAME, name), encoded(SCOPE_VERSION, version)]));
  }

  /** An export of these calls, as protobuf. */
  write(calls: readonly TracedCall[]): Uint8Array {
    const resource = this.#bytes.begin(RESOURCE_SPANS);
    this.#bytes.put(this.#resource);
    const scope = this.#bytes.begin(SCOPE_SPANS);
    this.#bytes.put(this.#scope);
    for (const call of calls) this.#writeCall(call);
    this.#bytes.end(scope);
    this.#bytes.end(resource);
    return this.#bytes.take();
  }

  #writeCall(traced: TracedCall): void {
    const { trace, call, ended_ms } = traced;
    const bytes = this.#bytes;
    const operation = isOperation(call.endpoint) ? OPERATIONS[call.endpoint] : call.endpoint;
    const is_at_fault = call.status >= SERVER_ERROR || call.status < 400;
    const { span_id: id, origin, arrived_ms: began_ms, admitted_ms, settlement } = trace;
    const { parent_id } = origin;
    const name = call.model === null ? operation : `${operation} ${call.model}`;
    const error = is_at_fault ? trace.error : null;
    const began = this.#begin(traced, { name, kind: SpanKind.SERVER, id, parent_id, began_ms, ended_ms, error });
    this.#describeCall(traced, operation);
    this.#end(began, error);
    const refusal = admitted_ms === null ? trace.error : null;
    const admission = this.#inside(traced, { name: "admission", began_ms, ended_ms: admitted_ms ?? ended_ms }, refusal);
    this.#end(admission, refusal);
    for (const attempt of trace.attempts) this.#writeAttempt(traced, attempt);
    if (settlement === null) return;
    const settled = this.#inside(traced, { name: "settlement", ...settlement }, null);
    bytes.text("camino.outcome", settlement.is_void ? "voided" : "settled");
    this.#micro("camino.charge_micro", trace.charge_micro);
    this.#end(settled, null);
  }

  #writeAttempt(traced: TracedCall, attempt: TracedAttempt): void {
    const { trace } = traced;
    const { vendor, span_id: id, started_ms: began_ms, status, error, first_byte_ms, upstream_model } = attempt;
    // A stream goes on until its settlement begins.
    const ended_ms = attempt.ended_ms ?? Math.max(began_ms, trace.settlement?.began_ms ?? traced.ended_ms);
    const span = { name: `vendor ${vendor}`, kind: SpanKind.CLIENT, id, parent_id: trace.span_id, began_ms, ended_ms };
    const began = this.#begin(traced, { ...span, error });
    this.#bytes.put(
      this.#described([vendor, upstream_model, status], (bytes) => {
        bytes.text("camino.vendor", vendor);
        bytes.text("camino.upstream_model", upstream_model);
        if (status !== null) bytes.int("http.response.status_code", status);
      }),
    );
    if (first_byte_ms !== null) this.#bytes.int("camino.first_byte_ms", Math.max(0, Math.round(first_byte_ms)));
    this.#end(began, error);
  }

  #inside(traced: TracedCall, { name, began_ms, ended_ms }: InnerSpan, error: string | null): number {
    const [id, kind, parent_id] = [this.#ids.next(ID_BYTES), SpanKind.INTERNAL, traced.trace.span_id];
    return this.#begin(traced, { name, kind, id, parent_id, began_ms, ended_ms, error });
  }

  #begin({ trace, offset_ms }: TracedCall, span: Span): number {
    const { name, kind, id, parent_id, error } = span;
    const { trace_id, state } = trace.origin;
    const [began_ms, ended_ms] = [span.began_ms + offset_ms, span.ended_ms + offset_ms];
    const began = this.#bytes.begin(SPANS);
    this.#bytes.span({ name, kind, id, parent_id, trace_id, state, began_ms, ended_ms, is_error: error !== null });
    return began;
  }

  #end(began: number, error: string | null): void {
    if (error !== null) this.#bytes.text("error.type", error);
    this.#bytes.end(began);
  }

  #describeCall({ trace, call }: TracedCall, operation: string): void {
    const { status, endpoint, key, model } = call;
    const answered = trace.attempts.findLast(({ error }) => error === null) ?? trace.attempts.at(-1) ?? null;
    const [vendor, upstream_model] = [answered?.vendor ?? null, answered?.upstream_model ?? null];
    this.#bytes.put(
      this.#described([status, endpoint, key?.account_id, key?.id, model, vendor, upstream_model], (bytes) => {
        bytes.text(OPERATION, operation);
        bytes.text("http.request.method", "POST");
        bytes.int("http.response.status_code", status);
        bytes.text("camino.endpoint", endpoint);
        if (key !== null) {
          bytes.text("camino.account_id", key.account_id);
          bytes.text("camino.key_id", key.id);
        }
        if (model !== null) bytes.text(REQUEST_MODEL, model);
        if (vendor !== null) bytes.text(this.#names.provider, providerName(vendor));
        if (upstream_model !== null) bytes.text(RESPONSE_MODEL, upstream_model);
      }),
    );
    this.#bytes.id("camino.request_id", call.request_id);
    this.#micro("camino.hold_micro", trace.hold_micro);
    this.#micro("camino.charge_micro", trace.charge_micro);
    this.#describeUsage(trace);
  }

  /** Attributes that many calls have alike, written once for all of them. */
  #described(facts: readonly unknown[], describe: (bytes: SpanBytes) => void): Buffer {
    return cached(this.#descriptions, facts.join("\n"), () => {
      describe(this.#draft);
      return Buffer.from(this.#draft.take());
    });
  }

  #describeUsage({ usage, is_estimated }: CallTrace): void {
    if (usage === null) return;
    const { cache_read, cache_write } = this.#names;
    const { input_tokens, cache_read_tokens, cache_write_tokens, output_tokens } = usage;
    this.#bytes.int(INPUT_TOKENS, input_tokens + cache_read_tokens + cache_write_tokens);
    this.#bytes.int(OUTPUT_TOKENS, output_tokens);
    if (cache_read_tokens > 0 && cache_read !== null) this.#bytes.int(cache_read, cache_read_tokens);
    if (cache_write_tokens > 0 && cache_write !== null) this.#bytes.int(cache_write, cache_write_tokens);
    if (is_estimated) this.#bytes.isTrue("camino.usage_estimated");
  }

  #micro(key: string, amount: Micro | null): void {
    if (amount !== null) this.#bytes.int(key, Number(amount));
  }
}

function isOperation(endpoint: string): endpoint is keyof typeof OPERATIONS {
  return Object.hasOwn(OPERATIONS, endpoint);
}
