import { join } from "node:path";

/** What is booked of a call: its hold before the vendor is called, and its charge when the answer is there. */
export type PlainOp =
  | { readonly op: "hold"; readonly id: string; readonly model: string; readonly hold_micro: number }
  | {
      readonly op: "settle";
      readonly id: string;
      readonly charge_micro: number;
      readonly input: number;
      readonly output: number;
    };

interface Waiting {
  readonly op: PlainOp;
  readonly resolve: (booked: boolean) => void;
}

/**
 * The least that books must be which survive a power cut, as one would write them in an afternoon: one wallet and a row for each request in
 * SQLite, on a thread of its own (plain-books-thread.ts). What is asked for while a commit runs goes into the next.
 */
export class PlainBooks {
  readonly #thread: Worker;
  #queue: Waiting[] = [];
  #batch: Waiting[] = [];

  /** `path`: the file of the database, which is made. */
  constructor(path: string) {
    this.#thread = new Worker(join(import.meta.dir, "plain-books-thread.ts"));
    this.#thread.onmessage = ({ data }: MessageEvent<readonly boolean[]>) => {
      const batch = this.#batch;
      this.#batch = [];
      this.#send();
      for (const [at, { resolve }] of batch.entries()) resolve(data[at] === true);
    };
    this.#thread.postMessage({ path });
  }

  /** Resolves once the operation is on the disk: false where the wallet has too little. */
  book(op: PlainOp): Promise<boolean> {
    return new Promise((resolve) => {
      this.#queue.push({ op, resolve });
      this.#send();
    });
  }

  #send(): void {
    if (this.#batch.length > 0 || this.#queue.length === 0) return;
    this.#batch = this.#queue;
    this.#queue = [];
    this.#thread.postMessage(this.#batch.map(({ op }) => op));
  }
}
