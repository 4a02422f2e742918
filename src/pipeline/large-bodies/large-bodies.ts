import type { DecisionClientRequest, RemoteDecision } from "../../core/answer/decision.ts";
import type { ClientHeaders, ClientRequest, RemoteBody, RequestMemory, SentItems } from "../../core/answer/exchange.ts";
import { bytesOf, textOf } from "../../core/answer/sent-body.ts";
import { GatewayError } from "../../core/errors.ts";
import type { Log } from "../../observe/log.ts";
import type { RequestAddress } from "../../protocols/gemini/addressed-body.ts";
import { ALL_BETA_HEADERS } from "../../protocols/shared/beta-headers.ts";
import type { KeptAnswer, WorkerReadResponse } from "../memory/kept-answer.ts";
import type { ItemQuery, StoredConversation } from "../memory/list-input-items.ts";
import type { RecallSource } from "../memory/recall-source.ts";
import { clientLeft } from "../request/client-left.ts";
import { BodyWorker, type Thread } from "./body-worker.ts";
import type { KeptClaim, KeptRoom } from "./kept-room.ts";
import type { BodyRoute, ReadFacts, ReadOrder } from "./messages.ts";
import { ownedBytes } from "./owned-bytes.ts";
import { heldBody } from "./remote-request.ts";
import { COPIES } from "./weight.ts";

/** The items that a client sent in a large body, as JSON bytes: they are decoded and parsed when somebody needs them. */
function sentAsBytes(bytes: Uint8Array): SentItems {
  return {
    bytes,
    get text() {
      return textOf(bytes);
    },
    get items() {
      return JSON.parse(this.text) as unknown[];
    },
  };
}

/** Stands for the items of a response that is not stored: nobody will need them. */
const EMPTY = Buffer.from("[]");

/** How many requests wait for a worker to read them; more are refused. */
const MOST_WAITING = 64;
const RETRY_MS = 1000;
/** After this time without a body a worker is ended: a heap that has held large bodies stays large. */
const KEEP_WORKER_MS = 60_000;
/** The headers of requests that protocols look at. */
const HEADERS = ["anthropic-version", "altstyle-version", ...ALL_BETA_HEADERS];

/** A text that is not large, and refers to a large conversation. */
export interface SmallBody {
  readonly text: string;
}

export interface LargeBody {
  /** Belongs to the worker from then on. */
  readonly bytes: Uint8Array;
  /** The content type of a form; null for a text. */
  readonly form: string | null;
  /** What the request's address says beside its body, in Gemini's style. */
  readonly address?: RequestAddress;
}

export interface LargeRequest {
  readonly route: BodyRoute;
  readonly body: LargeBody | SmallBody;
  readonly headers: ClientHeaders;
  readonly is_repeatable: boolean;
  readonly recall: ReadOrder["recall"];
  /** What a decision endpoint takes; absent on other endpoints. */
  readonly surface?: ReadOrder["surface"];
  /** Whose room the body takes. */
  readonly account_id: string;
  /** Whether the client is still there: who has left while waiting is not read. */
  readonly signal?: { readonly aborted: boolean };
}

/** Where a body is read and kept. */
interface BodyPlace {
  readonly worker: BodyWorker;
  readonly body_id: number;
  readonly remote: RemoteDecision;
  readonly claim: KeptClaim | undefined;
}

interface ReadBody {
  readonly facts: ReadFacts;
  readonly remote: RemoteDecision;
}

export interface LargeBodiesOptions {
  readonly start: () => Thread;
  readonly most_workers: number;
  /** Where the memory of the bodies is counted. */
  readonly room: KeptRoom;
  readonly memory: RecallSource | null;
  readonly log: Pick<Log, "error">;
  readonly patience_ms?: number;
  readonly keep_worker_ms?: number;
}

/**
 * Reads and translates large bodies in threads beside the serving thread (docs/adr/0027). Each thread reads one body at a
 * time; the others wait in the order in which they came, up to a limit. A thread that dies or hangs is replaced, and
 * the requests whose bodies it kept end with an error.
 */
export class LargeBodies {
  readonly #options: LargeBodiesOptions;
  readonly #workers = new Set<BodyWorker>();
  readonly #reading = new Set<BodyWorker>();
  /** When a worker that has nothing to do is ended. */
  readonly #resting = new WeakMap<BodyWorker, Timer>();
  readonly #queue: ((worker: BodyWorker) => void)[] = [];
  #last_body_id = 0;
  #is_closed = false;

