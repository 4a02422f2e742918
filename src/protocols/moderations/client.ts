import type { ClientRequest, EndpointProtocol } from "../../core/answer/exchange.ts";
import { type BodyCheck, compileBodyCheck } from "../shared/check-body.ts";
import { refuseMore } from "../shared/check-bounds.ts";
import { inputBound } from "../shared/input-bound.ts";
import { parseBody } from "../shared/parse-json.ts";
import { ModerationRequest } from "./wire-request.ts";

/** The model that the public API asks where a request names none. */
const USUAL_MODEL = "omni-moderation-latest";

/** The shape of `/v1/moderations` (docs/api.md 4.16, docs/rulings.md 213). */
export const moderations: EndpointProtocol = {
  protocol: "moderations",
  error_style: "a",
  endpoint: "moderations",
  kind: "moderation",
  general_error: "invalid_input",
  readRequest,
};

const check: BodyCheck<ModerationRequest> = compileBodyCheck(ModerationRequest, () => "invalid_input");

/** Throws `invalid_json`, and `invalid_input` for what is no moderation request. */
function readRequest(text: string): ClientRequest {
  const body = parseBody(text);
  refuseMore(body.input, { bound: "moderation_inputs", place: "input", of: "inputs", code: "invalid_input" });
  check(body);
  return {
    protocol: "moderations",
    model: body.model ?? USUAL_MODEL,
    stream: false,
    output_cap: 0,
    choices: 1,
    input_bound_tokens: inputBound(text, body.input, false),
    text,
    body,
  };
}
