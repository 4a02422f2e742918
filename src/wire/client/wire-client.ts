import type { Call } from "./call.ts";
import type { OutgoingRequest } from "./outgoing-request.ts";
import { Pool } from "./pool.ts";
import { requestBytes } from "./request-bytes.ts";
import { readTarget, type UrlTarget } from "./target.ts";

const SWEEP_MS = 5000;
/** The largest number of URLs whose targets are cached: usually more than a configuration has. */
const MAX_TARGETS = 1000;

/** The target and connections of a URL; null for URLs that are left to fetch. */
type PooledTarget = { readonly target: UrlTarget; readonly pool: Pool } | null;

/**
 * HTTP/1.1 over the runtime's sockets, with connections that are kept for the next call
 * (docs/adr/0014-own-http-client.md). A POST is never sent twice, not even where a kept connection turns out to be
 * closed: the vendor may have acted on it. The pipeline retries instead (docs/rulings.md 87, 126).
 */
export class WireClient {
  readonly #clock: { readonly now_ms: number };
  readonly #leaves: (url: URL) => boolean;
  readonly #targets = new Map<string, PooledTarget>();
  readonly #pools = new Map<string, Pool>();
  #sweeping: Timer | null = null;

  /** `leaves` says which URLs go to fetch although this client could reach them. */
  constructor(clock: { readonly now_ms: number }, leaves: (url: URL) => boolean) {
    this.#clock = clock;
    this.#leaves = leaves;
  }

  /**
   * Carries the call: hands it its reply, or fails it with an UpstreamError. Returns false for URLs that are left to
   * fetch. Throws a TypeError where the request cannot be written.
   */
  send(request: OutgoingRequest, call: Call): boolean {
    const found = this.#targetOf(request.url);
    if (found === null) return false;
    found.pool.send(found.target, call, requestBytes(found.target, request));
    return true;
  }

  #targetOf(url: string): PooledTarget {
    const known = this.#targets.get(url);
    if (known !== undefined) return known;
    if (this.#targets.size >= MAX_TARGETS) this.#targets.clear();
    const target = readTarget(url);
    const found = target === null || this.#leaves(new URL(url)) ? null : { target, pool: this.#poolOf(target.origin) };
    this.#targets.set(url, found);
    return found;
  }

  #poolOf(origin: string): Pool {
    const known = this.#pools.get(origin);
    if (known !== undefined) return known;
    const pool = new Pool(this.#clock, () => this.#sweepLater());
    this.#pools.set(origin, pool);
    return pool;
  }

  /** One timer for all pools, only while a connection is idle; it does not keep the process alive. */
  #sweepLater(): void {
    if (this.#sweeping !== null) return;
    this.#sweeping = setInterval(() => this.#sweep(), SWEEP_MS);
    this.#sweeping.unref();
  }

  #sweep(): void {
    let left = 0;
    for (const pool of this.#pools.values()) {
      pool.closeOld();
      left += pool.size;
    }
    if (left > 0 || this.#sweeping === null) return;
    clearInterval(this.#sweeping);
    this.#sweeping = null;
  }
}
