import type { JsonMembers } from "../../core/json.ts";
import { memberText } from "../shared/json-members.ts";

/** Gathers what is to change among a body's top-level members, and what was left out without being honoured. */
export class BodyChanges {
  readonly all = new Map<string, string | null>();
  readonly ignored: string[] = [];
  readonly #text: string;
  readonly #members: JsonMembers;

  constructor(text: string, members: JsonMembers) {
    this.#text = text;
    this.#members = members;
  }

  /** Whether the body has the member and it is still to be sent. */
  has(key: string): boolean {
    return this.#members.has(key) && this.all.get(key) !== null;
  }

  /** The member's value as it will be sent, as JSON text; null when it is absent, removed or null, which is the same. */
  value(key: string): string | null {
    const changed = this.all.get(key);
    const text = changed === undefined ? memberText(this.#text, this.#members, key) : changed;
    return text === "null" ? null : text;
  }

  /** Sends a value, given as JSON text, in place of what the body has. */
  set(key: string, json: string): void {
    if (this.value(key) !== json) this.all.set(key, json);
  }

  /** Removes a member that says nothing the target does not do anyway. */
  remove(key: string): void {
    if (this.#members.has(key)) this.all.set(key, null);
    else this.all.delete(key);
  }

  /** Removes a member that the target cannot honour: the client is told, unless it was null. */
  leaveOut(key: string): void {
    if (this.value(key) !== null) this.ignored.push(key);
    this.remove(key);
  }
}
