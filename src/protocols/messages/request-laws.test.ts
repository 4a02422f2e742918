import { expect, test } from "bun:test";
import fc from "fast-check";
import { someText } from "../../../proofs/support/legal-events.ts";
import { runs } from "../../../proofs/support/runs.ts";
import { someRequests } from "../../../proofs/support/some-requests.ts";
import { targetFor } from "../../../proofs/support/target.ts";
import type {
  AssistantPart,
  CacheHint,
  GenerationRequest,
  Message,
  ReasoningSetting,
  UserPart,
} from "../../core/answer/generation.ts";
import type { Capabilities } from "../../core/catalog/catalog.ts";
import { messages } from "./client.ts";
import { decodeRequest } from "./decode-request.ts";
import { encodeRequest } from "./encode-request.ts";

/** Laws that hold for any request. */

const VERSION = new Headers({ "anthropic-version": "2023-06-01" });

function decoded(body: string): GenerationRequest {
  return decodeRequest(messages.readRequest(body, VERSION));
}

const hint: fc.Arbitrary<CacheHint> = fc.record({ ttl: fc.constantFrom(null, "5m", "1h") });
const maybeHint = fc.option(hint).map((cache) => (cache === null ? {} : { cache }));
const data = fc.base64String({ minLength: 4, maxLength: 24 });
const words = someText.map((text) => `${text}!`);

const image: fc.Arbitrary<UserPart> = fc
  .tuple(
    fc.oneof(
      fc.record({ kind: fc.constant("base64" as const), media_type: fc.constant("image/png"), data }),
      fc.record({ kind: fc.constant("url" as const), url: fc.webUrl() }),
    ),
    maybeHint,
  )
  .map(([source, cache]) => ({ type: "image", source, ...cache }));

const reasoning: fc.Arbitrary<AssistantPart> = fc.oneof(
  fc.record({
    type: fc.constant("reasoning" as const),
    text: fc.string(),
    opaque: fc.record({ family: fc.constant("anthropic" as const), form: fc.constant("signature" as const), data }),
  }),
  fc.record({
    type: fc.constant("reasoning" as const),
    text: fc.constant(""),
    opaque: fc.record({ family: fc.constant("anthropic" as const), form: fc.constant("redacted" as const), data }),
  }),
);

const SCHEMA = { type: "object", properties: { q: { type: "string" } }, required: ["q"], additionalProperties: false };
const EFFORTS = ["low", "medium", "high", "xhigh", "max"];

const settings = {
  parallel_tool_calls: fc.constant(false),
  max_output_tokens: fc.integer({ min: 1, max: 100_000 }),
  top_k: fc.integer({ min: 1, max: 100 }),
  stop: fc.array(words, { minLength: 1, maxLength: 3 }),
  end_user: fc.stringMatching(/^u-[a-z0-9]{1,20}$/),
  service_tier: fc.constantFrom("auto", "default"),
  format: fc.constant({ type: "json-schema" as const, name: "answer", schema: SCHEMA, strict: true }),
};

/** Settings that a request can have with thinking, which excludes a temperature and forced tool calls. */
const thoughtful: fc.Arbitrary<ReasoningSetting> = fc.record(
  {
    enabled: fc.constant(true),
    effort: fc.constantFrom(...EFFORTS),
    show: fc.constantFrom("auto", "none"),
    want_opaque: fc.constant(true),
  },
  { requiredKeys: ["enabled", "want_opaque"] },
);

const LEVELS: Partial<Capabilities> = { thinking: true, reasoning: { toggle: true, effort: EFFORTS } };

interface Case {
  readonly request: GenerationRequest;
  readonly capabilities: Partial<Capabilities>;
}

const plain = someRequests({
  user_parts: image,
  answer_parts: fc.array(reasoning, { maxLength: 2 }),
  error_results: true,
  settings: { ...settings, temperature: fc.double({ min: 0, max: 1, noNaN: true }) },
}).map((request): Case => ({ request, capabilities: {} }));

const switched = someRequests({ settings: { ...settings, reasoning: fc.constant({ enabled: false }) } }).map(
  (request): Case => ({ request, capabilities: LEVELS }),
);

