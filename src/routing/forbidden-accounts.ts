const WINDOW_MS = 30_000;
const MANY = 3;

/** The accounts that got a 403 lately: one account's may lie in what it asks for, that of many lies in the route or the credential (docs/rulings.md 150). */
export class ForbiddenAccounts {
  /** When each account's last 403 came; the oldest first. */
  readonly #last_ms = new Map<string, number>();

  /** Notes a 403 of an account. Returns whether three accounts got one within 30 s. */
  note(account: string, now_ms: number): boolean {
    this.#last_ms.delete(account);
    this.#last_ms.set(account, now_ms);
    for (const [oldest, at_ms] of this.#last_ms) {
      if (at_ms > now_ms - WINDOW_MS) break;
      this.#last_ms.delete(oldest);
    }
    return this.#last_ms.size >= MANY;
  }
}
