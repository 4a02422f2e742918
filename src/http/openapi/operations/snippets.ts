import chatCurl from "../snippets/chat-curl.txt" with { type: "text" };
import chatPython from "../snippets/chat-python.txt" with { type: "text" };
import chatTypeScript from "../snippets/chat-typescript.txt" with { type: "text" };
import compactCurl from "../snippets/compact-curl.txt" with { type: "text" };
import completionsCurl from "../snippets/completions-curl.txt" with { type: "text" };
import countTokensCurl from "../snippets/count-tokens-curl.txt" with { type: "text" };
import decisionsCurl from "../snippets/decisions-curl.txt" with { type: "text" };
import decisionsPython from "../snippets/decisions-python.txt" with { type: "text" };
import decisionsTypeScript from "../snippets/decisions-typescript.txt" with { type: "text" };
import deleteCurl from "../snippets/delete-curl.txt" with { type: "text" };
import embeddingsCurl from "../snippets/embeddings-curl.txt" with { type: "text" };
import embeddingsPython from "../snippets/embeddings-python.txt" with { type: "text" };
import embeddingsTypeScript from "../snippets/embeddings-typescript.txt" with { type: "text" };
import geminiCountCurl from "../snippets/gemini-count-curl.txt" with { type: "text" };
import geminiCurl from "../snippets/gemini-curl.txt" with { type: "text" };
import geminiPython from "../snippets/gemini-python.txt" with { type: "text" };
import geminiStreamCurl from "../snippets/gemini-stream-curl.txt" with { type: "text" };
import geminiTypeScript from "../snippets/gemini-typescript.txt" with { type: "text" };
import getCurl from "../snippets/get-curl.txt" with { type: "text" };
import imageEditsCurl from "../snippets/image-edits-curl.txt" with { type: "text" };
import imagesCurl from "../snippets/images-curl.txt" with { type: "text" };
import imagesPython from "../snippets/images-python.txt" with { type: "text" };
import imagesTypeScript from "../snippets/images-typescript.txt" with { type: "text" };
import inputTokensCurl from "../snippets/input-tokens-curl.txt" with { type: "text" };
import messagesCurl from "../snippets/messages-curl.txt" with { type: "text" };
import messagesPython from "../snippets/messages-python.txt" with { type: "text" };
import messagesTypeScript from "../snippets/messages-typescript.txt" with { type: "text" };
import moderationsCurl from "../snippets/moderations-curl.txt" with { type: "text" };
import rerankCurl from "../snippets/rerank-curl.txt" with { type: "text" };
import rerankTypeScript from "../snippets/rerank-typescript.txt" with { type: "text" };
import responsesCurl from "../snippets/responses-curl.txt" with { type: "text" };
import responsesPython from "../snippets/responses-python.txt" with { type: "text" };
import responsesTypeScript from "../snippets/responses-typescript.txt" with { type: "text" };
import serviceCurl from "../snippets/service-curl.txt" with { type: "text" };
import speechCurl from "../snippets/speech-curl.txt" with { type: "text" };
import speechPython from "../snippets/speech-python.txt" with { type: "text" };
import speechTypeScript from "../snippets/speech-typescript.txt" with { type: "text" };
import systemoneCurl from "../snippets/systemone-curl.txt" with { type: "text" };
import transcriptionsCurl from "../snippets/transcriptions-curl.txt" with { type: "text" };
import transcriptionsPython from "../snippets/transcriptions-python.txt" with { type: "text" };
import transcriptionsTypeScript from "../snippets/transcriptions-typescript.txt" with { type: "text" };
import translationsCurl from "../snippets/translations-curl.txt" with { type: "text" };
import type { Sample } from "./operation.ts";

/** Snippets to copy, for curl and the official SDKs: text files with `{{…}}` in place of settings. */

function samples(shell: string, typescript?: string, python?: string): Sample[] {
  const curl: Sample = { lang: "shell", label: "curl", source: shell.trimEnd() };
  if (typescript === undefined || python === undefined) return [curl];
  return [
    curl,
    { lang: "typescript", label: "TypeScript", source: typescript.trimEnd() },
    { lang: "python", label: "Python", source: python.trimEnd() },
  ];
}

export const SNIPPETS = {
  chat: samples(chatCurl, chatTypeScript, chatPython),
  responses: samples(responsesCurl, responsesTypeScript, responsesPython),
  compact: samples(compactCurl),
  input_tokens: samples(inputTokensCurl),
  messages: samples(messagesCurl, messagesTypeScript, messagesPython),
  count_tokens: samples(countTokensCurl),
  embeddings: samples(embeddingsCurl, embeddingsTypeScript, embeddingsPython),
  gemini: samples(geminiCurl, geminiTypeScript, geminiPython),
  gemini_stream: samples(geminiStreamCurl),
  gemini_count: samples(geminiCountCurl),
  speech: samples(speechCurl, speechTypeScript, speechPython),
  transcriptions: samples(transcriptionsCurl, transcriptionsTypeScript, transcriptionsPython),
  translations: samples(translationsCurl),
  image_edits: samples(imageEditsCurl),
  images: samples(imagesCurl, imagesTypeScript, imagesPython),
  completions: samples(completionsCurl),
  rerank: samples(rerankCurl, rerankTypeScript),
  moderations: samples(moderationsCurl),
  decisions: samples(decisionsCurl, decisionsTypeScript, decisionsPython),
  systemone: samples(systemoneCurl),
} as const;

/** A call without a body, at a path: with the key, or of the `service`, which asks for none. */
export function pathSnippets(kind: "get" | "delete" | "service", path: string): Sample[] {
  const template = { get: getCurl, delete: deleteCurl, service: serviceCurl }[kind];
  return samples(template.replace("{{path}}", path));
}
