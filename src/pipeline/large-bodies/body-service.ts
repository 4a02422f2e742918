import type { VendorCodec } from "../../core/answer/codec.ts";
import type { DecisionClientRequest, DecisionRequest, DecisionVendorProtocol } from "../../core/answer/decision.ts";
import type {
  ClientHeaders,
  ClientRequest,
  ProtocolAdapter,
  RemoteCount,
  RequestMemory,
  Target,
} from "../../core/answer/exchange.ts";
import type { DecisionSurface } from "../../core/catalog/catalog.ts";
import type { Protocol } from "../../core/endpoints.ts";
import { given } from "../../core/given.ts";
import { withMaterial } from "../../decider/write-prompt.ts";
import { addressedBody } from "../../protocols/gemini/addressed-body.ts";
import { fitRequest } from "../../protocols/translate/fit-request.ts";
import { readKept } from "../memory/kept-answer.ts";
import { listInputItems } from "../memory/list-input-items.ts";
import { isRecalled, recallRequest } from "../memory/recall-request.ts";
import type { RecallSource } from "../memory/recall-source.ts";
import { inputOf, SAMPLE_CHARACTERS } from "../request/collect-text.ts";
import { conversationMarks } from "../request/conversation.ts";
import { sketched } from "../request/decision-input.ts";
import { fingerprintOf } from "../request/fingerprint.ts";
import { HeldExchange } from "./held-exchange.ts";
import type {
  BodyCall,
  BodyCalls,
  BodyRoute,
  ExchangeFacts,
  ReadFacts,
  ReadOrder,
  TooHeavy,
  WorkerRequest,
} from "./messages.ts";
import { ownedUtf8 } from "./owned-bytes.ts";
import { rareCostWords, summarizeBody } from "./summarize-body.ts";
import { weightOf } from "./weight.ts";

/** The protocols' functions that the service uses: those of the serving thread. */
export interface BodyServiceProtocols {
  readonly readers: Readonly<
    Record<
      BodyRoute,
      (text: string, headers: ClientHeaders, surface?: DecisionSurface) => ClientRequest | DecisionClientRequest
    >
  >;
  readonly decodeText: (bytes: Buffer) => string;
  /** A form as the text that it stands for; only System One's endpoint takes forms. */
  readonly readForm: (bytes: Buffer, content_type: string) => string;
  readonly adapterBetween: (client: Protocol, vendor: Protocol) => ProtocolAdapter | null;
  readonly vendorCodecOf: (protocol: Protocol) => VendorCodec | null;
  readonly decisionVendorOf: (protocol: Protocol) => DecisionVendorProtocol | null;
  readonly prepareCount: (
    request: ClientRequest,
    target: Target,
    headers: ClientHeaders,
  ) => Omit<RemoteCount, "body"> & { readonly body: string };
}

/** A body that was read, with what was made of it last. */
interface HeldBody {
  readonly request: ClientRequest;
  readonly decision: DecisionRequest | null;
  readonly headers: ClientHeaders;
  exchange: HeldExchange | null;
}

/** The work of a body worker: it reads bodies, keeps them, and answers questions about them (docs/adr/0027). */
export class BodyService {
  readonly #protocols: BodyServiceProtocols;
  readonly #memory: RecallSource;
  readonly #held = new Map<number, HeldBody>();

  constructor(protocols: BodyServiceProtocols, memory: RecallSource) {
    this.#protocols = protocols;
    this.#memory = memory;
  }

  /** How many bodies are kept. */
  get size(): number {
    return this.#held.size;
  }

  /** Answers a question. Throws, or rejects with, what the same work would throw on the serving thread. */
  answer(question: WorkerRequest): BodyCalls[BodyCall]["gives"] | Promise<BodyCalls[BodyCall]["gives"]> {
    const { body_id } = question;
    switch (question.call) {
      case "read":
        return this.#read(body_id, question.asks);
      case "release":
        this.#held.delete(body_id);
        return null;
      case "listItems":
        return this.#listItems(question.asks);
      case "readKept":
        return readDelivered(question.asks);
      case "prepare":
        return this.#prepare(this.#find(body_id), question.asks);
      case "encodeDecision":
        return this.#encodeDecision(this.#find(body_id), question.asks.target);
      case "encodeCall":
        return this.#encodeCall(this.#decisionOf(body_id), question.asks);
      case "prepareCount":
        return this.#prepareCount(this.#find(body_id), question.asks.target);
      case "collectInput":
        return inputOf(this.#find(body_id).request, SAMPLE_CHARACTERS);
      default:
        return this.#exchangeOf(body_id).answer(question);
    }
  }

  #find(body_id: number): HeldBody {
    const held = this.#held.get(body_id);
    if (held === undefined) throw new Error(`body ${body_id} is not kept here`);
    return held;
  }

