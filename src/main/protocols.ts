import type { ClientCodec, VendorCodec } from "../core/answer/codec.ts";
import type { DecisionVendorProtocol } from "../core/answer/decision.ts";
import type { AnswerConverter, ProtocolAdapter } from "../core/answer/exchange.ts";
import type { Protocol } from "../core/endpoints.ts";
import { bedrockConverse } from "../protocols/bedrock-converse/codec.ts";
import { chatCompletionsWith } from "../protocols/chat-completions/client.ts";
import { chatClientCodec, chatVendorCodec, responsesInChatCodec } from "../protocols/chat-completions/codec.ts";
import { completions } from "../protocols/chat-completions/completions-client.ts";
import { relayCompletions } from "../protocols/chat-completions/completions-relay.ts";
import { relayChatCompletions } from "../protocols/chat-completions/relay.ts";
import { decisionsClient } from "../protocols/decisions/client.ts";
import { decisionsVendor } from "../protocols/decisions/vendor.ts";
import { embeddings } from "../protocols/embeddings/client.ts";
import { relayEmbeddings } from "../protocols/embeddings/relay.ts";
import { embeddingsToBedrock } from "../protocols/embeddings/to-bedrock.ts";
import { embeddingsToGemini } from "../protocols/embeddings/to-gemini.ts";
import { geminiArrayClient, geminiClient } from "../protocols/gemini/client.ts";
import { gemini, geminiClientCodec } from "../protocols/gemini/codec.ts";
import { needsTranslation, relayGemini } from "../protocols/gemini/relay.ts";
import { imageEdits, images } from "../protocols/images/client.ts";
import { relayImages } from "../protocols/images/relay.ts";
import { imagesToGemini } from "../protocols/images/to-gemini.ts";
import { messages } from "../protocols/messages/client.ts";
import { messagesClientCodec, messagesVendorCodec } from "../protocols/messages/codec.ts";
import { relayMessages } from "../protocols/messages/relay.ts";
import { throughVertex } from "../protocols/messages/vertex.ts";
import { moderations } from "../protocols/moderations/client.ts";
import { relayModerations } from "../protocols/moderations/relay.ts";
import { rerank } from "../protocols/rerank/client.ts";
import { relayRerank } from "../protocols/rerank/relay.ts";
import { responses } from "../protocols/responses/client.ts";
import { responsesClientCodec, responsesVendorCodec } from "../protocols/responses/codec.ts";
import { compact, compacting } from "../protocols/responses/compact.ts";
import { relayResponses } from "../protocols/responses/relay.ts";
import { keepAccountsApart } from "../protocols/shared/vendor-state.ts";
import { speech } from "../protocols/speech/client.ts";
import { relaySpeech } from "../protocols/speech/relay.ts";
import { speechToGemini } from "../protocols/speech/to-gemini.ts";
import { systemoneClient } from "../protocols/systemone/client.ts";
import { systemoneVendor } from "../protocols/systemone/vendor.ts";
import { transcriptions, translations } from "../protocols/transcription/client.ts";
import { relayTranscriptions } from "../protocols/transcription/relay.ts";
import { convertAnswer } from "../protocols/translate/convert-answer.ts";
import { translateBetween } from "../protocols/translate/translate-between.ts";

/** The public styles of generation, by route. */
export const clientProtocols = {
  "chat.completions": chatCompletionsWith(responses.readRequest),
  responses,
  messages,
  generateContent: geminiClient,
  streamGenerateContent: geminiClient,
  /** Where a stream is asked for as one JSON array. */
  "streamGenerateContent.array": geminiArrayClient,
} as const;

/** The public shapes beside the three styles and decisions, by route. */
export const modelProtocols = {
  completions,
  embeddings,
  rerank,
  moderations,
  "responses.compact": compact,
  "audio.speech": speech,
  "images.generations": images,
  "images.edits": imageEdits,
  "audio.transcriptions": transcriptions,
  "audio.translations": translations,
} as const;

/** The public shapes of decisions, by route. */
export const decisionProtocols = { decisions: decisionsClient, systemone: systemoneClient } as const;

const DECISION_VENDORS: Partial<Record<Protocol, DecisionVendorProtocol>> = {
  decisions: decisionsVendor,
  systemone: systemoneVendor,
};

