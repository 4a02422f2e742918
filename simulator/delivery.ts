import type { Ask } from "./ask.ts";
import type { Params } from "./model-name.ts";
import type { Failure, Frame, VendorProtocol } from "./protocols/protocol.ts";

/**
 * The delivery of an answer as a list of steps, which a fault may change. A fault sees frames and bytes, never the
 * protocol, so each fault works for all protocols. Any model takes a fault by name: `tools@fault=cut-mid`.
 */
export type DeliveryStep = Write | Pause | "cut" | "silence";

/** Bytes that go out in one write. */
interface Write {
  readonly write: string | Uint8Array;
}

interface Pause {
  readonly pause_ms: number;
}

interface DeliveryContext {
  readonly protocol: VendorProtocol;
  readonly ask: Ask;
  readonly params: Params;
}

interface Delivery {
  stream(frames: Iterable<Frame>, context: DeliveryContext): Iterable<DeliveryStep>;
  /** The steps of a body that is not streamed. */
  whole(body: string, context: DeliveryContext): Iterable<DeliveryStep>;
}

/**
 * The delay before a cut, so that the client can read the earlier bytes: a reset discards bytes that are not read yet.
 */
const CUT_AFTER_MS = 50;
const SLOW_BODY_MS = 400;
const BIG_LINE_BYTES = 1_100_000;

export const DELIVERIES = {
  /** The connection is closed while the headers are being sent. */
  "cut-headers": { stream: () => ["cut"], whole: () => ["cut"] },
  /**
   * Sends headers, then nothing more. A blank line is sent too, because the headers leave only with the body's first
   * bytes.
   */
  "hang-after-headers": { stream: () => [{ write: "\n" }, "silence"], whole: () => [{ write: "\n" }, "silence"] },
  "cut-before-content": breaking(0, cut),
  "cut-mid": breaking(null, cut),
  "stall-mid": breaking(null, () => ["silence"]),
  "error-first": {
    stream: (_frames, context) => [{ write: errorFrame(context, 0) }],
    whole: (_body, context) => [{ write: errorText(context) }],
  },
  "error-mid": {
    stream: (frames, context) => interrupted(frames, context, null, (sent) => [{ write: errorFrame(context, sent) }]),
    whole: (_body, context) => [{ write: errorText(context) }],
  },
  /** A pause (`@pause_ms`) in the middle of a body; streams have `@ms` for that. */
  "slow-body": {
    stream: (frames) => Array.from(frames, ({ bytes }) => ({ write: bytes })),
    whole: (body, { params }) => [
      { write: body.slice(0, body.length / 2) },
      { pause_ms: params.count("pause_ms", SLOW_BODY_MS) },
      { write: body.slice(body.length / 2) },
    ],
  },
  /** The stream ends cleanly after some content, as if the answer were complete. */
  "end-mid": breaking(null, () => []),
  /** Sends the whole stream except its terminal frame. */
  "no-done": { stream: withoutTerminal, whole: (body) => [{ write: body }] },
  "empty-200": { stream: () => [], whole: () => [] },
  "bad-json": {
    stream: (frames, context) => interrupted(frames, context, null, () => [{ write: brokenEvent(context) }]),
    whole: (body) => [{ write: body.slice(0, -2) }],
  },
  "huge-line": {
    stream: hugeLine,
    whole: (body, { params }) => [{ write: " ".repeat(bigLine(params)) }, { write: body }],
  },
  crlf: {
    stream: (frames) => rewritten(frames, (bytes) => bytes.replaceAll("\n", "\r\n")),
    whole: (body) => [{ write: body }],
  },
  cr: {
    stream: (frames) => rewritten(frames, (bytes) => bytes.replaceAll("\n", "\r")),
    whole: (body) => [{ write: body }],
  },
  comments: {
    stream: (frames) => rewritten(frames, (bytes) => `: keep-alive\n\n${bytes}`),
    whole: (body) => [{ write: body }],
  },
  /** Begins the stream with a byte order mark, which the event stream format allows. */
  bom: { stream: withByteOrderMark, whole: (body) => [{ write: body }] },
  /** Writes each byte separately. */
  "chunks-1": { stream: (frames) => inPieces(joined(frames), 1), whole: (body) => inPieces(body, 1) },
  "chunks-7": { stream: (frames) => inPieces(joined(frames), 7), whole: (body) => inPieces(body, 7) },
  /** Sends the whole stream in one write. */
  "one-chunk": { stream: (frames) => [{ write: joined(frames) }], whole: (body) => [{ write: body }] },
} as const satisfies Record<string, Delivery>;

