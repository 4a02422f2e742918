import { expect, test } from "bun:test";
import Anthropic from "@anthropic-ai/sdk";
import fc from "fast-check";
import type { AnswerBlock, AssembledAnswer } from "../../../src/core/answer/answer.ts";
import type { AnswerContext } from "../../../src/core/answer/codec.ts";
import type { AssistantPart, GenerationRequest, Opaque } from "../../../src/core/answer/generation.ts";
import type { StreamEvent } from "../../../src/core/answer/stream-event.ts";
import { GatewayError } from "../../../src/core/errors.ts";
import { messages } from "../../../src/protocols/messages/client.ts";
import { decodeResponse, MessagesDecoder, messagesClientCodec } from "../../../src/protocols/messages/codec.ts";
import { decodeRequest } from "../../../src/protocols/messages/decode-request.ts";
import { foldEvents } from "../../../src/protocols/translate/fold-events.ts";
import { checkMessagesStream } from "../../grammars/messages/stream-grammar.ts";
import { decodeInPieces } from "../../support/decoded-answer.ts";
import { generation } from "../../support/generation.ts";
import { type LegalEventsOptions, legalEvents } from "../../support/legal-events.ts";
import { runs } from "../../support/runs.ts";

/** Laws that hold for any answer of any vendor. */

function contextOf(request: Partial<GenerationRequest> = {}): AnswerContext {
  const asked = generation({ reasoning: { enabled: true }, ...request });
  return { model: "acme/sonnet", request: asked, body: {}, input_estimate_tokens: 12, created: 1 };
}

function encode(events: readonly StreamEvent[], context = contextOf()): string {
  const encoder = messagesClientCodec.openEncoder(context);
  return events.map((event) => encoder.encode(event)).join("");
}

function folded(events: readonly StreamEvent[]): AssembledAnswer {
  const answer = foldEvents(events);
  if (answer === null) throw new Error("The answer has no end.");
  return answer;
}

const data = fc.base64String({ minLength: 4, maxLength: 24 });
const own = fc.record({ family: fc.constant("anthropic" as const), form: fc.constant("signature" as const), data });
const redacted = fc.record({ family: fc.constant("anthropic" as const), form: fc.constant("redacted" as const), data });
const foreign: fc.Arbitrary<Opaque> = fc.record(
  {
    family: fc.constantFrom("openai", "google", "bedrock"),
    form: fc.constantFrom("signature", "encrypted", "redacted"),
    data,
    id: fc.stringMatching(/^rs_[a-z:]{1,9}$/),
  },
  { requiredKeys: ["family", "form", "data"] },
);
const seal = fc.record({ family: fc.constant("google" as const), form: fc.constant("signature" as const), data });

/** Calls have ids of their own, and hidden reasoning has no text. */
function someEvents(options: LegalEventsOptions): fc.Arbitrary<StreamEvent[]> {
  return legalEvents({ may_lack_usage: false, ...options }).map((events) => {
    const hidden = new Set(events.flatMap((event) => (isHidden(event) ? [event.index] : [])));
    return events.flatMap((event): StreamEvent[] => {
      if (event.type === "block-delta" && hidden.has(event.index)) return [];
      if (event.type !== "block-start" || event.block.kind !== "tool-call") return [event];
      return [{ ...event, block: { ...event.block, id: `${event.block.id}-${event.index}` } }];
    });
  });
}

function isHidden(event: StreamEvent): event is StreamEvent & { type: "block-end" } {
  return event.type === "block-end" && event.opaque?.form === "redacted";
}

/** Answers with everything that this style can express. Their input is counted: a zero of the end erases no count of the start (`laterUsage`). */
const ownAnswers = someEvents({
  kinds: ["text", "reasoning", "tool-call"],
  opaque: { reasoning: fc.oneof(own, redacted) },
  reasons: ["stop", "length", "refusal"],
})
  .filter((events) => events.every((event) => event.type !== "finish" || event.usage?.input_tokens !== 0))
  .map(withSignedReasoning);

/**
 * Gives unsigned reasoning the signature that the gateway puts on it; no vendor of this style makes such a signature.
 */