  constructor(options: LargeBodiesOptions) {
    this.#options = options;
  }

  /** Reads a request, whose body stays in a worker until it is released. Rejects as `ClientProtocol.readRequest` throws. */
  async read(request: LargeRequest): Promise<ClientRequest & { readonly remote: RemoteBody }> {
    const { facts, remote } = await this.#read(orderOf(request), request);
    return { ...asRequest(facts), remote };
  }

  /** Takes room for a body that stays on the serving thread until its request has ended. Throws what the client gets where there is none. */
  claim(account_id: string, bytes: number): KeptClaim {
    return this.#options.room.claim(account_id, bytes);
  }

  /** Reads a decision request, whose input stays in a worker. Rejects as `DecisionClientProtocol.readRequest` throws. */
  async readDecision(request: LargeRequest): Promise<DecisionClientRequest & { readonly remote: RemoteDecision }> {
    const { facts, remote } = await this.#read(orderOf(request), request);
    if (facts.decision !== null) return { ...facts.request, decision: facts.decision, remote };
    remote.release();
    throw new Error(`a body for ${request.route} was read as no decision`);
  }

  /** Takes a request over that was read on the serving thread, for the sake of its large answer. */
  async adopt(route: BodyRoute, request: ClientRequest, headers: ClientHeaders): Promise<RemoteBody> {
    const { text, memory = null } = request;
    const order = orderOf({ route, body: { text }, headers, is_repeatable: false, recall: null });
    return (await this.#read({ ...order, memory: memory && pickMemory(memory) })).remote;
  }

  /** Reads a large answer that is stored. Rejects where no thread can. */
  async readKept({ body, is_stream }: Pick<KeptAnswer, "body" | "is_stream">): Promise<WorkerReadResponse | null> {
    // The copy has a turn of its own, as the answer is just being sent.
    await new Promise((resolve) => setImmediate(resolve));
    const copy = ownedBytes(bytesOf(body));
    return await this.#withWorker((worker, body_id) =>
      this.#askOnce(worker, body_id, () => worker.ask(body_id, "readKept", { body: copy, is_stream }, [copy.buffer])),
    );
  }

