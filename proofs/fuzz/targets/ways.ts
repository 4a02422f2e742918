import type { ClientHeaders, ClientRequest, Exchange } from "../../../src/core/answer/exchange.ts";
import type { GenerationEndpoint, Protocol } from "../../../src/core/endpoints.ts";
import { adapterBetween, clientProtocols } from "../../../src/main/protocols.ts";
import { ADDRESS } from "../../../src/protocols/gemini/addressed-body.ts";
import { targetFor } from "../../support/target.ts";
import { Broken } from "./target.ts";

/** Every way from a client's style to a vendor's protocol, with a request that each of them takes. */

export const STYLES: readonly GenerationEndpoint[] = ["chat.completions", "responses", "messages", "generateContent"];
export const VENDORS: readonly Protocol[] = ["chat-completions", "responses", "messages", "gemini", "bedrock-converse"];

export const HEADERS: ClientHeaders = { get: (name) => (name === "anthropic-version" ? "2023-06-01" : null) };

export interface WayAt {
  readonly style: GenerationEndpoint;
  readonly vendor: Protocol;
}

export const WAYS: readonly WayAt[] = STYLES.flatMap((style) => VENDORS.map((vendor) => ({ style, vendor })));

const ASK = "What is the tide at Brest?";
const PARAMETERS = { type: "object", properties: { port: { type: "string" } }, required: ["port"] };

/** A request that asks for a stream and offers a tool, by style. */
const BODIES: Readonly<Record<GenerationEndpoint, object>> = {
  "chat.completions": {
    model: "acme/swift",
    stream: true,
    stream_options: { include_usage: true },
    messages: [{ role: "user", content: ASK }],
    tools: [{ type: "function", function: { name: "tide", parameters: PARAMETERS } }],
  },
  responses: {
    model: "acme/swift",
    stream: true,
    input: ASK,
    tools: [{ type: "function", name: "tide", parameters: PARAMETERS }],
  },
  messages: {
    model: "acme/swift",
    stream: true,
    max_tokens: 1000,
    messages: [{ role: "user", content: ASK }],
    tools: [{ name: "tide", input_schema: PARAMETERS }],
  },
  generateContent: {
    [ADDRESS]: { model: "acme/swift", stream: true },
    contents: [{ role: "user", parts: [{ text: ASK }] }],
    generationConfig: { thinkingConfig: { includeThoughts: true } },
    tools: [{ functionDeclarations: [{ name: "tide", parametersJsonSchema: PARAMETERS }] }],
  },
};

export function requestOf(style: GenerationEndpoint): ClientRequest {
  return clientProtocols[style].readRequest(JSON.stringify(BODIES[style]), HEADERS);
}

const exchanges = new Map<WayAt, Exchange>();

/** The exchange of such a request, which opens any number of answers. */
export function exchangeAt(way: WayAt): Exchange {
  let exchange = exchanges.get(way);
  if (exchange === undefined) {
    exchange = prepare(way);
    exchanges.set(way, exchange);
  }
  return exchange;
}

function prepare({ style, vendor }: WayAt): Exchange {
  const request = requestOf(style);
  const way = adapterBetween(request.protocol, vendor);
  if (way === null) throw new Broken(`there is no way from ${style} to ${vendor}`);
  return way.prepare(request, targetFor(vendor, { capabilities: { thinking: true } }), HEADERS);
}

/** The text without what differs from answer to answer: ids that were drawn, with the numbers of items behind some of them, and times. */
export function withoutChance(text: string): string {
  return text
    .replaceAll(/([a-z]{2,9}[_-])[0-9A-Za-z]{22,30}(?![0-9A-Za-z])/g, "$1ID")
    .replaceAll(/("(?:created|created_at|completed_at)":)\d+/g, "$10");
}
