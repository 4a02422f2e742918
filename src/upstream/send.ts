import type { VendorTimeouts } from "../core/catalog/catalog.ts";
import { Call, type UpstreamCall } from "../wire/client/call.ts";
import { type OutgoingRequest, wholeBody } from "../wire/client/outgoing-request.ts";
import { classifyFetchError, UpstreamError } from "../wire/client/upstream-error.ts";
import { WireClient } from "../wire/client/wire-client.ts";
import { Deadlines } from "../wire/deadlines.ts";
import type { RequestSigner } from "./credentials/request-signer.ts";
import type { FetchOnlySettings } from "./fetch-only-settings.ts";
import { FetchTransport } from "./fetch-transport.ts";

/** A call to a vendor. The headers are complete: no header of the gateway's client is added. */
export interface UpstreamRequest extends OutgoingRequest {
  readonly timeouts: VendorTimeouts;
  /**
   * Makes the headers of a credential that differs for each call; absent where `headers` holds a constant credential.
   */
  readonly sign?: RequestSigner;
}

const NO_FETCH_NEEDED: FetchOnlySettings = { proxied: [], unverified: false };

/** Sends requests to vendors: over kept connections, with all deadlines on one timer, without redirects. */
export class Upstream {
  readonly #deadlines = new Deadlines();
  readonly #wire: WireClient;
  readonly #fetch: FetchTransport;

  constructor(fetch_only: FetchOnlySettings = NO_FETCH_NEEDED) {
    const { proxied, isDirect = () => false } = fetch_only;
    const isProxied = (url: URL) => proxied.includes(url.protocol) && !isDirect(url);
    this.#wire = new WireClient(
      this.#deadlines,
      (url) => isProxied(url) || (fetch_only.unverified && url.protocol === "https:"),
    );
    this.#fetch = new FetchTransport((url) => isProxied(new URL(url)));
  }

  /**
   * Monotonic time, up to a fifth of a second old while calls run: cheap enough to be read for each chunk of a stream.
   */
  get now_ms(): number {
    return this.#deadlines.now_ms;
  }

  /** Starts a call. `reply` resolves when the head of the answer has arrived, or rejects with an UpstreamError. */
  start(request: UpstreamRequest): UpstreamCall {
    const call = new Call(this.#deadlines, request.timeouts);
    if (request.sign === undefined) this.#send(request, call);
    else void this.#signAndSend(request, request.sign, call);
    return call;
  }

  async #signAndSend(request: UpstreamRequest, sign: RequestSigner, call: Call): Promise<void> {
    try {
      const { url } = request;
      const body = wholeBody(request.body);
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
      call.fail(thrown instanceof TypeError ? notSent(thrown) : classifyFetchError(thrown));
    }
  }
}

/** A header that cannot be written, which is mostly the credential's: the sentence names it, and not its value. */
function notSent(cause: TypeError): UpstreamError {
  return new UpstreamError("credential", `the request was not sent: ${cause.message}`, cause);
}
