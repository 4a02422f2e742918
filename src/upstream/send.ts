import type { VendorTimeouts } from "../core/catalog.ts";
import { Call, type UpstreamCall } from "../wire/client/call.ts";
import type { RequestSigner } from "./credentials/request-signer.ts";
import { Deadlines } from "../wire/deadlines.ts";
import { FetchTransport } from "./fetch-transport.ts";
import type { LeftToFetch } from "./left-to-fetch.ts";
import { type OutgoingRequest, textOfBody } from "../wire/client/outgoing-request.ts";
import { classifyFetchError } from "../wire/client/upstream-error.ts";
import { WireClient } from "../wire/client/wire-client.ts";

/** A call to a vendor. The headers are complete: nothing of the client's own headers is added here. */
export interface UpstreamRequest extends OutgoingRequest {
  readonly timeouts: VendorTimeouts;
  /** Adds the headers of a credential that is made for each call; absent where the headers hold one that is always the same. */
  readonly sign?: RequestSigner;
}

const NOTHING_LEFT: LeftToFetch = { proxied: [], unverified: false };

/** Sends requests to vendors: connections that are kept, deadlines by one timer, no redirects. */
export class Upstream {
  readonly #deadlines = new Deadlines();
  readonly #wire: WireClient;
  readonly #fetch: FetchTransport;

  constructor(left: LeftToFetch = NOTHING_LEFT) {
    const isProxied = ({ protocol }: URL) => left.proxied.includes(protocol);
    this.#wire = new WireClient(
      this.#deadlines,
      (url) => isProxied(url) || (left.unverified && url.protocol === "https:"),
    );
    this.#fetch = new FetchTransport((url) => isProxied(new URL(url)));
  }

  /** Monotonic time, up to a fifth of a second old while calls run: what each chunk of a stream is compared with. */
  get now_ms(): number {
    return this.#deadlines.now_ms;
  }

  /** Starts a call. `reply` resolves when the head of the answer has come, or rejects with an UpstreamError. */
  start(request: UpstreamRequest): UpstreamCall {
    const call = new Call(this.#deadlines, request.timeouts);
    if (request.sign === undefined) this.#send(request, call);
    else void this.#signAndSend(request, request.sign, call);
    return call;
  }

  async #signAndSend(request: UpstreamRequest, sign: RequestSigner, call: Call): Promise<void> {
    try {
      const { url } = request;
      const body = textOfBody(request.body);
      const headers = { ...request.headers, ...(await sign({ method: "POST", url, body })) };
      if (!call.isOver) this.#send({ url, headers, body }, call);
    } catch (thrown) {
      call.fail(classifyFetchError(thrown));
    }
  }

  #send(request: OutgoingRequest, call: Call): void {
    try {
      if (!this.#wire.send(request, call)) this.#fetch.send(request, call);
    } catch (thrown) {
      call.fail(classifyFetchError(thrown));
    }
  }
}
