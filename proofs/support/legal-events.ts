import fc from "fast-check";
import type { Opaque } from "../../src/core/answer/generation.ts";
import type {
  BlockDelta,
  BlockKind,
  FinishReason,
  StreamEvent,
  TokenLogprob,
} from "../../src/core/answer/stream-event.ts";
import type { Usage } from "../../src/core/money/usage.ts";

/** Random legal answers as events (src/core/answer/stream-event.ts), for the laws that every codec keeps. */

/** The features that a style can express: a codec's law is limited to these. */
export interface LegalEventsOptions {
  readonly kinds?: readonly BlockKind["kind"][];
  readonly custom_tools?: boolean;
  readonly logprobs?: boolean;
  /** Opaque values that a block of a kind may end with; none where absent. */
  readonly opaque?: Partial<Record<BlockKind["kind"], fc.Arbitrary<Opaque>>>;
  readonly reasons?: readonly FinishReason[];
  /** False: every answer has a usage. */
  readonly may_lack_usage?: boolean;
  readonly max_blocks?: number;
}

/** Text that breaks careless code: quotes, escapes, line ends, characters of four bytes, markers of frames. */
export const someText: fc.Arbitrary<string> = fc.oneof(
  { weight: 6, arbitrary: fc.string({ unit: "grapheme", minLength: 1, maxLength: 12 }) },
  {
    weight: 2,
    arbitrary: fc.constantFrom(
      '"',
      "\\",
      "\n",
      "\r\n",
      "\u2028",
      "🌊",
      "é",
      "data: [DONE]\n\n",
      '","delta":{"',
      "null",
      " ",
    ),
  },
);

const someId = fc.stringMatching(/^[a-zA-Z0-9_-]{1,24}$/);
const someCount = fc.nat({ max: 100_000 });

export const someUsage: fc.Arbitrary<Usage> = fc
  .record({
    input_tokens: someCount,
    cache_read_tokens: someCount,
    cache_write_tokens: someCount,
    output_tokens: someCount,
    reasoning_tokens: someCount,
  })
  .map((usage) => ({ ...usage, reasoning_tokens: Math.min(usage.reasoning_tokens, usage.output_tokens) }));

const someBytes = fc.option(fc.array(fc.integer({ min: 0, max: 255 }), { maxLength: 4 }));
const someLogprob: fc.Arbitrary<TokenLogprob> = fc.record({
  token: someText,
  logprob: fc.double({ min: -20, max: 0, noNaN: true }).map((value) => value || 0),
  bytes: someBytes,
  top_logprobs: fc.array(fc.record({ token: someText, logprob: fc.constantFrom(-0.5, -1.25, -9), bytes: someBytes }), {
    maxLength: 2,
  }),
});

interface Block {
  readonly block: BlockKind;
  readonly pieces: readonly { readonly text: string; readonly logprobs?: readonly TokenLogprob[] }[];
  readonly opaque?: Opaque;
}

const someArguments = fc
  .dictionary(fc.constantFrom("a", "city", "q"), fc.oneof(fc.integer(), someText), { maxKeys: 3 })
  .map((value) => JSON.stringify(value));

function someBlockKind(options: LegalEventsOptions): fc.Arbitrary<BlockKind> {
  const kinds = options.kinds ?? ["text", "refusal", "reasoning", "tool-call"];
  const tools = options.custom_tools ? (["function", "custom"] as const) : (["function"] as const);
  return fc.constantFrom(...kinds).chain((kind): fc.Arbitrary<BlockKind> => {
    if (kind !== "tool-call") return fc.constant({ kind });
    return fc.record({ kind: fc.constant(kind), id: someId, name: someId, tool: fc.constantFrom(...tools) });
  });
}

function someBlock(options: LegalEventsOptions): fc.Arbitrary<Block> {
  return someBlockKind(options).chain((block) => {
    const is_call = block.kind === "tool-call" && block.tool === "function";
    const texts = is_call ? someArguments.chain(cut) : fc.array(someText, { minLength: 1, maxLength: 5 });
    const has_logprobs = options.logprobs === true && block.kind === "text";
    const logprobs = has_logprobs
      ? fc.option(fc.array(someLogprob, { minLength: 1, maxLength: 2 }))
      : fc.constant(null);
    const pieces = fc.tuple(texts, fc.array(logprobs, { minLength: 5, maxLength: 5 })).map(([all, probs]) =>
      all.map((text, at) => {
        const found = probs[at];
        return found ? { text, logprobs: found } : { text };
      }),
    );
    const opaque = options.opaque?.[block.kind];
    return fc
      .tuple(pieces, opaque === undefined ? fc.constant(null) : fc.option(opaque))
      .map(([all, sealed]) => ({ block, pieces: all, ...(sealed && { opaque: sealed }) }));
  });
}

/** A text cut into pieces at random places. */
function cut(text: string): fc.Arbitrary<string[]> {
  return fc.array(fc.nat({ max: text.length }), { maxLength: 4 }).map((places) => {
    const ends = [...new Set([...places, text.length])].filter((place) => place > 0).sort((one, other) => one - other);
    return ends.map((end, at) => text.slice(ends[at - 1] ?? 0, end));
  });
}

/** A legal sequence that ends in `finish`. The reason is `tool-calls` exactly where the events imply it. */
export function legalEvents(options: LegalEventsOptions = {}): fc.Arbitrary<StreamEvent[]> {
  const usage = options.may_lack_usage === false ? someUsage : fc.option(someUsage);
  return fc
    .record({
      id: fc.option(someId),
      created: fc.option(fc.integer({ min: 1, max: 2_000_000_000 })),
      blocks: fc.array(someBlock(options), { maxLength: options.max_blocks ?? 5 }),
      reason: fc.constantFrom(...(options.reasons ?? (["stop", "length", "content-filter", "refusal"] as const))),
      usage,
    })
    .map(({ id, created, blocks, reason, usage: used }) => {
      const events: StreamEvent[] = [{ type: "start", id, created, usage: null }];
      for (const [index, { block, pieces, opaque }] of blocks.entries()) {
        events.push({ type: "block-start", index, block: withOwnId(block, index) });
        for (const piece of pieces) events.push({ type: "block-delta", index, ...piece } satisfies BlockDelta);
        events.push({ type: "block-end", index, ...(opaque && { opaque }) });
      }
      const has_calls = blocks.some(({ block }) => block.kind === "tool-call");
      const derived = reason === "stop" && has_calls ? "tool-calls" : reason;
      return [...events, { type: "finish", reason: derived, stop_sequence: null, raw_reason: null, usage: used }];
    });
}

/** The results of calls are told apart by the calls' ids, so that no two calls of an answer share one. */
function withOwnId(block: BlockKind, index: number): BlockKind {
  return block.kind === "tool-call" ? { ...block, id: `${block.id}_${index}` } : block;
}
