import type { ClientProtocol, ClientRequest } from "../../core/exchange.ts";
import { chargedMembers } from "../shared/charged-members.ts";
import { type BodyCheck, compileBodyCheck } from "../shared/check-body.ts";
import { rareEffort } from "../shared/effort.ts";
import { COMMENT_BEAT, eventFrame, joinFrames } from "../shared/event-frames.ts";
import { findMembers } from "../shared/json-members.ts";
import { parseBody } from "../shared/parse-json.ts";
import { RESPONSES_CHARGES } from "./charge-table.ts";
import { checkBounds } from "./check-bounds.ts";
import { checkParts } from "./check-parts.ts";
import { emptyResponse } from "./empty-response.ts";
import { inputTokenBound } from "./input-token-bound.ts";
import { ResponsesRequest } from "./wire-request.ts";

const checkRequest: BodyCheck<ResponsesRequest> = compileBodyCheck(ResponsesRequest, () => "invalid_responses_input");

/**
 * The client protocol of POST /v1/responses (docs/api.md 4.2). Fields outside the supported surface are not refused
 * here: whether they can be honoured depends on the vendor (docs/rulings.md 11).
 */
export const responses: ClientProtocol = {
  protocol: "responses",
  error_style: "a",
  endpoint: "responses",
  general_error: "invalid_responses_input",
  beat: COMMENT_BEAT,
  failedStream({ code, message }, { model }): Uint8Array {
    const response = { ...emptyResponse(model), status: "in_progress" };
    const failed = { ...response, status: "failed", error: { code, message } };
    // The official clients read no other event before the first.
    return joinFrames([
      eventFrame("response.created", { type: "response.created", response, sequence_number: 0 }),
      eventFrame("response.failed", { type: "response.failed", response: failed, sequence_number: 1 }),
    ]);
  },
  readRequest(text: string): ClientRequest {
    const body = parseBody(text);
    const members = findMembers(text);
    checkBounds(text, body);
    checkRequest(body);
    checkParts(body);
    return {
      protocol: "responses",
      model: body.model,
      stream: body.stream ?? false,
      output_cap: body.max_output_tokens ?? null,
      choices: 1,
      input_bound_tokens: inputTokenBound(text, body),
      text,
      body,
      members,
      charged: chargedMembers(body, RESPONSES_CHARGES),
      ...rareEffort(body.reasoning?.effort, "reasoning.effort", "invalid_responses_input"),
    };
  },
};
