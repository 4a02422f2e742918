import type { RefusalSum } from "../core/operations/refusals.ts";

/** The most kinds of refusals (key, endpoint, code) that are counted apart for an account in a minute; further kinds are summed up by their code. */
const KINDS = 8;
const MS_PER_MINUTE = 60_000;
/** The longest id of a client's that is kept, and the longest field name. */
const LONGEST = 128;

/** A refusal as the edge knows it. */
export interface Refusal extends Omit<RefusalSum, "minute" | "count" | "last_ms"> {
  readonly at_ms: number;
}

/**
 * Collects refusals in memory until they are written. The memory is bounded for each account: a flood of refusals is
 * a few sums with large counts.
 */
export class RefusalBook {
  #sums = new Map<string, { -readonly [Field in keyof RefusalSum]: RefusalSum[Field] }>();
  #kinds = new Map<string, number>();

  note({ at_ms, ...refusal }: Refusal): void {
    const minute = Math.floor(at_ms / MS_PER_MINUTE);
    const { account_id, code } = refusal;
    const id = [minute, account_id, refusal.key_id, refusal.endpoint, code].join(" ");
    if (this.#sums.has(id)) return this.#count(id, refusal, at_ms);
    const place = `${minute} ${account_id}`;
    const kinds = this.#kinds.get(place) ?? 0;
    if (kinds >= KINDS) {
      const rest = { ...refusal, key_id: "", endpoint: "" };
      const rest_id = [minute, account_id, "", "", code].join(" ");
      if (this.#sums.has(rest_id)) return this.#count(rest_id, rest, at_ms);
      return this.#begin(rest_id, rest, minute, at_ms);
    }
    this.#kinds.set(place, kinds + 1);
    this.#begin(id, refusal, minute, at_ms);
  }

  /** Takes the collected refusals out of the book. */
  take(): readonly RefusalSum[] {
    const taken = [...this.#sums.values()];
    this.#sums = new Map();
    const now = Math.max(...taken.map(({ minute }) => minute), 0);
    // No further kinds of this minute are counted apart.
    this.#kinds = new Map([...this.#kinds].filter(([place]) => place.startsWith(`${now} `)));
    return taken;
  }

  #begin(id: string, refusal: Omit<Refusal, "at_ms">, minute: number, last_ms: number): void {
    this.#sums.set(id, { ...short(refusal), minute, count: 1, last_ms });
  }

  #count(id: string, refusal: Omit<Refusal, "at_ms">, last_ms: number): void {
    const sum = this.#sums.get(id);
    if (sum === undefined) return;
    const { model, param, request_id, client_request_id } = short(refusal);
    Object.assign(sum, { count: sum.count + 1, model, param, request_id, client_request_id, last_ms });
  }
}

/** With a character that PostgreSQL cannot store, the sum would be refused, and all others that are written with it, again and again. */
function short<Fields extends Pick<Refusal, "param" | "client_request_id">>(refusal: Fields): Fields {
  const { param, client_request_id } = refusal;
  return {
    ...refusal,
    param: param?.slice(0, LONGEST).toWellFormed().replaceAll("\0", "\ufffd") ?? null,
    client_request_id: client_request_id?.slice(0, LONGEST) ?? null,
  };
}
