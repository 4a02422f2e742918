import type { ClientRequest, EndpointProtocol } from "../../core/answer/exchange.ts";
import { type BodyCheck, compileBodyCheck } from "../shared/check-body.ts";
import { parseBody } from "../shared/parse-json.ts";
import { ImageRequest } from "./wire-request.ts";

/** The shape of `/v1/images/generations` (docs/api.md 4.17, docs/rulings.md 223). */
export const images: EndpointProtocol = {
  protocol: "images",
  error_style: "a",
  endpoint: "images.generations",
  kind: "image",
  general_error: "invalid_input",
  most_body_bytes: 256 * 2 ** 10,
  readRequest,
};

/** The tokens that a model's own marks may add; no byte of the request shows them. */
const MARK_TOKENS = 16;

const check: BodyCheck<ImageRequest> = compileBodyCheck(ImageRequest, () => "invalid_input");

/** Throws `invalid_json`, and `invalid_input` for what is no request for images. */
function readRequest(text: string): ClientRequest {
  const body = parseBody(text);
  check(body);
  const { model, prompt } = body;
  const count = body.n ?? 1;
  return {
    protocol: "images",
    model,
    stream: body.stream === true,
    output_cap: null,
    // A moving image is drawn frame by frame.
    choices: count * (body.frame_count ?? 1),
    input_bound_tokens: Buffer.byteLength(prompt) + MARK_TOKENS,
    units: { images: count },
    text,
    body,
    collectInput: (most) => ({ sample: prompt.slice(0, most), characters: prompt.length, media_tokens: 0 }),
  };
}
