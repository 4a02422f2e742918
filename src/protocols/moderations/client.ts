import { refuseMore } from "../shared/check-bounds.ts";
import { inputBound } from "../shared/input-bound.ts";
import { plainEndpoint } from "../shared/plain-endpoint.ts";
import { ModerationRequest } from "./wire-request.ts";

/** The model that the public API asks where a request names none. */
const USUAL_MODEL = "omni-moderation-latest";

/** The shape of `/v1/moderations` (docs/api.md 4.16, docs/rulings.md 213). */
export const moderations = plainEndpoint({
  protocol: "moderations",
  endpoint: "moderations",
  kind: "moderation",
  schema: ModerationRequest,
  refuse: ({ input }) =>
    refuseMore(input, { bound: "moderation_inputs", place: "input", of: "inputs", code: "invalid_input" }),
  read: ({ model, input }, text) => ({
    model: model ?? USUAL_MODEL,
    input_bound_tokens: inputBound(text, input, false),
  }),
});
