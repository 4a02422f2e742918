import type { ClientRequest } from "../../core/answer/exchange.ts";
import { isObject } from "../../core/json.ts";
import { RARE_WORDS } from "../../ledger/rare-costs.ts";
import { STORED_MEMBERS } from "../request/collect-text.ts";
import { endUserOf } from "../request/end-user.ts";
import { tagMetadata } from "../request/tag-metadata.ts";
import { hasVendorTools } from "../request/vendor-tools.ts";

/**
 * The few members of a large body that the serving thread needs after the body was read: whether reasoning is switched off, whether the
 * vendor adds to the request from its store, whether it names tools that the vendor runs, its tags and its end user. A request with this body is judged
 * like one with the whole body (summarize-body.test.ts).
 */
export function summarizeBody(body: ClientRequest["body"]): ClientRequest["body"] {
  const { reasoning_effort, reasoning } = body;
  const summary: Record<string, unknown> = {};
  if (reasoning_effort === "none") summary.reasoning_effort = "none";
  if (isObject(reasoning) && reasoning.effort === "none") summary.reasoning = { effort: "none" };
  if ("messages" in body) summary.messages = [];
  for (const member of STORED_MEMBERS) if ((body[member] ?? null) !== null) summary[member] = "";
  if (hasVendorTools(body)) summary.mcp_servers = [];
  if (Array.isArray(body.images) && body.images.length > 0) summary.images = [null];
  const metadata = tagMetadata(body);
  if (metadata !== null) summary.metadata = metadata;
  const end_user = endUserOf(body);
  if (end_user !== null) summary.safety_identifier = end_user;
  return summary;
}

/** The words of a body by which its rare costs are judged, in place of its text. */
export function rareCostWords(text: string): string {
  return RARE_WORDS.filter((word) => text.includes(word)).join(" ");
}