const thinking = someRequests({
  answer_parts: fc.array(reasoning, { minLength: 1, maxLength: 2 }),
  settings: { ...settings, top_k: fc.constant(undefined as never), reasoning: thoughtful },
}).map(({ tool_choice, ...request }): Case => ({ request, capabilities: LEVELS }));

const budgeted = someRequests({
  answer_parts: fc.array(reasoning, { minLength: 1, maxLength: 2 }),
  settings: {
    ...settings,
    top_k: fc.constant(undefined as never),
    max_output_tokens: fc.constant(20_000),
    reasoning: fc
      .integer({ min: 1024, max: 10_000 })
      .map((budget_tokens) => ({ enabled: true, budget_tokens, want_opaque: true })),
  },
}).map(
  ({ tool_choice, ...request }): Case => ({
    request: { ...request, max_output_tokens: 20_000 },
    capabilities: { thinking: true, reasoning: { budget_tokens: { min: 1024, max: 16_000 } } },
  }),
);

/**
 * Random requests that this protocol can express: text that is not blank, answers with content, tools with a schema,
 * cache hints, and an output cap.
 */
const sayable: fc.Arbitrary<Case> = fc
  .tuple(fc.oneof(plain, switched, thinking, budgeted), maybeHint)
  .map(([{ request, capabilities }, cache]) => {
    const tools = request.tools.map((tool) => {
      if (tool.kind !== "function") return tool;
      const { strict, ...rest } = tool;
      return { ...rest, parameters: tool.parameters ?? { type: "object" }, ...cache };
    });
    const { parallel_tool_calls, tool_choice, ...rest } = request;
    const choice = tools.length === 0 ? {} : choiceOf(request);
    const cap = request.max_output_tokens ?? 64_000;
    const spoken = request.messages.map((message) => sayableMessage(message, cache));
    return { request: { ...rest, ...choice, tools, messages: spoken, max_output_tokens: cap }, capabilities };
  });

function choiceOf({ tool_choice, parallel_tool_calls }: GenerationRequest): Partial<GenerationRequest> {
  const serial = parallel_tool_calls === false && tool_choice?.mode !== "none" ? { parallel_tool_calls } : {};
  if (tool_choice !== undefined) return { tool_choice, ...serial };
  return serial.parallel_tool_calls === undefined ? {} : { tool_choice: { mode: "auto" }, ...serial };
}

function sayableMessage(message: Message, cache: { readonly cache?: CacheHint }): Message {
  const content = message.content.map((part) =>
    part.type === "text" && part.text.trim() === "" ? { ...part, text: "." } : part,
  );
  if (message.role === "tool") return { ...message, content, ...cache } as Message;
  if (content.length > 0) return { ...message, content } as Message;
  return { ...message, content: [{ type: "text", text: "…", ...cache }] } as Message;
}

test("a request that is encoded and decoded again is unchanged", () => {
  fc.assert(
    fc.property(sayable, ({ request, capabilities }) => {
      const encoded = encodeRequest(request, targetFor("messages", { capabilities }));
      expect(encoded.ignored).toEqual([]);
      expect(decoded(encoded.body)).toEqual({ ...request, model: "upstream-1" });
    }),
    { numRuns: runs(75) },
  );
});

test("the encoding of any request, decoded and encoded again, is unchanged", () => {
  const any = someRequests({
    user_parts: image,
    answer_parts: fc.array(reasoning, { maxLength: 2 }),
    error_results: true,
    authorities: ["system", "developer"],
    settings: { ...settings, temperature: fc.double({ min: 0, max: 2, noNaN: true }), reasoning: thoughtful },
  });
  fc.assert(
    fc.property(any, fc.constantFrom({}, LEVELS), (request, capabilities) => {
      const target = targetFor("messages", { capabilities });
      const once = encodeRequest(request, target).body;
      expect(JSON.parse(encodeRequest(decoded(once), target).body)).toEqual(JSON.parse(once));
    }),
    { numRuns: runs(75) },
  );
});
