import type { Call } from "../wire/client/call.ts";
import { type OutgoingRequest, wholeBody } from "../wire/client/outgoing-request.ts";
import { type AnswerBody, UpstreamReply } from "../wire/client/reply.ts";
import { classifyFetchError, UpstreamError } from "../wire/client/upstream-error.ts";

/** How long after a successful connection an origin's calls need no connect probe. */
const PROVEN_MS = 60_000;
const PROBE_PATIENCE_MS = 500;

/**
 * Calls by the runtime's fetch, for URLs that our own client leaves to it: proxies, https to a bare address,
 * credentials in the URL (docs/adr/0014-own-http-client.md).
 */
export class FetchTransport {
  readonly #isProxied: (url: string) => boolean;
  /** Origins that answered recently, with the time of the answer: they need no connect probe. */
  readonly #proven = new Map<string, number>();

  /**
   * `isProxied` says which URLs fetch requests through a proxy: for these, a probe of the vendor itself proves nothing.
   */
  constructor(isProxied: (url: string) => boolean) {
    this.#isProxied = isProxied;
  }

  /** Carries the call: hands it its reply, or fails it with an UpstreamError. */
  send(request: OutgoingRequest, call: Call): void {
    const controller = new AbortController();
    // Fetch keeps no connection for another call.
    call.carriedBy({ cancel: () => controller.abort(), retire: () => {} });
    void this.#fetch(request, call, controller.signal);
  }

  async #fetch({ url, headers, body }: OutgoingRequest, call: Call, signal: AbortSignal): Promise<void> {
    let stop_probe: (() => void) | null = null;
    try {
      stop_probe = this.#isProxied(url) ? null : this.#probeUnlessProven(url, call);
      // A redirect would carry the vendor's credential to another origin.
      const given = { method: "POST", headers, body: inOnePiece(body), signal };
      // Fetch would give a kept connection to the next call with whatever its vendor has sent meanwhile.
      const response = await fetch(url, { ...given, redirect: "manual", keepalive: false });
      call.answered(new UpstreamReply(response.status, response.headers, new FetchedBody(response, call), call));
      this.#proven.set(new URL(url).origin, performance.now());
    } catch (thrown) {
      call.fail(classifyFetchError(thrown));
    } finally {
      stop_probe?.();
    }
  }

  #probeUnlessProven(url: string, call: Call): (() => void) | null {
    const proven_ms = this.#proven.get(new URL(url).origin);
    if (proven_ms !== undefined && performance.now() - proven_ms < PROVEN_MS) return null;
    const { connect_ms } = call.timeouts;
    // Most vendors answer or refuse before this time, so that the probe is rarely made.
    const patience_ms = Math.min(PROBE_PATIENCE_MS, connect_ms / 2);
    const timer = setTimeout(async () => {
      if (await canConnect(new URL(url), connect_ms - patience_ms)) return;
      call.giveUp(new UpstreamError("unreachable", `no connection to the vendor within ${connect_ms} ms`));
    }, patience_ms);
    return () => clearTimeout(timer);
  }
}

function inOnePiece(body: OutgoingRequest["body"]): string | Uint8Array<ArrayBuffer> {
  return wholeBody(body) as string | Uint8Array<ArrayBuffer>;
}

class FetchedBody implements AnswerBody {
  readonly #call: Call;
  readonly #reader: Pick<ReadableStreamDefaultReader<Uint8Array>, "read"> | null;

  constructor(response: Response, call: Call) {
    this.#call = call;
    this.#reader = response.body?.getReader() ?? null;
  }

  takeWhole(): null {
    return null;
  }

  handNext(): false {
    return false;
  }

  async read(): Promise<Uint8Array | null> {
    if (this.#reader === null) return null;
    this.#call.waits();
    try {
      const { done, value } = await this.#reader.read();
      if (done) {
        this.#call.end();
        return null;
      }
      this.#call.rests();
      return value;
    } catch (thrown) {
      throw this.#call.fail(classifyFetchError(thrown));
    }
  }
}

/**
 * Whether a TCP connection to an origin can be made in time. `fetch` does not distinguish a vendor that accepts no
 * connection from one that is slow to answer, so this probe decides for a call without an answer within the connect
 * timeout.
 */
async function canConnect(url: URL, timeout_ms: number): Promise<boolean> {
  const port = Number(url.port || (url.protocol === "https:" ? 443 : 80));
  const hostname = url.hostname.replace(/^\[|\]$/g, "");
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const timer = setTimeout(() => resolve(false), timeout_ms);
  const socket = Bun.connect({
    hostname,
    port,
    socket: {
      open: () => resolve(true),
      data: () => {},
      error: () => resolve(false),
      connectError: () => resolve(false),
    },
  });
  socket.catch(() => resolve(false));
  const connected = await promise;
  clearTimeout(timer);
  socket.then(
    (open) => open.end(),
    () => {},
  );
  return connected;
}
