import type { ClientRequest, Target } from "../../core/answer/exchange.ts";
import type { JsonMembers } from "../../core/json.ts";
import type { ChargedMember, ChargeVerdict } from "../../core/money/charges.ts";
import { mayHaveLifetimes, withPricedLifetimes } from "./cache-lifetimes.ts";
import { type ChangeOf, findMembers, rewrittenParts } from "./json-members.ts";
import { refusedSampling, refusesSampling } from "./sampling.ts";

const NOTHING: readonly string[] = [];

/**
 * Collects the changes of a body's top-level members, and the names of members that were left out without being
 * honoured. Most bodies change in one or two members, so nothing is allocated for the others, and no value is copied
 * out of the text to be looked at.
 */
export class BodyChanges {
  readonly #text: string;
  readonly #body: ClientRequest["body"];
  readonly #members: JsonMembers;
  /** The changes, by the index of the member in the text. */
  #changes: ChangeOf[] | null = null;
  #added: Map<string, string> | null = null;
  #ignored: string[] | null = null;

  constructor({ text, body, members = findMembers(text) }: ClientRequest) {
    this.#text = text;
    this.#body = body;
    this.#members = members;
  }

  /** Members that were removed without being honoured. */
  get ignored(): readonly string[] {
    return this.#ignored ?? NOTHING;
  }

  /** Whether the body has the member and it is still to be sent. */
  has(key: string): boolean {
    if (!Object.hasOwn(this.#body, key)) return false;
    return this.#changes === null || this.#changes[this.#members.indexOf(key)] !== null;
  }

  /** Whether the member will be sent with a value; an absent, removed or null member is not given. */
  isGiven(key: string): boolean {
    if (!Object.hasOwn(this.#body, key)) return (this.#added?.get(key) ?? "null") !== "null";
    const change = this.#changes?.[this.#members.indexOf(key)];
    return change === undefined ? this.#body[key] !== null : change !== null && change !== "null";
  }

  /** Whether another value than the body's own will be sent, or none. */
  isChanged(key: string): boolean {
    const at = this.#members.indexOf(key);
    return at === -1 ? this.#added?.has(key) === true : this.#changes?.[at] !== undefined;
  }

  /** The member's value as it will be sent, as JSON text; null when it is not given. */
  value(key: string): string | null {
    if (!this.isGiven(key)) return null;
    const at = this.#members.indexOf(key);
    if (at === -1) return this.#added?.get(key) ?? null;
    return this.#changes?.[at] ?? this.#text.slice(this.#members.valueStart(at), this.#members.end(at));
  }

  /** Sends a value in place of the body's value, or none. */
  put(key: string, json: string | null): void {
    if (json === null) this.remove(key);
    else this.set(key, json);
  }

  /** Sends a value, given as JSON text, in place of the body's value. */
  set(key: string, json: string): void {
    const at = this.#members.indexOf(key);
    if (at === -1) {
      this.#added ??= new Map();
      this.#added.set(key, json);
    } else if (!this.#isSent(at, json)) this.#change(at, json);
  }

  /** Removes a member that asks only for what the target does anyway. */
  remove(key: string): void {
    if (Object.hasOwn(this.#body, key)) this.#change(this.#members.indexOf(key), null);
    else this.#added?.delete(key);
  }

  /** Removes a member that the target cannot honour: the client is informed of it, unless the value was null. */
  leaveOut(key: string): void {
    if (this.isGiven(key)) this.note(key);
    this.remove(key);
  }

  /** Notes what the target cannot honour by its name, once. */
  note(name: string): void {
    this.#ignored ??= [];
    if (!this.#ignored.includes(name)) this.#ignored.push(name);
  }

  /** The parts of the changed text, in order. */
  apply(): readonly string[] {
    let added = "";
    for (const [key, json] of this.#added ?? []) added += `,${JSON.stringify(key)}:${json}`;
    return rewrittenParts(this.#text, this.#members, this.#changes, added);
  }

  /** Whether the body already has exactly this value. */
  #isSent(at: number, json: string): boolean {
    const change = this.#changes?.[at];
    if (change !== undefined) return change === json;
    const start = this.#members.valueStart(at);
    return this.#members.end(at) - start === json.length && this.#text.startsWith(json, start);
  }

  #change(at: number, change: string | null): void {
    this.#changes ??= new Array<ChangeOf>(this.#members.size).fill(undefined);
    this.#changes[at] = change;
  }
}

/** A body for one target. */
export interface PreparedParts {
  /** The body's text in parts, in order. */
  readonly parts: readonly string[];
  /** Parameters that were left out because the target cannot honour them. */
  readonly ignored: readonly string[];
  readonly charged: readonly ChargedMember[];
}

const UNCHARGED: readonly ChargedMember[] = [];

/** The changed body with the lifetimes that have a price, and the charged members that it still has. */
export function preparedParts(
  changes: BodyChanges,
  { text }: ClientRequest,
  { price }: Target,
  judged: ChargeVerdict | null,
): PreparedParts {
  // A member that the vendor refuses is removed, and so not charged for; a tool goes with its list.
  const charged = judged?.kept.filter(({ place }) => changes.isGiven(place.replace(/\[.*/s, ""))) ?? UNCHARGED;
  const parts = changes.apply();
  const priced = mayHaveLifetimes(text) ? withPricedLifetimes(parts.join(""), price) : null;
  if (priced === null) return { parts, ignored: changes.ignored, charged };
  return { parts: [priced.text], ignored: [...changes.ignored, ...priced.left_out], charged };
}

/** `safety_identifier` wins over its legacy alias; neither is sent unless the vendor's row forwards it (docs/rulings.md 56). */
export function identifyUser(changes: BodyChanges, { vendor }: Target): void {
  if (!vendor.forwards_safety_identifier) {
    changes.leaveOut("safety_identifier");
    changes.leaveOut("user");
  } else if (changes.isGiven("safety_identifier")) changes.remove("user");
}

/** Leaves out the sampling parameters among `fields` if the model refuses them (docs/rulings.md 166). */
export function leaveOutSampling(
  changes: BodyChanges,
  { body }: ClientRequest,
  { model }: Target,
  { fields, asks_reasoning }: { readonly fields: readonly string[]; readonly asks_reasoning: boolean },
): void {
  if (model.sampling === undefined || !refusesSampling(model, asks_reasoning)) return;
  for (const { field, differs_from_default } of refusedSampling(body, fields)) {
    if (differs_from_default) changes.leaveOut(field);
    else changes.remove(field);
  }
}
