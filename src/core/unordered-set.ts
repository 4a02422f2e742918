/**
 * A collection of operations in progress: members are added and deleted by the thousand, and the whole is rarely
 * iterated.
 *
 * It takes the place of a Set because of how JavaScriptCore stores a Set: when it rebuilds a Set's table, the old table
 * stays in memory with its members and keeps a reference to the next table. Once one table has become old, no young
 * collection frees any of them: nine of ten finished requests stayed until the next old collection, which then came
 * twice as often.
 */
export class UnorderedSet<Member extends object> {
  readonly #members: Member[] = [];

  get size(): number {
    return this.#members.length;
  }

  /** Adds a member, unless it is in the set already. */
  add(member: Member): void {
    this.#members.push(member);
  }

  /** Deletes a member, if it is in the set. Searches from the end: members added last are mostly deleted first. */
  delete(member: Member): void {
    const at = this.#members.lastIndexOf(member);
    if (at === -1) return;
    const last = this.#members.pop() as Member;
    if (last !== member) this.#members[at] = last;
  }

  /** Yields from last to first: a member deleted meanwhile leaves its place to a member that was yielded already. */
  *[Symbol.iterator](): Generator<Member> {
    for (let at = this.#members.length - 1; at >= 0; at--) {
      const member = this.#members[at];
      if (member !== undefined) yield member;
    }
  }
}
