import { pipeline, type Transform } from "node:stream";
import { createBrotliDecompress, createGunzip, createInflate, createInflateRaw, createZstdDecompress } from "node:zlib";
import { MalformedMessage } from "../grammar/malformed-message.ts";
import type { AnswerHead } from "./answer-head.ts";
import type { Call } from "./call.ts";
import type { AnswerBody } from "./reply.ts";
import { UpstreamError } from "./upstream-error.ts";

/** The largest number of codings of one body: each takes memory and time. */
const MAX_CODINGS = 2;

type Pieces = AsyncIterable<Uint8Array>;
type Decoder = (pieces: Pieces) => Pieces;

const DECODERS: ReadonlyMap<string, Decoder> = new Map([
  ["identity", (pieces: Pieces) => pieces],
  ["gzip", (pieces: Pieces) => through(pieces, createGunzip())],
  ["x-gzip", (pieces: Pieces) => through(pieces, createGunzip())],
  ["deflate", inflate],
  ["br", (pieces: Pieces) => through(pieces, createBrotliDecompress())],
  ["zstd", (pieces: Pieces) => through(pieces, createZstdDecompress())],
]);

/**
 * The decompressed body. Requests ask vendors not to compress (small events do not shrink), so this is for vendors that
 * do so anyway. A body with an unknown coding is handed on unchanged, as fetch does. Throws a MalformedMessage for more than two codings.
 */
export function decodedBody(body: AnswerBody, { content_encoding, framing }: AnswerHead, call: Call): AnswerBody {
  if (content_encoding === null || framing === 0) return body;
  const decoders: Decoder[] = [];
  const codings = content_encoding.split(",", MAX_CODINGS + 1);
  if (codings.length > MAX_CODINGS) throw new MalformedMessage(`its body has more than ${MAX_CODINGS} content codings`);
  for (const coding of codings) {
    const decoder = DECODERS.get(coding.trim());
    if (decoder === undefined) return body;
    // `content-encoding` names the coding that was applied last at its end; it is undone first.
    decoders.unshift(decoder);
  }
  return new DecodedBody(body, decoders, call);
}

class DecodedBody implements AnswerBody {
  readonly #pieces: AsyncIterator<Uint8Array>;
  readonly #call: Call;

  constructor(body: AnswerBody, decoders: readonly Decoder[], call: Call) {
    this.#call = call;
    this.#pieces = decoders.reduce((pieces, decode) => decode(pieces), allOf(body) as Pieces)[Symbol.asyncIterator]();
  }

  takeWhole(): null {
    return null;
  }

  handNext(): false {
    return false;
  }

  async read(): Promise<Uint8Array | null> {
    try {
      const { done, value } = await this.#pieces.next();
      return done === true ? null : value;
    } catch (thrown) {
      if (thrown instanceof UpstreamError) throw thrown;
      const fault = new UpstreamError("broken", "the vendor's answer cannot be decompressed", thrown);
      this.#call.giveUp(fault);
      throw fault;
    }
  }
}

/** The reader gets the errors of both streams. */
function through(pieces: Pieces, decoder: Transform): Pieces {
  // An answer that nobody reads, or reads on, may be cut short all the same. An error without a listener would end the gateway.
  decoder.on("error", () => {});
  return pipeline(pieces, decoder, () => {});
}

/**
 * Some vendors send `deflate` with zlib's wrapping, as the standard says, and some without: the first byte shows which.
 */
async function* inflate(pieces: Pieces): AsyncGenerator<Uint8Array> {
  const iterator = pieces[Symbol.asyncIterator]();
  const first = await iterator.next();
  if (first.done === true) return;
  async function* all(): AsyncGenerator<Uint8Array> {
    for (let next = first; next.done !== true; next = await iterator.next()) yield next.value;
  }
  const is_wrapped = ((first.value[0] ?? 0) & 0x0f) === 8;
  yield* through(all(), is_wrapped ? createInflate() : createInflateRaw());
}

async function* allOf(body: AnswerBody): AsyncGenerator<Uint8Array> {
  for (let piece = await body.read(); piece !== null; piece = await body.read()) yield piece;
}
