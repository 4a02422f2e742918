/**
 * The vendor of the bench, a process of its own: answers `POST …/chat/completions` at once, whole or as a stream whose
 * deltas are written one by one, about a millisecond apart, so that each travels as a chunk of its own. Streams that are held
 * have a delta a second until somebody calls `POST …/end-held`.
 */
import { END_HELD_PATH, type StreamShape, shapeOf, streamFrames, wholeAnswer } from "./exchange.ts";
import { embeddingAnswer, type Media, SOUND_PIECE, SOUND_PIECES } from "./media.ts";

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

const embeddings = bytes(embeddingAnswer("embedding"));

function answerMedia(media: Media): Response {
  if (media === "embedding") return new Response(embeddings, { headers: { "content-type": "application/json" } });
  return new Response(speak(), { headers: { "content-type": "audio/wav" } });
}

async function* speak(): AsyncGenerator<Uint8Array> {
  for (let piece = 0; piece < SOUND_PIECES; piece++) {
    yield SOUND_PIECE;
    await Bun.sleep(1);
  }
}

const HELD_PAUSE_MS = 1000;
let release = Promise.withResolvers<"released">();

async function* flow(model: string, shape: StreamShape): AsyncGenerator<Uint8Array> {
  const { first, deltas, last } = framesOf(model, shape.deltas);
  yield first;
  if (shape.held) return yield* flowHeld(deltas, last);
  for (const delta of deltas) {
    await Bun.sleep(1);
    yield delta;
  }
  if (deltas.length > 0) await Bun.sleep(1);
  yield last;
}

async function* flowHeld(deltas: readonly Uint8Array[], last: Uint8Array): AsyncGenerator<Uint8Array> {
  const { promise: released } = release;
  for (const delta of deltas) {
    yield delta;
    if ((await Promise.race([Bun.sleep(HELD_PAUSE_MS), released])) === "released") break;
  }
  yield last;
}

function endHeld(): Response {
  release.resolve("released");
  release = Promise.withResolvers();
  return new Response(null, { status: 204 });
}

const server = Bun.serve({
  hostname: "127.0.0.1",
  port: 0,
  idleTimeout: 0,
  async fetch(request) {
    if (request.url.endsWith(END_HELD_PATH)) return endHeld();
    const model = /"model":\s*"([^"]+)"/.exec(await request.text())?.[1] ?? "whole";
    const shape = shapeOf(model);
    if (!shape.stream && shape.media !== undefined) return answerMedia(shape.media);
    if (!shape.stream) return new Response(wholeOf(model), { headers: { "content-type": "application/json" } });
    return new Response(flow(model, shape), { headers: { "content-type": "text/event-stream" } });
  },
});
console.log(`listening ${server.port}`);
