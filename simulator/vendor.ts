import { type Ask, BadRequest } from "./ask.ts";
import { BenchAnswers } from "./bench.ts";
import { modelDetail, modelList } from "./catalogue.ts";
import { type AwsCredentials, isSigned } from "./check-signature.ts";
import { CONTENTS } from "./contents/index.ts";
import { DELIVERIES, isDeliveryFault, paced } from "./delivery.ts";
import { type ModelName, parseModelName } from "./model-name.ts";
import { findSimulatedModel } from "./models.ts";
import type { Performance } from "./performance.ts";
import { credentialOf, PromptCache } from "./prompt-cache.ts";
import { chatCompletions } from "./protocols/chat-completions/index.ts";
import { protocolFor } from "./protocols/index.ts";
import type { Failure, VendorProtocol } from "./protocols/protocol.ts";
import { isObject, type Json } from "./protocols/read.ts";
import { type RefusedCredentials, refusalRule } from "./refusals.ts";
import { aborted, type Call, gone, pause, sendFailure, sendJson, sendSteps, sendText } from "./reply.ts";
import type { SimulatorLog } from "./request-log.ts";
import { enforce } from "./rules/rule.ts";
import type { SimulatedModel } from "./simulated-model.ts";
import { withUsage } from "./usage-variants.ts";

interface VendorOptions {
  /** The expected credential, as a bearer token or in a vendor's own header; null disables the check. */
  readonly api_key: string | null;
  /** The credentials with which requests must be signed; null disables the check. */
  readonly aws: AwsCredentials | null;
  readonly log: SimulatorLog;
  /** What is answered to these credentials in place of an answer. */
  readonly refused: RefusedCredentials;
  /** Aborted when the simulator stops: ends every wait. */
  readonly stopping: AbortSignal;
}

/** A bound on the counted names: names are free text, and counting them all would let memory grow without limit. */
const MOST_NAMES = 10_000;

/** A performance to send, and its fault. */
interface Show {
  readonly model: SimulatedModel;
  readonly ask: Ask;
  readonly performance: Performance;
  readonly fault: string;
}

/** The stand-in vendor: turns requests into answers. */
export class Vendor {
  readonly #options: VendorOptions;
  readonly #bench = new BenchAnswers();
  readonly #cache = new PromptCache();
  /** The number of requests for each full model name, for models whose first requests fail. */
  readonly #asked = new Map<string, number>();

  constructor(options: VendorOptions) {
    this.#options = options;
  }

  async answer(request: Request): Promise<Response> {
    const path = pathOf(request.url);
    const protocol = protocolFor(path);
    if (request.method === "POST" && protocol !== undefined) return this.#post(request, path, protocol);
    return this.#get(request, path);
  }

  async #post(request: Request, path: string, protocol: VendorProtocol): Promise<Response> {
    const { log, stopping } = this.#options;
    const { text, body } = await readBody(request);
    const model = body === null ? undefined : protocol.modelOf(body, path);
    log.tally(model ?? null);
    const open = log.records
      ? log.open({
          method: request.method,
          path,
          headers: plain(request.headers),
          text,
          body,
          protocol: protocol.protocol,
          model: model ?? null,
        })
      : null;
    const call: Call = { request, path, protocol, open, stopping };
    if (!this.#admits(request.headers)) return sendFailure(call, failure(401, "Incorrect API key provided."));
    const refused = this.#options.refused.get(credentialOf(request.headers));
    if (refused !== undefined)
      return sendFailure(call, failure(refused.status, refused.message ?? "This key is refused."), refused.headers);
    const { aws } = this.#options;
    if (aws !== null && !(await isSigned(request, text, aws)))
      return sendFailure(
        call,
        failure(403, "The request signature we calculated does not match the signature you provided."),
      );
    if (body === null) return sendFailure(call, failure(400, "The body could not be read as a JSON object."));
    if (model === undefined) return sendFailure(call, failure(400, "Missing required parameter: 'model'.", "model"));
    try {
      if (model === "bench" && !protocol.counting?.accepts(path)) return this.#answerBench(call, body);
      return await this.#perform(call, parseModelName(model), body);
    } catch (thrown) {
      if (thrown instanceof BadRequest) return sendFailure(call, refusalOf(thrown));
      throw thrown;
    }
  }

