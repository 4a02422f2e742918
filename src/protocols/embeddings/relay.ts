import { isAscii } from "node:buffer";
import type { ClientRequest, Exchange, ProtocolAdapter, Target, WholeAnswer } from "../../core/answer/exchange.ts";
import { BACKSLASH, QUOTE } from "../../core/ascii.ts";
import { GatewayError } from "../../core/errors.ts";
import { isObject, type JsonRecord } from "../../core/json.ts";
import { parseOrNull } from "../shared/parse-json.ts";
import { plainBody, plainExchange } from "../shared/plain-relay.ts";
import { readRelayedError } from "../shared/relayed-error.ts";
import { isBase64 } from "./vectors.ts";
import { type EmbeddingRequest, inputsOf } from "./wire-request.ts";
import {
  type AnswerShape,
  type Asked,
  askedOf,
  closing,
  embeddingsAnswer,
  OPENING,
  readEmbeddings,
} from "./write-answer.ts";

/** Embeddings by a vendor of chat completions, at its `/embeddings`: the client's own body, but for what must change. */
export const relayEmbeddings: ProtocolAdapter = { prepare };

const KEPT = new Set(["model", "input"]);

function prepare(request: ClientRequest, target: Target): Exchange {
  const body = request.body as EmbeddingRequest;
  const { id } = target.model;
  const asked = askedOf(body, id, inputsOf(body).length);
  const sent = plainBody(request, target, KEPT, (field) => {
    if (field === "dimensions") throw noDimensions(id);
    // The gateway writes the vectors in the form that was asked for, whichever its vendor sends.
    return field === "encoding_format" ? "quietly" : "named";
  });
  return Object.assign(plainExchange("/embeddings", sent), {
    is_light: true as const,
    readWhole: (answer: Parameters<Exchange["readWhole"]>[0]) => readEmbeddings(answer, SHAPE, asked),
    readPieces: (pieces: readonly Buffer[]) => relayPieces(pieces, SHAPE, asked),
    readError: readRelayedError,
  });
}

/** The members that every translation of a request for embeddings has a place for. */
export const TRANSLATED: readonly string[] = ["model", "input", "dimensions", "encoding_format"];

/** The texts of a request for a vendor that takes no tokens. Throws the 400 for tokens. */
export function textsOnly(body: EmbeddingRequest, model: string): readonly string[] {
  const inputs = inputsOf(body);
  if (inputs.every((input) => typeof input === "string")) return inputs;
  const message = `'input' is tokens; the model ${model} takes texts only, as its tokens are others.`;
  throw new GatewayError("invalid_input", message, { param: "input" });
}

/** A client cannot use vectors of another length than it asked for. */
export function noDimensions(model: string): GatewayError {
  const message = `'dimensions' is given; the model ${model} takes none there. Leave it out.`;
  return new GatewayError("invalid_input", message, { param: "dimensions" });
}

const SHAPE: AnswerShape = {
  member: "embedding",
  order: ({ data }) => (Array.isArray(data) ? inOrder(data) : null),
  told: ({ usage }) => (isObject(usage) ? (usage.prompt_tokens ?? usage.total_tokens) : undefined),
};

/** The vectors by the index that the vendor gives each: some send them as they are ready. Without indices they are in the inputs' order. */
function inOrder(data: readonly unknown[]): readonly unknown[] {
  const items = data.filter((item): item is JsonRecord => isObject(item));
  if (items.length !== data.length) return [];
  const has_indices = items.every(({ index }) => Number.isInteger(index));
  if (!has_indices) return items.map(({ embedding }) => embedding);
  const by_index = new Map(items.map(({ index, embedding }) => [index, embedding]));
  return Array.from({ length: data.length }, (_, index) => by_index.get(index));
}

/** The bytes of an answer, addressed as if they were one buffer: they stay in the pieces in which they arrived. */
class ArrivedPieces {
  readonly length: number;
  readonly #pieces: readonly Buffer[];
  /** The piece that was looked at last, and where it begins. */
  #at = 0;
  #start = 0;

  constructor(pieces: readonly Buffer[]) {
    this.#pieces = pieces;
    this.length = pieces.reduce((sum, { length }) => sum + length, 0);
  }

  /** Where the byte stands at this position or behind it; -1 where it does not. */
  indexOf(byte: number, from: number): number {
    this.#goTo(from);
    let start = this.#start;
    for (let at = this.#at; at < this.#pieces.length; at++) {
      const piece = this.#pieces[at] as Buffer;
      const found = piece.indexOf(byte, Math.max(0, from - start));
      if (found !== -1) return start + found;
      start += piece.length;
    }
    return -1;
  }

