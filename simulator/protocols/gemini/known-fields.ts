import { BadRequest } from "../../ask.ts";
import type { Json } from "../read.ts";

const REQUEST = [
  "contents",
  "systemInstruction",
  "tools",
  "toolConfig",
  "safetySettings",
  "generationConfig",
  "cachedContent",
  "labels",
  "model",
  "serviceTier",
];
const CONFIG = [
  "stopSequences",
  "responseMimeType",
  "responseSchema",
  "responseJsonSchema",
  "responseModalities",
  "candidateCount",
  "maxOutputTokens",
  "temperature",
  "topP",
  "topK",
  "seed",
  "presencePenalty",
  "frequencyPenalty",
  "responseLogprobs",
  "logprobs",
  "speechConfig",
  "thinkingConfig",
  "imageConfig",
  "mediaResolution",
];
const PART = [
  "text",
  "inlineData",
  "fileData",
  "functionCall",
  "functionResponse",
  "thought",
  "thoughtSignature",
  "videoMetadata",
];
const CALL = ["name", "args"];
const RESPONSE = ["name", "response", "parts", "willContinue", "scheduling"];

/** The fields that each object of a request may have; the API refuses all other fields. */
export const KNOWN = {
  request: REQUEST,
  config: CONFIG,
  part: PART,
  call: [...CALL, "id"],
  response: [...RESPONSE, "id"],
  vertex_call: CALL,
  vertex_response: RESPONSE,
} as const satisfies Record<string, readonly string[]>;

/** Refuses an object with a field that is not known, in the API's own words. */
export function checkKnown(value: Json, known: readonly string[], at: string): void {
  const unknown = Object.keys(value).find((field) => !known.includes(field));
  if (unknown === undefined) return;
  const place = at === "" ? "" : ` at '${at}'`;
  throw new BadRequest(`Invalid JSON payload received. Unknown name "${unknown}"${place}: Cannot find field.`);
}
