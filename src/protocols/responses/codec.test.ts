import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { checkResponsesStream } from "../../../proofs/grammars/responses/stream-grammar.ts";
import { booked, checked, decodeInPieces } from "../../../proofs/support/decoded-answer.ts";
import { generation } from "../../../proofs/support/generation.ts";
import { legalEvents, someText } from "../../../proofs/support/legal-events.ts";
import { runs } from "../../../proofs/support/runs.ts";
import { someFormat, someRequests } from "../../../proofs/support/some-requests.ts";
import { targetFor } from "../../../proofs/support/target.ts";
import type { AnswerBlock, AssembledAnswer } from "../../core/answer/answer.ts";
import type { AnswerContext } from "../../core/answer/codec.ts";
import type {
  AssistantPart,
  GenerationRequest,
  Message,
  Opaque,
  Tool,
  UserPart,
} from "../../core/answer/generation.ts";
import type { StreamEvent } from "../../core/answer/stream-event.ts";
import { GatewayError } from "../../core/errors.ts";
import { foldEvents } from "../translate/fold-events.ts";
import { responses } from "./client.ts";
import { responsesClientCodec, responsesVendorCodec } from "./codec.ts";
import { encryptedContent, UNSIGNED_CONTENT } from "./seal.ts";

/**
 * Laws: everything that the responses protocol can express survives encoding and decoding, in requests and in answers.
 */

const data = fc.base64String({ minLength: 4, maxLength: 8 });
const images: fc.Arbitrary<UserPart> = fc.record(
  {
    type: fc.constant("image" as const),
    source: fc.oneof(
      fc.constant({ kind: "url" as const, url: "https://a.example/i.png" }),
      fc.constant({ kind: "file-id" as const, file_id: "file_2" }),
      data.map((bytes) => ({ kind: "base64" as const, media_type: "image/png", data: bytes })),
    ),
    detail: fc.constantFrom("low", "high"),
  },
  { requiredKeys: ["type", "source"] },
);
const documents = fc.oneof(
  data.map((bytes) => ({
    type: "document" as const,
    source: { kind: "base64" as const, media_type: "application/pdf", data: bytes },
    filename: "a.pdf",
  })),
  fc.constant({ type: "document" as const, source: { kind: "file-id" as const, file_id: "file_1" } }),
  fc.constant({ type: "document" as const, source: { kind: "url" as const, url: "https://a.example/d.pdf" } }),
);
const audio = data.map((bytes) => ({ type: "audio" as const, format: "wav", data: bytes }));
const text = someText.map((said) => ({ type: "text" as const, text: said }));

const encrypted = someText.map((value): Opaque => ({ family: "openai", form: "encrypted", data: value, id: "rs_1" }));
const answerParts = fc.oneof(
  fc
    .tuple(fc.oneof(fc.constant(""), someText), encrypted)
    .map(([said, opaque]): AssistantPart[] => [{ type: "reasoning", text: said, opaque }]),
  someText.map((said): AssistantPart[] => [{ type: "refusal", text: said }]),
  fc.constant([]),
);

const SETTINGS = {
  max_output_tokens: fc.integer({ min: 16, max: 9999 }),
  temperature: fc.constantFrom(0, 0.7, 2),
  top_p: fc.constantFrom(0.1, 1),
  logprobs: fc.record({ top: fc.nat(5) }),
  format: fc.oneof(someFormat, fc.constant({ type: "text" as const })),
  verbosity: fc.constantFrom("low", "high"),
  reasoning: fc.record(
    {
      effort: fc.constantFrom("none", "low", "high"),
      show: fc.constantFrom("auto" as const, "detailed" as const),
      want_opaque: fc.constant(true),
    },
    { requiredKeys: ["want_opaque"] },
  ),
  end_user: someText,
  metadata: fc.dictionary(fc.constantFrom("a", "b"), someText),
  prompt_cache_key: someText,
  service_tier: fc.constantFrom("auto", "default"),
} as const;

