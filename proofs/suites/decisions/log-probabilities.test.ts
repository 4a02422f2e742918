import { expect, test } from "bun:test";
import fc from "fast-check";
import { GatewayError } from "../../../src/core/errors.ts";
import { type LabelReading, readLabels } from "../../../src/decider/read-labels.ts";
import { chatVendorCodec } from "../../../src/protocols/chat-completions/codec.ts";
import { gemini } from "../../../src/protocols/gemini/codec.ts";
import { responsesVendorCodec } from "../../../src/protocols/responses/codec.ts";
import { foldEvents } from "../../../src/protocols/translate/fold-events.ts";
import { generation } from "../../support/generation.ts";
import { endedReceipt } from "../../support/receipts.ts";
import { targetFor } from "../../support/target.ts";
import { judged, startDecisionGateway } from "./support/decision-gateway.ts";
import { SHAPES } from "./support/questions.ts";

/**
 * What the engine takes for evidence (docs/rulings.md 157), in every protocol that returns log-probabilities: the
 * vendor's JSON goes through the protocol's own decoder.
 */

/** A token with the log-probability that the vendor sends, as JSON text; undefined where it sends none. */
interface Sent {
  readonly token: string;
  readonly value: string | undefined;
}

const member = (name: string, value: string | undefined): string => (value === undefined ? "" : `,"${name}":${value}`);
const tokenIn = (name: string, { token, value }: Sent): string =>
  `"token":${JSON.stringify(token)}${member(name, value)}`;
const listIn = (name: string, sent: readonly Sent[]): string => sent.map((one) => `{${tokenIn(name, one)}}`).join(",");

const PROTOCOLS = {
  "chat-completions": {
    codec: chatVendorCodec,
    body: (drawn: Sent, alternatives: readonly Sent[]) =>
      `{"id":"c","object":"chat.completion","created":1,"model":"m","choices":[{"index":0,"message":{"role":"assistant","content":"A"},"finish_reason":"length","logprobs":{"content":[{${tokenIn("logprob", drawn)},"top_logprobs":[${listIn("logprob", alternatives)}]}]}}]}`,
  },
  responses: {
    codec: responsesVendorCodec,
    body: (drawn: Sent, alternatives: readonly Sent[]) =>
      `{"id":"r","object":"response","created_at":1,"model":"m","status":"completed","output":[{"type":"message","id":"m1","role":"assistant","status":"completed","content":[{"type":"output_text","text":"A","annotations":[],"logprobs":[{${tokenIn("logprob", drawn)},"top_logprobs":[${listIn("logprob", alternatives)}]}]}]}]}`,
  },
  gemini: {
    codec: gemini,
    body: (drawn: Sent, alternatives: readonly Sent[]) =>
      `{"candidates":[{"content":{"role":"model","parts":[{"text":"A"}]},"finishReason":"MAX_TOKENS","logprobsResult":{"chosenCandidates":[{${tokenIn("logProbability", drawn)}}],"topCandidates":[{"candidates":[${listIn("logProbability", alternatives)}]}]}}]}`,
  },
} as const;
type ProtocolName = keyof typeof PROTOCOLS;
const NAMES = Object.keys(PROTOCOLS) as ProtocolName[];

function read(protocol: ProtocolName, drawn: Sent, alternatives: readonly Sent[]): LabelReading {
  const { codec, body } = PROTOCOLS[protocol];
  const request = generation({ logprobs: { top: 20 } });
  const text = body(drawn, alternatives);
  const answer = foldEvents(codec.decodeWhole(text, targetFor(protocol), request).events);
  if (answer === null) throw new Error(`no answer was read from ${text}`);
  return readLabels(answer, ["A", "B"]);
}

/** The reading, or the code of the error. */
function outcome(protocol: ProtocolName, drawn: Sent, alternatives: readonly Sent[]): LabelReading | string {
  try {
    return read(protocol, drawn, alternatives);
  } catch (thrown) {
    if (thrown instanceof GatewayError) return thrown.code;
    throw thrown;
  }
}

