import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { checkChatStream } from "../../../proofs/grammars/chat-completions/stream-grammar.ts";
import { checked, decodeInPieces } from "../../../proofs/support/decoded-answer.ts";
import { generation } from "../../../proofs/support/generation.ts";
import { legalEvents, someText } from "../../../proofs/support/legal-events.ts";
import { runs } from "../../../proofs/support/runs.ts";
import { someFormat, someRequests } from "../../../proofs/support/some-requests.ts";
import { targetFor } from "../../../proofs/support/target.ts";
import type { AnswerBlock, AssembledAnswer } from "../../core/answer/answer.ts";
import type { AnswerContext } from "../../core/answer/codec.ts";
import type { AssistantPart, GenerationRequest, Opaque, UserPart } from "../../core/answer/generation.ts";
import type { StreamEvent } from "../../core/answer/stream-event.ts";
import { foldEvents } from "../translate/fold-events.ts";
import { chatCompletions } from "./client.ts";
import { chatClientCodec, chatVendorCodec } from "./codec.ts";

/** Laws: everything that chat completions can express survives encoding and decoding, in requests and in answers. */

const data = fc.base64String({ minLength: 4, maxLength: 8 });
const userParts: fc.Arbitrary<UserPart> = fc.oneof(
  fc.record(
    {
      type: fc.constant("image" as const),
      source: fc.oneof(
        fc.constant({ kind: "url" as const, url: "https://a.example/i.png" }),
        data.map((bytes) => ({ kind: "base64" as const, media_type: "image/png", data: bytes })),
      ),
      detail: fc.constantFrom("low", "high"),
    },
    { requiredKeys: ["type", "source"] },
  ),
  data.map((bytes) => ({ type: "audio" as const, format: "wav", data: bytes })),
  fc.constant({ type: "video" as const, source: { kind: "url" as const, url: "https://a.example/v.mp4" } }),
  data.map((bytes) => ({
    type: "document" as const,
    source: { kind: "base64" as const, media_type: "application/pdf", data: bytes },
    filename: "a.pdf",
  })),
  fc.constant({ type: "document" as const, source: { kind: "file-id" as const, file_id: "file_1" } }),
);

const opaques: fc.Arbitrary<Opaque> = fc.oneof(
  someText.map((value): Opaque => ({ family: "anthropic", form: "signature", data: value })),
  someText.map((value): Opaque => ({ family: "anthropic", form: "redacted", data: value })),
  someText.map((value): Opaque => ({ family: "openai", form: "encrypted", data: value, id: "rs_1" })),
  someText.map((value): Opaque => ({ family: "bedrock", form: "signature", data: value })),
);
const reasoning = fc
  .tuple(someText, fc.option(opaques))
  .map(([text, opaque]): AssistantPart[] => [
    { type: "reasoning", text: opaque?.form === "redacted" ? "" : text, ...(opaque && { opaque }) },
  ]);

const SETTINGS = {
  max_output_tokens: fc.integer({ min: 1, max: 9999 }),
  temperature: fc.constantFrom(0, 0.7, 2),
  top_p: fc.constantFrom(0.1, 1),
  presence_penalty: fc.constantFrom(-1, 0.5),
  frequency_penalty: fc.constantFrom(-1, 0.5),
  seed: fc.integer(),
  stop: fc.array(someText, { minLength: 1, maxLength: 3 }),
  logprobs: fc.record({ top: fc.nat(5) }),
  logit_bias: fc.constant({ "50256": -100 }),
  format: someFormat,
  verbosity: fc.constantFrom("low", "high"),
  reasoning: fc.constantFrom("none", "low", "high").map((effort) => ({ effort })),
  end_user: someText,
  prompt_cache_key: someText,
  service_tier: fc.constantFrom("auto", "flex"),
} as const;

const target = targetFor("chat-completions", {
  capabilities: { thinking: true, reasoning: { toggle: true, effort: ["low", "high"] } },
  quirks: { reasoning_replay: "reasoning_details" },
});
const NO_HEADERS = { get: () => null };

/** A neutral request, encoded for a vendor and then decoded like a client's. */
function roundTrip(request: GenerationRequest): GenerationRequest {
  const { body } = chatVendorCodec.encodeRequest(request, target, NO_HEADERS);
  return chatClientCodec.decodeRequest(chatCompletions.readRequest(body, NO_HEADERS));
}

