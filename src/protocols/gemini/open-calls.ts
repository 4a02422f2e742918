/**
 * The ids of a conversation's calls and results (docs/rulings.md 191). In this API both may be without one: results then answer calls by
 * their names, in their order.
 */
export class OpenCalls {
  readonly #waiting: { readonly id: string; readonly name: string }[] = [];
  #made = 0;

  /** The id of a call. */
  called(name: string, id: string): string {
    const given = id === "" ? this.#next() : id;
    this.#waiting.push({ id: given, name });
    return given;
  }

  /** The id of the call that a result answers; an id of its own where no call waits for it. */
  answered(name: string, id: string): string {
    const at = this.#waiting.findIndex((call) => (id === "" ? call.name === name : call.id === id));
    if (at === -1) return id === "" ? this.#next() : id;
    const [call] = this.#waiting.splice(at, 1);
    return call?.id ?? id;
  }

  #next(): string {
    this.#made += 1;
    return `call_${this.#made}`;
  }
}
