import type { VendorTimeouts } from "../core/catalog.ts";
import type { RequestSigner } from "./credentials/request-signer.ts";
import { Deadline, Deadlines } from "./deadlines.ts";
import { canConnect } from "./probe-connect.ts";
import { classifyFetchError, UpstreamError } from "./upstream-error.ts";

/** A call to a vendor. The headers are complete: nothing of the client's own headers is added here. */
export interface UpstreamRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly timeouts: VendorTimeouts;
  /** Adds the headers of a credential that is made for each call; absent where the headers hold one that is always the same. */
  readonly sign?: RequestSigner;
}

const MAX_ANSWER_BYTES = 64 * 1024 * 1024;
const MAX_ERROR_BYTES = 64 * 1024;
/** How long a successful connection vouches for an origin before the connect probe is used on it again. */
const PROVEN_MS = 60_000;
const PROBE_PATIENCE_MS = 500;

/** A vendor's answer whose head has arrived. Read it once: whole, as error text, or chunk by chunk. */
export class UpstreamReply {
  readonly status: number;
  readonly headers: Headers;
  readonly #response: Response;
  readonly #call: Call;
  #reader: Pick<ReadableStreamDefaultReader<Uint8Array>, "read"> | null = null;

  constructor(response: Response, call: Call) {
    this.status = response.status;
    this.headers = response.headers;
    this.#response = response;
    this.#call = call;
  }

  /** The next bytes as they come, or null at the end. Throws an UpstreamError when the answer breaks or stalls. */
  async read(): Promise<Uint8Array | null> {
    this.#reader ??= this.#response.body?.getReader() ?? null;
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
      throw this.#call.fail(thrown);
    }
  }

  /** The whole body, at most 64 MiB. Throws an UpstreamError. */
  async readWhole(): Promise<Uint8Array> {
    const announced = this.headers.get("content-length");
    if (announced !== null && Number(announced) <= MAX_ANSWER_BYTES) {
      try {
        const bytes = await this.#response.bytes();
        this.#call.end();
        return bytes;
      } catch (thrown) {
        throw this.#call.fail(thrown);
      }
    }
    return await this.#collect(MAX_ANSWER_BYTES, "refuse");
  }

  /** The body of an error answer as text, as far as it is worth reading. Never throws: what is missing is missing. */
  async readErrorText(): Promise<string> {
    try {
      return new TextDecoder().decode(await this.#collect(MAX_ERROR_BYTES, "truncate"));
    } catch {
      return "";
    } finally {
      this.close();
    }
  }

  /** Closes the connection to the vendor unless the answer has ended. */
  close(): void {
    this.#call.abort();
  }

  async #collect(limit_bytes: number, above: "refuse" | "truncate"): Promise<Uint8Array> {
    const chunks: Uint8Array[] = [];
    let size = 0;
    for (let chunk = await this.read(); chunk !== null; chunk = await this.read()) {
      chunks.push(chunk);
      size += chunk.byteLength;
      if (size <= limit_bytes) continue;
      this.close();
      if (above === "truncate") break;
      throw new UpstreamError("too_large", `the vendor's answer is larger than ${limit_bytes} bytes`);
    }
    return chunks.length === 1 && chunks[0] && size <= limit_bytes
      ? chunks[0]
      : Buffer.concat(chunks, Math.min(size, limit_bytes));
  }
}

async function signed({ url, body, headers }: UpstreamRequest, sign: RequestSigner) {
  return { ...headers, ...(await sign({ method: "POST", url, body })) };
}

/** One running call: its abort handle and its deadlines. */
class Call {
  readonly controller = new AbortController();
  readonly #deadlines: Deadlines;
  readonly #deadline: Deadline;
  readonly #idle_ms: number;
  #began = false;
  #fault: UpstreamError | null = null;

