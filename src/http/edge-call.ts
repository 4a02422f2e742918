import type { Authenticator, PresentedKey } from "../access/authenticator.ts";
import { readPresentedKey } from "../access/last-key.ts";
import type { CredentialPolicy } from "../access/read-credential.ts";
import type { ClientSignal } from "../core/answer/answer-stream.ts";
import type { ClientHeaders } from "../core/answer/exchange.ts";
import { isWhole } from "../core/answer/sent-body.ts";
import type { BilledEndpoint, ErrorStyle } from "../core/endpoints.ts";
import { type ErrorCode, GatewayError } from "../core/errors.ts";
import { isLater } from "../core/later.ts";
import type { RateState } from "../core/ledger/ledger.ts";
import type { KeyRecord } from "../core/people/principal.ts";
import { hasRules } from "../limits/applied-rules.ts";
import { hasTagRules } from "../limits/tag-rules.ts";
import type { CallTrace, Tracing } from "../observe/call-trace.ts";
import { CACHE_HEADER, type CacheAsked, readCacheHeader } from "../pipeline/cache/cache-asked.ts";
import type { AdmittedCall, Answer, BilledCall, FormBody, RefusedCall, WrittenAnswer } from "../pipeline/call/call.ts";
import type { PipelineDeps } from "../pipeline/call/deps.ts";
import type { LargeBody } from "../pipeline/large-bodies/large-bodies.ts";
import type { TagMetadata } from "../pipeline/request/tag-metadata.ts";
import { headerLine } from "../wire/grammar/header-line.ts";
import type { IncomingRequest } from "../wire/server/incoming-request.ts";
import type { RequestHead } from "../wire/server/request-head.ts";
import { headerLines, typeLine } from "./answer-lines.ts";
import type { BilledRoute } from "./billed-endpoints.ts";
import type { GatedCall, KeyGate } from "./gate/key-gate.ts";
import type { LocalKeyState } from "./gate/local-key-state.ts";
import { refuseKeyInQuery } from "./gemini-address.ts";
import { rateLines } from "./rate-headers.ts";
import { idLines, type RequestIds, requestIdsOf } from "./request-ids.ts";
import { readTagsHeader, requestTagsText, TAGS_HEADER } from "./request-tags.ts";

/** The parts that all calls of one endpoint share. */
export interface EndpointContext {
  readonly route: BilledRoute;
  readonly authenticator: Authenticator;
  readonly gate: KeyGate;
  /** Absent: no traces. */
  readonly tracing?: Tracing;
  readonly pipeline: Pick<PipelineDeps, "configuration">;
  /** Called once with a call's final status, when the last byte of its answer has been handed over. */
  readonly onEnd: (call: EdgeCall, status: number) => void;
}

/** Proxies in front of the gateway must not buffer events. */
const STREAM_LINES = "cache-control: no-cache\r\nx-accel-buffering: no\r\n";

/** The headers in which the endpoints of a style take their keys. */
const POLICIES = { a: "bearer", b: "either", c: "google" } as const satisfies Record<ErrorStyle, CredentialPolicy>;

const MAX_IDEMPOTENCY_KEY = 255;

/** A call of a billed endpoint, from its arrival to the last byte of its answer. */
export class EdgeCall implements BilledCall, GatedCall {
  readonly headers: ClientHeaders;
  /** Says whether the client is still connected. */
  readonly signal: ClientSignal;
  readonly ids: RequestIds;
  readonly arrived_ms = performance.now();
  body_wait_ms = 0;
  hook_ms: number | null = null;
  readonly trace: CallTrace | null;
  /** The id of the resolved model, once it is known. */
  model: string | null = null;
  /** The model that the request names, of a request that was refused after it was read. */
  asked_model: string | null = null;
  is_key_fresh = false;
  /** The key's rate as it was told last, for the headers of the answer. */
  rate: RateState | null = null;
  /** Whether the ledger has admitted or refused the request: from then on the ledger counts it (docs/rulings.md 49). */
  is_decided = false;
  /** Whether the ledger has a record of the request, or the answer is that of an earlier one. */
  is_admitted = false;
  readonly idempotency_key: string | null;
  cache: CacheAsked | null = null;
  key_state: LocalKeyState | null = null;
  taken_rpm: number | null = null;
  #is_in = false;
  readonly #context: EndpointContext;
  readonly #head: RequestHead;
  readonly #request: IncomingRequest;
  #presented: PresentedKey | null = null;
  #key: KeyRecord | null = null;
  /** The tags of the header; null for most. */
  #tags: ReadonlyMap<string, string> | null = null;
  #body: string | LargeBody | FormBody = "";

  constructor(request: IncomingRequest, context: EndpointContext) {
    this.#head = request.head;
    this.#request = request;
    this.headers = request.head;
    this.ids = requestIdsOf(this.headers);
    this.signal = request;
    this.idempotency_key = this.headers.get("idempotency-key");
    this.#context = context;
    this.trace = context.tracing?.begin(request.head, this.arrived_ms) ?? null;
  }

  get endpoint(): BilledEndpoint {
    return this.#context.route.endpoint;
  }

  get general_error(): ErrorCode {
    return this.#context.route.general_error;
  }

  get request_id(): string {
    return this.ids.own;
  }

  get client_request_id(): string | null {
    return this.ids.client;
  }

