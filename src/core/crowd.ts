/**
 * What is going on at the moment: members come and go by the thousand, and now and then somebody looks at all of them.
 *
 * Used where a Set would be, because of how JavaScriptCore keeps a Set: whenever its table is tidied the old one stays behind with
 * what was in it, and as long as it is there it keeps the next one. Once one of them has grown old, no young collection
 * frees any: nine of ten finished requests stayed until the next old collection, which then came twice as often.
 */
export class Crowd<Member extends object> {
  readonly #members: Member[] = [];

  get size(): number {
    return this.#members.length;
  }

  /** Adds one that is not in it. */
  add(member: Member): void {
    this.#members.push(member);
  }

  /** Takes one out, if it is in it. Looked for from the end: who came last mostly leaves first. */
  delete(member: Member): void {
    const at = this.#members.lastIndexOf(member);
    if (at === -1) return;
    const last = this.#members.pop() as Member;
    if (last !== member) this.#members[at] = last;
  }

  /** From the last to the first: whoever is taken out meanwhile leaves a place to one that was shown already. */
  *[Symbol.iterator](): Generator<Member> {
    for (let at = this.#members.length - 1; at >= 0; at--) {
      const member = this.#members[at];
      if (member !== undefined) yield member;
    }
  }
}
