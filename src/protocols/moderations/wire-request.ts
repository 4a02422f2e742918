import Type, { type Static } from "typebox";
import { Count, Filled, optional } from "../shared/wire-schema.ts";

/** The body of `POST /v1/moderations` (docs/api.md 4.16). Null counts as absent, as in the public API. */

const TextPart = Type.Object({ type: Type.Literal("text"), text: Type.String() });
const ImagePart = Type.Object({
  type: Type.Literal("image_url"),
  image_url: Type.Object({ url: Filled }),
});

export const ModerationRequest = Type.Object({
  model: optional(Filled),
  input: Type.Union([
    Type.String(),
    Type.Array(Type.String(), { minItems: 1 }),
    Type.Array(Type.Union([TextPart, ImagePart]), { minItems: 1 }),
  ]),
});
export type ModerationRequest = Static<typeof ModerationRequest>;

const flags = Type.Record(Type.String(), Type.Union([Type.Boolean(), Type.Null()]));

/** The answer (docs/api.md 4.16). */
export const ModerationResult = Type.Object({
  id: Type.String(),
  model: Type.String({ description: "The catalog's id." }),
  results: Type.Array(
    Type.Object({
      flagged: Type.Boolean(),
      categories: flags,
      category_scores: Type.Record(Type.String(), Type.Number()),
    }),
  ),
  usage: Type.Optional(
    Type.Object({
      prompt_tokens: Count,
      total_tokens: Count,
      cost: optional(Type.Number()),
    }),
  ),
});
