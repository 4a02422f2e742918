import { bedrockConverse } from "./bedrock-converse/index.ts";
import { chatCompletions } from "./chat-completions/index.ts";
import { completions } from "./completions/index.ts";
import { decisions } from "./decisions/index.ts";
import { bedrockEmbeddings } from "./embeddings/bedrock.ts";
import { geminiEmbeddings } from "./embeddings/gemini.ts";
import { embeddings } from "./embeddings/openai.ts";
import { gemini } from "./gemini/index.ts";
import { images } from "./images/index.ts";
import { messages } from "./messages/index.ts";
import { moderations } from "./moderations/index.ts";
import type { VendorProtocol } from "./protocol.ts";
import { rankings } from "./rankings/index.ts";
import { responses } from "./responses/index.ts";
import { speech } from "./sound/speech.ts";
import { transcriptions } from "./sound/transcriptions.ts";
import { systemone } from "./systemone/index.ts";

/** Every protocol that the simulator speaks. */
export const PROTOCOLS: readonly VendorProtocol[] = [
  chatCompletions,
  completions,
  responses,
  messages,
  gemini,
  bedrockConverse,
  embeddings,
  geminiEmbeddings,
  bedrockEmbeddings,
  speech,
  images,
  transcriptions,
  moderations,
  rankings,
  decisions,
  systemone,
];

export function protocolFor(path: string): VendorProtocol | undefined {
  return PROTOCOLS.find((protocol) => protocol.accepts(path));
}
