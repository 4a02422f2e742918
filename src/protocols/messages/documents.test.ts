import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { CODE_POINT } from "../../../proofs/support/code-point.ts";
import { type TargetOptions, targetFor } from "../../../proofs/support/target.ts";
import type { Exchange, ProtocolAdapter } from "../../core/answer/exchange.ts";
import type { Protocol } from "../../core/endpoints.ts";
import { bedrockConverse } from "../bedrock-converse/codec.ts";
import { chatVendorCodec } from "../chat-completions/codec.ts";
import { gemini } from "../gemini/codec.ts";
import { responsesVendorCodec } from "../responses/codec.ts";
import { translateBetween } from "../translate/translate-between.ts";
import { carryDocument } from "./carry-document.ts";
import { documentError } from "./check-content.ts";
import { messages } from "./client.ts";
import { messagesClientCodec } from "./codec.ts";
import { relayMessages } from "./relay.ts";
import type { WireDocument } from "./wire-blocks.ts";

/** Documents inside results of tools, for every kind of target (docs/rulings.md 161). */

const HEADERS = new Headers({ "anthropic-version": "2023-06-01" });
const PDF = { type: "base64", media_type: "application/pdf", data: "JVBERi0xLjQ=" } as const;

/**
 * Document sources, each with the content in its place for a model without documents: text is kept, files are left out.
 */
const SOURCES: Readonly<
  Record<string, { readonly block: WireDocument; readonly read: string; readonly is_file: boolean }>
> = {
  "a PDF in base64": {
    block: { type: "document", source: PDF },
    read: "[A document was left out here, as this model reads none: application/pdf]",
    is_file: true,
  },
  "a PDF with a title and a context": {
    block: { type: "document", source: PDF, title: "report.pdf", context: "From May." },
    read: `[A document was left out here, as this model reads none: "report.pdf", application/pdf]|From May.`,
    is_file: true,
  },
  "a PDF by URL": {
    block: { type: "document", source: { type: "url", url: "https://acme.example/a.pdf" } },
    read: `[A document was left out here, as this model reads none: "https://acme.example/a.pdf", application/pdf]`,
    is_file: true,
  },
  "a file of the vendor's": {
    block: { type: "document", source: { type: "file", file_id: "file_1" }, title: null },
    read: "[A document was left out here, as this model reads none]",
    is_file: true,
  },
  "a text": {
    block: { type: "document", source: { type: "text", media_type: "text/plain", data: " Line 1\nLine 2 " } },
    read: " Line 1\nLine 2 ",
    is_file: false,
  },
  "a text with a title": {
    block: { type: "document", source: { type: "text", data: "Words" }, title: "notes.txt", context: "Old." },
    read: `Document "notes.txt":|Old.|Words`,
    is_file: false,
  },
  "content as a text": {
    block: { type: "document", source: { type: "content", content: "Words" } },
    read: "Words",
    is_file: false,
  },
  "content in blocks": {
    block: {
      type: "document",
      source: {
        type: "content",
        content: [
          { type: "text", text: "One" },
          { type: "text", text: "Two" },
        ],
      },
    },
    read: "One|Two",
    is_file: false,
  },
  "an empty text": {
    block: { type: "document", source: { type: "text", data: "" } },
    read: "[An empty document.]",
    is_file: false,
  },
};

const through = (codec: Parameters<typeof translateBetween>[1]) => translateBetween(messagesClientCodec, codec);

const TRANSLATED: readonly (readonly [Protocol, ProtocolAdapter])[] = [
  ["chat-completions", through(chatVendorCodec)],
  ["responses", through(responsesVendorCodec)],
  ["gemini", through(gemini)],
  ["bedrock-converse", through(bedrockConverse)],
];

const question = { role: "user", content: "Read it." };
const call = { role: "assistant", content: [{ type: "tool_use", id: "toolu_1", name: "read", input: {} }] };

function bodyWith(...content: readonly object[]): string {
  const result = { type: "tool_result", tool_use_id: "toolu_1", content };
  return JSON.stringify({
    model: "m",
    max_tokens: 99,
    messages: [question, call, { role: "user", content: [result] }],
  });
}

function prepare(
  way: ProtocolAdapter,
  text: string,
  protocol: Protocol = "messages",
  options: TargetOptions = {},
): Exchange {
  const target = targetFor(protocol, { upstream_model: "m", ...options });
  return way.prepare(messages.readRequest(text, HEADERS), target, HEADERS);
}

const before = { type: "text", text: "Here:" };
const behind = { type: "text", text: "That was it." };
const texts = (read: string) => read.split("|").map((text) => ({ type: "text", text }));

