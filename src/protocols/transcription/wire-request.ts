import Type from "typebox";
import { Cost, Count, Filled } from "../shared/wire-schema.ts";
import { TRANSCRIPT_FORMATS } from "./form-fields.ts";

/** The shapes of `POST /v1/audio/transcriptions` and `/v1/audio/translations` as the document shows them (docs/api.md 4.20). A form is read by `form-fields.ts`. */

const File = Type.Unsafe<string>({ type: "string", format: "binary", description: "The sound, at most 25 MiB." });

export const TranslationRequest = Type.Object({
  model: Filled,
  file: File,
  prompt: Type.Optional(Type.String()),
  response_format: Type.Optional(Type.Enum([...TRANSCRIPT_FORMATS])),
  temperature: Type.Optional(Type.Number({ minimum: 0, maximum: 1 })),
});

export const TranscriptionRequest = Type.Object({
  ...TranslationRequest.properties,
  language: Type.Optional(Type.String()),
  "timestamp_granularities[]": Type.Optional(Type.Array(Type.Enum(["word", "segment"]))),
  stream: Type.Optional(Type.Boolean()),
});

const TranscriptUsage = Type.Union([
  Type.Object({ type: Type.Literal("duration"), seconds: Count, cost: Cost }),
  Type.Object({
    type: Type.Literal("tokens"),
    ...{ input_tokens: Count, output_tokens: Count, total_tokens: Count },
    cost: Cost,
  }),
]);

export const Transcription = Type.Object({ text: Type.String(), usage: TranscriptUsage });

export const TranscriptEvent = Type.Union([
  Type.Object({ type: Type.Literal("transcript.text.delta"), delta: Type.String() }),
  Type.Object({
    type: Type.Literal("transcript.text.done"),
    text: Type.String(),
    usage: TranscriptUsage,
  }),
]);
