import { isDeepStrictEqual } from "node:util";
import type { ClientProtocol } from "../../../src/core/answer/exchange.ts";
import type { Protocol } from "../../../src/core/endpoints.ts";
import { GatewayError } from "../../../src/core/errors.ts";
import { isObject } from "../../../src/core/json.ts";
import { adapterBetween } from "../../../src/main/protocols.ts";
import { targetFor } from "../../support/target.ts";
import type { Case } from "./cases.ts";

/**
 * What becomes of a member on its way to a vendor: it is there as it came, it has changed what is sent, the client is
 * told by name that it was left out, alone or with what it is part of, or the request is refused by name.
 * `nothing` is none of these.
 */
export type Outcome = "relayed" | "changes" | "named" | "named-with-holder" | "refused" | "nothing";

type Sent =
  | { readonly body: unknown; readonly ignored: readonly string[] }
  | { readonly refused: string; readonly param: string | null };

export const HEADERS = { get: (name: string) => (name === "anthropic-version" ? "2023-06-01" : null) };

const LEVELS = ["low", "medium", "high"];

/** A target that takes and honours whatever its protocol can say; shared, also the names of what the vendor keeps. */
export function targetOf(protocol: Protocol, is_shared = true) {
  const target = targetFor(protocol, {
    mid_system: true,
    capabilities: {
      thinking: true,
      reasoning: { toggle: true, effort: LEVELS, budget_tokens: { min: 1024, max: 32_000 } },
    },
    input_modalities: ["text", "image", "audio", "video", "pdf"],
    ...(protocol === "bedrock-converse" && { upstream_model: "anthropic.claude-sonnet-4-5" }),
  });
  return is_shared ? { ...target, vendor: { ...target.vendor, shared_state: "allow" as const } } : target;
}

/** Every throw but a GatewayError is the gateway's own failure (a 500), and passes. */
function send(body: unknown, { client, vendor, is_shared }: Omit<Way, "complete">): Sent {
  try {
    const request = client.readRequest(JSON.stringify(body), HEADERS);
    const adapter = adapterBetween(client.protocol, vendor);
    if (adapter === null) throw new Error(`no way from ${client.protocol} to ${vendor}`);
    const exchange = adapter.prepare(request, targetOf(vendor, is_shared), HEADERS);
    return { body: JSON.parse(exchange.body), ignored: exchange.ignored };
  } catch (thrown) {
    if (thrown instanceof GatewayError && thrown.code !== "internal_error")
      return { refused: thrown.message, param: thrown.param };
    throw thrown;
  }
}

export interface Way {
  readonly client: ClientProtocol;
  readonly vendor: Protocol;
  /** False where the vendor's row does not say `shared_state: allow`, as it usually does not. */
  readonly is_shared?: boolean;
  /** Adds what a request needs that has the part in question. */
  complete(body: unknown): unknown;
}

export interface Judged {
  readonly outcome: Outcome;
  /** The words of a refusal. */
  readonly why: string | null;
}

/** What becomes of a case on one way. Throws what is no answer to a client. */
export function judge({ member, value, given, without }: Case, { complete, ...way }: Way): Judged {
  const { client, vendor } = way;
  const sent = send(complete(given), way);
  if ("refused" in sent) return { outcome: "refused", why: sent.refused };
  const rest = send(complete(without), way);
  return {
    outcome: outcomeOf(sent, rest, (body) => client.protocol === vendor && holds(body, member, value)),
    why: null,
  };
}

function outcomeOf(sent: Exclude<Sent, { refused: string }>, rest: Sent, isHeld: (body: unknown) => boolean): Outcome {
  if (isHeld(sent.body) && ("refused" in rest || !isDeepStrictEqual(sent.body, rest.body))) return "relayed";
  const before = "refused" in rest ? [] : rest.ignored;
  if (sent.ignored.some((name) => !before.includes(name))) return "named";
  if ("refused" in rest || !isDeepStrictEqual(sent.body, rest.body)) return "changes";
  return sent.ignored.length > 0 ? "named-with-holder" : "nothing";
}

/** A list may have more: what a request needs beside the part in question. */
function isOrHas(found: unknown, value: unknown): boolean {
  if (isDeepStrictEqual(found, value)) return true;
  return (
    Array.isArray(found) &&
    Array.isArray(value) &&
    value.every((one) => found.some((other) => isDeepStrictEqual(other, one)))
  );
}

/** Whether a member of this name and value is anywhere within a body. */
export function holds(body: unknown, member: string, value: unknown): boolean {
  if (Array.isArray(body)) return body.some((one) => holds(one, member, value));
  if (!isObject(body)) return false;
  if (Object.hasOwn(body, member) && isOrHas(body[member], value)) return true;
  return Object.values(body).some((one) => holds(one, member, value));
}
