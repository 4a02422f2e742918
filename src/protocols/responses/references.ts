import type { ClientRequest, RequestMemory } from "../../core/answer/exchange.ts";
import { findMembers, itemTexts, memberText, replaceMembers } from "../shared/json-members.ts";
import { inputTokenBound } from "./input-token-bound.ts";
import type { InputItems } from "./recalled-input.ts";

/** A request's own items, each with its JSON. A plain string is one user message, as in the public API. */
export function sentItems({ body, text, members }: ClientRequest): InputItems & { readonly texts: readonly string[] } {
  const { input } = body;
  if (typeof input === "string") {
    const item = { type: "message", role: "user", content: [{ type: "input_text", text: input }] };
    const json = JSON.stringify(item);
    return { items: [item], texts: [json], text: `[${json}]` };
  }
  if (!Array.isArray(input)) return { items: [], texts: [], text: "[]" };
  const json = memberText(text, members ?? findMembers(text), "input") ?? "[]";
  return {
    items: input,
    text: json,
    get texts() {
      return itemTexts(json);
    },
  };
}

/** The request with all of its items in its input, in place of its reference to an earlier response. */
export function withItems(
  request: ClientRequest,
  { items, text: input }: InputItems,
  memory: RequestMemory,
): ClientRequest {
  const changes = new Map<string, string | null>([["previous_response_id", null]]);
  changes.set("input", input);
  const text = replaceMembers(request.text, changes, request.members);
  const body = { ...request.body, input: items, previous_response_id: null };
  return { ...withoutMembers(request), text, body, input_bound_tokens: inputTokenBound(text, body), memory };
}

function withoutMembers({ members: _, ...request }: ClientRequest): ClientRequest {
  return request;
}
