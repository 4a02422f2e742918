import type { Conventions } from "../core/catalog/telemetry-settings.ts";
import type { BilledEndpoint } from "../core/endpoints.ts";
import type { Micro } from "../core/money/money.ts";
import type { CallTrace, TracedAttempt } from "../observe/call-trace.ts";
import type { RandomIds } from "../observe/random-ids.ts";
import { Alike } from "./alike.ts";
import { attributeName, OtlpBytes, type Times } from "./otlp-bytes.ts";
import { type TelemetrySource, writeExport } from "./source.ts";
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
/** Fields of OpenTelemetry's messages, as tags. */
const SPANS = 0x12;
const STATE = 0x1a;
const NAME = 0x2a;
const KIND = 0x30;
const ATTRIBUTE = 0x4a;
/** The status of a span that failed. */
const ERROR = Buffer.from([0x7a, 0x02, 0x18, 0x02]);
const INTERNAL = 1;
const SERVER = 2;
const CLIENT = 3;

const INPUT_TOKENS = attributeName(ATTRIBUTE, "gen_ai.usage.input_tokens");
const OUTPUT_TOKENS = attributeName(ATTRIBUTE, "gen_ai.usage.output_tokens");
const REQUEST_ID = attributeName(ATTRIBUTE, "camino.request_id");
const HOLD = attributeName(ATTRIBUTE, "camino.hold_micro");
const CHARGE = attributeName(ATTRIBUTE, "camino.charge_micro");
const FIRST_BYTE = attributeName(ATTRIBUTE, "camino.first_byte_ms");

type CallFacts = readonly [
  model: string | null,
  status: number,
  endpoint: string,
  vendor: string | null,
  upstream_model: string | null,
];

/**
 * Writes the spans of calls: each call itself, its admission, each attempt at a vendor, and its settlement. Everything in them is a name of the
 * catalogue, an id, a code or a count: no text of a client's or a vendor's (docs/rulings.md 186).
 */
