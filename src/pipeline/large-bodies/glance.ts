import type { ClientRequest } from "../../core/answer/exchange.ts";
import { isObject } from "../../core/json.ts";
import { RARE_WORDS } from "../../ledger/rare-costs.ts";
import { STORED_MEMBERS } from "../request/collect-text.ts";
import { tagMetadata } from "../request/tag-metadata.ts";
import { hasVendorTools } from "../request/vendor-tools.ts";

/**
 * The members of a body that the serving thread looks at after the body was read: whether reasoning is switched off, whether the vendor adds
 * to it from its store, whether it names tools that the vendor runs, and which tags it brings. A request with this body is judged as one with
 * the whole body (glance.test.ts).
 */
export function glanceAt(body: ClientRequest["body"]): ClientRequest["body"] {
  const { reasoning_effort, reasoning } = body;
  const glance: Record<string, unknown> = {};
  if (reasoning_effort === "none") glance.reasoning_effort = "none";
  if (isObject(reasoning) && reasoning.effort === "none") glance.reasoning = { effort: "none" };
  if ("messages" in body) glance.messages = [];
  for (const member of STORED_MEMBERS) if ((body[member] ?? null) !== null) glance[member] = "";
  if (hasVendorTools(body)) glance.mcp_servers = [];
  if (Array.isArray(body.images) && body.images.length > 0) glance.images = [null];
  const metadata = tagMetadata(body);
  if (metadata !== null) glance.metadata = metadata;
  return glance;
}

/** The words of a body by which its rare costs are judged, in place of its text. */
export function rareCostWords(text: string): string {
  return RARE_WORDS.filter((word) => text.includes(word)).join(" ");
}