function withSignedReasoning(events: readonly StreamEvent[]): StreamEvent[] {
  const reasoning = new Set<number>();
  return events.map((event) => {
    if (event.type === "block-start" && event.block.kind === "reasoning") reasoning.add(event.index);
    if (event.type !== "block-end" || event.opaque !== undefined || !reasoning.has(event.index)) return event;
    return { ...event, opaque: { family: "anthropic", form: "signature", data: "c2lnbmVk" } };
  });
}

/** Answers with everything that any vendor may send. */
const anyAnswers = someEvents({
  kinds: ["text", "refusal", "reasoning", "tool-call"],
  opaque: { reasoning: fc.oneof(own, redacted, foreign), text: seal, "tool-call": seal },
});

/** The blocks of an answer as a client gets them: a text that ends it has no seal. */
function sentBack({ blocks }: AssembledAnswer): readonly AnswerBlock[] {
  return blocks.map((block, nth) => {
    const ends = nth === blocks.length - 1 && (block.kind === "text" || block.kind === "refusal");
    const { opaque: _opaque, ...unsealed } = block;
    return ends ? unsealed : block;
  });
}

/** The part of an answer that survives a round trip: this style has no creation time, and has its own stop reasons. */
function comparable(answer: AssembledAnswer, id: string | null): object {
  return { ...answer, id: id === null ? null : answer.id, created: null, raw_reason: null };
}

test("an answer that is written as a stream is a legal stream, and is read again as the same answer", () => {
  fc.assert(
    fc.property(ownAnswers, fc.constantFrom(null, 1, 7), (events, size) => {
      const stream = encode(events);
      expect(checkMessagesStream(stream)).toEqual({ end: "stop" });
      const read = folded(decodeInPieces(new MessagesDecoder(), Buffer.from(stream), size));
      const said = folded(events);
      expect(comparable(read, said.id)).toEqual(comparable(said, said.id));
    }),
    { numRuns: runs(50) },
  );
});

test("a whole answer is read again as the same answer", () => {
  fc.assert(
    fc.property(ownAnswers, (events) => {
      const said = folded(events);
      const body = messagesClientCodec.encodeWhole(said, contextOf());
      const read = folded(decodeResponse(Buffer.from(body)).events);
      expect(comparable(read, said.id)).toEqual(comparable(said, said.id));
    }),
    { numRuns: runs(50) },
  );
});

test("any vendor's answer becomes a legal stream", () => {
  const requests = fc.constantFrom<Partial<GenerationRequest>>(
    {},
    { reasoning: { enabled: true, show: "none" } },
    { reasoning: { enabled: false } },
  );
  fc.assert(
    fc.property(anyAnswers, requests, (events, request) => {
      expect(checkMessagesStream(encode(events, contextOf(request)))).toEqual({ end: "stop" });
    }),
    { numRuns: runs(50) },
  );
});

test("an answer that is cut anywhere, or fails there, ends legally", () => {
  fc.assert(
    fc.property(anyAnswers, fc.nat(), (events, place) => {
      const passed = events.slice(0, 1 + (place % (events.length - 1)));
      const last = passed.at(-1);
      const open = last?.type === "block-start" || last?.type === "block-delta" ? [last.index] : [];
      const closed = open.map((index): StreamEvent => ({ type: "block-end", index }));
      const end = { type: "finish", reason: "length", stop_sequence: null, raw_reason: null, usage: null } as const;
      const cut = encode([...passed, ...closed, end]);
      expect(checkMessagesStream(cut)).toEqual({ end: "stop" });
      expect(cut).toContain('"stop_reason":"max_tokens"');
      const failure = new GatewayError("provider_error", "The vendor broke off.");
      const failed = encode(passed) + messagesClientCodec.openEncoder(contextOf()).fail(failure, "req_1");
      expect(checkMessagesStream(failed)).toEqual({ end: "error" });
    }),
    { numRuns: runs(50) },
  );
});

