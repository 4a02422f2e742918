import { describe, expect, test } from "bun:test";
import { checkGeminiStream } from "../../../proofs/grammars/gemini/stream-grammar.ts";
import { targetFor } from "../../../proofs/support/target.ts";
import { bytesOf } from "../../core/answer/sent-body.ts";
import { GatewayError } from "../../core/errors.ts";
import { addressedBody } from "./addressed-body.ts";
import { geminiArrayClient, geminiClient } from "./client.ts";
import { relayGemini } from "./relay.ts";
import { readSeal } from "./thought-seal.ts";

/** Relayed answers, with what public reports say of other gateways: streams that were cut in large signatures, ends without a content. */

const HEADERS = { get: () => null };
const USAGE = { promptTokenCount: 3, candidatesTokenCount: 2, totalTokenCount: 5 };

function exchange({ is_array = false, issuer = "google", choices = 1 } = {}) {
  const body = JSON.stringify({
    contents: [{ parts: [{ text: "Hi" }] }],
    generationConfig: { candidateCount: choices },
  });
  const address = { model: "acme/swift", stream: true, array: is_array };
  const request = geminiClient.readRequest(addressedBody(body, address), HEADERS);
  const target = targetFor("gemini");
  return relayGemini.prepare(request, { ...target, vendor: { ...target.vendor, issuer } }, HEADERS);
}

const says = (part: object, more: object = {}) => ({
  candidates: [{ content: { parts: [part], role: "model" }, index: 0, ...more }],
  modelVersion: "gemini-3",
  responseId: "r",
});

/** What a client gets of these objects, fed in pieces of a size. */
function streamed(objects: readonly object[], piece = 7, options: Parameters<typeof exchange>[0] = {}) {
  const bytes = Buffer.from(objects.map((object) => `data: ${JSON.stringify(object)}\r\n\r\n`).join(""));
  const stream = exchange(options).openStream();
  const sent: Uint8Array[] = [];
  for (let at = 0; at < bytes.length; at += piece) sent.push(stream.push(bytes.subarray(at, at + piece)));
  sent.push(stream.end());
  if (stream.failure === null) sent.push(stream.finish(undefined, "cost"));
  return { text: Buffer.concat(sent).toString(), stream };
}

