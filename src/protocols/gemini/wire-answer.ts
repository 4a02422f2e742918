import Type from "typebox";

/** The answers of Gemini's style: the object of a whole answer, of which a stream has several (docs/api.md 4.14, 6.4), and a count. */

const count = Type.Integer({ minimum: 0 });

const AnswerPart = Type.Object({
  text: Type.Optional(Type.String()),
  thought: Type.Optional(Type.Boolean()),
  functionCall: Type.Optional(
    Type.Object({ id: Type.Optional(Type.String()), name: Type.String(), args: Type.Optional(Type.Object({})) }),
  ),
  thoughtSignature: Type.Optional(Type.String()),
});

export const Candidate = Type.Object({
  content: Type.Object({ role: Type.Literal("model"), parts: Type.Array(AnswerPart) }),
  finishReason: Type.Optional(Type.String()),
  index: Type.Optional(count),
});

const GenerateContentUsage = Type.Object({
  promptTokenCount: count,
  candidatesTokenCount: Type.Optional(count),
  totalTokenCount: count,
  cachedContentTokenCount: Type.Optional(count),
  thoughtsTokenCount: Type.Optional(count),
  cost: Type.Optional(Type.Number()),
});

export const GenerateContentAnswer = Type.Object({
  candidates: Type.Optional(Type.Array(Candidate)),
  usageMetadata: Type.Optional(GenerateContentUsage),
  modelVersion: Type.String(),
  responseId: Type.String(),
});

export const GeminiTokenCount = Type.Object({
  totalTokens: count,
  cachedContentTokenCount: Type.Optional(count),
  estimated: Type.Optional(Type.Literal(true)),
});