const target = targetFor("responses", {
  input_modalities: ["text", "audio"],
  capabilities: { thinking: true, reasoning: { toggle: true, effort: ["low", "high"] } },
});
const NO_HEADERS = { get: () => null };

/** Encodes a neutral request as for a vendor, and decodes the result as if a client had sent it. */
function roundTrip(request: GenerationRequest): GenerationRequest {
  const { body } = responsesVendorCodec.encodeRequest(request, target, NO_HEADERS);
  return responsesClientCodec.decodeRequest(responses.readRequest(body, NO_HEADERS));
}

/**
 * The request as it comes back: fields that it leaves unset get the explicit values that encoding writes, because this
 * protocol's own defaults differ. A message without content becomes no item.
 */
function withDefaults(request: GenerationRequest): GenerationRequest {
  const { format, reasoning } = request;
  const asTool = (tool: Tool): Tool =>
    tool.kind === "function" ? { strict: false, parameters: { type: "object", properties: {} }, ...tool } : tool;
  return {
    ...request,
    model: "upstream-1",
    messages: request.messages.map(withoutLastReasoning).filter(({ content }) => content.length > 0),
    tools: request.tools.map(asTool),
    reasoning: { want_opaque: true, ...reasoning },
    ...(format?.type === "json-schema" && { format: { strict: false, ...format } }),
  };
}

/** The message without reasoning at its end, after which nothing follows: such reasoning is not sent. */
function withoutLastReasoning(message: Message): Message {
  if (message.role !== "assistant") return message;
  const last = message.content.findLastIndex(({ type }) => type !== "reasoning");
  return { ...message, content: message.content.slice(0, last + 1) };
}

describe("a request", () => {
  test("that was encoded decodes to itself", () => {
    const requests = someRequests({
      user_parts: fc.oneof(images, documents, audio),
      answer_parts: answerParts,
      result_parts: fc.oneof(text, images, documents) as never,
      custom_tools: true,
      authorities: ["system", "developer"],
      settings: SETTINGS,
    });
    fc.assert(
      fc.property(requests, (request) => {
        expect(roundTrip(request)).toEqual(withDefaults(request));
      }),
      { numRuns: runs(75) },
    );
  });
});

const CONTEXT: AnswerContext = {
  model: "acme/swift",
  request: generation({ stream: true }),
  body: {},
  input_estimate_tokens: 1,
  created: 1_790_000_000,
};

function encode(events: readonly StreamEvent[]): string {
  const encoder = responsesClientCodec.openEncoder(CONTEXT);
  return events.map((event) => encoder.encode(event)).join("");
}

function decode(stream: string, size: number | null = null): StreamEvent[] {
  return decodeInPieces(responsesVendorCodec.openDecoder(target, CONTEXT.request), Buffer.from(stream), size);
}

const opaques: fc.Arbitrary<Opaque> = fc.oneof(
  someText.map((value): Opaque => ({ family: "anthropic", form: "signature", data: value })),
  someText.map((value): Opaque => ({ family: "anthropic", form: "redacted", data: value })),
  someText.map((value): Opaque => ({ family: "openai", form: "encrypted", data: value, id: "rs_1" })),
  someText.map((value): Opaque => ({ family: "google", form: "signature", data: value })),
);
const answers = legalEvents({ custom_tools: true, logprobs: true, opaque: { reasoning: opaques } });
const sealed = legalEvents({
  custom_tools: true,
  logprobs: true,
  opaque: { reasoning: opaques, "tool-call": opaques, text: opaques },
});

/**
 * The part of an answer that this protocol can express: its own finish reasons, and sealed reasoning as an item holds
 * it.
 */
function asResponsesSay(answer: AssembledAnswer | null) {
  if (answer === null) return null;
  const { blocks, reason, usage } = answer;
  return { blocks: blocks.map(shown), reason: reasonOf(blocks, reason), usage };
}

