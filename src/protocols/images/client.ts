import type { ClientRequest, EndpointProtocol } from "../../core/answer/exchange.ts";
import { type BodyCheck, compileBodyCheck } from "../shared/check-body.ts";
import { parseBody } from "../shared/parse-json.ts";
import { readEditForm, refuseLarge, sizeOfUrl } from "./edit-form.ts";
import { ImageEditRequest, ImageRequest } from "./wire-request.ts";

/** The shape of `/v1/images/generations` (docs/api.md 4.17, docs/rulings.md 223). */
export const images: EndpointProtocol = {
  protocol: "images",
  error_style: "a",
  endpoint: "images.generations",
  kind: "image",
  general_error: "invalid_input",
  most_body_bytes: 256 * 2 ** 10,
  readRequest: (text) => {
    const body = parseBody(text);
    check(body);
    return requestOf(body, { protocol: "images", text, images: 0 });
  },
};

/** The shape of `/v1/images/edits`, in JSON and as a form (docs/api.md 4.22, docs/rulings.md 229). */
export const imageEdits: EndpointProtocol = {
  protocol: "image-edits",
  error_style: "a",
  endpoint: "images.edits",
  kind: "image",
  general_error: "invalid_input",
  readRequest: (text) => {
    const body = parseBody(text);
    checkEdit(body);
    for (const [at, { image_url = "" }] of body.images.entries())
      refuseLarge(`images[${at}].image_url`, sizeOfUrl(image_url));
    return requestOf(body, { protocol: "image-edits", text, images: body.images.length });
  },
  readForm: (parts) => {
    const { body, images: count } = readEditForm(parts);
    check(body);
    // What stands in the place of a text: a hold looks here for what the input may be.
    const text = JSON.stringify({ model: body.model, image: count });
    return { ...requestOf(body, { protocol: "image-edits", text, images: count }), form: parts };
  },
};

/** The tokens that a model's own marks may add; no byte of the request shows them. */
const MARK_TOKENS = 16;
/** Tokens of an image that is looked at, at the most; and what an estimate takes. */
const MOST_IMAGE_TOKENS = 8192;
const IMAGE_TOKENS = 1024;

const check: BodyCheck<ImageRequest> = compileBodyCheck(ImageRequest, () => "invalid_input");
const checkEdit: BodyCheck<ImageEditRequest> = compileBodyCheck(ImageEditRequest, () => "invalid_input");

interface SentImageRequest {
  readonly protocol: "images" | "image-edits";
  readonly text: string;
  /** How many images are sent. */
  readonly images: number;
}

function requestOf(body: ImageRequest, { protocol, text, images: sent }: SentImageRequest): ClientRequest {
  const { model, prompt } = body;
  const count = body.n ?? 1;
  return {
    protocol,
    model,
    stream: body.stream === true,
    output_cap: null,
    // A moving image is drawn frame by frame.
    choices: count * (body.frame_count ?? 1),
    input_bound_tokens: Buffer.byteLength(prompt) + MARK_TOKENS + sent * MOST_IMAGE_TOKENS,
    units: { images: count },
    text,
    body,
    collectInput: (most) => ({
      ...{ sample: prompt.slice(0, most), characters: prompt.length },
      media_tokens: sent * IMAGE_TOKENS,
    }),
  };
}
