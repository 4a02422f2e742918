import Type, { type Static } from "typebox";
import { Cost, Count, Filled, optional } from "../shared/wire-schema.ts";
import { SOUND_FORMATS, type SoundFormat } from "./sound-formats.ts";

/** The body of `POST /v1/audio/speech` (docs/api.md 4.15). Null counts as absent, as in the public API. */

export const SpeechRequest = Type.Object({
  model: Filled,
  input: Type.String({ minLength: 1, description: "The text to be spoken." }),
  voice: Type.Union([Filled, Type.Object({ id: Filled })]),
  instructions: optional(Type.String()),
  response_format: optional(Type.Enum([...SOUND_FORMATS] as SoundFormat[])),
  speed: optional(Type.Number({ minimum: 0.25, maximum: 4 })),
  stream_format: optional(Type.Enum(["audio", "sse"])),
});
export type SpeechRequest = Static<typeof SpeechRequest>;

/** An event of an answer in events: a piece of sound, or the end. */
export const SpeechEvent = Type.Union([
  Type.Object({
    type: Type.Literal("speech.audio.delta"),
    audio: Type.String({ description: "A piece of sound, in base64." }),
  }),
  Type.Object({
    type: Type.Literal("speech.audio.done"),
    usage: Type.Object({
      input_tokens: Count,
      output_tokens: Count,
      total_tokens: Count,
      cost: Cost,
    }),
  }),
]);