describe("a request", () => {
  test("that was encoded decodes to itself", () => {
    const requests = someRequests({
      user_parts: userParts,
      answer_parts: reasoning,
      custom_tools: true,
      authorities: ["system", "developer"],
      settings: SETTINGS,
    });
    fc.assert(
      fc.property(requests, (request) => {
        // A vendor is always asked for a stream's usage; decoded again, the request seems to come from a client that
        // wants it.
        const usage = request.stream ? { include_usage: true } : {};
        expect(roundTrip(request)).toEqual({ ...request, ...usage, model: "upstream-1" });
      }),
      { numRuns: runs(75) },
    );
  });

  test("keeps the seals of its text and its calls", () => {
    const seal = (value: string): Opaque => ({ family: "google", form: "signature", data: value });
    const request = generation({
      messages: [
        {
          role: "assistant",
          content: [
            { type: "reasoning", text: "Hm" },
            { type: "text", text: "Wait.", opaque: seal("t") },
            { type: "tool-call", id: "c1", name: "look", arguments: "{}", kind: "function", opaque: seal("a") },
            { type: "tool-call", id: "c2", name: "look", arguments: "{}", kind: "function" },
          ],
        },
      ],
    });
    expect(roundTrip(request).messages).toEqual([...request.messages]);
  });
});

const CONTEXT: AnswerContext = {
  model: "acme/swift",
  request: generation({ stream: true, include_usage: true }),
  body: {},
  input_estimate_tokens: 1,
  created: 1_790_000_000,
};

function encode(events: readonly StreamEvent[], context = CONTEXT): string {
  const encoder = chatClientCodec.openEncoder(context);
  return events.map((event) => encoder.encode(event)).join("");
}

function decode(stream: string, size: number | null = null): StreamEvent[] {
  return decodeInPieces(chatVendorCodec.openDecoder(target, CONTEXT.request), Buffer.from(stream), size);
}

const answers = legalEvents({
  custom_tools: true,
  logprobs: true,
  opaque: {
    reasoning: opaques,
    "tool-call": someText.map((value): Opaque => ({ family: "google", form: "signature", data: value })),
  },
});

/** Chat has no borders between blocks of one kind: adjacent blocks of a kind are merged. */
function merged(blocks: readonly AnswerBlock[]): AnswerBlock[] {
  const all: AnswerBlock[] = [];
  for (const block of blocks) {
    const last = all.at(-1);
    const is_open = last !== undefined && last.kind === block.kind && last.kind !== "tool-call" && !last.opaque;
    if (!is_open) all.push(block);
    else {
      const logprobs = [...(last.logprobs ?? []), ...(block.logprobs ?? [])];
      all[all.length - 1] = {
        ...last,
        ...block,
        text: last.text + block.text,
        ...(logprobs.length > 0 && { logprobs }),
      };
    }
  }
  return all;
}

/** The blocks in the order of a whole message's members; a stream has the order in which the blocks were generated. */
function byMember(blocks: readonly AnswerBlock[]): AnswerBlock[] {
  return ["reasoning", "text", "refusal", "tool-call"].flatMap((kind) => blocks.filter((block) => block.kind === kind));
}

/** The part of an answer that chat can express: one of four finish reasons, and no vendor's details. */
function asChatSays(answer: AssembledAnswer | null, blocks: (all: readonly AnswerBlock[]) => AnswerBlock[]) {
  if (answer === null) return null;
  const has_refusal = answer.blocks.some(({ kind }) => kind === "refusal");
  const has_calls = answer.blocks.some(({ kind }) => kind === "tool-call");
  const is_refusal = (answer.reason === "stop" || answer.reason === "refusal") && has_refusal && !has_calls;
  const reason = is_refusal ? "refusal" : answer.reason === "refusal" ? "content-filter" : answer.reason;
  return { blocks: blocks(answer.blocks), reason, usage: answer.usage };
}