  async #perform(call: Call, asked: ModelName, body: Json): Promise<Response> {
    const model = findSimulatedModel(asked.name);
    if (model === undefined)
      return sendFailure(call, failure(404, `The model '${asked.full}' does not exist.`, "model"));
    const name = { ...asked, params: asked.params.withDefaults(model.presets) };
    const fault = name.params.text("fault", model.fault ?? "");
    const first_ms = name.params.count("first_ms", model.first_ms);
    if (first_ms > 0) await pause(first_ms, gone(call));
    if (call.request.signal.aborted) {
      call.open?.end("aborted");
      return new Response(null);
    }
    const refused = await this.#refuse(call, name, fault);
    if (refused !== null) return refused;
    const { rulesOf } = call.protocol;
    const thinks = model.capabilities.thinking;
    if (rulesOf !== undefined) enforce(rulesOf(name), { body, path: call.path, model: name, thinks });
    const ask = call.protocol.readAsk(name, body, call.request.headers, call.path);
    const { counting } = call.protocol;
    if (counting?.accepts(call.path)) return sendJson(call, 200, JSON.stringify(counting.answer(ask)));
    const usage = name.params.text("usage", model.usage ?? "");
    let performance = withUsage(CONTENTS[model.content](ask), usage);
    if (name.params.text("cache", "") === "prefix")
      performance = this.#cache.read(ask, performance, credentialOf(call.request.headers));
    if (call.open !== null) call.open.record.usage = performance.usage;
    const show: Show = { model, ask, performance, fault };
    return ask.stream ? sendStream(call, show) : sendWhole(call, show);
  }

  #answerBench(call: Call, body: Json): Response {
    const answer = this.#bench.answer(call.protocol, body, call.path);
    if (call.open !== null) call.open.record.status = 200;
    call.open?.end("finished");
    return answer;
  }

  async #refuse(call: Call, name: ModelName, fault: string): Promise<Response | null> {
    const rule = refusalRule(fault);
    if (rule === null) return null;
    const asked_before = this.#asked.get(name.full) ?? 0;
    if (this.#asked.size >= MOST_NAMES) this.#asked.clear();
    this.#asked.set(name.full, asked_before + 1);
    const { params, full: full_name } = name;
    const refusal = rule({ params, full_name, path: call.path, headers: call.request.headers, asked_before });
    if (refusal === null) return null;
    if (refusal.kind === "reply") return sendFailure(call, refusal.failure, refusal.headers);
    if (refusal.kind === "raw") return sendText(call, refusal.status, refusal.body, refusal.headers);
    await aborted(gone(call));
    call.open?.end("aborted");
    return new Response(null, { status: 499 });
  }

  async #get(request: Request, path: string): Promise<Response> {
    const { log, stopping } = this.#options;
    const text = await request.text();
    log.tally(null);
    const headers = log.records ? plain(request.headers) : {};
    const open = log.records
      ? log.open({ method: request.method, path, headers, text, body: parseBody(text), protocol: null, model: null })
      : null;
    const call: Call = { request, path, protocol: chatCompletions, open, stopping };
    if (!this.#admits(request.headers)) return sendFailure(call, failure(401, "Incorrect API key provided."));
    if (request.method === "GET" && path.endsWith("/models")) {
      const { searchParams: query } = new URL(request.url);
      return sendJson(call, 200, JSON.stringify(modelList({ headers: request.headers, query })));
    }
    const id = request.method === "GET" ? /\/models\/(.+)$/.exec(path)?.[1] : undefined;
    const detail = id === undefined ? undefined : modelDetail(decodeURIComponent(id));
    if (detail !== undefined) return sendJson(call, 200, JSON.stringify(detail));
    return sendFailure(call, failure(404, `Nothing is served at ${request.method} ${path}.`));
  }

  #admits(headers: Headers): boolean {
    const { api_key } = this.#options;
    if (api_key === null) return true;
    return (
      headers.get("authorization") === `Bearer ${api_key}` ||
      headers.get("x-api-key") === api_key ||
      headers.get("api-key") === api_key ||
      headers.get("x-goog-api-key") === api_key
    );
  }
}

function sendStream(call: Call, { model, ask, performance, fault }: Show): Response {
  const { protocol } = call;
  const { params } = ask.model;
  const frames = protocol.frames(ask, performance);
  const steps = isDeliveryFault(fault)
    ? DELIVERIES[fault].stream(frames, { protocol, ask, params })
    : paced(frames, params.count("ms", model.pace_ms));
  return sendSteps(call, steps, protocol.contentType?.(ask) ?? protocol.stream_content_type);
}

/** Sends a whole body; a model with a pace takes as long for a whole body as for a stream. */
async function sendWhole(call: Call, { model, ask, performance, fault }: Show): Promise<Response> {
  const { protocol } = call;
  const { params } = ask.model;
  const pace_ms = params.count("ms", model.pace_ms);
  if (pace_ms > 0) await pause(pace_ms * piecesIn(performance), gone(call));
  const answer = protocol.whole(ask, performance);
  const body = typeof answer === "string" ? answer : JSON.stringify(answer);
  if (!isDeliveryFault(fault)) return sendJson(call, 200, body, protocol.answerHeaders?.(ask, performance));
  return sendSteps(call, DELIVERIES[fault].whole(body, { protocol, ask, params }), "application/json");
}

function refusalOf({ message, param, details: { status = 400, code, body } }: BadRequest): Failure {
  return { status, message, param, ...(code !== undefined && { code }), ...(body !== undefined && { body }) };
}

function failure(status: number, message: string, param: string | null = null): Failure {
  return { status, message, param };
}

function piecesIn({ reasoning, blocks }: Performance): number {
  return blocks.reduce((sum, block) => sum + block.pieces.length, reasoning?.pieces.length ?? 0);
}

function pathOf(url: string): string {
  const start = url.indexOf("/", url.indexOf("//") + 2);
  const query = url.indexOf("?", start);
  return query < 0 ? url.slice(start) : url.slice(start, query);
}

/** A body's text, and the object in it; a form has fields alone, since its files are no text. */
async function readBody(request: Request): Promise<{ readonly text: string; readonly body: Json | null }> {
  if (request.headers.get("content-type")?.startsWith("multipart/form-data") !== true) {
    const text = await request.text();
    return { text, body: parseBody(text) };
  }
  const body: Record<string, unknown> = {};
  for (const [name, value] of await request.formData()) {
    const read = typeof value === "string" ? value : new Uint8Array(await value.arrayBuffer());
    body[name] = name.endsWith("[]") ? [...(Array.isArray(body[name]) ? body[name] : []), read] : read;
  }
  return { text: "", body };
}

function parseBody(text: string): Json | null {
  try {
    const body: unknown = JSON.parse(text);
    return isObject(body) ? body : null;
  } catch {
    return null;
  }
}

function plain(headers: Headers): Record<string, string> {
  return Object.fromEntries(headers);
}
