import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { sealOf } from "../../../simulator/seal.ts";
import type { AssistantPart, GenerationRequest, Message, UserPart } from "../../../src/core/answer/generation.ts";
import { GatewayError } from "../../../src/core/errors.ts";
import { fitRequest } from "../../../src/protocols/translate/fit-request.ts";
import { someText } from "../../support/legal-events.ts";
import { runs } from "../../support/runs.ts";
import { someFormat, someRequests } from "../../support/some-requests.ts";
import { complaintOf, STRICT_VENDORS, type StrictVendor, strictTarget } from "../../support/strict-vendors.ts";

/**
 * The law: whatever a client of another style asks, what is sent to a vendor is taken by that vendor, or the gateway itself
 * has refused it in clear words. The vendor's part is played by the simulator's rules and readers.
 */

/** Calls of other vendors, of other gateways and of programs have ids of every kind. */
const someIdStyle = fc.constantFrom<(id: string) => string>(
  (id) => id,
  (id) => `functions.search:${id}`,
  (id) => `fc_${id}_${"0f0e50a1476a6c35006912c58dc9f8".repeat(2)}`,
  (id) => `${id} ünd/so`,
);

const hint = fc.constantFrom({}, { cache: { ttl: null } }, { cache: { ttl: "1h" as const } });
const PIXEL = { kind: "base64", media_type: "image/png", data: "iVBORw0KGgo=" } as const;
const someUserPart: fc.Arbitrary<UserPart> = fc.oneof(
  fc
    .tuple(fc.constantFrom("", " ", "So \n", "x"), hint)
    .map(([text, cache]): UserPart => ({ type: "text", text, ...cache })),
  hint.map((cache): UserPart => ({ type: "image", source: PIXEL, ...cache })),
  fc.constantFrom("application/pdf", "text/plain", "text/markdown").map(
    (media_type): UserPart => ({
      type: "document",
      source: { kind: "base64", media_type, data: "SGVsbG8=" },
      filename: "notes",
    }),
  ),
);

const OPAQUE = [
  { family: "openai", form: "encrypted" },
  { family: "anthropic", form: "signature" },
  { family: "google", form: "signature" },
] as const;
const someReasoning: fc.Arbitrary<AssistantPart> = fc
  .tuple(someText, fc.option(fc.constantFrom(...OPAQUE)))
  .map(([text, opaque]) => ({
    type: "reasoning",
    text,
    ...(opaque !== null && { opaque: { ...opaque, data: sealOf(text) } as never }),
  }));

const settings = {
  parallel_tool_calls: fc.boolean(),
  max_output_tokens: fc.constantFrom(1, 15, 16, 1024, 2048, 60_000),
  temperature: fc.constantFrom(0, 0.5, 1, 1.5, 2),
  top_p: fc.constantFrom(0.1, 0.95, 1),
  top_k: fc.constantFrom(1, 40),
  presence_penalty: fc.constantFrom(-1, 0, 0.5),
  frequency_penalty: fc.constantFrom(0, 2),
  seed: fc.constant(7),
  stop: fc.constantFrom(["END"], ["\n"], ["1", "2", "3", "4", "5", "6"]),
  logprobs: fc.constantFrom({ top: 0 }, { top: 5 }),
  verbosity: fc.constant("low" as const),
  end_user: fc.constant("user-1"),
  metadata: fc.constant({ team: "a" }),
  prompt_cache_key: fc.constant("k"),
  service_tier: fc.constantFrom("auto", "default", "flex"),
  format: someFormat,
  reasoning: fc.oneof(
    fc.record({ enabled: fc.boolean() }),
    fc.record({ effort: fc.constantFrom("none", "minimal", "low", "high", "xhigh") }),
    fc.record({ budget_tokens: fc.constantFrom(1, 1024, 4096) }),
  ),
} as const;

/** A request of another style's client: any text, any id, a conversation that ends in any way. */
const someForeignRequest: fc.Arbitrary<GenerationRequest> = fc
  .record({
    request: someRequests({
      user_parts: someUserPart,
      answer_parts: fc.array(someReasoning, { maxLength: 2 }),
      error_results: true,
      custom_tools: true,
      authorities: ["system", "developer"],
      settings: settings as never,
    }),
    id_style: someIdStyle,
    dropped: fc.integer({ min: 0, max: 1 }),
  })
  .map(({ request, id_style, dropped }) => {
    const renamed = request.messages.map((message): Message => {
      if (message.role === "tool") return { ...message, call_id: id_style(message.call_id) };
      if (message.role !== "assistant") return message;
      const content = message.content.map((part) =>
        part.type === "tool-call" ? { ...part, id: id_style(part.id) } : part,
      );
      return { ...message, content };
    });
    return honest({ ...request, messages: dropped === 0 ? renamed : renamed.slice(0, -1) });
  });

const CLOSED = { type: "object", properties: { q: { type: "string" } }, required: ["q"], additionalProperties: false };

/** What any vendor of the client's own style would refuse is the client's to mend: strict schemas that are not, and such. */
function honest(request: GenerationRequest): GenerationRequest {
  const { format, tools } = request;
  const closed = tools.map((tool) =>
    tool.kind === "function" && tool.strict === true ? { ...tool, parameters: CLOSED } : tool,
  );
  const asking: Message[] =
    format?.type === "json-object"
      ? [{ role: "system", authority: "system", content: [{ type: "text", text: "Answer in JSON." }] }]
      : [];
  return {
    ...request,
    tools: closed,
    messages: [...asking, ...request.messages.map(notEmpty)],
    ...(format?.type === "json-schema" && format.strict === true && { format: { ...format, schema: CLOSED } }),
  };
}

function withoutPrefill(request: GenerationRequest): GenerationRequest {
  const end = request.messages.findLastIndex(({ role }) => role !== "assistant") + 1;
  return { ...request, messages: request.messages.slice(0, end) };
}

function notEmpty(message: Message): Message {
  if (message.role !== "user" || message.content.some((part) => part.type !== "text" || part.text.trim() !== ""))
    return message;
  return { ...message, content: [...message.content, { type: "text", text: "x" }] };
}

/** What the vendor would say of a request that was written for it; null where it takes the request. */
function refusalOf(vendor: StrictVendor, request: GenerationRequest): string | null {
  const target = strictTarget(vendor);
  const fitted = fitRequest(request, vendor.codec.traits(target, request), target);
  return complaintOf(vendor, vendor.codec.encodeRequest(fitted.request, target, new Headers()));
}

describe("what is written for a vendor is taken by it", () => {
  test.each(STRICT_VENDORS.map((vendor) => [vendor.protocol, vendor.model, vendor] as const))(
    "%s, %s",
    (_protocol, _model, vendor) => {
      fc.assert(
        fc.property(someForeignRequest, (request) => {
          try {
            expect(refusalOf(vendor, vendor.no_prefill ? withoutPrefill(request) : request)).toBeNull();
          } catch (error) {
            if (!(error instanceof GatewayError)) throw error;
            expect(error.code).toBe("unsupported_parameter");
          }
        }),
        { numRuns: runs(100) },
      );
    },
  );
});