describe("an answer", () => {
  test("becomes a legal stream, whatever its events", () => {
    fc.assert(
      fc.property(answers, fc.boolean(), (events, include_usage) => {
        const has_usage = events.some((event) => event.type === "finish" && event.usage !== null);
        const request = generation({ stream: true, ...(include_usage && { include_usage }) });
        const verdict = checkChatStream(encode(events, { ...CONTEXT, request }), {
          include_usage: include_usage && has_usage,
        });
        // A requested usage is always present at the end of a real stream: the pipeline adds it.
        if (!include_usage || has_usage) expect(verdict).toEqual({ end: "done" });
      }),
      { numRuns: runs(75) },
    );
  });

  test("decodes from its own stream to what was encoded, in pieces of any size", () => {
    fc.assert(
      fc.property(answers, fc.constantFrom(null, 1, 7), (events, size) => {
        const decoded = decode(encode(events), size);
        expect(asChatSays(foldEvents(decoded), merged)).toEqual(asChatSays(foldEvents(events), merged));
      }),
      { numRuns: runs(75) },
    );
  });

  test("has the same content whole as in its stream", () => {
    const kinds = ["text", "refusal", "tool-call"] as const;
    fc.assert(
      fc.property(legalEvents({ kinds, custom_tools: true, logprobs: true, may_lack_usage: false }), (events) => {
        const folded = foldEvents(events) as AssembledAnswer;
        const body = chatClientCodec.encodeWhole(folded, CONTEXT);
        const { events: read } = chatVendorCodec.decodeWhole(Buffer.from(body), target, CONTEXT.request);
        const sorted = (all: readonly AnswerBlock[]) => merged(byMember(all));
        expect(asChatSays(foldEvents(checked(read)), sorted)).toEqual(asChatSays(folded, sorted));
      }),
      { numRuns: runs(75) },
    );
  });

  test("has a fingerprint as OpenRouter's SDK reads it: null in a whole answer, where it must be, and none in a chunk", () => {
    const events: StreamEvent[] = [
      { type: "start", id: null, created: null, usage: null },
      { type: "finish", reason: "stop", stop_sequence: null, raw_reason: null, usage: null },
    ];
    const whole = JSON.parse(chatClientCodec.encodeWhole(foldEvents(events) as AssembledAnswer, CONTEXT));
    expect(whole).toHaveProperty("system_fingerprint", null);
    expect(encode(events)).not.toContain("system_fingerprint");
  });

  test("has the signature of a call on the call, in a stream with its first delta", () => {
    const opaque: Opaque = { family: "google", form: "signature", data: "c2ln" };
    const block = { kind: "tool-call", id: "c1", name: "look", tool: "function" } as const;
    const events: StreamEvent[] = [
      { type: "start", id: null, created: null, usage: null },
      { type: "block-start", index: 0, block, opaque },
      { type: "block-delta", index: 0, text: "{}" },
      { type: "block-end", index: 0, opaque },
      { type: "finish", reason: "tool-calls", stop_sequence: null, raw_reason: null, usage: null },
    ];
    const signed = { extra_content: { google: { thought_signature: "c2ln" } } };
    const whole = JSON.parse(chatClientCodec.encodeWhole(foldEvents(events) as AssembledAnswer, CONTEXT));
    expect(whole.choices[0].message).toMatchObject({
      tool_calls: [{ id: "c1", ...signed }],
      reasoning_details: [{ id: "c1" }],
    });
    const deltas = encode(events)
      .split("\n\n")
      .filter((frame) => frame.includes('"tool_calls":'))
      .map((frame) => JSON.parse(frame.slice("data: ".length)).choices[0].delta.tool_calls[0]);
    const declared = { index: 0, id: "c1", type: "function", function: { name: "look", arguments: "" } };
    expect(deltas).toEqual([
      { ...declared, ...signed },
      { index: 0, function: { arguments: "{}" } },
    ]);
    // Another issuer's signature says whose it is.
    const other = events.map((event) =>
      "opaque" in event ? { ...event, opaque: { ...opaque, family: "openai" as const } } : event,
    );
    expect(encode(other)).toContain('"thought_signature":"camino:openai:signature::c2ln"');
    // A decoder that reads the field again gives the signature to the call; the details beside it repeat it.
    const plain = encode(events).replaceAll(/,?"reasoning_details":\[[^\]]*\]/g, "");
    expect(foldEvents(decode(plain))?.blocks).toEqual([{ ...block, text: "{}", opaque }]);
  });

  test("shows no reasoning to a client that did not ask for it, except the seals that must come back", () => {
    const opaque: Opaque = { family: "anthropic", form: "signature", data: "s" };
    const events: StreamEvent[] = [
      { type: "start", id: null, created: null, usage: null },
      { type: "block-start", index: 0, block: { kind: "reasoning" } },
      { type: "block-delta", index: 0, text: "Hm" },
      { type: "block-end", index: 0, opaque },
      { type: "finish", reason: "stop", stop_sequence: null, raw_reason: null, usage: null },
    ];
    const hidden = { ...CONTEXT, request: generation({ reasoning: { show: "none" } }) };
    const folded = foldEvents(events) as AssembledAnswer;
    for (const said of [encode(events, hidden), chatClientCodec.encodeWhole(folded, hidden)]) {
      expect(said).not.toContain("reasoning_content");
      expect(said).toContain('"signature":"s"');
    }
  });
});
