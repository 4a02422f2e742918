import { GatewayError } from "../../core/errors.ts";
import type { UserStore } from "../../core/users.ts";
import type { SubKeys } from "../sub-keys.ts";
import { hiddenName } from "./tokens.ts";

const MINUTE_MS = 60_000;

/** How many tries a window allows over all nodes: the counts are in the database. */
const LIMITS = {
  /** Guesses of one user's password, from all addresses. */
  email: { most: 10, window_ms: 15 * MINUTE_MS },
  /** Guesses from one address, of all users: an office may share an address. */
  address: { most: 100, window_ms: 15 * MINUTE_MS },
  /** Sign-ins that begin without a password: they write to the database before the person is known. */
  start: { most: 300, window_ms: 15 * MINUTE_MS },
} as const;

export type TryKind = keyof typeof LIMITS;

/** A 429 with the time to wait. */
export class TooManyTries extends GatewayError {
  /** Whether this is the first refusal of the window: only that one is logged. */
  readonly is_first: boolean;

  constructor(resets_in_ms: number, is_first: boolean) {
    const seconds = Math.max(1, Math.ceil(resets_in_ms / 1000));
    super("rate_limit_exceeded", `Too many tries to sign in. Wait ${inWords(seconds)}.`, {
      retry_after_ms: resets_in_ms,
      headers: { "retry-after": String(seconds) },
    });
    this.is_first = is_first;
  }
}

/** Counts each try before it is made, so that many tries at once gain nothing. */
export class TryLimits {
  readonly #users: UserStore;
  readonly #keys: SubKeys;

  constructor(users: UserStore, keys: SubKeys) {
    this.#users = users;
    this.#keys = keys;
  }

  /** Counts a try. Throws a 429 with the time to wait when there were too many. */
  async count(kind: TryKind, subject: string): Promise<void> {
    const { most, window_ms } = LIMITS[kind];
    const { count, resets_in_ms } = await this.#users.countTry(this.#bucket(kind, subject), window_ms);
    if (count <= most) return;
    throw new TooManyTries(resets_in_ms, count === most + 1);
  }

  /** Resets the count of somebody who has signed in. */
  forget(kind: TryKind, subject: string): Promise<void> {
    return this.#users.forgetTries(this.#bucket(kind, subject));
  }

  #bucket(kind: TryKind, subject: string): string {
    const counted = kind === "email" ? subject.trim().toLowerCase() : networkOf(subject);
    return `${kind}:${hiddenName(this.#keys, counted)}`;
  }
}

/** The network in which a client can choose its address: an IPv4 address, or the first half of an IPv6 address. */
export function networkOf(address: string): string {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1];
  if (mapped !== undefined || !address.includes(":")) return mapped ?? address;
  const [head = "", tail] = address.toLowerCase().split("::");
  const groups = head === "" ? [] : head.split(":");
  const missing = tail === undefined ? 0 : 8 - groups.length - (tail === "" ? 0 : tail.split(":").length);
  const whole = [...groups, ...Array<string>(Math.max(0, missing)).fill("0"), ...(tail ? tail.split(":") : [])];
  return whole.slice(0, 4).join(":");
}

function inWords(seconds: number): string {
  return seconds < 90 ? `${seconds} s` : `${Math.ceil(seconds / 60)} minutes`;
}