  /** Lists the input items of a stored response, as `listInputItems` does: the page's JSON. */
  async listInputItems(stored: StoredConversation, query: ItemQuery): Promise<Uint8Array | null> {
    return await this.#withWorker((worker, body_id) =>
      this.#askOnce(worker, body_id, () => worker.ask(body_id, "listItems", { stored, query })),
    );
  }

  /** Ends all workers. */
  close(): void {
    this.#is_closed = true;
    for (const worker of [...this.#workers]) this.#drop(worker);
  }

  async #read(order: ReadOrder, request?: Pick<LargeRequest, "account_id" | "signal">): Promise<ReadBody> {
    // A request that the serving thread has read is read here for its answer's sake, which the vendor has made already.
    const claim = request && this.#options.room.claim(request.account_id, COPIES * order.body.length);
    try {
      return await this.#withWorker((worker, body_id) => {
        if (request?.signal?.aborted === true) throw clientLeft();
        const remote = heldBody(worker, body_id, () => {
          claim?.end();
          this.#restIfIdle(worker);
        });
        return this.#readHere({ worker, body_id, remote, claim }, order);
      });
    } catch (thrown) {
      claim?.end();
      throw thrown;
    }
  }

  async #readHere({ worker, body_id, remote, claim }: BodyPlace, order: ReadOrder): Promise<ReadBody> {
    const { body } = order;
    const moved = typeof body === "string" ? [] : [body.buffer as ArrayBuffer];
    try {
      const asked = claim === undefined ? order : { ...order, room_bytes: claim.room_bytes };
      const facts = await worker.ask(body_id, "read", asked, moved);
      if ("too_heavy_bytes" in facts) throw this.#options.room.refusal(facts.too_heavy_bytes);
      claim?.weighs(facts.weight_bytes);
      return { facts, remote };
    } catch (thrown) {
      remote.release();
      throw thrown;
    }
  }

  /** Asks about a body that the worker need not keep. */
  async #askOnce<Gives>(worker: BodyWorker, body_id: number, ask: () => Promise<Gives>): Promise<Gives> {
    try {
      return await ask();
    } finally {
      worker.release(body_id);
      this.#restIfIdle(worker);
    }
  }

  /** Does work with a worker that does no such work for anybody else meanwhile. */
  async #withWorker<Result>(work: (worker: BodyWorker, body_id: number) => Promise<Result>): Promise<Result> {
    const worker = await this.#freeWorker();
    try {
      this.#last_body_id += 1;
      return await work(worker, this.#last_body_id);
    } finally {
      this.#free(worker);
    }
  }

  /** A worker that reads nothing, once it is this request's turn. */
  async #freeWorker(): Promise<BodyWorker> {
    if (this.#is_closed) throw busy();
    const free = this.#idlest();
    if (free !== null) return this.#take(free);
    if (this.#queue.length >= MOST_WAITING) throw busy();
    return await new Promise((resolve) => this.#queue.push(resolve));
  }

  #take(worker: BodyWorker): BodyWorker {
    this.#reading.add(worker);
    clearTimeout(this.#resting.get(worker));
    return worker;
  }

  /** The worker that is asked least, of those that read nothing; a new one where there is room. Null where all read. */
  #idlest(): BodyWorker | null {
    let idlest: BodyWorker | null = null;
    for (const worker of this.#workers)
      if (!this.#reading.has(worker) && (idlest === null || worker.waiting < idlest.waiting)) idlest = worker;
    const has_room = this.#workers.size < this.#options.most_workers;
    return has_room && (idlest === null || idlest.bodies > 0) ? this.#start() : idlest;
  }

  #start(): BodyWorker {
    const { start, memory, log, patience_ms } = this.#options;
    const worker = new BodyWorker({
      ...{ start, memory },
      ...(patience_ms !== undefined && { patience_ms }),
      lost: (why) => {
        log.error({ why }, "a thread for large bodies was lost: the requests that it had end with an error");
        this.#workers.delete(worker);
      },
    });
    this.#workers.add(worker);
    return worker;
  }

  #free(worker: BodyWorker): void {
    this.#reading.delete(worker);
    const next = this.#queue.shift();
    if (next !== undefined) {
      const free = worker.isGone ? (this.#idlest() ?? this.#start()) : worker;
      next(this.#take(free));
    } else this.#restIfIdle(worker);
  }

  #restIfIdle(worker: BodyWorker): void {
    if (!isIdle(worker) || this.#reading.has(worker)) return;
    clearTimeout(this.#resting.get(worker));
    const timer = setTimeout(() => {
      if (isIdle(worker) && !this.#reading.has(worker)) this.#drop(worker);
    }, this.#options.keep_worker_ms ?? KEEP_WORKER_MS);
    timer.unref();
    this.#resting.set(worker, timer);
  }

  #drop(worker: BodyWorker): void {
    this.#workers.delete(worker);
    worker.end();
  }
}

function isIdle(worker: BodyWorker): boolean {
  return worker.bodies === 0 && worker.waiting === 0;
}

function busy(): GatewayError {
  return new GatewayError("model_unavailable", "Too many large requests are waiting at the moment. Try again soon.", {
    retry_after_ms: RETRY_MS,
  });
}

function orderOf({
  route,
  body,
  headers,
  is_repeatable,
  recall,
  surface,
}: Omit<LargeRequest, "account_id">): ReadOrder {
  const read =
    "text" in body
      ? { body: body.text, form: null }
      : { body: ownedBytes(body.bytes), form: body.form, ...(body.address && { address: body.address }) };
  return {
    ...{ route, ...read, headers: seenHeaders(headers), is_repeatable, recall, memory: null, room_bytes: null },
    ...(surface !== undefined && { surface }),
  };
}

function seenHeaders(headers: ClientHeaders): ReadOrder["headers"] {
  return HEADERS.flatMap((name) => {
    const value = headers.get(name);
    return value === null ? [] : [[name, value] as const];
  });
}

function pickMemory({ stores, previous_response_id }: RequestMemory): NonNullable<ReadOrder["memory"]> {
  return { stores, previous_response_id };
}

function asRequest({ request, memory }: ReadFacts): ClientRequest {
  if (memory === null) return request;
  const { sent, ...rest } = memory;
  return { ...request, memory: { ...rest, recalled: new Map(), sent: sentAsBytes(sent ?? EMPTY) } };
}