  #decisionOf(body_id: number): DecisionRequest {
    const { decision } = this.#find(body_id);
    if (decision === null) throw new Error(`body ${body_id} is no decision`);
    return decision;
  }

  #exchangeOf(body_id: number): HeldExchange {
    const { exchange } = this.#find(body_id);
    if (exchange === null) throw new Error(`body ${body_id} is not prepared`);
    return exchange;
  }

  async #read(body_id: number, order: ReadOrder): Promise<ReadFacts | TooHeavy> {
    const headers = headersOf(order);
    const text = this.#textOf(order);
    const weight_bytes = weightOf(text, order.body.length);
    if (order.room_bytes !== null && weight_bytes > order.room_bytes) return { too_heavy_bytes: weight_bytes };
    const read = this.#protocols.readers[order.route](text, headers, order.surface);
    if ("decision" in read) {
      const { decision } = read;
      this.#held.set(body_id, { request: { ...read, text: "", body: {} }, decision, headers, exchange: null });
      return { weight_bytes, ...factsOf(order, { ...read, text }, sketched(decision)) };
    }
    const request = await this.#recalled(order, read);
    this.#held.set(body_id, { request, decision: null, headers, exchange: null });
    const recalled_bytes = request.text === text ? 0 : weightOf(request.text, request.text.length);
    return { weight_bytes: weight_bytes + recalled_bytes, ...factsOf(order, request, null, text) };
  }

  #textOf({ body, form, address }: ReadOrder): string {
    if (typeof body === "string") return body;
    const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength);
    const text = form === null ? this.#protocols.decodeText(bytes) : this.#protocols.readForm(bytes, form);
    return address === undefined ? text : addressedBody(text, address);
  }

  #recalled({ recall, memory }: ReadOrder, request: ClientRequest): ClientRequest | Promise<ClientRequest> {
    if (memory !== null) return { ...request, memory: { ...memory, ...NOTHING_RECALLED } };
    if (recall === null || !isRecalled(request)) return request;
    // The serving thread, which has the memory, logs what fails there.
    return recallRequest({ memory: this.#memory, ...recall, log: SILENT }, request);
  }

  #prepare(held: HeldBody, { target, granted_cap }: BodyCalls["prepare"]["asks"]): ExchangeFacts {
    held.exchange = null;
    const request = granted_cap === undefined ? held.request : { ...held.request, granted_cap };
    const adapter = this.#protocols.adapterBetween(request.protocol, target.endpoint.protocol);
    if (adapter === null) throw new Error(`no adapter from ${request.protocol} to ${target.endpoint.protocol}`);
    const exchange = adapter.prepare(request, target, held.headers);
    const { path, headers, ignored, charged, tokens_header } = exchange;
    const body = ownedUtf8(exchange.parts ?? [exchange.body]);
    held.exchange = new HeldExchange(exchange);
    return { path, headers, body, ignored, charged, tokens_header };
  }

  #encodeDecision({ decision, headers }: HeldBody, target: Target): BodyCalls["encodeDecision"]["gives"] {
    const protocol = this.#protocols.decisionVendorOf(target.endpoint.protocol);
    if (decision === null || protocol === null) throw new Error(`no decision for ${target.endpoint.protocol}`);
    const { body, ...encoded } = protocol.encodeRequest(decision, target, headers);
    return { ...encoded, body: ownedUtf8([body]) };
  }

  #encodeCall(
    { input }: DecisionRequest,
    { target, request }: BodyCalls["encodeCall"]["asks"],
  ): BodyCalls["encodeCall"]["gives"] {
    const codec = this.#protocols.vendorCodecOf(target.endpoint.protocol);
    if (codec === null) throw new Error(`no codec for ${target.endpoint.protocol}`);
    const asked = withMaterial(request, input);
    const fitted = fitRequest(asked, codec.traits(target, asked), target).request;
    const { body, ...encoded } = codec.encodeRequest(fitted, target, NO_HEADERS);
    return { ...encoded, body: ownedUtf8([body]) };
  }

  async #listItems({ stored, query }: BodyCalls["listItems"]["asks"]): Promise<BodyCalls["listItems"]["gives"]> {
    const page = await listInputItems(this.#memory, stored, query);
    return page === null ? null : ownedUtf8([JSON.stringify(page)]);
  }

  #prepareCount({ request, headers }: HeldBody, target: Target): BodyCalls["prepareCount"]["gives"] {
    const counting = this.#protocols.prepareCount(request, target, headers);
    return { path: counting.path, headers: counting.headers, body: ownedUtf8([counting.body]) };
  }
}

/** The response that was delivered, as it is stored. */
function readDelivered({ body, is_stream }: BodyCalls["readKept"]["asks"]): BodyCalls["readKept"]["gives"] {
  const kept = readKept({ body, is_stream });
  if (kept === null) return null;
  const { id, item_ids, output, rest } = kept;
  return { id, item_ids, output: ownedUtf8([JSON.stringify(output)]), rest: ownedUtf8([JSON.stringify(rest)]) };
}

const NO_HEADERS = { get: () => null };
const SILENT = { error: () => {} };
const NOTHING_RECALLED: Omit<RequestMemory, "stores" | "previous_response_id"> = {
  recalled: new Map(),
  sent: { items: [], text: "[]" },
  used_keys: [],
};

function headersOf({ headers }: ReadOrder): ClientHeaders {
  const by_name = new Map(headers);
  return { get: (name) => by_name.get(name.toLowerCase()) ?? null };
}

/** `sent_text`: the body as the client sent it, where what it refers to was put into the request's since. */
function factsOf(
  { route, is_repeatable }: ReadOrder,
  request: ClientRequest,
  decision: ReadFacts["decision"],
  sent_text = request.text,
): Omit<ReadFacts, "weight_bytes"> {
  const { protocol, model, stream, output_cap, choices, input_bound_tokens, units, charged, document, effort, memory } =
    request;
  return {
    request: {
      ...{ protocol, model, stream, output_cap, choices, input_bound_tokens },
      ...given({ units, charged, document, effort }),
      text: rareCostWords(request.text),
      body: summarizeBody(request.body),
      conversation: conversationMarks(protocol, request.body),
      ...(is_repeatable &&
        route !== "messages.count_tokens" &&
        route !== "responses.input_tokens" &&
        route !== "countTokens" && { fingerprint: fingerprintOf(route, sent_text) }),
    },
    decision,
    memory: memory === undefined ? null : memoryOf(memory),
  };
}

function memoryOf({ stores, previous_response_id, used_keys, sent }: RequestMemory): ReadFacts["memory"] {
  return { stores, previous_response_id, used_keys, sent: stores ? ownedUtf8([sent.text]) : null };
}
