/**
 * The vendor of the bench, a process of its own: answers `POST …/chat/completions` at once, whole or as a stream whose
 * deltas are written one by one, about a millisecond apart, so that each travels as a chunk of its own.
 */
import { shapeOf, streamFrames, wholeAnswer } from "./exchange.ts";

const encoder = new TextEncoder();
const bytes = (text: string): Uint8Array => encoder.encode(text);

interface Frames {
  readonly first: Uint8Array;
  readonly deltas: readonly Uint8Array[];
  readonly last: Uint8Array;
}

/** Answers by model, made once: the vendor's own cost must not be measured. */
const whole = new Map<string, Uint8Array>();
const streams = new Map<string, Frames>();

function wholeOf(model: string): Uint8Array {
  const known = whole.get(model);
  if (known) return known;
  const made = bytes(wholeAnswer(model));
  whole.set(model, made);
  return made;
}

function framesOf(model: string, count: number): Frames {
  const known = streams.get(model);
  if (known) return known;
  const { first, deltas, last } = streamFrames(model, count);
  const made = { first: bytes(first), deltas: deltas.map(bytes), last: bytes(last) };
  streams.set(model, made);
  return made;
}

async function* flow(model: string, count: number): AsyncGenerator<Uint8Array> {
  const { first, deltas, last } = framesOf(model, count);
  yield first;
  for (const delta of deltas) {
    await Bun.sleep(1);
    yield delta;
  }
  if (deltas.length > 0) await Bun.sleep(1);
  yield last;
}

const server = Bun.serve({
  hostname: "127.0.0.1",
  port: 0,
  idleTimeout: 0,
  async fetch(request) {
    const model = /"model":\s*"([^"]+)"/.exec(await request.text())?.[1] ?? "whole";
    const shape = shapeOf(model);
    if (!shape.stream) return new Response(wholeOf(model), { headers: { "content-type": "application/json" } });
    return new Response(flow(model, shape.deltas), { headers: { "content-type": "text/event-stream" } });
  },
});
console.log(`listening ${server.port}`);