function shown(block: AnswerBlock): AnswerBlock {
  const logprobs = block.logprobs?.map((one) => ({
    ...one,
    bytes: knownBytes(one.bytes),
    top_logprobs: one.top_logprobs.map((top) => ({ ...top, bytes: knownBytes(top.bytes) })),
  }));
  const unsigned = block.kind === "reasoning" ? UNSIGNED_CONTENT : null;
  const data = block.opaque === undefined ? unsigned : encryptedContent(block.opaque);
  const opaque: Opaque | null = data === null ? null : { family: "openai", form: "encrypted", data };
  return { ...block, ...(logprobs && { logprobs }), ...(opaque && { opaque }) };
}

function knownBytes(bytes: readonly number[] | null): readonly number[] | null {
  return bytes === null || bytes.length === 0 ? null : bytes;
}

function reasonOf(blocks: readonly AnswerBlock[], reason: AssembledAnswer["reason"]): AssembledAnswer["reason"] {
  const has_refusal = blocks.some(({ kind }) => kind === "refusal");
  if (reason === "length" || reason === "content-filter") return reason;
  if (reason === "refusal" && !has_refusal) return "content-filter";
  if (blocks.some(({ kind }) => kind === "tool-call")) return "tool-calls";
  return has_refusal ? "refusal" : "stop";
}

/** The answer without the ids of its items, which are random for each stream. */
function withoutIds(answer: ReturnType<typeof asResponsesSay>) {
  const blocks = answer?.blocks.map(({ opaque, ...block }) => {
    const { id: _, ...rest } = opaque ?? { id: undefined };
    return opaque === undefined ? block : { ...block, opaque: rest };
  });
  return { ...answer, blocks };
}

describe("an answer", () => {
  test("becomes a legal stream, whatever its events", () => {
    fc.assert(
      fc.property(sealed, (events) => {
        const end = events.at(-1);
        expect(checkResponsesStream(encode(events))).toEqual({
          end: expect.stringMatching(/^(completed|incomplete)$/),
        });
        expect(end?.type).toBe("finish");
      }),
      { numRuns: runs(75) },
    );
  });

  test("becomes a legal stream also when it fails, at any event", () => {
    fc.assert(
      fc.property(sealed, fc.nat(), (events, at) => {
        const encoder = responsesClientCodec.openEncoder(CONTEXT);
        const until = 1 + (at % (events.length - 1));
        const before = events.slice(0, until).map((event) => encoder.encode(event));
        const end = encoder.fail(new GatewayError("provider_error", "It broke."), "req_1");
        expect(checkResponsesStream(before.join("") + end)).toEqual({ end: "failed" });
      }),
    );
  });

  test("decodes from its own stream to what was encoded, in pieces of any size", () => {
    fc.assert(
      fc.property(answers, fc.constantFrom(null, 1, 7), (events, size) => {
        const folded = foldEvents(events);
        // What has neither content nor a count is no answer.
        fc.pre(folded !== null && (folded.blocks.length > 0 || folded.usage !== null));
        const decoded = asDecoded(foldEvents(decode(encode(events), size)));
        expect(decoded).toEqual(withoutIds(asResponsesSay(foldEvents(events))));
      }),
      { numRuns: runs(75) },
    );
  });

  test("has the same response whole as at the end of its stream", () => {
    fc.assert(
      fc.property(sealed, (events) => {
        const folded = foldEvents(events) as AssembledAnswer;
        // What has neither content nor a count is no answer.
        fc.pre(folded.blocks.length > 0 || folded.usage !== null);
        const whole = JSON.parse(responsesClientCodec.encodeWhole(folded, CONTEXT));
        expect(anonymous(whole)).toEqual(anonymous(lastResponse(encode(events))));
        const { events: read } = responsesVendorCodec.decodeWhole(
          Buffer.from(JSON.stringify(whole)),
          target,
          CONTEXT.request,
        );
        expect(booked(foldEvents(checked(read))?.usage)).toEqual(folded.usage);
      }),
      { numRuns: runs(75) },
    );
  });

  test("comes back from a client as it was sent, with every seal, byte for byte", () => {
    fc.assert(
      fc.property(sealed, fc.boolean(), (events, keeps_ids) => {
        const { output } = lastResponse(encode(events)) as { output: Record<string, unknown>[] };
        // Codex leaves the ids of items out.
        const input = keeps_ids ? output : output.map(({ id: _, ...item }) => item);
        const body = JSON.stringify({ model: "acme/swift", input });
        const { messages } = responsesClientCodec.decodeRequest(responses.readRequest(body, NO_HEADERS));
        const parts = foldEvents(events)?.blocks.map(asPart) ?? [];
        expect(messages).toEqual(parts.length === 0 ? [] : [{ role: "assistant", content: parts }]);
      }),
      { numRuns: runs(75) },
    );
  });

  test("keeps each seal with its call or text, in whatever order a client gives the items back", () => {
    const named = sealed.map((events) =>
      events.map((event) =>
        event.type === "block-start" && event.block.kind === "tool-call"
          ? { ...event, block: { ...event.block, id: `${event.block.id}-${event.index}` } }
          : event,
      ),
    );
    fc.assert(
      fc.property(named, fc.infiniteStream(fc.nat()), (events, order) => {
        const { output } = lastResponse(encode(events)) as { output: Record<string, unknown>[] };
        const input = output
          .map((item) => ({ item, rank: order.next().value }))
          .sort((one, other) => one.rank - other.rank)
          .map(({ item }) => item);
        const body = JSON.stringify({ model: "acme/swift", input });
        const { messages } = responsesClientCodec.decodeRequest(responses.readRequest(body, NO_HEADERS));
        const parts = messages.flatMap(({ content }) => content as readonly AssistantPart[]);
        expect(sealedParts(parts)).toEqual(sealedParts(foldEvents(events)?.blocks.map(asPart) ?? []));
      }),
      { numRuns: runs(75) },
    );
  });

  test("decodes from the whole response to the same answer as from its stream", () => {
    fc.assert(
      fc.property(sealed, (events) => {
        const stream = encode(events);
        const body = Buffer.from(JSON.stringify(lastResponse(stream)));
        const { events: read } = responsesVendorCodec.decodeWhole(body, target, CONTEXT.request);
        expect(foldEvents(checked(read))).toEqual(foldEvents(decode(stream)));
      }),
      { numRuns: runs(75) },
    );
  });
});

