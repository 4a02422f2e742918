import type { ClientHeaders, ClientRequest, Target } from "../../core/answer/exchange.ts";
import { isObject, type JsonRecord } from "../../core/json.ts";
import { betaHeaders } from "../shared/beta-headers.ts";
import { readVersion } from "./read-version.ts";

/** The version that every vendor of messages speaks, and the only one that vendors other than Anthropic imitate. */
export const COMMON_VERSION = "2023-06-01";

/** Members that later versions refuse, whatever their value. */
const REFUSED_LATER = ["temperature", "top_p", "top_k"];

/**
 * The protocol's own headers for a vendor (docs/rulings.md 2). Betas go as the client sent them. A version after the
 * common one goes to vendors that have it, unless the request has what it refuses: under the common version that still
 * means what it says.
 */
export function vendorHeaders(request: ClientRequest, target: Target, headers: ClientHeaders): Record<string, string> {
  const version = sentVersion(request, target, readVersion(headers));
  return { "anthropic-version": version, ...betaHeaders("messages", headers) };
}

function sentVersion({ body }: ClientRequest, { endpoint }: Target, asked: string): string {
  if (asked <= COMMON_VERSION) return asked;
  return endpoint.later_versions === true && !isRefusedLater(body) ? asked : COMMON_VERSION;
}

/**
 * Whether a version after the common one refuses the request: sampling, documents in what the assistant said, and
 * citations of what the user said.
 */
function isRefusedLater(body: JsonRecord): boolean {
  if (REFUSED_LATER.some((name) => body[name] !== undefined)) return true;
  return Array.isArray(body.messages) && body.messages.some(holdsRefusedBlock);
}

function holdsRefusedBlock(message: unknown): boolean {
  if (!isObject(message) || !Array.isArray(message.content)) return false;
  const is_user = message.role === "user";
  return message.content.some((block) => isObject(block) && (is_user ? isCited(block) : block.type === "document"));
}

function isCited({ type, citations }: JsonRecord): boolean {
  return type === "text" && Array.isArray(citations) && citations.length > 0;
}
