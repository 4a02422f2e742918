import Type, { type Static } from "typebox";
import { Filled, optional } from "../shared/wire-schema.ts";

/**
 * The request of `generateContent` and `streamGenerateContent` as clients send it (docs/api.md 4.14), in its canonical spelling
 * (`canonical-body.ts`). Members that are not named here are allowed: they go to a vendor of Gemini unchanged. As everywhere in this
 * API, null is the same as nothing.
 */

const Media = Type.Object({ mimeType: Filled, data: Type.String() });
const File = Type.Object({ fileUri: Filled, mimeType: optional(Type.String()) });

const FunctionCall = Type.Object({
  id: optional(Type.String()),
  name: Filled,
  args: optional(Type.Object({})),
});

const FunctionResponse = Type.Object({
  id: optional(Type.String()),
  name: Filled,
  response: optional(Type.Object({})),
  parts: optional(Type.Array(Type.Object({ inlineData: optional(Media), fileData: optional(File) }))),
});

const Part = Type.Object({
  text: optional(Type.String()),
  inlineData: optional(Media),
  fileData: optional(File),
  functionCall: optional(FunctionCall),
  functionResponse: optional(FunctionResponse),
  thought: optional(Type.Boolean()),
  thoughtSignature: optional(Type.String()),
});
export type GeminiPart = Static<typeof Part>;

const Content = Type.Object({
  role: optional(Type.Enum(["user", "model", "function", "system", ""])),
  parts: optional(Type.Array(Part)),
});
export type GeminiContent = Static<typeof Content>;

const FunctionDeclaration = Type.Object({
  name: Filled,
  description: optional(Type.String()),
  parameters: optional(Type.Object({})),
  parametersJsonSchema: optional(Type.Object({})),
});

export type FunctionDeclaration = Static<typeof FunctionDeclaration>;

const Tool = Type.Object({ functionDeclarations: optional(Type.Array(FunctionDeclaration)) });

const FunctionCallingConfig = Type.Object({
  mode: optional(Type.Enum(["MODE_UNSPECIFIED", "AUTO", "ANY", "NONE", "VALIDATED"])),
  allowedFunctionNames: optional(Type.Array(Type.String())),
});
export type FunctionCallingConfig = Static<typeof FunctionCallingConfig>;

const ThinkingConfig = Type.Object({
  includeThoughts: optional(Type.Boolean()),
  thinkingBudget: optional(Type.Integer({ minimum: -1 })),
  thinkingLevel: optional(Type.String()),
});
export type GeminiThinking = Static<typeof ThinkingConfig>;

const GenerationConfig = Type.Object({
  maxOutputTokens: optional(Type.Integer({ minimum: 1 })),
  candidateCount: optional(Type.Integer({ minimum: 1, maximum: 128 })),
  temperature: optional(Type.Number()),
  topP: optional(Type.Number()),
  topK: optional(Type.Number()),
  presencePenalty: optional(Type.Number()),
  frequencyPenalty: optional(Type.Number()),
  seed: optional(Type.Integer()),
  stopSequences: optional(Type.Array(Type.String())),
  responseLogprobs: optional(Type.Boolean()),
  logprobs: optional(Type.Integer({ minimum: 0 })),
  responseMimeType: optional(Type.String()),
  responseSchema: optional(Type.Object({})),
  responseJsonSchema: optional(Type.Object({})),
  responseModalities: optional(Type.Array(Type.String())),
  thinkingConfig: optional(ThinkingConfig),
});
export type GeminiConfig = Static<typeof GenerationConfig>;

/** What the address of a request says, which HTTP puts behind the members of its body (`addressed-body.ts`). */
const Address = Type.Object({ model: Filled, stream: Type.Boolean() });

export const GenerateContentRequest = Type.Object({
  "@address": Address,
  contents: Type.Array(Content, { minItems: 1 }),
  systemInstruction: optional(Content),
  tools: optional(Type.Array(Tool)),
  toolConfig: optional(Type.Object({ functionCallingConfig: optional(FunctionCallingConfig) })),
  generationConfig: optional(GenerationConfig),
  safetySettings: optional(Type.Array(Type.Object({}))),
  cachedContent: optional(Type.String()),
  serviceTier: optional(Type.String()),
  labels: optional(Type.Object({})),
});
export type GenerateContentRequest = Static<typeof GenerateContentRequest>;

/** A request as it goes to a vendor, which has the model and the stream in its address. */
export type SentGenerateContent = Omit<GenerateContentRequest, "@address">;