/** A block of an answer as the message part that it becomes when a client gives it back. */
function asPart({ text: said, logprobs: _, ...block }: AnswerBlock): AssistantPart {
  if (block.kind === "tool-call") {
    const { tool, kind, ...rest } = block;
    return { ...rest, type: kind, kind: tool, arguments: said };
  }
  const { kind, ...rest } = block;
  return { ...rest, type: kind, text: said } as AssistantPart;
}

/** Calls and texts with their seals, sorted. Texts are compared without white space at their ends. */
function sealedParts(parts: readonly AssistantPart[]): string[] {
  return parts
    .flatMap((part) => {
      if (part.type === "tool-call") return [JSON.stringify([part.id, part.opaque ?? null])];
      return part.type === "text" ? [JSON.stringify([part.text.trim(), part.opaque ?? null])] : [];
    })
    .sort();
}

function asDecoded(answer: AssembledAnswer | null) {
  if (answer === null) return null;
  const { blocks, reason, usage } = answer;
  return withoutIds({ blocks: [...blocks], reason, usage: booked(usage) });
}

function lastResponse(stream: string): Record<string, unknown> {
  const frame = stream.trimEnd().split("\n\n").at(-1) ?? "";
  return JSON.parse(frame.slice(frame.indexOf("data: ") + 6)).response;
}

/** A response without the random part of its ids and without its completion time. */
function anonymous(response: Record<string, unknown>): unknown {
  const base = String(response.id).slice("resp_".length);
  const { completed_at: _, ...rest } = response;
  return JSON.parse(JSON.stringify(rest).replaceAll(base, ""));
}