  constructor(deadlines: Deadlines, timeouts: VendorTimeouts) {
    this.#deadlines = deadlines;
    this.#idle_ms = timeouts.idle_ms;
    const now_ms = deadlines.now_ms;
    this.#deadline = new Deadline(now_ms + timeouts.first_byte_ms, now_ms + timeouts.total_ms, (which) => {
      this.give_up(
        which === "total"
          ? new UpstreamError("total_timeout", `the vendor took longer than ${timeouts.total_ms} ms in all`)
          : this.#began
            ? new UpstreamError("idle_timeout", `the vendor sent nothing for ${timeouts.idle_ms} ms`)
            : new UpstreamError("first_byte_timeout", `the vendor did not answer within ${timeouts.first_byte_ms} ms`),
      );
    });
    deadlines.add(this.#deadline);
  }

  /** Tells that the answer has begun and that its next bytes are waited for: the idle timeout counts. */
  waits(): void {
    this.#began = true;
    this.#deadline.next_ms = this.#deadlines.now_ms + this.#idle_ms;
  }

  /** Tells that nobody waits for bytes just now. A client that reads slowly is no silence of the vendor's. */
  rests(): void {
    this.#deadline.next_ms = Number.POSITIVE_INFINITY;
  }

  give_up(fault: UpstreamError): void {
    this.#fault ??= fault;
    this.controller.abort();
  }

  end(): void {
    this.#deadlines.remove(this.#deadline);
  }

  abort(): void {
    this.end();
    this.give_up(new UpstreamError("aborted", "the gateway closed the call"));
  }

  fail(thrown: unknown): UpstreamError {
    this.end();
    return this.#fault ?? classifyFetchError(thrown);
  }
}

/** A started call. `abort` closes it at any time, before the head has come or in the middle of the body. */
export interface UpstreamCall {
  readonly reply: Promise<UpstreamReply>;
  abort(): void;
}

/** Sends requests to vendors: keep-alive pools by fetch, deadlines by one timer, no redirects, no compression. */
export class Upstream {
  readonly #deadlines = new Deadlines();
  /** Origins that answered lately, with the time: they need no connect probe. */
  readonly #proven = new Map<string, number>();

  /** Starts a call. `reply` resolves when the head of the answer has come, or rejects with an UpstreamError. */
  start(request: UpstreamRequest): UpstreamCall {
    const call = new Call(this.#deadlines, request.timeouts);
    return { reply: this.#send(request, call), abort: () => call.abort() };
  }

  async #send(request: UpstreamRequest, call: Call): Promise<UpstreamReply> {
    const stop_probe = this.#probeUnlessProven(request, call);
    try {
      const headers = request.sign === undefined ? request.headers : await signed(request, request.sign);
      const response = await fetch(request.url, {
        method: "POST",
        headers,
        body: request.body,
        signal: call.controller.signal,
        // A redirect would carry the vendor's credential to another origin.
        redirect: "manual",
      });
      call.waits();
      this.#prove(request.url);
      return new UpstreamReply(response, call);
    } catch (thrown) {
      throw call.fail(thrown);
    } finally {
      stop_probe?.();
    }
  }

  #probeUnlessProven(request: UpstreamRequest, call: Call): (() => void) | null {
    const proven_ms = this.#proven.get(originOf(request.url));
    if (proven_ms !== undefined && this.#deadlines.now_ms - proven_ms < PROVEN_MS) return null;
    const { connect_ms } = request.timeouts;
    // Most vendors answer or refuse within the patience, so that the probe is rarely made.
    const patience_ms = Math.min(PROBE_PATIENCE_MS, connect_ms / 2);
    const timer = setTimeout(async () => {
      if (await canConnect(new URL(request.url), connect_ms - patience_ms)) return;
      call.give_up(new UpstreamError("unreachable", `no connection to the vendor within ${connect_ms} ms`));
    }, patience_ms);
    return () => clearTimeout(timer);
  }

  #prove(url: string): void {
    this.#proven.set(originOf(url), this.#deadlines.now_ms);
  }
}

/** Scheme and authority of a URL, by slicing: parsing a URL costs more than the look-up it is for. */
function originOf(url: string): string {
  const path = url.indexOf("/", url.indexOf("//") + 2);
  return path === -1 ? url : url.slice(0, path);
}
