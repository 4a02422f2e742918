import Type, { type Static } from "typebox";
import { REQUEST_BOUNDS } from "../../core/answer/request-bounds.ts";
import { Cost, Count, Filled, optional } from "../shared/wire-schema.ts";

/** The body of `POST /v1/embeddings` (docs/api.md 4.12). Null counts as absent, as in the public API. */

const MANY = { minItems: 1, maxItems: REQUEST_BOUNDS.embedding_inputs };

export const EmbeddingRequest = Type.Object({
  model: Filled,
  input: Type.Union([
    Filled,
    Type.Array(Filled, MANY),
    Type.Array(Count, { minItems: 1 }),
    Type.Array(Type.Array(Count, { minItems: 1 }), MANY),
  ]),
  dimensions: optional(Type.Integer({ minimum: 1 })),
  encoding_format: optional(Type.Enum(["float", "base64"])),
  user: optional(Type.String()),
});
export type EmbeddingRequest = Static<typeof EmbeddingRequest>;

/** An input to be embedded: a text, or its tokens. */
export type EmbeddingInput = string | readonly number[];

/** The inputs of a checked body, each of which gets an embedding. */
export function inputsOf({ input }: Pick<EmbeddingRequest, "input">): readonly EmbeddingInput[] {
  if (typeof input === "string") return [input];
  return typeof input[0] === "number" ? [input as number[]] : (input as EmbeddingInput[]);
}

const Vector = Type.Union([Type.Array(Type.Number()), Type.String()], {
  description: "Numbers; with `encoding_format: base64` the base64 of 32-bit floats, little-endian.",
});

/** The answer (docs/api.md 4.12). */
export const EmbeddingList = Type.Object({
  object: Type.Literal("list"),
  data: Type.Array(Type.Object({ object: Type.Literal("embedding"), index: Count, embedding: Vector })),
  model: Type.String({ description: "The catalog's id." }),
  usage: Type.Object({
    prompt_tokens: Count,
    total_tokens: Count,
    cost: Cost,
  }),
});
