import Type, { type Static, type TSchema } from "typebox";

/**
 * The request of `generateContent` and `streamGenerateContent` as clients send it (docs/api.md 4.14), in its canonical spelling
 * (`canonical-body.ts`). Members that are not named here are allowed: they go to a vendor of Gemini unchanged. As everywhere in this
 * API, null is the same as nothing.
 */

function maybe<Schema extends TSchema>(schema: Schema) {
  return Type.Optional(Type.Union([schema, Type.Null()]));
}

const Media = Type.Object({ mimeType: Type.String({ minLength: 1 }), data: Type.String() });
const File = Type.Object({ fileUri: Type.String({ minLength: 1 }), mimeType: maybe(Type.String()) });

const FunctionCall = Type.Object({
  id: maybe(Type.String()),
  name: Type.String({ minLength: 1 }),
  args: maybe(Type.Object({})),
});

const FunctionResponse = Type.Object({
  id: maybe(Type.String()),
  name: Type.String({ minLength: 1 }),
  response: maybe(Type.Object({})),
  parts: maybe(Type.Array(Type.Object({ inlineData: maybe(Media), fileData: maybe(File) }))),
});

const Part = Type.Object({
  text: maybe(Type.String()),
  inlineData: maybe(Media),
  fileData: maybe(File),
  functionCall: maybe(FunctionCall),
  functionResponse: maybe(FunctionResponse),
  thought: maybe(Type.Boolean()),
  thoughtSignature: maybe(Type.String()),
});
export type GeminiPart = Static<typeof Part>;

const Content = Type.Object({
  role: maybe(Type.Enum(["user", "model", "function", "system", ""])),
  parts: maybe(Type.Array(Part)),
});
export type GeminiContent = Static<typeof Content>;

const FunctionDeclaration = Type.Object({
  name: Type.String({ minLength: 1 }),
  description: maybe(Type.String()),
  parameters: maybe(Type.Object({})),
  parametersJsonSchema: maybe(Type.Object({})),
});

export type FunctionDeclaration = Static<typeof FunctionDeclaration>;

const Tool = Type.Object({ functionDeclarations: maybe(Type.Array(FunctionDeclaration)) });

const FunctionCallingConfig = Type.Object({
  mode: maybe(Type.Enum(["MODE_UNSPECIFIED", "AUTO", "ANY", "NONE", "VALIDATED"])),
  allowedFunctionNames: maybe(Type.Array(Type.String())),
});
export type FunctionCallingConfig = Static<typeof FunctionCallingConfig>;

const ThinkingConfig = Type.Object({
  includeThoughts: maybe(Type.Boolean()),
  thinkingBudget: maybe(Type.Integer({ minimum: -1 })),
  thinkingLevel: maybe(Type.String()),
});
export type GeminiThinking = Static<typeof ThinkingConfig>;

const GenerationConfig = Type.Object({
  maxOutputTokens: maybe(Type.Integer({ minimum: 1 })),
  candidateCount: maybe(Type.Integer({ minimum: 1, maximum: 128 })),
  temperature: maybe(Type.Number()),
  topP: maybe(Type.Number()),
  topK: maybe(Type.Number()),
  presencePenalty: maybe(Type.Number()),
  frequencyPenalty: maybe(Type.Number()),
  seed: maybe(Type.Integer()),
  stopSequences: maybe(Type.Array(Type.String())),
  responseLogprobs: maybe(Type.Boolean()),
  logprobs: maybe(Type.Integer({ minimum: 0 })),
  responseMimeType: maybe(Type.String()),
  responseSchema: maybe(Type.Object({})),
  responseJsonSchema: maybe(Type.Object({})),
  responseModalities: maybe(Type.Array(Type.String())),
  thinkingConfig: maybe(ThinkingConfig),
});
export type GeminiConfig = Static<typeof GenerationConfig>;

/** What the address of a request says, which HTTP puts behind the members of its body (`addressed-body.ts`). */
const Address = Type.Object({ model: Type.String({ minLength: 1 }), stream: Type.Boolean() });

export const GenerateContentRequest = Type.Object({
  "@address": Address,
  contents: Type.Array(Content, { minItems: 1 }),
  systemInstruction: maybe(Content),
  tools: maybe(Type.Array(Tool)),
  toolConfig: maybe(Type.Object({ functionCallingConfig: maybe(FunctionCallingConfig) })),
  generationConfig: maybe(GenerationConfig),
  safetySettings: maybe(Type.Array(Type.Object({}))),
  cachedContent: maybe(Type.String()),
  serviceTier: maybe(Type.String()),
  labels: maybe(Type.Object({})),
});
export type GenerateContentRequest = Static<typeof GenerateContentRequest>;

/** A request as it goes to a vendor, which has the model and the stream in its address. */
export type SentGenerateContent = Omit<GenerateContentRequest, "@address">;
