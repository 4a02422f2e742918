import type { ClientRequest, Target } from "../../core/answer/exchange.ts";
import { isObject, type JsonRecord } from "../../core/json.ts";
import { isPlausibleCount } from "../../core/money/usage.ts";
import { findMembers, memberText } from "../shared/json-members.ts";
import { parseBody, parseOrNull } from "../shared/parse-json.ts";
import { refuseVendorState } from "../shared/vendor-state.ts";
import { ADDRESS } from "./addressed-body.ts";
import { canonicalBody } from "./canonical-body.ts";
import { geminiClient } from "./client.ts";
import { pathOf } from "./encode-request.ts";
import { prepareBody } from "./prepare-body.ts";

/** `countTokens` (docs/api.md 4.14): counted by the vendor where it speaks Gemini's API, else estimated. */

/** Reads a request to count tokens: its `contents` alone, or a whole request under `generateContentRequest`. */
export function readCountRequest(text: string): ClientRequest {
  const { text: canonical, body } = canonicalBody(text, parseBody(text));
  if (!isObject(body.generateContentRequest)) return geminiClient.readRequest(canonical, NO_HEADERS);
  const inner = memberText(canonical, findMembers(canonical), "generateContentRequest") ?? "{}";
  return geminiClient.readRequest(withMember(inner, ADDRESS, JSON.stringify(body[ADDRESS])), NO_HEADERS);
}

const NO_HEADERS = { get: () => null };

function withMember(object: string, name: string, value: string): string {
  const open = object.slice(0, object.lastIndexOf("}")).trimEnd();
  return `${open}${open.endsWith("{") ? "" : ","}${JSON.stringify(name)}:${value}}`;
}

/** The vendor's request. Vertex AI, which has no ids of calls either, takes the members of a request without `generateContentRequest` around them. */
export function relayCount(request: ClientRequest, target: Target) {
  refuseVendorState(request, target);
  const { body } = prepareBody(request, target);
  const path = pathOf(target.upstream_model, false).replace(/:generateContent$/, ":countTokens");
  if (target.vendor.quirks.no_call_ids === true) return { path, body, headers: {} };
  const named = withMember(body, "model", JSON.stringify(path.slice(1, path.lastIndexOf(":"))));
  return { path, body: `{"generateContentRequest":${named}}`, headers: {} };
}

/** Reads the vendor's answer: the body for the client, or null for what is no count. Never throws. */
export function readCount(body: string): string | null {
  const count = parseOrNull(body);
  return isObject(count) && isPlausibleCount(count.totalTokens) ? JSON.stringify(countOf(count)) : null;
}

function countOf({ totalTokens, cachedContentTokenCount: cached, promptTokensDetails: details }: JsonRecord): object {
  return {
    totalTokens,
    ...(isPlausibleCount(cached) && { cachedContentTokenCount: cached }),
    ...(Array.isArray(details) && { promptTokensDetails: details }),
  };
}

/** The answer where no vendor counts: the estimated tokens, marked as estimated (docs/api.md 4.9). */
export function estimatedCount(totalTokens: number): object {
  return { totalTokens, promptTokensDetails: [{ modality: "TEXT", tokenCount: totalTokens }], estimated: true };
}
