import type { ClientHeaders, ClientRequest, Target } from "../../core/answer/exchange.ts";
import { textOfParts } from "../../core/answer/sent-body.ts";
import { isObject } from "../../core/json.ts";
import { isPlausibleCount } from "../../core/money/usage.ts";
import { findMembers, type MemberChange, replaceMembers } from "../shared/json-members.ts";
import { parseOrNull } from "../shared/parse-json.ts";
import { refuseVendorState } from "../shared/vendor-state.ts";
import { responses } from "./client.ts";
import { prepareBody } from "./prepare-body.ts";

/** POST /v1/responses/input_tokens (docs/rulings.md 212): relayed where the vendor speaks responses, else estimated. */

/** Checks a body as that of a responses request, of which nothing is generated. */
export function readInputTokensRequest(text: string, headers: ClientHeaders): ClientRequest {
  return { ...responses.readRequest(text, headers), stream: false };
}

/** The members that the vendors' own endpoint takes. */
const COUNTED: ReadonlySet<string> = new Set([
  ...["model", "input", "instructions", "tools", "tool_choice", "parallel_tool_calls", "reasoning", "text"],
  ...["truncation", "personality"],
]);

/** The vendor's request for a request that `readInputTokensRequest` has read. */
export function relayInputTokens(request: ClientRequest, target: Target, _headers: ClientHeaders) {
  refuseVendorState(request, target);
  const text = textOfParts(prepareBody(request, target).parts);
  const members = findMembers(text);
  const others = members.keys().filter((name) => !COUNTED.has(name));
  const changes = others.map((name): MemberChange => [name, null]);
  return { path: "/responses/input_tokens", body: replaceMembers(text, changes, members), headers: {} };
}

/** The answer, with a mark where no vendor counted. */
export function inputTokensAnswer(input_tokens: number, is_estimated: boolean): string {
  return JSON.stringify({
    object: "response.input_tokens",
    input_tokens,
    ...(is_estimated && { estimated: true }),
  });
}

/** The client's answer by a vendor's; null where it has no count. Never throws. */
export function readInputTokens(answer: string): string | null {
  const count = parseOrNull(answer);
  return isObject(count) && isPlausibleCount(count.input_tokens) ? inputTokensAnswer(count.input_tokens, false) : null;
}
