/** More than any outage leaves: the oldest are forgotten, and end as abandoned holds. */
const REMEMBERED = 10_000;

/**
 * Admissions that were refused while nobody knew whether their commit took place. It may take place minutes later, when a
 * stopped server goes on: the sweep asks here whose holds those are.
 */
export class RefusedAdmissions {
  readonly #ids = new Set<string>();

  get size(): number {
    return this.#ids.size;
  }

  add(request_id: string): void {
    this.#ids.add(request_id);
    if (this.#ids.size <= REMEMBERED) return;
    const [oldest = ""] = this.#ids;
    this.#ids.delete(oldest);
  }

  has(request_id: string): boolean {
    return this.#ids.has(request_id);
  }

  delete(request_id: string): void {
    this.#ids.delete(request_id);
  }
}