  /** The key as last read. */
  get key(): KeyRecord {
    if (this.#key === null) throw unidentified();
    return this.#key;
  }

  /** The key; null where none was found. */
  get known_key(): KeyRecord | null {
    return this.#key;
  }

  get text(): string {
    return typeof this.#body === "string" ? this.#body : "";
  }

  get large_body(): LargeBody | null {
    return typeof this.#body === "string" || "parts" in this.#body ? null : this.#body;
  }

  get form(): FormBody | null {
    return typeof this.#body === "object" && "parts" in this.#body ? this.#body : null;
  }

  /** Finds the key that was presented: null where it is known already, without a look at the database. Throws the 401 of docs/api.md 5. */
  identify(): Promise<void> | null {
    const { route, authenticator } = this.#context;
    if (route.error_style === "c") refuseKeyInQuery(this.#head);
    this.#presented = readPresentedKey(this.#head, POLICIES[route.error_style], this.#request);
    const found = authenticator.lookup(this.#presented);
    this.is_key_fresh = isLater(found);
    if (isLater(found))
      return found.then((key) => {
        this.#key = key;
      });
    this.#key = found;
    return null;
  }

  /** Reads what the headers say beside the key. Throws the endpoint's 400. */
  readHeaders(): void {
    checkIdempotencyKey(this);
    const cache = this.headers.get(CACHE_HEADER);
    if (cache !== null) this.cache = readCacheHeader(cache, this.general_error);
    const tags = this.headers.get(TAGS_HEADER);
    if (tags !== null) this.#tags = readTagsHeader(tags, this.general_error);
  }

  /** Waits for a body that arrives after its head: that time is the client's. */
  async waitForBody<Body>(arriving: Promise<Body>): Promise<Body> {
    const began_ms = performance.now();
    const body = await arriving;
    this.body_wait_ms = performance.now() - began_ms;
    return body;
  }

  takeBody(body: string | LargeBody | FormBody): void {
    this.#body = body;
  }

  /** A large body stays one that another thread reads. */
  replaceBody(text: string): void {
    const large = this.large_body;
    this.#body = large === null ? text : { ...large, bytes: new TextEncoder().encode(text) };
  }

  tagsText(metadata: TagMetadata | null): string | null {
    if (this.#tags === null && metadata === null) return null;
    return requestTagsText(this.#tags, metadata, this.general_error);
  }

  enters(key_state: LocalKeyState, rpm: number): void {
    key_state.requests.take(rpm, this.arrived_ms);
    key_state.running += 1;
    this.key_state = key_state;
    this.taken_rpm = rpm;
    this.#is_in = true;
  }

  refusedBy(key_state: LocalKeyState, rpm: number | null): void {
    if (rpm !== null) key_state.requests.take(rpm, this.arrived_ms);
    this.key_state = key_state;
    this.taken_rpm = rpm;
  }

  /** Takes in what became of the call at its admission. */
  learn(call: AdmittedCall | RefusedCall): void {
    const { model, result } = call;
    this.model = model;
    if (call.outcome === "refused") this.asked_model = call.asked_model;
    if (result === null) return;
    this.is_decided = result.outcome !== "stale_key";
    this.is_admitted = result.outcome === "admitted" || result.outcome === "replay";
    if ("rate" in result) this.rate = result.rate;
    const { account_limits, project } = this.key;
    const { limits } = this.#context.pipeline.configuration;
    const is_shared = (account_limits?.rpm ?? project?.rpm ?? null) !== null || hasRules(this.key, limits);
    const is_own_rate = !is_shared && !hasTagRules(this.key, limits);
    this.key_state?.learn(result, this.arrived_ms, is_own_rate);
  }

  leaveKey(): void {
    if (!this.#is_in || this.key_state === null) return;
    this.#is_in = false;
    this.key_state.running -= 1;
  }

  reloadKey(): Promise<KeyRecord> {
    const { authenticator } = this.#context;
    authenticator.forget(this.key.id);
    if (this.#presented === null) throw unidentified();
    return authenticator.authenticate(this.#presented.credential);
  }

  async renewKey(): Promise<void> {
    this.#key = await this.reloadKey();
  }

  write(answer: Answer): WrittenAnswer {
    if (this.cache !== null) this.cache.head = { content_type: answer.content_type, headers: answer.headers };
    return writeAnswer(answer, this, this.#context.route.error_style);
  }

  withRate({ status, headers, body }: WrittenAnswer): WrittenAnswer {
    return { status, headers: headers + rateLines(this.rate, this.#context.route.error_style), body };
  }
}

/** An answer of a billed endpoint with its head. Throws where a header cannot be sent: nothing is charged by then. */
function writeAnswer(
  { status, content_type, headers: more, body }: Answer,
  { ids, rate, endpoint, cache }: EdgeCall,
  style: ErrorStyle,
): WrittenAnswer {
  let headers = idLines(ids) + typeLine(content_type) + rateLines(rate, style);
  headers += headerLines(more);
  if (cache !== null) headers += headerLine(CACHE_HEADER, cache.result);
  // The header in which TypeSafe's clients look for the id.
  if (endpoint === "systemone") headers += headerLine("x-typesafe-request-id", ids.shown);
  if (!isWhole(body)) headers += STREAM_LINES;
  return { status, headers, body };
}

function unidentified(): Error {
  return new Error("a call was used before its key was known");
}

function checkIdempotencyKey({ idempotency_key: key, general_error }: EdgeCall): void {
  if (key === null || (key.length >= 1 && key.length <= MAX_IDEMPOTENCY_KEY)) return;
  throw new GatewayError(
    general_error,
    `The Idempotency-Key header has ${key.length} characters; allowed are 1 to ${MAX_IDEMPOTENCY_KEY}.`,
  );
}