describe.each(Object.entries(SOURCES))("%s", (_name, { block, read, is_file }) => {
  test("is sent unchanged to a model of the same protocol that reads PDF", () => {
    const text = bodyWith(before, block, behind);
    const exchange = prepare(relayMessages, text, "messages", { input_modalities: ["text", "pdf"] });
    expect(exchange).toMatchObject({ body: text, ignored: [] });
  });

  test("is replaced by its text or by a notice for a model that does not", () => {
    const exchange = prepare(relayMessages, bodyWith(before, block, behind));
    expect(exchange.body).toBe(bodyWith(before, ...texts(read), behind));
    expect(exchange.ignored).toEqual(is_file ? ["messages.document"] : []);
  });

  test.each(TRANSLATED)(
    "is replaced by its text or by a notice over %s, also where the model reads PDF",
    (protocol, way) => {
      const exchange = prepare(way, bodyWith(before, block, behind), protocol, { input_modalities: ["text", "pdf"] });
      for (const { text } of [before, ...texts(read), behind]) {
        expect(exchange.body).toContain(JSON.stringify(text).slice(1, -1));
      }
      expect(exchange.body).not.toContain(PDF.data);
      expect(exchange.ignored).toEqual(is_file ? ["messages.document"] : []);
    },
  );
});

/** Documents in what the user says, where the operator allows them (docs/rulings.md 189). */
function userText(...content: readonly object[]): string {
  return JSON.stringify({ model: "m", max_tokens: 99, messages: [{ role: "user", content }] });
}

describe.each(Object.entries(SOURCES))("in what the user says, %s", (_name, { block, read, is_file }) => {
  test("is relayed as it came to a model that reads PDF", () => {
    const text = userText(before, block, behind);
    const exchange = prepare(relayMessages, text, "messages", { input_modalities: ["text", "pdf"] });
    expect(exchange).toMatchObject({ body: text, ignored: [] });
  });

  test("is carried as in a tool's result to a model that does not", () => {
    const exchange = prepare(relayMessages, userText(before, block, behind));
    expect(exchange.body).toBe(userText(before, ...texts(read), behind));
    expect(exchange.ignored).toEqual(is_file ? ["messages.document"] : []);
  });

  test("is carried where a tool's result, a reminder and other documents stand beside it", () => {
    const result = { type: "tool_result", tool_use_id: "toolu_1", content: [block] };
    const sent = JSON.stringify({
      ...{ model: "m", max_tokens: 99 },
      messages: [
        question,
        call,
        { role: "system", content: "Mind." },
        { role: "user", content: [result, block, behind, block] },
      ],
    });
    const { body } = prepare(relayMessages, sent);
    const [, , { content }] = (JSON.parse(body) as { messages: [object, object, { content: { content: object[] }[] }] })
      .messages;
    expect(content[0]?.content).toEqual(texts(read));
    expect(JSON.stringify(content.slice(1))).toContain("Mind.");
    expect(
      content
        .filter(({ content: inner }) => inner === undefined)
        .filter((each) => JSON.stringify(each) === JSON.stringify(texts(read)[0])),
    ).toHaveLength(2);
  });

  test.each(TRANSLATED)("reaches a vendor of %s as a file, or as its text", (protocol, way) => {
    const { source } = block;
    // A file by URL is a 400 there, as it is of a client of chat or responses.
    const refuses_urls = protocol === "bedrock-converse" || protocol === "chat-completions";
    if (source.type === "file" || (source.type === "url" && refuses_urls)) return;
    const exchange = prepare(way, userText(before, block, behind), protocol);
    const words = is_file ? [source.type === "base64" ? source.data : "https://acme.example/a.pdf"] : read.split("|");
    for (const word of words) expect(exchange.body).toContain(JSON.stringify(word).slice(1, -1));
    expect(exchange.body).not.toContain("left out here");
    expect(exchange.ignored).toEqual([]);
  });
});

const AS_FILE: Readonly<Partial<Record<Protocol, object>>> = {
  "chat-completions": {
    type: "file",
    file: { filename: "a.pdf", file_data: `data:application/pdf;base64,${PDF.data}` },
  },
  responses: { type: "input_file", filename: "a.pdf", file_data: `data:application/pdf;base64,${PDF.data}` },
  gemini: { inlineData: { mimeType: "application/pdf", data: PDF.data } },
};

test.each(TRANSLATED)(
  "a user's PDF reaches a vendor of %s as chat's `file` and responses' `input_file` do",
  (protocol, way) => {
    const { body } = prepare(way, userText({ type: "document", source: PDF, title: "a.pdf" }), protocol);
    const file = AS_FILE[protocol];
    expect(body).toContain(file === undefined ? `"bytes":"${PDF.data}"` : JSON.stringify(file));
  },
);

