import type { Draw } from "../../torture/draw.ts";

/** A part of the gateway that is run in the fuzzer's own process on one input after the other. */
export interface FuzzTarget {
  readonly name: string;
  /** What the target promises, for people. */
  readonly promise: string;
  /** The words of its inputs' format, one byte a character. */
  readonly words: readonly string[];
  /** Inputs from which the search begins. */
  seeds(): readonly Buffer[];
  /** Runs the part on the input and compares. Throws a `Broken` where a promise does not hold. Equal inputs do the same. */
  run(input: Buffer): Promise<void> | void;
  /** A change that knows the format; without it, bytes are changed. */
  mutate?(input: Buffer, draw: Draw, other: Buffer): Buffer;
}

/** A promise that did not hold for an input. */
export class Broken extends Error {
  override readonly name = "Broken";
}

/** Throws where two results differ: what was compared, and both. */
export function expectSame(what: string, one: unknown, other: unknown): void {
  if (Bun.deepEquals(one, other)) return;
  throw new Broken(`${what} differ:\n  ${shown(one)}\n  ${shown(other)}`);
}

export function expectThat(holds: boolean, what: string): void {
  if (!holds) throw new Broken(what);
}

const MOST_SHOWN = 1500;

function shown(value: unknown): string {
  const text =
    JSON.stringify(value, (_key, held: unknown) => (typeof held === "bigint" ? `${held}n` : held)) ?? "undefined";
  return text.length <= MOST_SHOWN ? text : `${text.slice(0, MOST_SHOWN)}… (${text.length})`;
}

/** More pieces show nothing more, and heads that arrive byte by byte are searched anew with each byte. */
const MOST_PIECES = 300;

/** The input in pieces whose sizes follow from the input itself, so that an input is always cut in the same way. */
export function piecesOf(input: Buffer): Buffer[] {
  const pieces: Buffer[] = [];
  let state = (Bun.hash.crc32(input) | 1) >>> 0;
  const most = [1, 3, 16, 200][state % 4] as number;
  const least = Math.ceil(input.length / MOST_PIECES);
  for (let at = 0; at < input.length; ) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    const size = least + ((state >>> 8) % most);
    // Copies, as a socket's pieces are: the parts under test own what they are fed.
    pieces.push(Buffer.from(input.subarray(at, at + size)));
    at += size;
  }
  return pieces;
}

/** What a part did: its result, or the error that it threw. Errors that `isRefusal` does not know are passed on. */
export function outcomeOf<Result>(
  work: () => Result,
  isRefusal: (thrown: unknown) => boolean,
): { readonly result: Result } | { readonly refused: string } {
  try {
    return { result: work() };
  } catch (thrown) {
    if (!isRefusal(thrown)) throw thrown;
    return { refused: thrown instanceof Error ? thrown.name : "?" };
  }
}
