import type { ChargedMember } from "../../core/charges.ts";
import type { ClientRequest, Target } from "../../core/exchange.ts";
import { isObject, type JsonMembers, plainText } from "../../core/json.ts";
import { chargesAt } from "../shared/charged-members.ts";
import { sentCap } from "../shared/sent-cap.ts";
import { effortFor } from "../shared/effort.ts";
import { refusedSampling, refusesSampling } from "../shared/sampling.ts";
import { findItems, findMembers, memberText, replaceMembers } from "../shared/json-members.ts";
import { recalledInput } from "./recalled-input.ts";
import { relayedInput } from "./relayed-input.ts";
import { unsupportedFeatureError } from "./unsupported-feature.ts";

/** A body for one target, and the parameters that were left out because the target cannot honour them. */
export interface PreparedBody {
  readonly body: string;
  readonly ignored: readonly string[];
  readonly charged: readonly ChargedMember[];
}

/** The request being changed: its text and members as the client sent them, the new members, and what is left out. */
interface Draft {
  readonly text: string;
  readonly members: JsonMembers;
  readonly changes: Map<string, string | null>;
  readonly ignored: string[];
}

/** Fields that every request needs: no vendor's configuration can take them out. */
const INDISPENSABLE: ReadonlySet<string> = new Set(["model", "input", "stream"]);

/**
 * Prepares the client's body for one target. Every byte that need not change stays: unknown fields, numbers, the order
 * of keys, encrypted reasoning. Throws `unsupported_responses_feature` for a request that could be relayed but whose
 * answer could never be delivered.
 */
export function prepareBody(request: ClientRequest, target: Target): PreparedBody {
  const { text, body } = request;
  // The client would fetch the answer later, by a call that is not offered here, and nobody would pay for its tokens.
  if (body.background === true && !request.stream)
    throw unsupportedFeatureError("background", "works with 'stream' only");
  const draft: Draft = { text, members: request.members ?? findMembers(text), changes: new Map(), ignored: [] };
  if (body.model !== target.upstream_model) draft.changes.set("model", JSON.stringify(target.upstream_model));
  const cap = sentCap(request, target);
  if (cap !== request.output_cap) draft.changes.set("max_output_tokens", String(cap));
  identifyUser(draft, body, target);
  fitReasoning(draft, body, target);
  if (request.memory?.stores === true) includeReasoning(draft, body, target);
  for (const field of unsupportedFields(target)) leaveOut(draft, body, field);
  leaveSamplingOut(draft, body, target);
  const judged = chargesAt(request, target, "unsupported_responses_feature");
  const left_out = judged?.left_out ?? [];
  for (const { place } of left_out) if (!place.startsWith("tools[")) leaveOut(draft, body, place);
  leaveToolsOut(draft, body.tools, new Set(left_out.map(({ place }) => place)));
  fitInput(draft, request, target);
  const charged = (judged?.kept ?? []).filter(({ place }) => draft.changes.get(place) !== null);
  return { body: replaceMembers(text, draft.changes, draft.members), ignored: draft.ignored, charged };
}

function unsupportedFields({ vendor }: Target): readonly string[] {
  const { unsupported_fields = [], no_stream_options } = vendor.quirks;
  return no_stream_options ? [...unsupported_fields, "stream_options"] : unsupported_fields;
}

/** Leaves out the sampling parameters that the model refuses (docs/rulings.md 166). */
function leaveSamplingOut(draft: Draft, body: ClientRequest["body"], { model }: Target): void {
  if (model.sampling === undefined) return;
  const effort = isObject(body.reasoning) ? (body.reasoning.effort ?? "none") : "none";
  if (!refusesSampling(model, effort !== "none")) return;
  for (const { field, differs_from_default } of refusedSampling(body, SAMPLING_FIELDS)) {
    draft.changes.set(field, null);
    if (differs_from_default && !draft.ignored.includes(field)) draft.ignored.push(field);
  }
}

