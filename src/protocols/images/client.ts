import { type BodyCheck, compileBodyCheck } from "../shared/check-body.ts";
import { plainEndpoint } from "../shared/plain-endpoint.ts";
import { readEditForm, refuseLarge, sizeOfUrl } from "./edit-form.ts";
import { ImageEditRequest, ImageRequest } from "./wire-request.ts";

/** The shape of `/v1/images/generations` (docs/api.md 4.17, docs/rulings.md 223). */
export const images = plainEndpoint({
  protocol: "images",
  endpoint: "images.generations",
  kind: "image",
  most_body_bytes: 256 * 2 ** 10,
  schema: ImageRequest,
  read: (body) => readImageRequest(body, 0),
});

/** The shape of `/v1/images/edits`, in JSON and as a form (docs/api.md 4.22, docs/rulings.md 229). */
export const imageEdits = plainEndpoint({
  protocol: "image-edits",
  endpoint: "images.edits",
  kind: "image",
  schema: ImageEditRequest,
  read: (body) => {
    for (const [at, { image_url = "" }] of body.images.entries())
      refuseLarge(`images[${at}].image_url`, sizeOfUrl(image_url));
    return readImageRequest(body, body.images.length);
  },
  readForm: (parts) => {
    const { body, images: count } = readEditForm(parts);
    checkForm(body);
    // What stands in the place of a text: a hold looks here for what the input may be.
    const text = JSON.stringify({ model: body.model, image: count });
    return { protocol: "image-edits", text, body, ...readImageRequest(body, count), form: parts };
  },
});

/** The tokens that a model's own marks may add; no byte of the request shows them. */
const MARK_TOKENS = 16;
/** Tokens of an image that is looked at, at the most; and what an estimate takes. */
const MOST_IMAGE_TOKENS = 8192;
const IMAGE_TOKENS = 1024;

const checkForm: BodyCheck<ImageRequest> = compileBodyCheck(ImageRequest, () => "invalid_input");

function readImageRequest({ model, prompt, n, stream, frame_count }: ImageRequest, images_sent: number) {
  const count = n ?? 1;
  return {
    model,
    stream: stream === true,
    output_cap: null,
    // A moving image is drawn frame by frame.
    choices: count * (frame_count ?? 1),
    input_bound_tokens: Buffer.byteLength(prompt) + MARK_TOKENS + images_sent * MOST_IMAGE_TOKENS,
    units: { images: count },
    collectInput: (most: number) => ({
      ...{ sample: prompt.slice(0, most), characters: prompt.length },
      media_tokens: images_sent * IMAGE_TOKENS,
    }),
  };
}
