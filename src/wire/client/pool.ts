import type { Call } from "./call.ts";
import { Connection, type ConnectionOwner } from "./connection.ts";
import type { RequestBytes } from "./request-bytes.ts";
import type { UrlTarget } from "./target.ts";
import { canPeek } from "./unread.ts";

/** The largest number of idle connections to one origin. */
const MAX_IDLE = 256;
/**
 * How long a connection may be idle. Load balancers and proxies in front of vendors close idle connections after 60 s
 * or later (load balancers 60, nginx 75, edge networks minutes): a connection that we give up earlier is never the one
 * that they close while we write.
 */
const MAX_IDLE_MS = 45_000;
/**
 * Subtracted from the time that a vendor says it keeps an idle connection: its clock began before its answer arrived.
 */
const HEADWAY_MS = 1000;

/** The idle connections to one origin. The number of connections in use is not limited (docs/rulings.md 127). */
export class Pool implements ConnectionOwner {
  readonly #clock: { readonly now_ms: number };
  readonly #whenIdle: () => void;
  /** The connection used last is at the end and is used next, so that the others can grow old. */
  readonly #idle: Connection[] = [];

  /** `whenIdle` is called when a connection is kept: from then on the owner calls `closeOld` from time to time. */
  constructor(clock: { readonly now_ms: number }, whenIdle: () => void) {
    this.#clock = clock;
    this.#whenIdle = whenIdle;
  }

  get size(): number {
    return this.#idle.length;
  }

  /** Sends over an idle connection, or else over a new connection. */
  send(target: UrlTarget, call: Call, request: RequestBytes): void {
    const now_ms = this.#clock.now_ms;
    for (let last = this.#idle.pop(); last !== undefined; last = this.#idle.pop()) {
      if (last.idle_until_ms > now_ms && last.carry(call, request)) return;
      last.close();
    }
    Connection.open(this, target, call, request);
  }

  keep(connection: Connection, patience_ms: number): void {
    const idle_ms = Math.min(MAX_IDLE_MS, patience_ms - HEADWAY_MS);
    if (!canPeek || idle_ms <= 0 || this.#idle.length >= MAX_IDLE) return connection.close();
    connection.idle_until_ms = this.#clock.now_ms + idle_ms;
    this.#idle.push(connection);
    this.#whenIdle();
  }

  forget(connection: Connection): void {
    const index = this.#idle.indexOf(connection);
    if (index !== -1) this.#idle.splice(index, 1);
  }

  closeAll(): void {
    for (const connection of this.#idle.splice(0)) connection.close();
  }

  /** Closes the connections that have been idle for too long. */
  closeOld(): void {
    const now_ms = this.#clock.now_ms;
    for (const connection of [...this.#idle]) {
      if (connection.idle_until_ms > now_ms) continue;
      this.forget(connection);
      connection.close();
    }
  }
}
