import type { Protocol } from "../../src/core/endpoints.ts";
import type { Ask } from "../ask.ts";
import type { ModelName } from "../model-name.ts";
import type { Performance } from "../performance.ts";
import type { Rule } from "../rules/rule.ts";

/**
 * A wire protocol as a vendor speaks it. To add a protocol, implement this interface and add a line to `index.ts`.
 */
export interface VendorProtocol {
  readonly protocol: Protocol;
  readonly stream_content_type: string;
  /** The type of a stream where it depends on what was asked for. */
  contentType?(ask: Ask): string;
  /** Whether a request to the path belongs to this protocol. */
  accepts(path: string): boolean;
  /** The name of the requested model, which is read before the rest of the request. */
  modelOf(body: Readonly<Record<string, unknown>>, path: string): string | undefined;
  /** Whether the answer is to be streamed. */
  wantsStream(body: Readonly<Record<string, unknown>>, path: string): boolean;
  /** The rules by which the real vendor refuses requests for a model, besides requests that cannot be read. */
  rulesOf?(model: ModelName): readonly Rule[];
  /** Reads the rest of the request. Throws BadRequest when the real vendor would answer 400. */
  readAsk(model: ModelName, body: Readonly<Record<string, unknown>>, headers: Headers, path: string): Ask;
  /** The body of an answer that is not streamed, or its text when a fault makes it invalid JSON. */
  whole(ask: Ask, performance: Performance): object | string;
  /** The events of a stream, in order. */
  frames(ask: Ask, performance: Performance): Iterable<Frame>;
  /** The endpoint that only counts input tokens: its path, and its answer. */
  readonly counting?: { accepts(path: string): boolean; answer(ask: Ask): object };
  /** Headers of an answer that is not streamed, for vendors that count in a header. */
  answerHeaders?(ask: Ask, performance: Performance): Record<string, string>;
  errorBody(failure: Failure): object;
  /** Headers of an error answer, for vendors that name the error's kind in a header. */
  errorHeaders?(failure: Failure): Record<string, string>;
  /** The frame of a failure inside a stream, after `frames_before` frames. */
  errorFrame(failure: Failure, ask: Ask, frames_before: number): Frame;
  /** Set when streams are not server-sent events: an event with truncated data, and an event of a given size. */
  readonly binary?: { readonly broken: Uint8Array; huge(bytes: number): Uint8Array };
}

/**
 * One event of a stream. `part` tells faults where the event stands: `opening` comes before any content, `content`
 * carries content, `structure` begins and ends items and blocks, `closing` has the reason of the end, `terminal` ends
 * the stream.
 */
export interface Frame {
  readonly part: "opening" | "content" | "structure" | "closing" | "terminal";
  readonly bytes: string | Uint8Array;
}

/** An error that the simulated vendor sends. */
export interface Failure {
  readonly status: number;
  readonly message: string;
  readonly param: string | null;
  /** A code that replaces the status's usual code. */
  readonly code?: string;
  /** A body that replaces the protocol's usual error body. */
  readonly body?: object;
}

/** A server-sent event without a name. */
export function dataFrame(part: Frame["part"], data: string): Frame {
  return { part, bytes: `data: ${data}\n\n` };
}

/** A server-sent event with a name. */
export function namedFrame(part: Frame["part"], event: string, data: object): Frame {
  return { part, bytes: `event: ${event}\ndata: ${JSON.stringify(data)}\n\n` };
}
