import type { ClientRequest, Target } from "../../core/answer/exchange.ts";
import { isObject, type JsonMembers, type JsonRecord } from "../../core/json.ts";
import { withPricedLifetimes } from "../shared/cache-lifetimes.ts";
import { chargesAt, type PreparedBody } from "../shared/charged-members.ts";
import { effortFor } from "../shared/effort.ts";
import { historyRole, historyText, isCarried } from "../shared/history-items.ts";
import { findMembers, mapItems, memberText, replaceMembers } from "../shared/json-members.ts";
import { parseJson } from "../shared/parse-json.ts";
import { mendSchemas } from "../shared/relayed-schemas.ts";
import { refusedSampling, refusesSampling } from "../shared/sampling.ts";
import { sentCap } from "../shared/sent-cap.ts";
import { placesOf, stillCharged, withChoiceOfTools } from "../shared/tool-lists.ts";
import { namesVendorState } from "../shared/vendor-state.ts";
import { type InputItems, recalledInput } from "./recalled-input.ts";
import { relayedInput } from "./relayed-input.ts";
import { relayedTools } from "./relayed-tools.ts";
import { unsupportedFeatureError } from "./unsupported-feature.ts";

/** The request being changed: its text and members as the client sent them, the new members, and what is left out. */
interface BodyDraft {
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
  const draft: BodyDraft = { text, members: request.members ?? findMembers(text), changes: new Map(), ignored: [] };
  if (body.model !== target.upstream_model) draft.changes.set("model", JSON.stringify(target.upstream_model));
  const cap = sentCap(request, target);
  if (cap !== request.output_cap) draft.changes.set("max_output_tokens", String(cap));
  identifyUser(draft, body, target);
  fitReasoning(draft, body, target);
  const judged = chargesAt(request, target, "unsupported_responses_feature");
  const left_out = placesOf(judged?.left_out ?? []);
  if (left_out.tools.size > 0) leaveToolsOut(draft, request, left_out.tools, target);
  mendSchemas(draft.changes, { body, text, members: draft.members }, ["parameters"]);
  if (request.memory?.stores === true) includeReasoning(draft, body, target);
  for (const field of [...unsupportedFields(target), ...left_out.members]) leaveOut(draft, body, field);
  leaveSamplingOut(draft, body, target);
  fitInput(draft, request, target);
  const charged = stillCharged(judged?.kept, draft.changes);
  const sent = replaceMembers(text, draft.changes, draft.members);
  const priced = withPricedLifetimes(sent, target.price);
  return { body: priced?.text ?? sent, ignored: [...draft.ignored, ...(priced?.left_out ?? [])], charged };
}

function unsupportedFields({ vendor }: Target): readonly string[] {
  const { unsupported_fields, no_stream_options } = vendor.quirks;
  const fields = withChoiceOfTools(unsupported_fields);
  return no_stream_options ? [...fields, "stream_options"] : fields;
}

/** Leaves out the sampling parameters that the model refuses (docs/rulings.md 166). */
function leaveSamplingOut(draft: BodyDraft, body: ClientRequest["body"], { model }: Target): void {
  if (model.sampling === undefined) return;
  const effort = isObject(body.reasoning) ? (body.reasoning.effort ?? "none") : "none";
  if (!refusesSampling(model, effort !== "none")) return;
  for (const { field, differs_from_default } of refusedSampling(body, SAMPLING_FIELDS)) {
    draft.changes.set(field, null);
    if (differs_from_default && !draft.ignored.includes(field)) draft.ignored.push(field);
  }
}

const SAMPLING_FIELDS = ["temperature", "top_p", "top_logprobs"];

function leaveOut(draft: BodyDraft, body: ClientRequest["body"], field: string): void {
  if (INDISPENSABLE.has(field) || !draft.members.has(field)) return;
  draft.changes.set(field, null);
  if (body[field] !== null && !draft.ignored.includes(field)) draft.ignored.push(field);
}

