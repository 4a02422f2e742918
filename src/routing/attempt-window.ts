/** The attempts of the last 30 s at one route, and how many of them failed, in all and for each account. */

/** The window moves in steps: it covers between 27 and 30 s. */
const STEP_MS = 3000;
const STEPS = 10;

export interface AttemptCounts {
  attempts: number;
  failures: number;
}

interface WindowStep {
  /** The number of the step since the clock began. */
  number: number;
  readonly accounts: Map<string, AttemptCounts>;
}

export class AttemptWindow {
  /** The oldest step first. */
  #steps: WindowStep[] = [];
  readonly #all: AttemptCounts = { attempts: 0, failures: 0 };

  /**
   * Counts an attempt of an account that ended now. `attempts` is 0 for an attempt that was counted as good before and
   * has failed since.
   */
  count(account: string, now_ms: number, failures: 0 | 1, attempts: 0 | 1 = 1): void {
    const { accounts } = this.#stepAt(now_ms);
    const tally = accounts.get(account);
    if (tally === undefined) accounts.set(account, { attempts, failures });
    else {
      tally.attempts += attempts;
      tally.failures += failures;
    }
    this.#all.attempts += attempts;
    this.#all.failures += failures;
  }

  all(now_ms: number): Readonly<AttemptCounts> {
    this.#stepAt(now_ms);
    return this.#all;
  }

  /** The attempts of the window by account; it is added up at each call. */
  byAccount(now_ms: number): ReadonlyMap<string, Readonly<AttemptCounts>> {
    this.#stepAt(now_ms);
    const sums = new Map<string, AttemptCounts>();
    for (const { accounts } of this.#steps)
      for (const [account, { attempts, failures }] of accounts) {
        const sum = sums.get(account) ?? { attempts: 0, failures: 0 };
        sums.set(account, { attempts: sum.attempts + attempts, failures: sum.failures + failures });
      }
    return sums;
  }

  of(account: string, now_ms: number): Readonly<AttemptCounts> {
    this.#stepAt(now_ms);
    const sum = { attempts: 0, failures: 0 };
    for (const { accounts } of this.#steps) {
      const tally = accounts.get(account);
      sum.attempts += tally?.attempts ?? 0;
      sum.failures += tally?.failures ?? 0;
    }
    return sum;
  }

  forget(account: string): void {
    for (const { accounts } of this.#steps) {
      this.#subtract(accounts.get(account));
      accounts.delete(account);
    }
  }

  clear(): void {
    this.#steps = [];
    this.#all.attempts = this.#all.failures = 0;
  }

  /** The step that is now; steps that have left the window are dropped. */
  #stepAt(now_ms: number): WindowStep {
    const number = Math.floor(now_ms / STEP_MS);
    const last = this.#steps.at(-1);
    if (last !== undefined && last.number >= number) return last;
    while (this.#steps[0] !== undefined && this.#steps[0].number <= number - STEPS) {
      for (const tally of this.#steps[0].accounts.values()) this.#subtract(tally);
      this.#steps.shift();
    }
    const step = { number, accounts: new Map<string, AttemptCounts>() };
    this.#steps.push(step);
    return step;
  }

  #subtract(tally: AttemptCounts | undefined): void {
    if (tally === undefined) return;
    this.#all.attempts -= tally.attempts;
    this.#all.failures -= tally.failures;
  }
}