export class CallSpans {
  readonly #bytes: OtlpBytes;
  readonly #draft: OtlpBytes;
  readonly #names: (typeof GEN_AI)[Conventions];
  readonly #source: TelemetrySource;
  readonly #calls = new Alike((facts: CallFacts) => this.#describeCall(facts));
  readonly #keys = new Alike(([key_id, account_id]: readonly [key_id: string, account_id: string]) =>
    this.#drafted((bytes) => {
      bytes.attribute(ATTRIBUTE, "camino.account_id", account_id);
      bytes.attribute(ATTRIBUTE, "camino.key_id", key_id);
    }),
  );
  readonly #attempts = new Alike(
    ([vendor, upstream_model, status]: readonly [vendor: string, upstream_model: string, status: number | null]) =>
      this.#drafted((bytes) => {
        writeKind(bytes, `vendor ${vendor}`, CLIENT);
        bytes.attribute(ATTRIBUTE, "camino.vendor", vendor);
        bytes.attribute(ATTRIBUTE, "camino.upstream_model", upstream_model);
        if (status !== null) bytes.attribute(ATTRIBUTE, "http.response.status_code", status);
      }),
  );
  readonly #admission: Buffer;
  readonly #settled: Buffer;
  readonly #voided: Buffer;

  constructor(source: TelemetrySource, conventions: Conventions, ids: RandomIds) {
    this.#bytes = new OtlpBytes(ids);
    this.#draft = new OtlpBytes(ids);
    this.#source = source;
    this.#names = GEN_AI[conventions];
    this.#admission = this.#drafted((bytes) => writeKind(bytes, "admission", INTERNAL));
    this.#settled = this.#drafted((bytes) => describeSettlement(bytes, "settled"));
    this.#voided = this.#drafted((bytes) => describeSettlement(bytes, "voided"));
  }

  /** An export of these calls, as protobuf. */
  write(calls: readonly TracedCall[]): Uint8Array {
    return writeExport(this.#bytes, this.#source, () => {
      for (const call of calls) this.#writeCall(call);
    });
  }

  #writeCall(traced: TracedCall): void {
    const { trace, ended_ms, offset_ms } = traced;
    const bytes = this.#bytes;
    const { arrived_ms: began_ms, admitted_ms, settlement } = trace;
    const times = timesOf(began_ms, ended_ms, offset_ms);
    this.#writeOwn(traced, bytes.beginCall(SPANS, trace.trace_id, times));
    const admission = bytes.beginInside(SPANS, null, timesOf(began_ms, admitted_ms ?? ended_ms, offset_ms));
    bytes.put(this.#admission);
    this.#end(admission, admitted_ms === null ? trace.error : null);
    for (const attempt of trace.attempts) this.#writeAttempt(traced, attempt);
    if (settlement === null) return;
    const { began_ms: settling_ms, ended_ms: settled_ms, is_void } = settlement;
    const settled = bytes.beginInside(SPANS, null, timesOf(settling_ms, settled_ms, offset_ms));
    bytes.put(is_void ? this.#voided : this.#settled);
    this.#micro(CHARGE, trace.charge_micro);
    this.#end(settled, null);
  }

  #writeOwn({ trace, call, key }: TracedCall, began: number): void {
    const bytes = this.#bytes;
    const { origin, attempts } = trace;
    const answered = attempts.findLast(({ error }) => error === null) ?? attempts.at(-1);
    const { model, status, endpoint } = call;
    bytes.put(this.#calls.of([model, status, endpoint, answered?.vendor ?? null, answered?.upstream_model ?? null]));
    if (key !== null) bytes.put(this.#keys.of([key.id, key.account_id]));
    bytes.id(REQUEST_ID, call.request_id);
    this.#micro(HOLD, trace.hold_micro);
    this.#micro(CHARGE, trace.charge_micro);
    this.#describeUsage(trace);
    if (origin.parent_id !== null) bytes.parent(origin.parent_id);
    if (origin.state !== null) bytes.text(STATE, origin.state);
    // What the client is to blame for is no error of the span.
    this.#end(began, status >= SERVER_ERROR || status < 400 ? trace.error : null);
  }

  #writeAttempt({ trace, ended_ms: call_ended_ms, offset_ms }: TracedCall, attempt: TracedAttempt): void {
    const { vendor, span_id, started_ms: began_ms, status, error, first_byte_ms, upstream_model } = attempt;
    // A stream goes on until its settlement begins.
    const ended_ms = attempt.ended_ms ?? Math.max(began_ms, trace.settlement?.began_ms ?? call_ended_ms);
    const began = this.#bytes.beginInside(SPANS, span_id, timesOf(began_ms, ended_ms, offset_ms));
    this.#bytes.put(this.#attempts.of([vendor, upstream_model, status]));
    if (first_byte_ms !== null) this.#bytes.int(FIRST_BYTE, Math.max(0, Math.round(first_byte_ms)));
    this.#end(began, error);
  }

  #end(began: number, error: string | null): void {
    if (error !== null) {
      this.#bytes.put(ERROR);
      this.#bytes.attribute(ATTRIBUTE, "error.type", error);
    }
    this.#bytes.end(began);
  }

  #describeCall([model, status, endpoint, vendor, upstream_model]: CallFacts): Buffer {
    const operation = isOperation(endpoint) ? OPERATIONS[endpoint] : endpoint;
    return this.#drafted((bytes) => {
      writeKind(bytes, model === null ? operation : `${operation} ${model}`, SERVER);
      bytes.attribute(ATTRIBUTE, OPERATION, operation);
      bytes.attribute(ATTRIBUTE, "http.request.method", "POST");
      bytes.attribute(ATTRIBUTE, "http.response.status_code", status);
      bytes.attribute(ATTRIBUTE, "camino.endpoint", endpoint);
      if (model !== null) bytes.attribute(ATTRIBUTE, REQUEST_MODEL, model);
      if (vendor !== null) bytes.attribute(ATTRIBUTE, this.#names.provider, providerName(vendor));
      if (upstream_model !== null) bytes.attribute(ATTRIBUTE, RESPONSE_MODEL, upstream_model);
    });
  }

  #drafted(describe: (bytes: OtlpBytes) => void): Buffer {
    describe(this.#draft);
    return Buffer.from(this.#draft.take());
  }

  #describeUsage({ usage, is_estimated }: CallTrace): void {
    if (usage === null) return;
    const bytes = this.#bytes;
    const { cache_read, cache_write } = this.#names;
    const { input_tokens, cache_read_tokens, cache_write_tokens, output_tokens } = usage;
    bytes.int(INPUT_TOKENS, input_tokens + cache_read_tokens + cache_write_tokens);
    bytes.int(OUTPUT_TOKENS, output_tokens);
    if (cache_read_tokens > 0 && cache_read !== null) bytes.attribute(ATTRIBUTE, cache_read, cache_read_tokens);
    if (cache_write_tokens > 0 && cache_write !== null) bytes.attribute(ATTRIBUTE, cache_write, cache_write_tokens);
    if (is_estimated) bytes.attribute(ATTRIBUTE, "camino.usage_estimated", true);
  }

  #micro(name: typeof HOLD, amount: Micro | null): void {
    if (amount !== null) this.#bytes.int(name, Number(amount));
  }
}

/** Monotonic times as wall-clock times. */
function timesOf(began_ms: number, ended_ms: number, offset_ms: number): Times {
  return { began_ms: began_ms + offset_ms, ended_ms: ended_ms + offset_ms };
}

function writeKind(bytes: OtlpBytes, name: string, kind: number): void {
  bytes.text(NAME, name);
  bytes.number(KIND, kind);
}

function describeSettlement(bytes: OtlpBytes, outcome: "settled" | "voided"): void {
  writeKind(bytes, "settlement", INTERNAL);
  bytes.attribute(ATTRIBUTE, "camino.outcome", outcome);
}

function isOperation(endpoint: string): endpoint is keyof typeof OPERATIONS {
  return Object.hasOwn(OPERATIONS, endpoint);
}
