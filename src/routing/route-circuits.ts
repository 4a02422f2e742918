import { type AttemptCounts, AttemptWindow } from "./attempt-window.ts";
import { Circuit, type CircuitState } from "./circuit.ts";
import type { NotedChange } from "./circuit-changes.ts";
import { ForbiddenAccounts } from "./forbidden-accounts.ts";

/** docs/rulings.md 150. */
const MIN_ATTEMPTS = 20;
const REFUSED_IN_A_ROW = 5;
/** The attempts of other accounts, the account that failed most left aside, before failures count for everybody. */
const MIN_ATTEMPTS_OF_OTHERS = 5;
const MIN_OTHERS = 2;

/**
 * The circuits of one route: one for everybody, and one for each account whose own calls fail. What one account's calls
 * do at a vendor may lie in these calls: they close the route to that account alone.
 */
export class RouteCircuits {
  readonly #pause_ms: number;
  readonly #note: (change: Omit<NotedChange, "vendor" | "upstream_model">) => void;
  readonly #shared: Circuit;
  readonly #own = new Map<string, Circuit>();
  readonly #window = new AttemptWindow();
  #refused_in_a_row = 0;
  readonly #forbidden = new ForbiddenAccounts();

  /** `note` is called when a closed circuit opens, and when it closes. */
  constructor(pause_ms: number, note: (change: Omit<NotedChange, "vendor" | "upstream_model">) => void = () => {}) {
    this.#pause_ms = pause_ms;
    this.#note = note;
    this.#shared = new Circuit(pause_ms);
  }

  allow(account: string, now_ms: number): boolean {
    const own = this.#own.get(account);
    if (!this.#shared.mayPass(now_ms) || own?.mayPass(now_ms) === false) return false;
    this.#shared.pass();
    own?.pass();
    return true;
  }

  succeeded(account: string, now_ms: number): void {
    this.#refused_in_a_row = 0;
    if (this.#shared.isProbing) this.#closeShared("answered");
    if (this.#shared.isClosed) this.#window.count(account, now_ms, 0);
    if (this.#own.get(account)?.isProbing === true) this.#closeOwn(account, "answered");
  }

  closeAll(reason: "tested" | "credential"): void {
    if (!this.#shared.isClosed) this.#closeShared(reason);
    for (const account of this.#own.keys()) this.#closeOwn(account, reason);
  }

  /** `attempts` is 0 for an answer that began well, and was counted so. */
  failed(account: string, now_ms: number, attempts: 0 | 1 = 1): void {
    this.#refused_in_a_row = 0;
    this.#countFailure(account, now_ms, attempts);
  }

  refused(account: string, now_ms: number): void {
    this.#refused_in_a_row += 1;
    this.#countFailure(account, now_ms, 1);
    const refused = { attempts: this.#refused_in_a_row, failures: this.#refused_in_a_row };
    if (this.#refused_in_a_row >= REFUSED_IN_A_ROW) this.#openForAll(now_ms, "unreachable", refused);
  }

  forbidden(account: string, now_ms: number): void {
    if (this.#forbidden.note(account, now_ms)) this.failed(account, now_ms);
    else this.answered(account);
  }

  answered(account: string): void {
    this.#refused_in_a_row = 0;
    this.undecided(account);
  }

  undecided(account: string): void {
    this.#shared.endProbe();
    this.#own.get(account)?.endProbe();
  }

  /** For the account's calls; without an account, for the circuit that `state` tells of. */
  waitMs(now_ms: number, account: string | null): number {
    const own = account === null ? this.#worstOwn(now_ms) : this.#own.get(account);
    return Math.max(this.#shared.waitMs(now_ms), own?.waitMs(now_ms) ?? 0);
  }

  /** The state for everybody. */
  sharedState(now_ms: number): CircuitState {
    return this.#shared.state(now_ms);
  }

  /** The state for everybody, or else that of the account that waits longest. */
  state(now_ms: number): CircuitState {
    const shared = this.#shared.state(now_ms);
    return shared === "closed" ? (this.#worstOwn(now_ms)?.state(now_ms) ?? "closed") : shared;
  }

  /** How many accounts have a circuit of their own that is not closed. */
  accountsAlone(now_ms: number): number {
    let count = 0;
    for (const own of this.#own.values()) if (own.state(now_ms) !== "closed") count += 1;
    return count;
  }

  #worstOwn(now_ms: number): Circuit | undefined {
    let worst: Circuit | undefined;
    for (const own of this.#own.values())
      if (worst === undefined || own.waitMs(now_ms) > worst.waitMs(now_ms)) worst = own;
    return worst;
  }

  #countFailure(account: string, now_ms: number, attempts: 0 | 1): void {
    const own = this.#own.get(account);
    if (this.#shared.isProbing) this.#openForAll(now_ms, "failures", this.#window.all(now_ms));
    else if (own?.isProbing === true) own.open(now_ms);
    // Requests that were running when a circuit opened say nothing new.
    else if (this.#shared.isClosed && own === undefined) this.#judge(account, now_ms, attempts);
  }

  #judge(account: string, now_ms: number, attempts: 0 | 1): void {
    this.#window.count(account, now_ms, 1, attempts);
    if (this.#failForMany(now_ms)) return this.#openForAll(now_ms, "failures", this.#window.all(now_ms));
    const { attempts: tried, failures } = this.#window.of(account, now_ms);
    if (!isHalf({ attempts: tried, failures })) return;
    this.#note({ account_id: account, state: "opened", reason: "failures", attempts: tried, failures });
    const own = new Circuit(this.#pause_ms);
    own.open(now_ms);
    this.#own.set(account, own);
    this.#window.forget(account);
  }

  /** Whether half of all attempts failed, and a quarter of those of the others than the account that failed most. */
  #failForMany(now_ms: number): boolean {
    const all = this.#window.all(now_ms);
    if (!isHalf(all)) return false;
    const tallies = [...this.#window.byAccount(now_ms).values()];
    const most = tallies.reduce((worst, tally) => (tally.failures > worst.failures ? tally : worst));
    const others = { attempts: all.attempts - most.attempts, failures: all.failures - most.failures };
    const failing = tallies.filter(({ failures }) => failures > 0).length - 1;
    return failing >= MIN_OTHERS && others.attempts >= MIN_ATTEMPTS_OF_OTHERS && others.failures * 4 >= others.attempts;
  }

  #openForAll(now_ms: number, reason: "unreachable" | "failures", counts: Readonly<AttemptCounts>): void {
    if (!this.#shared.isClosed && !this.#shared.isProbing && this.#shared.waitMs(now_ms) > 0) return;
    const { attempts, failures } = counts;
    if (this.#shared.isClosed) this.#note({ account_id: null, state: "opened", reason, attempts, failures });
    this.#shared.open(now_ms);
    this.#window.clear();
    for (const account of this.#own.keys()) this.#closeOwn(account, "for_everybody");
    this.#refused_in_a_row = 0;
  }

  #closeShared(reason: NotedChange["reason"]): void {
    this.#shared.close();
    this.#note({ account_id: null, state: "closed", reason, attempts: 0, failures: 0 });
  }

  #closeOwn(account: string, reason: NotedChange["reason"]): void {
    this.#own.delete(account);
    this.#note({ account_id: account, state: "closed", reason, attempts: 0, failures: 0 });
  }
}

function isHalf({ attempts, failures }: Readonly<AttemptCounts>): boolean {
  return attempts >= MIN_ATTEMPTS && failures * 2 >= attempts;
}
