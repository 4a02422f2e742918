import { timingSafeEqual } from "node:crypto";
import { GatewayError } from "../core/errors.ts";
import type { TryRule } from "../core/people/users.ts";
import type { Shared } from "../core/worker-group.ts";
import { waitAfter } from "../people/sign-in/slow-tries.ts";
import { networkOf } from "./network-of.ts";
import { RecentCounts } from "./recent-counts.ts";

/** After ten wrong tokens, each next one waits: a second first, twice as long each time, at most a minute. */
const RULE: TryRule = { free: 10, first_wait_ms: 1000, longest_wait_ms: 60_000, window_ms: 15 * 60_000 };
/** The most networks that are remembered for their wrong tokens, and for having shown the right one. */
const MOST_NETWORKS = 10_000;

export type TokenVerdict = "right" | "wrong";

export interface GuardParts {
  readonly onGuessing?: (address: string | null) => void;
  readonly onRefused?: () => void;
  readonly wrong?: Shared;
  readonly right?: Shared;
}

/**
 * Judges a presented token in constant time, and slows guesses at it: a network that sent wrong ones has to wait, and what
 * it sends meanwhile is refused unread. A network that has shown the right token is never made to wait for showing it again,
 * so that strangers behind the operator's own address, or proxy, do not shut out the operator.
 */
export class TokenGuard {
  readonly #digest: Buffer | null;
  readonly #wrong: RecentCounts;
  readonly #proven: RecentCounts;
  readonly #onGuessing: (address: string | null) => void;
  readonly #onRefused: () => void;

  /**
   * `token`: empty where no token is right. `onGuessing`: called when an address begins to wait; `onRefused`: whenever a token
   * is refused. `wrong`, `right`: what other processes of the gateway have seen.
   */
  constructor(
    token: string,
    monotonic_ms: () => number,
    { onGuessing = () => undefined, onRefused = () => undefined, wrong, right }: GuardParts = {},
  ) {
    this.#digest = token === "" ? null : sha256(token);
    this.#wrong = new RecentCounts({
      most: MOST_NETWORKS,
      window_ms: RULE.window_ms,
      monotonic_ms,
      shared: wrong,
    });
    const for_ever = { window_ms: Number.POSITIVE_INFINITY, shared: right };
    this.#proven = new RecentCounts({ most: MOST_NETWORKS, monotonic_ms, ...for_ever });
    this.#onGuessing = onGuessing;
    this.#onRefused = onRefused;
  }

  /** Throws a 429 with the time to wait. */
  judge(found: string, address: string | null): TokenVerdict {
    const network = networkOf(address);
    if (this.#mayRead(network) && this.#isRight(found)) {
      this.#prove(network);
      return "right";
    }
    return this.#refuse(network, address);
  }

  /**
   * Judges a key that is looked up, in the same way: `find` answers null where it is wrong, and is not asked while the network has
   * to wait. Rejects with a 429.
   */
  async judgeBy<Found>(address: string | null, find: () => Promise<Found | null>): Promise<Found | null> {
    const network = networkOf(address);
    const found = this.#mayRead(network) ? await find() : null;
    if (found === null) {
      this.#refuse(network, address);
      return null;
    }
    this.#prove(network);
    return found;
  }

  #mayRead(network: string): boolean {
    return this.#waitOf(network) === 0 || this.#proven.of(network) !== null;
  }

  #prove(network: string): void {
    if (this.#proven.of(network) === null) this.#proven.count(network);
  }

  #refuse(network: string, address: string | null): TokenVerdict {
    const wait_ms = this.#waitOf(network);
    this.#onRefused();
    if (wait_ms > 0) throw tooManyTokens(wait_ms);
    if (this.#wrong.count(network) === RULE.free) this.#onGuessing(address);
    return "wrong";
  }

  #waitOf(network: string): number {
    const known = this.#wrong.of(network);
    return known === null ? 0 : Math.max(0, waitAfter(known.count, RULE) - known.ago_ms);
  }

  /** Compares digests, so that tokens of different lengths take the same time too. */
  #isRight(found: string): boolean {
    return this.#digest !== null && timingSafeEqual(sha256(found), this.#digest);
  }
}

function tooManyTokens(wait_ms: number): GatewayError {
  const seconds = Math.max(1, Math.ceil(wait_ms / 1000));
  return new GatewayError("rate_limit_exceeded", `Too many wrong tokens from your address. Wait ${seconds} s.`, {
    retry_after_ms: wait_ms,
    headers: { "retry-after": String(seconds) },
  });
}

function sha256(text: string): Buffer {
  return new Bun.CryptoHasher("sha256").update(text).digest();
}
