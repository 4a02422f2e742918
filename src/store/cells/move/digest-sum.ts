import type { ReadAccountRow } from "./row-texts.ts";

/** A table's rows of an account. */
export interface TableDigest {
  readonly name: string;
  readonly rows: string;
  /** What the contents and answers that are kept take. */
  readonly bytes: string;
  /** A sum over the digests of all rows, without what each cell numbers by itself. */
  readonly digest: string;
}

/** The sum that `digestRows` makes in the database, of rows that were read. */
export class DigestSum {
  #rows = 0;
  #bytes = 0n;
  #first = 0n;
  #second = 0n;

  add({ digest, bytes }: ReadAccountRow): void {
    this.#rows += 1;
    this.#first += BigInt(`0x${digest.slice(0, 15)}`);
    this.#second += BigInt(`0x${digest.slice(16, 31)}`);
    if (bytes !== "0") this.#bytes += BigInt(bytes);
  }

  told(name: string): TableDigest {
    return {
      name,
      rows: String(this.#rows),
      bytes: String(this.#bytes),
      digest: `${this.#first} ${this.#second}`,
    };
  }
}
