import type { ClientRequest } from "../../core/answer/exchange.ts";
import type { JsonMembers } from "../../core/json.ts";
import { type ChangeOf, rewrittenParts } from "../shared/json-members.ts";

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

  /** `members` are those of the request's text. */
  constructor({ text, body }: ClientRequest, members: JsonMembers) {
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

  /** The member's value as it will be sent, as JSON text; null when it is not given. */
  value(key: string): string | null {
    if (!this.isGiven(key)) return null;
    const at = this.#members.indexOf(key);
    if (at === -1) return this.#added?.get(key) ?? null;
    return this.#changes?.[at] ?? this.#text.slice(this.#members.valueStart(at), this.#members.end(at));
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
    if (this.isGiven(key)) {
      this.#ignored ??= [];
      this.#ignored.push(key);
    }
    this.remove(key);
  }

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
