import { type Message, readMessage, type Shape } from "./protobuf.ts";

/** The messages of OpenTelemetry's protocol, by the numbers that its published definitions give them. */
const VALUE: Shape = {
  1: ["string", "text"],
  2: ["bool", "bool"],
  3: ["int", "int"],
  4: ["double", "double"],
};
const ATTRIBUTE: Shape = { 1: ["key", "text"], 2: ["value", VALUE] };
const RESOURCE: Shape = { 1: ["attributes", ATTRIBUTE, "list"] };
const SCOPE: Shape = { 1: ["name", "text"], 2: ["version", "text"] };
const SPAN: Shape = {
  1: ["trace_id", "hex"],
  2: ["span_id", "hex"],
  3: ["trace_state", "text"],
  4: ["parent_span_id", "hex"],
  5: ["name", "text"],
  6: ["kind", "int"],
  7: ["start", "fixed64"],
  8: ["end", "fixed64"],
  9: ["attributes", ATTRIBUTE, "list"],
  15: ["status", { 2: ["message", "text"], 3: ["code", "int"] }],
};
const POINT: Shape = {
  2: ["start", "fixed64"],
  3: ["time", "fixed64"],
  4: ["double", "double"],
  6: ["int", "fixed64"],
  7: ["attributes", ATTRIBUTE, "list"],
};
const HISTOGRAM_POINT: Shape = {
  4: ["count", "fixed64"],
  5: ["sum", "double"],
  6: ["buckets", "fixed64", "list"],
  7: ["bounds", "double", "list"],
  9: ["attributes", ATTRIBUTE, "list"],
};
const METRIC: Shape = {
  1: ["name", "text"],
  3: ["unit", "text"],
  5: ["gauge", { 1: ["points", POINT, "list"] }],
  7: ["sum", { 1: ["points", POINT, "list"], 2: ["temporality", "int"], 3: ["is_monotonic", "bool"] }],
  9: ["histogram", { 1: ["points", HISTOGRAM_POINT, "list"], 2: ["temporality", "int"] }],
};
const LOG: Shape = {
  1: ["time", "fixed64"],
  2: ["severity", "int"],
  3: ["severity_text", "text"],
  5: ["body", VALUE],
  6: ["attributes", ATTRIBUTE, "list"],
};

const REQUESTS = { "/v1/traces": SPAN, "/v1/metrics": METRIC, "/v1/logs": LOG } as const;
type Path = keyof typeof REQUESTS;

function requestOf(item: Shape): Shape {
  const scoped: Shape = { 1: ["scope", SCOPE], 2: ["items", item, "list"] };
  return { 1: ["resources", { 1: ["resource", RESOURCE], 2: ["scopes", scoped, "list"] }, "list"] };
}

export type Attributes = Readonly<Record<string, string | number | boolean>>;

/** A span, a metric or a record as it came, with its attributes as an object. */
export interface Received extends Message {
  readonly attributes: Attributes;
  readonly resource: Attributes;
}

export interface ReceivedSpan extends Received {
  readonly trace_id: string;
  readonly span_id: string;
  readonly parent_span_id?: string;
  readonly trace_state?: string;
  readonly name: string;
  readonly kind: number;
  readonly start: bigint;
  readonly end: bigint;
  readonly status?: { readonly code?: number };
}

/**
 * What it does with the next exports: it `takes` them; `refuses` them for good; is `full`, and asks to come again; says `nothing`; or `trickles` an
 * answer that does not end.
 */
export type ReceiverMood = "takes" | "refuses" | "full" | "nothing" | "trickles";

/** A collector of OpenTelemetry that reads protobuf over HTTP, on a port of this machine. */
export class OtlpReceiver implements AsyncDisposable {
  readonly spans: ReceivedSpan[] = [];
  readonly metrics: Received[] = [];
  readonly logs: Received[] = [];
  /** All bodies as they came, in which a canary would be found. */
  readonly bodies: Buffer[] = [];
  readonly headers: Headers[] = [];
  mood: ReceiverMood = "takes";
  exports = 0;
  readonly #server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    idleTimeout: 0,
    fetch: (request) => this.#answer(request),
  });

  get url(): string {
    return `http://127.0.0.1:${this.#server.port}`;
  }

  /** Resolves with what `find` finds, once it does. */
  async until<Found>(find: () => Found | undefined | false): Promise<Found> {
    for (;;) {
      const found = find();
      if (found !== undefined && found !== false) return found;
      await Bun.sleep(20);
    }
  }

  /** The spans of a request by its id, once the call's own span is there: the call's first. */
  async trace(request_id: string): Promise<ReceivedSpan[]> {
    const root = await this.until(() =>
      this.spans.find(({ attributes }) => attributes["camino.request_id"] === request_id),
    );
    const inside = this.spans.filter(({ parent_span_id }) => parent_span_id === root.span_id);
    return [root, ...inside.toSorted((one, other) => Number(one.start - other.start))];
  }

  async #answer(request: Request): Promise<Response> {
    this.exports += 1;
    const bytes = Buffer.from(await request.arrayBuffer());
    this.headers.push(request.headers);
    if (this.mood === "nothing") return await new Promise(() => {});
    if (this.mood === "refuses") return new Response("no", { status: 400 });
    if (this.mood === "full") return new Response("", { status: 503 });
    if (this.mood === "trickles") return new Response(trickle());
    const path = new URL(request.url).pathname;
    if (request.headers.get("content-type") !== "application/x-protobuf" || !isPath(path))
      return new Response(`${path} is not known here`, { status: 404 });
    this.bodies.push(bytes);
    this.#take(path, bytes);
    return new Response(new Uint8Array(), { headers: { "content-type": "application/x-protobuf" } });
  }

  #take(path: Path, bytes: Uint8Array): void {
    const { resources } = readMessage(bytes, requestOf(REQUESTS[path])) as { resources: readonly Message[] };
    const lists = { "/v1/traces": this.spans, "/v1/metrics": this.metrics, "/v1/logs": this.logs } as const;
    for (const { resource, scopes } of resources as readonly { resource: Message; scopes: readonly Message[] }[]) {
      for (const scope of scopes) {
        for (const item of scope.items as readonly Message[])
          (lists[path] as Message[]).push({ ...item, attributes: plain(item), resource: plain(resource) });
      }
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#server.stop(true);
  }
}

function isPath(path: string): path is Path {
  return Object.hasOwn(REQUESTS, path);
}

/** The attributes of a message, or of a point. */
export function plain({ attributes = [] }: Message): Attributes {
  const pairs = attributes as readonly { readonly key: string; readonly value: Message }[];
  return Object.fromEntries(pairs.map(({ key, value }) => [key, Object.values(value)[0] as string]));
}

function trickle(): ReadableStream {
  return new ReadableStream({
    async pull(controller) {
      await Bun.sleep(200);
      controller.enqueue(new Uint8Array(1));
    },
  });
}