/** The vendor half of a decision protocol; null for other protocols. */
export function decisionVendorOf(protocol: Protocol): DecisionVendorProtocol | null {
  return DECISION_VENDORS[protocol] ?? null;
}

const geminiByTranslation = translateBetween(geminiClientCodec, gemini);

const RELAYS: Partial<Record<Protocol, ProtocolAdapter>> = {
  "chat-completions": relayChatCompletions,
  responses: relayResponses,
  messages: relayMessages,
  rerank: relayRerank,
  gemini: {
    prepare: (request, target, headers) =>
      (needsTranslation(request, target) ? geminiByTranslation : relayGemini).prepare(request, target, headers),
  },
};

const CLIENTS: Partial<Record<Protocol, ClientCodec>> = {
  "chat-completions": chatClientCodec,
  "responses-in-chat": responsesInChatCodec(responsesClientCodec),
  responses: responsesClientCodec,
  messages: messagesClientCodec,
  gemini: geminiClientCodec,
};

const VENDORS: Partial<Record<Protocol, VendorCodec>> = {
  "chat-completions": chatVendorCodec,
  responses: responsesVendorCodec,
  messages: messagesVendorCodec,
  gemini,
  "bedrock-converse": bedrockConverse,
};

/** The vendor half of a chat protocol; null for other protocols. */
export function vendorCodecOf(protocol: Protocol): VendorCodec | null {
  return VENDORS[protocol] ?? null;
}

const CONVERTERS: Partial<Record<Protocol, AnswerConverter>> = {
  "chat-completions": convertAnswer(chatClientCodec, chatVendorCodec),
  responses: convertAnswer(responsesClientCodec, responsesVendorCodec),
  messages: convertAnswer(messagesClientCodec, messagesVendorCodec),
  gemini: convertAnswer(geminiClientCodec, gemini),
};

/** Makes streams of whole answers and whole answers of streams in a client's protocol; null where it has one form. */
export function converterOf(protocol: Protocol): AnswerConverter | null {
  return CONVERTERS[protocol] ?? null;
}

const adapters = new Map<string, ProtocolAdapter | null>();

/**
 * The adapter from a client's protocol to a vendor's: relay where they are equal, otherwise translation; null where none
 * exists.
 */
export function adapterBetween(client: Protocol, vendor: Protocol): ProtocolAdapter | null {
  const key = `${client} ${vendor}`;
  let adapter = adapters.get(key);
  if (adapter === undefined) {
    if (client === "responses-compact") {
      const responses = adapterBetween("responses", vendor);
      adapters.set(key, responses === null ? null : compacting(responses));
      return adapters.get(key) ?? null;
    }
    adapter = client === vendor ? (RELAYS[client] ?? null) : translation(client, vendor);
    if (vendor === "messages" && adapter !== null) adapter = throughVertex(adapter);
    if (adapter !== null) adapter = keepAccountsApart(adapter);
    adapters.set(key, adapter);
  }
  return adapter;
}

/** How models that do not chat are asked: by the protocol in which clients ask, and that which the vendor speaks otherwise. */
const MODEL_ADAPTERS: Partial<Record<Protocol, Partial<Record<Protocol, ProtocolAdapter>>>> = {
  embeddings: {
    "chat-completions": relayEmbeddings,
    gemini: embeddingsToGemini,
    "bedrock-converse": embeddingsToBedrock,
  },
  speech: { "chat-completions": relaySpeech, gemini: speechToGemini },
  images: { "chat-completions": relayImages, gemini: imagesToGemini },
  "image-edits": { "chat-completions": relayImages, gemini: imagesToGemini },
  completions: { "chat-completions": relayCompletions },
  transcriptions: { "chat-completions": relayTranscriptions },
  translations: { "chat-completions": relayTranscriptions },
  moderations: { "chat-completions": relayModerations },
};

function translation(client: Protocol, vendor: Protocol): ProtocolAdapter | null {
  const own = MODEL_ADAPTERS[client];
  if (own !== undefined) return own[vendor] ?? null;
  const from = CLIENTS[client];
  const to = VENDORS[vendor];
  return from === undefined || to === undefined ? null : translateBetween(from, to);
}