test("the official client reads the whole answer from the stream", async () => {
  const requests = fc.constantFrom<Partial<GenerationRequest>>({}, { reasoning: { enabled: true, show: "none" } });
  await fc.assert(
    fc.asyncProperty(anyAnswers, requests, async (events, request) => {
      const context = contextOf(request);
      const { id, ...whole } = JSON.parse(messagesClientCodec.encodeWhole(folded(events), context));
      const { id: streamed_id, ...streamed } = JSON.parse(JSON.stringify(await readWithSdk(encode(events, context))));
      const { parsed_output, ...shown } = streamed;
      expect(withoutParsed(shown)).toEqual(whole);
      if (folded(events).id !== null) expect(streamed_id).toBe(id);
    }),
    { numRuns: runs(20) },
  );
});

test("an answer that a client sends back is decoded to its own parts", () => {
  fc.assert(
    fc.property(anyAnswers, (events) => {
      const answer = folded(events);
      fc.pre(answer.blocks.length > 0);
      const { content } = JSON.parse(messagesClientCodec.encodeWhole(answer, contextOf()));
      const body = { model: "m", max_tokens: 9, messages: [{ role: "assistant", content }] };
      const request = messages.readRequest(JSON.stringify(body), new Headers({ "anthropic-version": "2023-06-01" }));
      const [replayed] = decodeRequest(request).messages;
      expect(replayed?.content).toEqual(sentBack(answer).map(partOf));
    }),
    { numRuns: runs(50) },
  );
});

test("each call and text keeps its seal, in whatever order a client sends the blocks back", () => {
  fc.assert(
    fc.property(anyAnswers, fc.infiniteStream(fc.nat()), (events, order) => {
      const answer = folded(events);
      const { content } = JSON.parse(messagesClientCodec.encodeWhole(answer, contextOf()));
      const shuffled = (content as object[])
        .map((block) => ({ block, rank: order.next().value }))
        .sort((one, other) => one.rank - other.rank)
        .map(({ block }) => block);
      const body = { model: "m", max_tokens: 9, messages: [{ role: "assistant", content: shuffled }] };
      const request = messages.readRequest(JSON.stringify(body), new Headers({ "anthropic-version": "2023-06-01" }));
      const [replayed] = decodeRequest(request).messages;
      expect(sealedParts((replayed?.content ?? []) as AssistantPart[])).toEqual(
        sealedParts(sentBack(answer).map(partOf)),
      );
    }),
    { numRuns: runs(75) },
  );
});

/** Calls and texts with their seals, unordered; texts are identified by their trimmed text. */
function sealedParts(parts: readonly AssistantPart[]): string[] {
  return parts
    .flatMap((part) => {
      if (part.type === "tool-call") return [JSON.stringify([part.id, part.opaque?.data ?? null])];
      return part.type === "text" ? [JSON.stringify([part.text.trim(), part.opaque?.data ?? null])] : [];
    })
    .sort();
}

/** A refusal comes back as the text that it was shown as. */
function partOf(block: AnswerBlock): AssistantPart {
  const { kind, text, opaque } = block;
  const sealed = opaque === undefined ? {} : { opaque };
  switch (kind) {
    case "text":
    case "refusal":
      return { type: "text", text, ...sealed };
    case "reasoning":
      return { type: "reasoning", text, ...sealed };
    case "tool-call":
      return { type: "tool-call", id: block.id, name: block.name, arguments: text, kind: "function", ...sealed };
  }
}

/** The helper adds the parsed form of structured answers to blocks of text. */
function withoutParsed(message: Record<string, unknown>): Record<string, unknown> {
  const content = message.content as Record<string, unknown>[];
  return { ...message, content: content.map(({ parsed, parsed_output, ...block }) => block) };
}

/** The message that the official client reads from a stream. */
async function readWithSdk(output: string) {
  const client = new Anthropic({
    apiKey: "cm-test",
    maxRetries: 0,
    fetch: async () => new Response(output, { headers: { "content-type": "text/event-stream" } }),
  });
  const stream = client.messages.stream({ model: "m", max_tokens: 10, messages: [{ role: "user", content: "Hi" }] });
  return await stream.finalMessage();
}