export type DeliveryFault = keyof typeof DELIVERIES;

export function isDeliveryFault(name: string): name is DeliveryFault {
  return Object.hasOwn(DELIVERIES, name);
}

/** A stream without faults, at the pace that `@ms` sets between pieces of content. */
export function* paced(frames: Iterable<Frame>, pause_ms: number): Generator<DeliveryStep> {
  for (const frame of frames) {
    if (pause_ms > 0 && frame.part === "content") yield { pause_ms };
    yield { write: frame.bytes };
  }
}

/** Sends some content (`@after` pieces, else half of the content), then the steps that break the stream. */
function breaking(after: number | null, rest: (params: Params) => readonly DeliveryStep[]): Delivery {
  return {
    stream: (frames, context) => interrupted(frames, context, after, () => rest(context.params)),
    whole: (body, { params }) => [{ write: after === 0 ? "\n" : body.slice(0, body.length / 2) }, ...rest(params)],
  };
}

function cut(params: Params): readonly DeliveryStep[] {
  return [{ pause_ms: params.count("cut_ms", CUT_AFTER_MS) }, "cut"];
}

/** Sends the frames up to so many pieces of content, then `rest` in place of all later frames. */
function* interrupted(
  frames: Iterable<Frame>,
  { params }: DeliveryContext,
  after: number | null,
  rest: (sent: number) => readonly DeliveryStep[],
): Generator<DeliveryStep> {
  const all = [...frames];
  const contents = all.filter(({ part }) => part === "content").length;
  const wanted = after ?? params.count("after", Math.ceil(contents / 2));
  let passed = 0;
  let sent = 0;
  for (const frame of all) {
    if (frame.part === "content" && ++passed > wanted) break;
    if (frame.part === "closing" || frame.part === "terminal") break;
    yield { write: frame.bytes };
    sent += 1;
  }
  yield* rest(sent);
}

function* withoutTerminal(frames: Iterable<Frame>): Generator<DeliveryStep> {
  for (const frame of frames) if (frame.part !== "terminal") yield { write: frame.bytes };
}

function brokenEvent({ protocol }: DeliveryContext): Frame["bytes"] {
  return protocol.binary?.broken ?? 'data: {"broken": \n\n';
}

function* hugeLine(frames: Iterable<Frame>, { params, protocol }: DeliveryContext): Generator<DeliveryStep> {
  let done = false;
  for (const frame of frames) {
    if (!done && frame.part === "content") {
      done = true;
      const size = bigLine(params);
      yield { write: protocol.binary?.huge(size) ?? `data: ${" ".repeat(size)}{}\n\n` };
    }
    yield { write: frame.bytes };
  }
}

function bigLine(params: Params): number {
  return params.count("bytes", BIG_LINE_BYTES);
}

/** Rewrites text frames; binary frames have no lines and stay unchanged. */
function* rewritten(frames: Iterable<Frame>, rewrite: (text: string) => string): Generator<DeliveryStep> {
  for (const { bytes } of frames) yield { write: typeof bytes === "string" ? rewrite(bytes) : bytes };
}

function* withByteOrderMark(frames: Iterable<Frame>, { protocol }: DeliveryContext): Generator<DeliveryStep> {
  if (protocol.binary === undefined) yield { write: "\uFEFF" };
  for (const frame of frames) yield { write: frame.bytes };
}

function joined(frames: Iterable<Frame>): Uint8Array {
  return Buffer.concat(Array.from(frames, ({ bytes }) => Buffer.from(bytes)));
}

function* inPieces(whole: string | Uint8Array, length: number): Generator<DeliveryStep> {
  const bytes = Buffer.from(whole);
  for (let start = 0; start < bytes.length; start += length) yield { write: bytes.subarray(start, start + length) };
}

function failureOf({ params }: DeliveryContext): Failure {
  const status = params.count("status", 529);
  return { status, message: `Simulated failure inside an answer (${status}).`, param: null };
}

function errorFrame(context: DeliveryContext, sent: number): Frame["bytes"] {
  return context.protocol.errorFrame(failureOf(context), context.ask, sent).bytes;
}

function errorText(context: DeliveryContext): string {
  return JSON.stringify(context.protocol.errorBody(failureOf(context)));
}