/** `1e999` and `-1e999` are what JSON has for the infinities: readers make them of it. */
const NO_EVIDENCE = ["null", "true", '"-0.1"', '"NaN"', '"-Infinity"', "[]", "[-0.1]", "{}", "1e999", "-1e999"].concat([
  "0.5",
  "0.00001",
  "17",
]);

const someEvidence = fc.oneof(
  fc.double({ min: -40, max: 0, noNaN: true }).map(String),
  fc.constantFrom("0", "-0", "0.0000005", "-9999", "-1e-320"),
);
const nothing = fc.constantFrom(undefined, ...NO_EVIDENCE);
const tokens = fc.constantFrom("A", " A", "a", "B", " B", "The", "");

test.each(NAMES)("%s: what is no log-probability is not there, whatever a vendor sends", (protocol) => {
  const some = fc.tuple(tokens, someEvidence).map(([token, value]) => ({ sent: { token, value }, is_evidence: true }));
  const none = fc.tuple(tokens, nothing).map(([token, value]) => ({ sent: { token, value }, is_evidence: false }));
  fc.assert(
    fc.property(
      fc.array(fc.oneof(some, none), { maxLength: 20 }),
      fc.tuple(tokens, fc.oneof(someEvidence, nothing)).map(([token, value]) => ({ token, value })),
      (alternatives, drawn) => {
        const found = outcome(
          protocol,
          drawn,
          alternatives.map(({ sent }) => sent),
        );
        const evidence = alternatives.filter(({ is_evidence }) => is_evidence).map(({ sent }) => sent);
        // What is not there changes nothing, whatever the drawn token says of itself.
        expect(found).toEqual(outcome(protocol, { token: "A", value: "-1" }, evidence));
        if (typeof found === "string") {
          expect(found).toBe("upstream_invalid_response");
        } else {
          expect(evidence.some(({ token }) => /^ ?[ab]$/i.test(token))).toBe(true);
          expect(found.log_probabilities.every(Number.isFinite)).toBe(true);
        }
      },
    ),
    { numRuns: 300 },
  );
});

test.each(NAMES.flatMap((name) => [undefined, ...NO_EVIDENCE].map((value) => [name, value] as const)))(
  "%s: alternatives with %s decide nothing",
  (protocol, value) => {
    const shown = [
      { token: "A", value },
      { token: "B", value },
    ];
    expect(outcome(protocol, { token: "A", value }, shown)).toBe("upstream_invalid_response");
  },
);

test("a decision without evidence is 502 and not charged", async () => {
  const { body } = PROTOCOLS["chat-completions"];
  const value = "null";
  const text = body({ token: "A", value }, [
    { token: "A", value },
    { token: "B", value: '"NaN"' },
  ]);
  const vendor = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch: () => new Response(text, { headers: { "content-type": "application/json" } }),
  });
  try {
    await using odd = await startDecisionGateway({
      odd: { base_url: `http://127.0.0.1:${vendor.port}/v1`, models: ["judge"] },
      models: { "odd/decider": { ...judged("judge"), decide_with: { engine: "logprobs", model: "odd/judge" } } },
    });
    const answer = await odd.caller.post("/v1/decisions", SHAPES.decisions.body("odd/decider"));
    expect(answer.status).toBe(502);
    expect(answer.json.error).toMatchObject({ code: "upstream_invalid_response" });
    const receipt = await endedReceipt(odd.gateway, odd.key.key, answer.headers.get("x-request-id") ?? "");
    expect(receipt).toMatchObject({ status: "voided", charge_micro: 0 });
  } finally {
    await vendor.stop(true);
  }
});

test.each(NAMES)("%s: a sum that exceeds 0 by rounding is certainty", (protocol) => {
  const { log_probabilities, mass } = read(protocol, { token: "A", value: "0" }, [
    { token: "A", value: "0.0000009" },
    { token: "B", value: "-30" },
  ]);
  expect(log_probabilities[0]).toBe(0);
  expect(mass).toBe(1);
});