describe("a document", () => {
  test("has its cache hint moved to the last block in its place", () => {
    const cache_control = { type: "ephemeral" } as const;
    const { blocks } = carryDocument({ type: "document", source: PDF, context: "Old.", cache_control });
    expect(blocks.map(({ cache_control: hint }) => hint)).toEqual([undefined, cache_control]);
  });

  test("that was to be cited from has the loss of citations reported", () => {
    const block = { type: "document", source: { type: "text", data: "W" }, citations: { enabled: true } };
    expect(prepare(relayMessages, bodyWith(block)).ignored).toEqual(["messages.citations"]);
  });

  test("keeps the images in its content", () => {
    const image = { type: "image", source: { type: "base64", media_type: "image/png", data: "AAAA" } } as const;
    const block = { type: "document", source: { type: "content", content: [image] } };
    expect(prepare(relayMessages, bodyWith(block)).body).toBe(bodyWith(image));
  });

  test("in what the user says is told with its place, and one in a tool's result is not", () => {
    const document = { type: "document", source: PDF };
    expect(messages.readRequest(userText(before, document), HEADERS).document).toBe("messages[0].content[1]");
    expect(messages.readRequest(bodyWith(document), HEADERS).document).toBeUndefined();
    expect(documentError("messages[0].content[1]").message).toContain("documents and PDF files are not supported");
  });

  test("leaves every other byte of a relayed body unchanged", () => {
    const sent = `{"model":"m","max_tokens":9,"messages":[{"role":"user","content":"\\u0048"} , ${JSON.stringify(call)},
      { "content":[ { "content" : [ {"type":"document","source":{"type":"text","data":"W"}} , {"type":"text","text":"\\u0041"} ],"tool_use_id":"toolu_1","type":"tool_result","n":1.0} ],"role":"user"} ],"n":1e400}`;
    const { body } = prepare(relayMessages, sent);
    expect(body).toBe(
      sent.replace(`{"type":"document","source":{"type":"text","data":"W"}}`, `{"type":"text","text":"W"}`),
    );
  });
});

/** Any document that is accepted. */
const documents: fc.Arbitrary<WireDocument> = fc
  .record(
    {
      source: fc.oneof(
        fc.record({ type: fc.constant("base64" as const), media_type: fc.string(), data: fc.base64String() }),
        fc.record({ type: fc.constant("text" as const), data: fc.string({ unit: CODE_POINT }) }),
        fc.record({ type: fc.constant("content" as const), content: fc.string() }),
        fc.record({ type: fc.constant("url" as const), url: fc.string({ maxLength: 400 }) }),
        fc.record({ type: fc.constant("file" as const), file_id: fc.string() }),
      ),
      title: fc.option(fc.string({ unit: CODE_POINT, maxLength: 400 })),
      context: fc.option(fc.string()),
    },
    { requiredKeys: ["source"] },
  )
  .map((members) => ({ type: "document", ...members }));

describe("the input bound", () => {
  test("is above the number of bytes that any target reads", () => {
    const system = fc.record({ role: fc.constant("system"), content: fc.string({ unit: CODE_POINT }) });
    fc.assert(
      fc.property(fc.array(documents, { maxLength: 3 }), fc.array(system, { maxLength: 20 }), (blocks, systems) => {
        const sent = JSON.parse(bodyWith(...blocks));
        const text = JSON.stringify({ ...sent, messages: [...sent.messages, ...systems] });
        const { input_bound_tokens } = messages.readRequest(text, HEADERS);
        for (const [protocol, way] of [["messages", relayMessages] as const, ...TRANSLATED]) {
          const { body } = prepare(way, text, protocol);
          expect(bytesRead(JSON.parse(body))).toBeLessThanOrEqual(input_bound_tokens);
        }
      }),
      { numRuns: 50 },
    );
  });

  test("grows with each PDF beyond its bytes, because its pages are read as images too", () => {
    const bound = (...blocks: object[]) => messages.readRequest(bodyWith(...blocks), HEADERS).input_bound_tokens;
    const pdf = { type: "document", source: PDF };
    const size = JSON.stringify(pdf).length + 1;
    expect(bound(pdf, pdf) - bound(pdf)).toBe(size + 32_768);
  });

  test("counts images inside a document", () => {
    const image = { type: "image", source: { type: "url", url: "https://acme.example/a.png" } };
    const block = { type: "document", source: { type: "content", content: [image, image] } };
    expect(messages.readRequest(bodyWith(block), HEADERS).input_bound_tokens).toBeGreaterThan(2 * 8192);
  });
});

/** The bytes of all texts in a value. */
function bytesRead(value: unknown): number {
  if (typeof value === "string") return Buffer.byteLength(value);
  if (typeof value !== "object" || value === null) return 0;
  return Object.values(value).reduce<number>((sum, inner) => sum + bytesRead(inner), 0);
}
