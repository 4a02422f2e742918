import type { Protocol } from "../../src/core/endpoints.ts";
import type { Ask } from "../ask.ts";
import type { ModelName } from "../model-name.ts";
import type { Performance } from "../performance.ts";
import type { Rule } from "../rules/rule.ts";

/**
 * A wire protocol as a vendor speaks it. A new protocol is one file that implements this and one line in `index.ts`.
 */
export interface VendorProtocol {
  readonly protocol: Protocol;
  readonly stream_content_type: string;
  /** Whether requests to this path are this protocol's. */
  accepts(path: string): boolean;
  /** The model that is asked, before anything else is read. */
  modelOf(body: Readonly<Record<string, unknown>>, path: string): string | undefined;
  /** Whether the answer is to be streamed. */
  wantsStream(body: Readonly<Record<string, unknown>>, path: string): boolean;
  /** What the real vendor refuses of this model's requests, beside what cannot be read. */
  rulesOf?(model: ModelName): readonly Rule[];
  /** Reads the rest. Throws BadRequest where the real vendor answers 400. */
  readAsk(model: ModelName, body: Readonly<Record<string, unknown>>, headers: Headers, path: string): Ask;
  /** The body of an answer that is not streamed, or its text where a fault makes it no JSON. */
  whole(ask: Ask, performance: Performance): object | string;
  /** The events of a stream, in order. */
  frames(ask: Ask, performance: Performance): Iterable<Frame>;
  /** A path that asks only how many tokens the input has, and its answer. */
  readonly counting?: { accepts(path: string): boolean; answer(ask: Ask): object };
  errorBody(failure: Failure): object;
  /** Headers of an error's answer, for vendors that name its kind there. */
  errorHeaders?(failure: Failure): Record<string, string>;
  /** A failure inside a stream, after so many frames. */
  errorFrame(failure: Failure, ask: Ask, frames_before: number): Frame;
  /** Set where streams are no server-sent events: an event whose data break off, and one of so many bytes. */
  readonly binary?: { readonly broken: Uint8Array; huge(bytes: number): Uint8Array };
}

/**
 * One event of a stream. Faults find their place by `part`: `opening` comes before any content, `content` carries some,
 * `structure` begins and ends items and blocks, `closing` says how the answer ended, `terminal` ends the stream.
 */
export interface Frame {
  readonly part: "opening" | "content" | "structure" | "closing" | "terminal";
  readonly bytes: string | Uint8Array;
}

/** An error as a vendor tells it. */
export interface Failure {
  readonly status: number;
  readonly message: string;
  readonly param: string | null;
  /** A code in place of the status's usual one. */
  readonly code?: string;
  /** A body in place of the protocol's usual one. */
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
