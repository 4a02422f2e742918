import type { ClientProtocol, ClientRequest } from "../../core/exchange.ts";
import { isObject } from "../../core/json.ts";
import { type BodyCheck, compileBodyCheck } from "../shared/check-body.ts";
import { chargedMembers } from "../shared/charged-members.ts";
import { inputBound } from "../shared/input-bound.ts";
import { findMembers } from "../shared/json-members.ts";
import { parseBody } from "../shared/parse-body.ts";
import { RESPONSES_CHARGES } from "./charge-table.ts";
import { checkParts } from "./check-parts.ts";
import { ResponsesRequest } from "./wire-request.ts";

const checkRequest: BodyCheck<ResponsesRequest> = compileBodyCheck(ResponsesRequest, () => "invalid_responses_input");

/**
 * POST /v1/responses as clients speak it (docs/api.md 4.2). Fields outside the supported surface are not refused here:
 * whether they can be honoured depends on the vendor (docs/rulings.md 11).
 */
export const responses: ClientProtocol = {
  protocol: "responses",
  error_style: "a",
  endpoint: "responses",
  general_error: "invalid_responses_input",
  readRequest(text: string): ClientRequest {
    const body = parseBody(text);
    const members = findMembers(text);
    checkRequest(body);
    checkParts(body);
    return {
      protocol: "responses",
      model: body.model,
      stream: body.stream ?? false,
      output_cap: body.max_output_tokens ?? null,
      choices: 1,
      input_bound_tokens: inputBound(text, body.input, (body.tools?.length ?? 0) > 0) + storedBound(body),
      text,
      body,
      members,
      charged: chargedMembers(body, RESPONSES_CHARGES),
    };
  },
};

/** No model's context holds more: what the vendor keeps of earlier turns can be as large as that. */
const STORED_BOUND_TOKENS = 1_000_000;
const STORED_FIELDS = ["previous_response_id", "conversation", "prompt"];

/** An upper bound of what the vendor adds from its own store, which no byte of the request shows. */
function storedBound(body: ResponsesRequest & Readonly<Record<string, unknown>>): number {
  const is_stored = STORED_FIELDS.some((field) => (body[field] ?? null) !== null);
  return is_stored || (Array.isArray(body.input) && body.input.some(isReference)) ? STORED_BOUND_TOKENS : 0;
}

function isReference(item: object): boolean {
  return (
    isObject(item) && (item.type === "item_reference" || ((item.type ?? null) === null && item.role === undefined))
  );
}
