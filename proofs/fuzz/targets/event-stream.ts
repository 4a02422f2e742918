import { readFileSync } from "node:fs";
import { EventFrames } from "../../../src/protocols/bedrock-converse/event-frames.ts";
import { fixtureFiles } from "../inputs/fixtures.ts";
import { mutateFrames } from "../inputs/mutate-frames.ts";
import { expectSame, type FuzzTarget, piecesOf } from "./target.ts";

export const eventStream: FuzzTarget = {
  name: "event-stream",
  promise:
    "the messages of a binary event stream are the same in pieces of any size, up to the first that cannot be read",
  words: ["\0\0\0\x10", "\0\0\0\0", "\xff\xff\xff\xff", "\x0b:event-type\x07\0\x01x", ":message-type", "\x07", "\x0a"],
  seeds: () => fixtureFiles(".eventstream").map((path) => readFileSync(path)),
  run,
  mutate: mutateFrames,
};

function run(input: Buffer): void {
  expectSame(
    "the messages of the whole and of the pieces",
    messagesOf([Buffer.from(input)]),
    messagesOf(piecesOf(input)),
  );
}

function messagesOf(pieces: readonly Buffer[]): unknown[] {
  const frames = new EventFrames();
  const found: unknown[] = [];
  for (const piece of pieces) {
    frames.feed(piece);
    for (let frame = frames.next(); frame !== null; frame = frames.next())
      found.push({ ...frame, payload: frame.payload.toString("latin1") });
  }
  return [...found, frames.fault];
}
