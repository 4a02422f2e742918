/**
 * Keeps the values that were set last: at least a given number of names, and at most twice as many, as the older half is forgotten at once. A Map from
 * which the oldest name is deleted for each new one would look for it among all that were deleted before: 140 µs a name with 200,000 names.
 */
export class RecentMap<Value, Name = string> {
  readonly #most: number;
  #young = new Map<Name, Value>();
  #old = new Map<Name, Value>();

  constructor(most: number) {
    this.#most = most;
  }

  get size(): number {
    return this.#young.size + this.#old.size;
  }

  get(name: Name): Value | undefined {
    return this.#young.get(name) ?? this.#old.get(name);
  }

  set(name: Name, value: Value): void {
    this.#old.delete(name);
    if (this.#young.size >= this.#most && !this.#young.has(name)) {
      this.#old = this.#young;
      this.#young = new Map();
    }
    this.#young.set(name, value);
  }

  delete(name: Name): void {
    this.#young.delete(name);
    this.#old.delete(name);
  }
}
