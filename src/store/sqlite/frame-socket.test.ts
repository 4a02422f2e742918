import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { CODE_POINT } from "../../../proofs/support/code-point.ts";
import { CLONE, FrameSocket, TEXT } from "./frame-socket.ts";

/** A socket that takes at most this many bytes of each write, and keeps them. */
class NarrowTarget {
  readonly taken: Buffer[] = [];
  readonly #most: () => number;
  constructor(most: () => number) {
    this.#most = most;
  }
  write(bytes: Uint8Array): number {
    const count = Math.min(bytes.length, this.#most());
    this.taken.push(Buffer.from(bytes.subarray(0, count)));
    return count;
  }
  end(): void {}
}

const message = fc.oneof(
  fc.string({ unit: CODE_POINT, maxLength: 200 }),
  fc.uint8Array({ maxLength: 300 }),
  fc.constant("x".repeat(70_000)),
);

describe("frames", () => {
  test("arrive whole and in their order, however the socket takes and gives bytes", () => {
    fc.assert(
      fc.property(
        fc.array(message, { maxLength: 12 }),
        fc.array(fc.integer({ min: 0, max: 5000 }), { minLength: 1 }),
        fc.array(fc.integer({ min: 1, max: 9000 }), { minLength: 1 }),
        (messages, takes, pieces) => {
          let turn = 0;
          const target = new NarrowTarget(() => takes[turn++ % takes.length] as number);
          const sender = new FrameSocket(target, () => {});
          for (const each of messages) {
            if (typeof each === "string") sender.sendText(each);
            else sender.sendClone(each);
          }
          const wide = new NarrowTarget(() => Number.POSITIVE_INFINITY);
          // The socket has room again: the bytes that it did not take follow those that it took.
          target.write = wide.write.bind(wide);
          sender.drained();
          const bytes = Buffer.concat([...target.taken, ...wide.taken]);
          const seen: (string | Uint8Array)[] = [];
          const receiver = new FrameSocket(target, (kind, payload) =>
            seen.push(kind === TEXT ? Buffer.from(payload).toString() : Uint8Array.from(payload)),
          );
          for (let at = 0, next = 0; at < bytes.length; next += 1) {
            const end = at + (pieces[next % pieces.length] as number);
            receiver.received(bytes.subarray(at, end));
            at = end;
          }
          expect(seen).toEqual(messages.map((each) => (typeof each === "string" ? wellFormed(each) : each)));
        },
      ),
      { numRuns: 200 },
    );
  });

  test("are told apart by their kind", () => {
    const kinds: number[] = [];
    const receiver = new FrameSocket({ write: () => 0, end: () => {} }, (kind) => kinds.push(kind));
    const sender = new FrameSocket({ write: into(receiver), end: () => {} }, () => {});
    sender.sendText("");
    sender.sendClone(new Uint8Array());
    expect(kinds).toEqual([TEXT, CLONE]);
  });
});

/** Bytes that are written arrive at once. */
function into(receiver: FrameSocket): (bytes: Uint8Array) => number {
  return (bytes) => {
    receiver.received(bytes);
    return bytes.length;
  };
}

/** UTF-8 has no half of a surrogate pair. */
function wellFormed(text: string): string {
  return text.toWellFormed();
}
