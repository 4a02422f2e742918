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