describe("a relayed stream", () => {
  test.each([1, 7, 100_000])("with a signature of 100,000 signs comes whole, in pieces of %d bytes", (piece) => {
    const thoughtSignature = "Ab+/".repeat(25_000);
    const { text } = streamed(
      [says({ text: "Hi" }), says({ text: "", thoughtSignature }, { finishReason: "STOP" })],
      Math.max(piece, 50),
    );
    for (const line of text.match(/^data: .*$/gm) ?? [])
      expect(() => JSON.parse(line.slice("data: ".length))).not.toThrow();
    expect(text).toContain(thoughtSignature);
  });

  test("shows the catalog's name, its usage with the cost once and last, and no cost of the vendor", () => {
    const last = { ...says({ text: "" }, { finishReason: "STOP" }), usageMetadata: { ...USAGE, cost: 9 } };
    const { text, stream } = streamed([{ ...says({ text: "Hi" }), usageMetadata: { ...USAGE, cost: 9 } }, last]);
    expect(checkGeminiStream(text)).toEqual({ end: "stop" });
    expect(text).not.toContain("gemini-3");
    expect(text).not.toContain('"cost":9');
    expect(text.match(/"cost":"cost"/g)).toHaveLength(1);
    expect(stream.usage).toMatchObject({ input_tokens: 3, output_tokens: 2 });
  });

  test.each([[null], ["5"], [-1], [{}]])(
    "shows a number where the vendor's usage has %p, before the end and at it",
    (totalTokenCount) => {
      const usageMetadata = { ...USAGE, totalTokenCount };
      const { text } = streamed([
        { ...says({ text: "Hi" }), usageMetadata },
        { ...says({ text: "" }, { finishReason: "STOP" }), usageMetadata },
      ]);
      expect(checkGeminiStream(text)).toEqual({ end: "stop" });
      expect(text.match(/"totalTokenCount":5/g)).toHaveLength(2);
    },
  );

  test("that gives the reason of the end with each piece is not over at the first", () => {
    const chunks = ["one ", "two ", "three"].map((text) => says({ text }, { finishReason: "STOP" }));
    const { text, stream } = streamed([
      ...chunks,
      { ...says({ text: "" }, { finishReason: "STOP" }), usageMetadata: USAGE },
    ]);
    for (const word of ["one", "two", "three"]) expect(text).toContain(word);
    expect(stream).toMatchObject({ complete: true, failure: null });
  });

  test("that ends without a content, or with a blocked prompt, is whole", () => {
    const cut = { candidates: [{ finishReason: "MAX_TOKENS", index: 0 }], usageMetadata: USAGE, modelVersion: "x" };
    expect(checkGeminiStream(streamed([cut]).text)).toEqual({ end: "stop" });
    const blocked = { promptFeedback: { blockReason: "SAFETY" }, usageMetadata: USAGE };
    expect(checkGeminiStream(streamed([blocked]).text)).toEqual({ end: "stop" });
  });

  test("without a reason of its end is broken", () => {
    expect(streamed([says({ text: "Hi" })]).stream).toMatchObject({ complete: false });
  });

  test("of two answers ends with both", () => {
    const at = (index: number, more: object = {}) => says({ text: "x" }, { index, ...more });
    const ends = [at(0, { finishReason: "STOP" }), at(1), { ...at(1, { finishReason: "STOP" }), usageMetadata: USAGE }];
    const { text, stream } = streamed([at(0), ...ends], 50, { choices: 2 });
    expect(stream.complete).toBe(true);
    expect(text.match(/"text":"x"/g)).toHaveLength(4);
  });

  test("without alt=sse is one JSON array, also where it breaks", () => {
    const last = { ...says({ text: "" }, { finishReason: "STOP" }), usageMetadata: USAGE };
    const { text } = streamed([says({ text: "Hi" }), last], 30, { is_array: true });
    expect(JSON.parse(text)).toHaveLength(2);
    const [failed] = JSON.parse(Buffer.from(geminiArrayClient.failedStream(...FAILED)).toString()) as object[];
    expect(failed).toHaveProperty("error");
  });

  test("of a vendor that signs itself has its signatures with its name, and they go back to it alone", () => {
    const { text } = streamed(
      [says({ functionCall: { name: "a", args: {} }, thoughtSignature: "c2ln" }, { finishReason: "STOP" })],
      30,
      {
        issuer: "other",
      },
    );
    const [, sealed = ""] = /"thoughtSignature":"([^"]+)"/.exec(text) ?? [];
    expect(readSeal(sealed).own).toEqual({ family: "other", form: "signature", data: "c2ln" });
    // Google's Python client sends base64 back in the other alphabet.
    expect(readSeal(sealed.replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "")).own?.data).toBe("c2ln");
    const contents = [
      { role: "user", parts: [{ text: "Hi" }] },
      { role: "model", parts: [{ functionCall: { name: "a", args: {} }, thoughtSignature: sealed }] },
      { role: "user", parts: [{ functionResponse: { name: "a", response: {} } }] },
    ];
    const sentTo = (issuer: string) => {
      const address = { model: "acme/swift", stream: false };
      const request = geminiClient.readRequest(addressedBody(JSON.stringify({ contents }), address), HEADERS);
      const target = targetFor("gemini");
      return relayGemini.prepare(request, { ...target, vendor: { ...target.vendor, issuer } }, HEADERS).body;
    };
    expect(sentTo("other")).toContain('"thoughtSignature":"c2ln"');
    expect(sentTo("google")).not.toContain("c2ln");
  });
});

const FAILED = [new GatewayError("provider_error", "no"), { model: "a", request_id: "r" }] as const;

test("a whole answer keeps its bytes but for the name, the id and the cost", () => {
  const text =
    '{"candidates" : [{"content":{"parts":[{"text":"Hi"}],"role":"model"},"finishReason":"STOP"}],"usageMetadata":{"promptTokenCount":3,"candidatesTokenCount":2,"totalTokenCount":5},"modelVersion":"gemini-3","responseId":"r"}';
  const answer = exchange().readWhole(text);
  expect(answer).toMatchObject({ failure: null, has_content: true, usage: { input_tokens: 3, output_tokens: 2 } });
  expect(bytesOf(answer.bodyWith?.(null, "cost") ?? "").toString()).toBe(
    text
      .replace("gemini-3", targetFor("gemini").model.id)
      .replace('"totalTokenCount":5', '"totalTokenCount":5,"cost":"cost"'),
  );
});
