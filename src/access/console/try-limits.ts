import { GatewayError } from "../../core/errors.ts";
import type { TryRule, UserStore } from "../../core/people/users.ts";
import type { Shared } from "../../core/worker-group.ts";
import { networkOf } from "../network-of.ts";
import { RecentCounts } from "../recent-counts.ts";
import type { SubKeys } from "../sub-keys.ts";
import { FairQueue } from "./fair-queue.ts";
import { keyedHash } from "./tokens.ts";

const MINUTE_MS = 60_000;
const WINDOW_MS = 15 * MINUTE_MS;

/** The wait between wrong passwords for one e-mail from one address, or in one known browser (docs/rulings.md 116). */
const QUIET: TryRule = { free: 5, first_wait_ms: 1000, longest_wait_ms: MINUTE_MS, window_ms: WINDOW_MS };
/** The wait at an address from which many passwords were wrong, whoever's they were. */
const NOISY: TryRule = { free: 1, first_wait_ms: 15_000, longest_wait_ms: 10 * MINUTE_MS, window_ms: WINDOW_MS };
/** From so many wrong passwords in a quarter of an hour on, an address is noisy: an office may share one. */
const NOISY_AFTER = 100;
/** Refused sign-ins of an address that are each written to the audit log, which only grows; the rest are not. */
const MOST_RECORDED = 100;
const MOST_ADDRESSES = 10_000;

/** A password costs 19 MiB and some 30 ms of a core to check, so a few are checked at a time. */
const CHECKS = { at_once: 2, waiting: 64, waiting_each: 8 };

/** Sign-ins at providers that wait for the provider at once. */
const EXCHANGES = { at_once: 16, waiting: 64, waiting_each: 16 };

/** A 429 with the time to wait. */
export class TooManyTries extends GatewayError {
  constructor(wait_ms: number) {
    const seconds = Math.max(1, Math.ceil(wait_ms / 1000));
    super("rate_limit_exceeded", `Too many tries to sign in. Wait ${inWords(seconds)}.`, {
      retry_after_ms: wait_ms,
      headers: { "retry-after": String(seconds) },
    });
  }
}

/** A try of a password: the user, and the network that it comes from. */
export interface SignInAttempt {
  readonly email: string;
  readonly address: string | null;
  /** The browser, where the e-mail's user has signed in there before (known-browser.ts). */
  readonly browser: string | null;
}

/** A try that may be made. */
export interface PasswordTry {
  /** Whether the next one has to wait if this one fails. */
  readonly is_last_free: boolean;
}

/**
 * Slows guesses at passwords, on all nodes together, and locks nobody out: a wait concerns one e-mail at one address, and a
 * browser in which its owner has signed in has a count of its own. Each try is counted before it is made, so that many tries
 * at once gain nothing; one that has to wait is not counted, so that the wait ends however often strangers try.
 */
export class TryLimits {
  readonly #users: UserStore;
  readonly #keys: SubKeys;
  readonly #strangers = new FairQueue(CHECKS);
  readonly #known = new FairQueue(CHECKS);
  readonly #exchanges = new FairQueue(EXCHANGES);
  readonly #refused: RecentCounts;
  readonly #monotonic_ms: () => number;
  /** Until when buckets wait, the earliest found first: a try meanwhile need not ask the database, which has other work. */
  readonly #waits = new Map<string, number>();

  /** `refused`: sign-ins that were refused in other processes of the gateway. */
  constructor(users: UserStore, keys: SubKeys, monotonic_ms: () => number, refused?: Shared) {
    this.#users = users;
    this.#keys = keys;
    this.#monotonic_ms = monotonic_ms;
    this.#refused = new RecentCounts({ most: MOST_ADDRESSES, window_ms: WINDOW_MS, monotonic_ms, shared: refused });
  }

  /**
   * Takes a try at a password and makes it, in its turn. Throws a 429 with the time to wait, without having made the try.
   */
  async attempt<Result>(sign_in: SignInAttempt, make: (taken: PasswordTry) => Promise<Result>): Promise<Result> {
    this.#requireNoWait(this.#bucketOf(sign_in));
    const lane = sign_in.browser === null ? this.#strangers : this.#known;
    const name = sign_in.browser ?? networkOf(sign_in.address);
    const made = await lane.run(name, async () => ({ result: await make(await this.#take(sign_in)) }));
    if (made === null) throw new TooManyTries(1000);
    return made.result;
  }

  /** A password was wrong. */
  async failed({ address, browser }: SignInAttempt): Promise<void> {
    if (browser === null) await this.#users.countTry(this.#bucket("address", networkOf(address)), WINDOW_MS);
  }

  /** A password was right: its e-mail's wrong ones are forgotten, here. */
  succeeded(sign_in: SignInAttempt): Promise<void> {
    return this.#users.forgetTries(this.#bucketOf(sign_in));
  }

  /** Asks a provider when the address's turn comes; null where too many wait already. */
  inTurn<Result>(address: string | null, ask: () => Promise<Result>): Promise<Result | null> {
    return this.#exchanges.run(networkOf(address), ask);
  }

  /** Whether a refused sign-in from an address is to be written to the audit log. */
  mayRecord(address: string | null): boolean {
    return this.#refused.count(networkOf(address)) <= MOST_RECORDED;
  }

  async #take(sign_in: SignInAttempt): Promise<PasswordTry> {
    const bucket = this.#bucketOf(sign_in);
    const rule = await this.#ruleFor(sign_in);
    const { taken, count, wait_ms } = await this.#users.takeTry(bucket, rule);
    if (!taken) {
      this.#remember(bucket, wait_ms);
      throw new TooManyTries(wait_ms);
    }
    return { is_last_free: count === rule.free };
  }

  /** A wait that runs ends with its time alone: while it runs, no try is taken that could end it. */
  #requireNoWait(bucket: string): void {
    const wait_ms = (this.#waits.get(bucket) ?? 0) - this.#monotonic_ms();
    if (wait_ms > 0) throw new TooManyTries(wait_ms);
    this.#waits.delete(bucket);
  }

  #remember(bucket: string, wait_ms: number): void {
    this.#waits.set(bucket, this.#monotonic_ms() + wait_ms);
    if (this.#waits.size <= MOST_ADDRESSES) return;
    const oldest = this.#waits.keys().next();
    if (!oldest.done) this.#waits.delete(oldest.value);
  }

  async #ruleFor({ address, browser }: SignInAttempt): Promise<TryRule> {
    if (browser !== null) return QUIET;
    const wrong = await this.#users.triesOf(this.#bucket("address", networkOf(address)));
    return wrong < NOISY_AFTER ? QUIET : NOISY;
  }

  #bucketOf({ email, address, browser }: SignInAttempt): string {
    const who = email.trim().toLowerCase();
    return browser === null ? this.#bucket("email", `${who} ${networkOf(address)}`) : this.#bucket("browser", browser);
  }

  #bucket(kind: "email" | "address" | "browser", subject: string): string {
    return `${kind}:${keyedHash(this.#keys, subject)}`;
  }
}

function inWords(seconds: number): string {
  return seconds < 90 ? `${seconds} s` : `${Math.ceil(seconds / 60)} minutes`;
}