const SAMPLING_FIELDS = ["temperature", "top_p", "top_logprobs"];

function leaveOut(draft: Draft, body: ClientRequest["body"], field: string): void {
  if (INDISPENSABLE.has(field) || !draft.members.has(field)) return;
  draft.changes.set(field, null);
  if (body[field] !== null && !draft.ignored.includes(field)) draft.ignored.push(field);
}

/**
 * Leaves out the vendor's own tools that have no price, as in translation (docs/rulings.md 11, 144): clients offer them
 * unasked.
 */
function leaveToolsOut(draft: Draft, tools: unknown, places: ReadonlySet<string>): void {
  if (!Array.isArray(tools) || places.size === 0) return;
  const text = memberText(draft.text, draft.members, "tools") ?? "[]";
  const kept: string[] = [];
  const left_out = new Set<string>();
  for (const [index, { start, end }] of findItems(text, 0).entries()) {
    const tool: unknown = tools[index];
    if (!places.has(`tools[${index}]`)) kept.push(text.slice(start, end));
    else if (isObject(tool)) left_out.add(`tools.${plainText(tool.type)}`);
  }
  if (left_out.size === 0) return;
  for (const name of left_out) draft.ignored.push(name);
  draft.changes.set("tools", kept.length === 0 ? null : `[${kept.join(",")}]`);
  // Vendors refuse a tool choice without tools.
  if (kept.length === 0) draft.changes.set("tool_choice", null);
}

/** `safety_identifier` wins over its older alias; neither is sent unless the vendor is configured to receive it. */
function identifyUser(draft: Draft, body: ClientRequest["body"], target: Target): void {
  if (!target.vendor.forwards_safety_identifier) {
    leaveOut(draft, body, "safety_identifier");
    leaveOut(draft, body, "user");
  } else if (typeof body.safety_identifier === "string" && draft.members.has("user")) {
    draft.changes.set("user", null);
  }
}

/** Fits the reasoning settings to the model (docs/rulings.md 12). */
function fitReasoning(draft: Draft, body: ClientRequest["body"], { model }: Target): void {
  const { reasoning } = body;
  if (!isObject(reasoning)) return;
  const effort = typeof reasoning.effort === "string" ? reasoning.effort : null;
  if (!model.capabilities.thinking) {
    draft.changes.set("reasoning", null);
    // A model that does not reason needs no setting for `none`.
    if ((effort ?? "none") !== "none" || (reasoning.summary ?? null) !== null) draft.ignored.push("reasoning");
    return;
  }
  const level = effort === null ? null : effortFor(effort, model.capabilities);
  if (level === effort) return;
  const sent = memberText(draft.text, draft.members, "reasoning") ?? "{}";
  const value = level === null ? null : JSON.stringify(level);
  draft.changes.set("reasoning", replaceMembers(sent, new Map([["effort", value]])));
  if (level === null) draft.ignored.push("reasoning.effort");
}

/** An answer that the gateway keeps can go back to its vendor only with its reasoning sealed (docs/adr/0017). */
function includeReasoning({ changes }: Draft, { include }: ClientRequest["body"], target: Target): void {
  if (!target.model.capabilities.thinking || unsupportedFields(target).includes("include")) return;
  const included = Array.isArray(include) ? include : [];
  if (!included.includes(SEALED_REASONING)) changes.set("include", JSON.stringify([...included, SEALED_REASONING]));
}

const SEALED_REASONING = "reasoning.encrypted_content";

/** The input for this vendor. Most inputs stay unchanged. */
function fitInput({ text, members, changes }: Draft, { body, memory }: ClientRequest, { vendor }: Target): void {
  const items = memberText(text, members, "input");
  if (items === null || !Array.isArray(body.input)) return;
  const recalled = recalledInput({ text: items, items: body.input }, memory?.recalled, vendor);
  const relayed = relayedInput(recalled.text, recalled.items, vendor.quirks);
  if (relayed !== items) changes.set("input", relayed);
}
