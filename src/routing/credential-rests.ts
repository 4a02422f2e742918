import { ForbiddenAccounts } from "./forbidden-accounts.ts";

/**
 * Which of a vendor's several credentials rest (docs/rulings.md 180): one that was limited or refused is passed over for a
 * while, for itself alone, and then one request probes it. No rest is for ever, so that a credential comes back by itself.
 */

/** Why a credential rests: its vendor answered with 429, 401 or 403. */
export type RestReason = "limited" | "refused" | "forbidden";

interface CredentialState {
  readonly state: "ready" | "resting";
  /** Null where it is ready. */
  readonly reason: RestReason | null;
  /** Milliseconds until a request may probe it; 0 where one may now. */
  readonly wait_ms: number;
  /** How many accounts may not use it, while others may. */
  readonly accounts_alone: number;
}

const FIRST_REST_MS = 30_000;
const LONGEST_REST_MS = 600_000;
/** The shortest rest that a vendor's own `retry-after` makes. */
const SHORTEST_REST_MS = 1000;
/** The most accounts for which alone a credential rests; the oldest is forgotten. */
const MOST_ACCOUNTS = 1000;

class Rest {
  reason: RestReason | null = null;
  until_ms = 0;
  /** How often in a row, without an answer in between. */
  #times = 0;
  #is_probing = false;

  mayPass(now_ms: number): boolean {
    return this.reason === null || (!this.#is_probing && now_ms >= this.until_ms);
  }

  pass(): void {
    this.#is_probing = this.reason !== null;
  }

  /** `told_ms`: for how long the vendor says; null where it does not. Returns how long it rests from now. */
  begin(reason: RestReason, now_ms: number, told_ms: number | null): number {
    // Calls that were running when the rest began say nothing new, except a longer wait.
    const is_news = this.reason === null || this.#is_probing || now_ms >= this.until_ms;
    if (is_news) this.#times += 1;
    const own_ms = Math.min(LONGEST_REST_MS, FIRST_REST_MS * 2 ** (this.#times - 1));
    const rest_ms = told_ms === null ? own_ms : Math.max(SHORTEST_REST_MS, told_ms);
    this.until_ms = is_news ? now_ms + rest_ms : Math.max(this.until_ms, told_ms === null ? 0 : now_ms + rest_ms);
    this.reason = reason;
    this.#is_probing = false;
    return this.until_ms - now_ms;
  }

  end(): void {
    this.reason = null;
    this.#times = 0;
    this.#is_probing = false;
  }

  endProbe(): void {
    this.#is_probing = false;
  }
}

class CredentialRest {
  readonly shared = new Rest();
  /** The accounts that alone got a 403, the oldest first. */
  readonly own = new Map<string, Rest>();
  readonly #forbidden = new ForbiddenAccounts();

  forbid(account: string, now_ms: number): void {
    const is_of_many = this.#forbidden.note(account, now_ms);
    if (is_of_many || this.shared.reason !== null) {
      this.shared.begin("forbidden", now_ms, null);
      return;
    }
    const own = this.own.get(account) ?? new Rest();
    own.begin("forbidden", now_ms, null);
    this.own.delete(account);
    this.own.set(account, own);
    const [oldest] = this.own.keys();
    if (this.own.size > MOST_ACCOUNTS && oldest !== undefined) this.own.delete(oldest);
  }
}

export class CredentialRests {
  /** By vendor and the credential's name; only those that have rested since they last answered. */
  readonly #vendors = new Map<string, Map<string, CredentialRest>>();
  readonly #now_ms: () => number;

  /** `now_ms` is a monotonic clock. */
  constructor(now_ms: () => number) {
    this.#now_ms = now_ms;
  }

  /** Whether the account may use the credential now. After a rest, `true` makes the request its probe. */
  allow(vendor: string, name: string, account: string): boolean {
    const found = this.#vendors.get(vendor)?.get(name);
    if (found === undefined) return true;
    const now_ms = this.#now_ms();
    const own = found.own.get(account);
    if (!found.shared.mayPass(now_ms) || own?.mayPass(now_ms) === false) return false;
    found.shared.pass();
    own?.pass();
    return true;
  }

  /** The vendor took the credential: it is ready. */
  answered(vendor: string, name: string, account: string): void {
    const found = this.#vendors.get(vendor)?.get(name);
    if (found === undefined) return;
    found.shared.end();
    found.own.delete(account);
    if (found.own.size === 0) this.#vendors.get(vendor)?.delete(name);
  }

  /** The call says nothing about the credential: another may probe it. */
  undecided(vendor: string, name: string, account: string): void {
    const found = this.#vendors.get(vendor)?.get(name);
    found?.shared.endProbe();
    found?.own.get(account)?.endProbe();
  }

  /** A 429. `told_ms`: how long to wait, where the vendor says it. Returns how long the credential rests. */
  limited(vendor: string, name: string, told_ms: number | null): number {
    return this.#at(vendor, name).shared.begin("limited", this.#now_ms(), told_ms);
  }

  /** A 401. */
  refused(vendor: string, name: string): void {
    this.#at(vendor, name).shared.begin("refused", this.#now_ms(), null);
  }

  /** A 403: the credential rests for the account alone, until others get one too. */
  forbidden(vendor: string, name: string, account: string): void {
    this.#at(vendor, name).forbid(account, this.#now_ms());
  }

  /** Milliseconds until the account may use it; 0 when it may. */
  waitMs(vendor: string, name: string, account: string): number {
    const found = this.#vendors.get(vendor)?.get(name);
    if (found === undefined) return 0;
    const now_ms = this.#now_ms();
    return Math.max(0, waitOf(found.shared, now_ms), waitOf(found.own.get(account), now_ms));
  }

  state(vendor: string, name: string): CredentialState {
    const found = this.#vendors.get(vendor)?.get(name);
    const now_ms = this.#now_ms();
    const accounts_alone = [...(found?.own.values() ?? [])].filter((own) => own.until_ms > now_ms).length;
    const reason = found?.shared.reason ?? null;
    if (reason === null) return { state: "ready", reason, wait_ms: 0, accounts_alone };
    return { state: "resting", reason, wait_ms: waitOf(found?.shared, now_ms), accounts_alone };
  }

  /** Ends a rest for every account: an administrator's test call was answered. */
  end(vendor: string, name: string): void {
    this.#vendors.get(vendor)?.delete(name);
  }

  /** A vendor's credentials have changed. */
  forget(vendor: string): void {
    this.#vendors.delete(vendor);
  }

  #at(vendor: string, name: string): CredentialRest {
    const credentials = this.#vendors.get(vendor) ?? new Map<string, CredentialRest>();
    const rest = credentials.get(name) ?? new CredentialRest();
    this.#vendors.set(vendor, credentials.set(name, rest));
    return rest;
  }
}

function waitOf(rest: Rest | undefined, now_ms: number): number {
  return rest === undefined || rest.reason === null ? 0 : Math.max(0, rest.until_ms - now_ms);
}
