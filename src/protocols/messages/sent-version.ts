import type { ClientHeaders, ClientRequest, Target } from "../../core/answer/exchange.ts";
import { GatewayError } from "../../core/errors.ts";
import { isObject, type JsonRecord } from "../../core/json.ts";
import { betaHeaders } from "../shared/beta-headers.ts";

/** The version header by the specification's name and by the name that real clients send (docs/rulings.md 2). */
const VERSION_HEADERS = ["anthropic-version", "altstyle-version"] as const;

const DATE = /^\d{4}-\d{2}-\d{2}$/;

/**
 * The version that the client asks for, a date `YYYY-MM-DD`. Throws when both headers are absent, or one of them is not
 * a date. Where both are present, `anthropic-version` is the version that goes to the vendor.
 */
export function readVersion(headers: ClientHeaders): string {
  let version: string | null = null;
  for (const name of VERSION_HEADERS) {
    const value = headers.get(name);
    if (value === null) continue;
    if (!isDate(value)) throw notADate(name, value);
    version ??= value;
  }
  if (version !== null) return version;
  throw new GatewayError(
    "invalid_request",
    "The version header is missing: send anthropic-version, for example 2023-06-01.",
  );
}

function isDate(value: string): boolean {
  if (!DATE.test(value)) return false;
  const time = Date.parse(`${value}T00:00:00Z`);
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(value);
}

function notADate(name: string, value: string): GatewayError {
  const found = value === "" ? "empty" : JSON.stringify(value.slice(0, 40));
  return new GatewayError("invalid_request", `The header ${name} is ${found}; allowed: a date such as 2023-06-01.`);
}

/** The version that every vendor of messages speaks, and the only one that vendors other than Anthropic imitate. */
export const COMMON_VERSION = "2023-06-01";

/** Members that later versions refuse, whatever their value. */
const REFUSED_LATER = ["temperature", "top_p", "top_k"];

/**
 * The protocol's own headers for a vendor (docs/rulings.md 2). Betas go as the client sent them. A version after the
 * common one goes to vendors that have it, unless the request has what that version refuses: the common version still
 * accepts it.
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
