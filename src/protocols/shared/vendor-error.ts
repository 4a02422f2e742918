import type { VendorFailure } from "../../core/answer/exchange.ts";
import { isObject } from "../../core/json.ts";
import { parseJson } from "./parse-json.ts";
import { redactSecrets } from "./redact-secrets.ts";

/**
 * The most characters of a vendor's message that are kept: more than any message for people; some vendors quote the
 * whole request.
 */
const MAX_MESSAGE_LENGTH = 600;

/**
 * Reads the body of a vendor's error answer: its message, without secrets and without details of the operator's account
 * at the vendor. Knows the shapes of OpenAI, Anthropic, Google, Mistral and FastAPI servers, Cohere, AWS, Alibaba and
 * MiniMax, plain text and HTML pages. Never throws.
 */
export function readVendorError(status: number, body: string): VendorFailure {
  const parsed = parse(body);
  const sentence = parsed === undefined ? readPlainText(body) : findSentence(parsed);
  return {
    status,
    message: tidy(sentence) || `The model service answered with status ${status} and no explanation.`,
    retry_after_ms: findRetryDelay(parsed, sentence),
  };
}

/**
 * Reads an error that came in place of an answer: inside a 200 or as an event of a stream. The status is the number
 * that the error carries, else the status that its type stands for: 529 for an overload, 502 where neither is known.
 */
export function readErrorObject(parsed: unknown): VendorFailure {
  const error = errorPart(parsed);
  return {
    status: statusOf(error),
    message: tidy(findSentence(parsed)) || "The model service reported an error without an explanation.",
    retry_after_ms: findRetryDelay(parsed, findSentence(parsed)),
  };
}

/** The statuses that error types and codes of the vendors stand for, tried in this order as parts of their names. */
const STATUS_BY_NAME: readonly (readonly [string, number])[] = [
  ["overloaded", 529],
  ["slow_down", 529],
  ["rate_limit", 429],
  ["resource_exhausted", 429],
  ["too_many_requests", 429],
  ["throttl", 429],
  ["insufficient_quota", 429],
  ["quota", 429],
  ["authentication", 401],
  ["unauthenticated", 401],
  ["invalid_api_key", 401],
  ["permission", 403],
  ["billing", 403],
  ["not_found", 404],
  ["timeout", 504],
  ["deadline", 504],
  ["unavailable", 503],
  ["invalid_request", 400],
  ["invalid_argument", 400],
  ["validation", 400],
  ["context_length", 400],
  ["bad_request", 400],
  ["content_policy", 400],
  ["content_filter", 400],
];

function statusOf(error: unknown): number {
  if (!isObject(error)) return 502;
  for (const number of [error.status, error.status_code, error.code]) {
    const status = typeof number === "string" ? Number(number) : number;
    if (typeof status === "number" && Number.isInteger(status) && status >= 400 && status <= 599) return status;
  }
  const names = [error.type, error.code, error.status].filter((name) => typeof name === "string");
  const name = names.join(" ").toLowerCase().replaceAll("-", "_");
  return STATUS_BY_NAME.find(([part]) => name.includes(part))?.[1] ?? 502;
}

function parse(body: string): unknown {
  try {
    return parseJson(body);
  } catch {
    return undefined;
  }
}

/** The object that describes the error, out of the envelopes around it. */
function errorPart(parsed: unknown): unknown {
  const value = Array.isArray(parsed) ? parsed[0] : parsed;
  if (!isObject(value)) return value;
  if (isObject(value.response) && isObject(value.response.error)) return value.response.error;
  if (isObject(value.error)) return value.error;
  if (Array.isArray(value.errors)) return value.errors[0];
  return value;
}

const SENTENCE_FIELDS = ["message", "Message", "detail", "error", "msg", "error_msg", "error_message", "status_msg"];

function findSentence(parsed: unknown, depth = 0): string {
  if (depth > 4) return "";
  const part = errorPart(parsed);
  if (typeof part === "string") return part;
  if (Array.isArray(part)) return findSentence(part[0], depth + 1);
  if (!isObject(part)) return "";
  for (const field of SENTENCE_FIELDS) {
    const value = part[field];
    const sentence = typeof value === "object" ? findSentence(value, depth + 1) : value;
    if (typeof sentence === "string" && sentence !== "") return withPlace(sentence, part);
  }
  return isObject(part.base_resp) ? findSentence(part.base_resp, depth + 1) : "";
}

/** FastAPI servers name the field apart from the sentence: `{"loc": ["body", "temperature"], "msg": …}`. */
function withPlace(sentence: string, part: Record<string, unknown>): string {
  return Array.isArray(part.loc) ? `${part.loc.join(".")}: ${sentence}` : sentence;
}

/** Plain text unchanged; of an HTML page (from a proxy) the title. */
function readPlainText(body: string): string {
  const start = body.slice(0, 4096);
  if (!/<(?:!doctype|html|head|body)\b/i.test(start)) return start;
  const title = /<title[^>]*>([^<]*)<\/title>/i.exec(start)?.[1]?.trim() ?? "";
  return title === "" ? "" : `The model service answered with a web page: ${title}`;
}

function tidy(sentence: string): string {
  const plain = redactSecrets(sentence.slice(0, MAX_MESSAGE_LENGTH * 2))
    .replace(/[\p{Cc}\s]+/gu, " ")
    .trim();
  return plain.length <= MAX_MESSAGE_LENGTH ? plain : `${plain.slice(0, MAX_MESSAGE_LENGTH)}…`;
}

const MAX_RETRY_DELAY_MS = 24 * 60 * 60 * 1000;
const MS_PER_UNIT: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 };

/** Google names the delay in a detail (`"retryDelay": "12s"`), OpenAI in the sentence (`try again in 6m0.5s`). */
function findRetryDelay(parsed: unknown, sentence: string): number | null {
  const error = errorPart(parsed);
  const details = isObject(error) && Array.isArray(error.details) ? error.details : [];
  const detail = details.find((one) => isObject(one) && typeof one.retryDelay === "string");
  const delay = detail?.retryDelay ?? /try again in ((?:\d+(?:\.\d+)?(?:ms|s|m|h))+)/i.exec(sentence)?.[1];
  if (typeof delay !== "string") return null;
  let total = 0;
  for (const [, count, unit] of delay.matchAll(/(\d+(?:\.\d+)?)(ms|s|m|h)/g)) {
    total += Number(count) * (MS_PER_UNIT[unit ?? ""] ?? 0);
  }
  return total > 0 ? Math.min(Math.ceil(total), MAX_RETRY_DELAY_MS) : null;
}