  /** The bytes in between, each as a character. */
  text(from: number, to: number): string {
    this.#goTo(from);
    const piece = this.#pieces[this.#at];
    if (piece !== undefined && to <= this.#start + piece.length)
      return piece.toString("latin1", from - this.#start, to - this.#start);
    return this.slices(from, to)
      .map((slice) => slice.toString("latin1"))
      .join("");
  }

  /** The bytes in between, in pieces. */
  slices(from: number, to: number): Buffer[] {
    this.#goTo(from);
    const slices: Buffer[] = [];
    let start = this.#start;
    for (let at = this.#at; start < to && at < this.#pieces.length; at++) {
      const piece = this.#pieces[at] as Buffer;
      const slice = piece.subarray(Math.max(0, from - start), to - start);
      if (slice.length > 0) slices.push(slice);
      start += piece.length;
    }
    return slices;
  }

  #goTo(position: number): void {
    if (position < this.#start) this.#at = this.#start = 0;
    for (let piece = this.#pieces[this.#at]; piece !== undefined; piece = this.#pieces[this.#at]) {
      if (position < this.#start + piece.length) return;
      this.#start += piece.length;
      this.#at += 1;
    }
  }
}

/** The most bytes between two vectors, and after the last one, of an answer whose pieces are relayed as they came. */
const MOST_BETWEEN_BYTES = 512;
const MOST_BEHIND_BYTES = 8192;
const BEFORE_VECTOR = /"embedding"\s*:\s*"/;

/**
 * Reads an answer in base64 whose items already are what the client gets: the client gets their bytes unchanged, in the pieces in which they
 * arrived, and only the text around them is read and written anew (docs/rulings.md 211). Null for every other answer, which is read whole.
 */
function relayPieces(pieces: readonly Buffer[], shape: AnswerShape, asked: Asked): WholeAnswer | null {
  if (asked.form !== "base64") return null;
  const bytes = new ArrivedPieces(pieces);
  const found = findVectors(bytes);
  const answer = found === null ? null : parseOrNull(found.rest);
  if (found === null || !isObject(answer) || found.count !== asked.inputs || !isPlain(answer, found.count)) return null;
  const items = bytes.slices(found.items_start, found.items_end);
  if (!items.every((slice) => isAscii(slice) && slice.indexOf(BACKSLASH) === -1)) return null;
  return embeddingsAnswer(shape.told(answer), (usage, cost) => [
    OPENING,
    ...items,
    closing(asked.model_id, usage, cost),
  ]);
}

interface FoundVectors {
  readonly count: number;
  /** The answer's text with a number in the place of each vector. */
  readonly rest: string;
  readonly items_start: number;
  readonly items_end: number;
}

/**
 * Finds where the vectors begin and end. The first is decoded to check it. The others are not read: they must be as long as the first, as
 * vectors of one model are.
 */
function findVectors(bytes: ArrivedPieces): FoundVectors | null {
  let rest = "";
  let at = 0;
  let count = 0;
  let length = 0;
  let items_start = 0;
  let usual_bytes = MOST_BETWEEN_BYTES;
  for (;;) {
    const before = textBefore(bytes, at, usual_bytes) ?? textBefore(bytes, at, MOST_BETWEEN_BYTES);
    if (before === null) break;
    const start = at + before.length + 1;
    const end = bytes.indexOf(QUOTE, start);
    if (count === 0) {
      if (end === -1 || !isBase64(bytes.text(start, end))) return null;
      length = end - start;
      items_start = before.lastIndexOf("[") + 1;
    } else if (end - start !== length) return null;
    // An index has at most one digit more than the index before it.
    else usual_bytes = before.length + 2;
    rest += before + count;
    count += 1;
    at = end + 1;
  }
  if (count === 0 || bytes.length - at > MOST_BEHIND_BYTES) return null;
  const behind = bytes.text(at, bytes.length);
  const items_end = at + behind.indexOf("]");
  return items_end < at ? null : { count, rest: rest + behind, items_start, items_end };
}

/** The text up to the quotation mark before the next vector; null where none begins within so many bytes. */
function textBefore(bytes: ArrivedPieces, at: number, within_bytes: number): string | null {
  const text = bytes.text(at, Math.min(bytes.length, at + within_bytes));
  const found = BEFORE_VECTOR.exec(text);
  return found === null ? null : text.slice(0, found.index + found[0].length - 1);
}

/** Whether the items have what the client gets and nothing else, in the inputs' order. */
function isPlain({ data }: JsonRecord, count: number): boolean {
  if (!Array.isArray(data) || data.length !== count) return false;
  return data.every((item: unknown, index) => {
    if (!isObject(item) || item.index !== index || item.embedding !== index) return false;
    return item.object === "embedding" && Object.keys(item).length === 3;
  });
}
