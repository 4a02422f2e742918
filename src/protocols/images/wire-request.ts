import Type, { type Static } from "typebox";
import { Cost, Count, Filled, optional } from "../shared/wire-schema.ts";

/** The body of `POST /v1/images/generations` (docs/api.md 4.17). Null counts as absent, as in the public API. */

/** The formats of an image. SVG is none of them: another model makes it, at a price of its own (docs/rulings.md 223). */
export const IMAGE_FORMATS = ["png", "jpeg", "webp", "gif"] as const;

export const MOST_IMAGES = 10;
const MOST_FRAMES = 1000;

export const ImageRequest = Type.Object({
  model: Filled,
  prompt: Type.String({ minLength: 1, description: "What the images show." }),
  n: optional(Type.Integer({ minimum: 1, maximum: MOST_IMAGES })),
  size: optional(Filled),
  quality: optional(Filled),
  background: optional(Type.Enum(["transparent", "opaque", "auto"])),
  output_format: optional(Type.Enum([...IMAGE_FORMATS])),
  output_compression: optional(Type.Integer({ minimum: 0, maximum: 100 })),
  frame_count: optional(Type.Integer({ minimum: 1, maximum: MOST_FRAMES })),
  moderation: optional(Type.Enum(["low", "auto"])),
  style: optional(Filled),
  response_format: optional(Type.Enum(["url", "b64_json"])),
  stream: optional(Type.Boolean()),
  partial_images: optional(Type.Integer({ minimum: 0, maximum: 3 })),
  svg: Type.Optional(Type.Null()),
  user: optional(Type.String()),
  safety_identifier: optional(Type.String()),
});
export type ImageRequest = Static<typeof ImageRequest>;

const Image = Type.Object({
  image_url: Type.Optional(
    Type.String({ minLength: 1, description: "A data URL, or an address that the vendor fetches." }),
  ),
  file_id: Type.Optional(Filled),
});

export const MOST_INPUT_IMAGES = 16;

/** The body of `POST /v1/images/edits` in JSON (docs/api.md 4.22). */
export const ImageEditRequest = Type.Object({
  ...ImageRequest.properties,
  images: Type.Array(Image, { minItems: 1, maxItems: MOST_INPUT_IMAGES }),
  mask: optional(Image),
  input_fidelity: optional(Type.Enum(["high", "low"])),
});
export type ImageEditRequest = Static<typeof ImageEditRequest>;

const Media = Type.Object({ text_tokens: Count, image_tokens: Count });

const ImageUsage = Type.Object({
  input_tokens: Count,
  output_tokens: Count,
  total_tokens: Count,
  input_tokens_details: Type.Optional(Media),
  output_tokens_details: Type.Optional(Media),
  cost: Cost,
});

/** What the vendor says of the images that it made. */
const Made = {
  size: Type.Optional(Type.String()),
  quality: Type.Optional(Type.String()),
  background: Type.Optional(Type.String()),
  output_format: Type.Optional(Type.String()),
};

/** The answer (docs/api.md 4.17). */
export const ImageList = Type.Object({
  created: Type.Integer({ description: "Unix seconds." }),
  data: Type.Array(
    Type.Object({
      b64_json: Type.Optional(Type.String({ description: "The image, in base64." })),
      url: Type.Optional(Type.String({ description: "Where the vendor keeps it for a while." })),
      revised_prompt: Type.Optional(Type.String()),
    }),
  ),
  ...Made,
  usage: ImageUsage,
});

/** An event of a streamed answer: an image on its way, or one that is done. */
export const ImageEvent = Type.Union([
  Type.Object({
    type: Type.Enum(["image_generation.partial_image", "image_edit.partial_image"]),
    b64_json: Type.String(),
    partial_image_index: Count,
    created_at: Type.Integer(),
    ...Made,
  }),
  Type.Object({
    type: Type.Enum(["image_generation.completed", "image_edit.completed"]),
    b64_json: Type.String(),
    created_at: Type.Integer(),
    ...Made,
    usage: Type.Optional(ImageUsage),
  }),
]);