/** Leaves out the vendor's own tools that have no price, as in translation (docs/rulings.md 190). */
function leaveToolsOut(draft: BodyDraft, request: ClientRequest, places: ReadonlySet<string>, target: Target): void {
  const { changes, ignored } = relayedTools(request, draft.members, places, target);
  for (const [name, value] of changes) draft.changes.set(name, value);
  for (const name of ignored) draft.ignored.push(name);
}

/** `safety_identifier` wins over its older alias; neither is sent unless the vendor is configured to receive it. */
function identifyUser(draft: BodyDraft, body: ClientRequest["body"], target: Target): void {
  if (!target.vendor.forwards_safety_identifier) {
    leaveOut(draft, body, "safety_identifier");
    leaveOut(draft, body, "user");
  } else if (typeof body.safety_identifier === "string" && draft.members.has("user")) {
    draft.changes.set("user", null);
  }
}

/** Fits the reasoning settings to the model (docs/rulings.md 12). */
function fitReasoning(draft: BodyDraft, body: ClientRequest["body"], { model }: Target): void {
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
function includeReasoning({ changes }: BodyDraft, { include }: ClientRequest["body"], target: Target): void {
  if (!target.model.capabilities.thinking || unsupportedFields(target).includes("include")) return;
  const change = changes.get("include");
  const kept = change === undefined ? include : parseJson(change ?? "[]");
  const included: readonly unknown[] = Array.isArray(kept) ? kept : [];
  if (!included.includes(SEALED_REASONING)) changes.set("include", JSON.stringify([...included, SEALED_REASONING]));
}

const SEALED_REASONING = "reasoning.encrypted_content";

/** The input for this vendor. Most inputs stay unchanged. */
function fitInput(
  { text, members, changes, ignored }: BodyDraft,
  { body, memory }: ClientRequest,
  target: Target,
): void {
  const sent = memberText(text, members, "input");
  if (sent === null || !Array.isArray(body.input)) return;
  const items = changes.get("input") ?? sent;
  const given = { text: items, items: body.input };
  const replayed = replayedHistory(given, { ...(memory && { memory }) }, target);
  for (const name of replayed?.carried ?? []) ignored.push(name);
  const recalled = recalledInput(replayed ?? given, memory?.recalled, target.vendor);
  const relayed = relayedInput(recalled.text, recalled.items, target.vendor);
  if (relayed !== items) changes.set("input", relayed);
}

/**
 * The input of a relay whose vendor keeps what its replayed items name, such as the container that code ran in. A
 * container may be another account's, and a call would run in it: unless the gateway knows from its own memory that this
 * vendor told this account of it, or the operator allows it, such an item is carried as text, with the items of the same
 * call (docs/rulings.md 149). Null where nothing has to change.
 */
function replayedHistory(
  { text, items }: InputItems,
  { memory }: Pick<ClientRequest, "memory">,
  { vendor }: Target,
): (InputItems & { readonly carried: readonly string[] }) | null {
  if (vendor.shared_state === "allow") return null;
  const isOwn = (item: JsonRecord) => memory?.recalled.get(item)?.vendor === vendor.id;
  const named = items.filter((item): item is JsonRecord => isObject(item) && isCarried(item) && !isOwn(item));
  const carried = new Set<unknown>(named.filter(namesVendorState));
  if (carried.size === 0) return null;
  const calls = new Set([...carried].map((item) => (isObject(item) ? item.call_id : null)));
  for (const item of named) if (typeof item.call_id === "string" && calls.has(item.call_id)) carried.add(item);
  const kept = items.map((item) => (isObject(item) && carried.has(item) ? asMessage(item) : item));
  const said = mapItems(text, (sent, index) => (kept[index] === items[index] ? sent : JSON.stringify(kept[index])));
  const types = [...carried].map((item) => (isObject(item) ? `input.${String(item.type)}` : "input"));
  return { text: said, items: kept, carried: [...new Set(types)] };
}

function asMessage(item: JsonRecord): JsonRecord {
  const text = historyText(item);
  return historyRole(item) === "user"
    ? { type: "message", role: "user", content: [{ type: "input_text", text }] }
    : { type: "message", role: "assistant", content: [{ type: "output_text", text, annotations: [] }] };
}
