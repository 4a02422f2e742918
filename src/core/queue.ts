/** Consumed places at the front are freed once there are this many and they make up half of the array. */
const LEAST_GIVEN_BACK = 32;

/** First in, first out, at a constant cost for each item on average: an array's own `shift` moves all that remain. */
export class Queue<Item> {
  #items: (Item | undefined)[] = [];
  #front = 0;

  get size(): number {
    return this.#items.length - this.#front;
  }

  push(item: Item): void {
    this.#items.push(item);
  }

  /** Takes the oldest item; undefined where there is none. */
  take(): Item | undefined {
    if (this.#front === this.#items.length) return undefined;
    const item = this.#items[this.#front];
    // Its old place must not keep the item alive.
    this.#items[this.#front] = undefined;
    this.#front += 1;
    if (this.#front === this.#items.length) {
      this.#items.length = 0;
      this.#front = 0;
    } else if (this.#front >= LEAST_GIVEN_BACK && this.#front * 2 >= this.#items.length) {
      this.#items = this.#items.slice(this.#front);
      this.#front = 0;
    }
    return item;
  }
}
