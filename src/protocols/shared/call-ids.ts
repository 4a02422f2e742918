import { randomBase62 } from "../../core/ids.ts";

/**
 * The ids of calls that a vendor takes (docs/rulings.md 191). Calls of other vendors, of other gateways and of programs
 * have ids of every kind: with other signs, of any length, empty, or the same in each turn.
 */

/** The ids that each protocol's vendors take, from their API references and the errors in public reports. */
export const LEGAL_CALL_IDS = {
  chat: /^.{1,40}$/s,
  responses: /^.{1,64}$/s,
  messages: /^[a-zA-Z0-9_-]+$/,
  converse: /^[A-Za-z0-9_-]{1,64}$/,
  gemini: /^.+$/s,
} as const;

/** A legal id computed from any id: equal ids stay equal. */
export function legalCallId(id: string, legal: RegExp): string {
  return legal.test(id) ? id : `call_${Bun.hash(id).toString(36)}`;
}

/**
 * Gives the calls of one conversation, in their order, ids that are legal and all different. A legal id that is new
 * stays as it is. The ids of a conversation's beginning do not depend on what follows, so that a vendor's cache of the
 * prompt holds.
 */
export class CallIds {
  readonly #legal: RegExp;
  readonly #used = new Set<string>();
  /** How often an id was asked for. A repeat goes on counting where the last one ended, so that all take linear time. */
  readonly #times = new Map<string, number>();

  constructor(legal: RegExp) {
    this.#legal = legal;
  }

  next(id: string): string {
    const legal = legalCallId(id, this.#legal);
    let unique = legal;
    let times = this.#times.get(legal) ?? 1;
    while (this.#used.has(unique)) {
      times += 1;
      unique = legalCallId(`${legal}_${times}`, this.#legal);
    }
    this.#times.set(legal, times);
    this.#used.add(unique);
    return unique;
  }
}

/** The new ids of the calls of one id in the latest turn that has such calls. */
interface GivenIds {
  readonly ids: string[];
  readonly turn: number;
  answered: number;
}

/**
 * The ids of a relayed conversation's calls and results as a vendor takes them (docs/rulings.md 191): calls and results are
 * told in their order. A result belongs to the latest call of its id; of several in one turn, to the first without one.
 */
export class GivenCallIds {
  readonly #ids: CallIds;
  readonly #latest = new Map<string, GivenIds>();
  #turn = 0;

  constructor(legal: RegExp) {
    this.#ids = new CallIds(legal);
  }

  /** The calls that follow are another turn's. */
  nextTurn(): void {
    this.#turn += 1;
  }

  ofCall(id: string): string {
    const given = this.#ids.next(id);
    const same = this.#latest.get(id);
    if (same?.turn === this.#turn) same.ids.push(given);
    else this.#latest.set(id, { ids: [given], turn: this.#turn, answered: 0 });
    return given;
  }

  /** Null for a result without a call. */
  ofResult(id: string): string | null {
    const latest = this.#latest.get(id);
    if (latest === undefined) return null;
    const given = latest.ids[latest.answered] ?? latest.ids.at(-1) ?? null;
    latest.answered += 1;
    return given;
  }
}

/** Whether calls with these ids, in their order, need others: some are not legal, or not their own. */
export function needOtherIds(ids: Iterable<string>, legal: RegExp): boolean {
  const seen = new Set<string>();
  for (const id of ids) {
    if (seen.has(id) || !legal.test(id)) return true;
    seen.add(id);
  }
  return false;
}

/** The id of a vendor's call, or one of our own where it has none: a client cannot give the result of a call without an id. */
export function callIdOf(told: unknown, prefix: "call" | "toolu" | "tooluse"): string {
  return typeof told === "string" && told !== "" ? told : `${prefix}_${randomBase62(22)}`;
}

/** The name of a vendor's call; empty where it is no text. */
export function callNameOf(told: unknown): string {
  return typeof told === "string" ? told : "";
}
