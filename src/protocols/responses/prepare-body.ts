import type { ClientRequest, Target } from "../../core/answer/exchange.ts";
import { isObject, type JsonRecord } from "../../core/json.ts";
import {
  BodyChanges,
  identifyUser,
  leaveOutSampling,
  type PreparedParts,
  preparedParts,
} from "../shared/body-changes.ts";
import { chargesAt } from "../shared/charged-members.ts";
import { effortFor } from "../shared/effort.ts";
import { historyRole, historyText, isCarried } from "../shared/history-items.ts";
import { mapItems, replaceMembers } from "../shared/json-members.ts";
import { nameText } from "../shared/json-text.ts";
import { parseJson } from "../shared/parse-json.ts";
import { fitSchemas } from "../shared/relayed-schemas.ts";
import { sentCap } from "../shared/sent-cap.ts";
import { placesOf, withChoiceOfTools } from "../shared/tool-lists.ts";
import { namesVendorState } from "../shared/vendor-state.ts";
import { type InputItems, recalledInput } from "./recalled-input.ts";
import { relayedInput } from "./relayed-input.ts";
import { leaveToolsOut } from "./relayed-tools.ts";
import { unsupportedFeatureError } from "./unsupported-feature.ts";

/** Fields that every request needs: no vendor's configuration can take them out. */
const INDISPENSABLE: ReadonlySet<string> = new Set(["model", "input", "stream"]);

/**
 * Prepares the client's body for one target. Every byte that need not change stays: unknown fields, numbers, the order
 * of keys, encrypted reasoning. Throws `unsupported_responses_feature` for a request that could be relayed but whose
 * answer could never be delivered.
 */
export function prepareBody(request: ClientRequest, target: Target): PreparedParts {
  const { body } = request;
  // The client would fetch the answer later, by a call that is not offered here, and nobody would pay for its tokens.
  if (body.background === true && !request.stream)
    throw unsupportedFeatureError("background", "works with 'stream' only");
  const changes = new BodyChanges(request);
  if (body.model !== target.upstream_model) changes.set("model", nameText(target.upstream_model));
  const cap = sentCap(request, target);
  if (cap !== request.output_cap) changes.set("max_output_tokens", String(cap));
  identifyUser(changes, target);
  fitReasoning(changes, body, target);
  const judged = chargesAt(request, target, "unsupported_responses_feature");
  const left_out = placesOf(judged?.left_out ?? []);
  if (left_out.tools.size > 0) leaveToolsOut(changes, request, left_out.tools, target);
  fitSchemas(changes, request, ["parameters"]);
  if (request.memory?.stores === true) includeReasoning(changes, target);
  for (const field of [...unsupportedFields(target), ...left_out.members]) {
    if (INDISPENSABLE.has(field)) continue;
    if ((body[field] ?? null) !== null) changes.note(field);
    changes.remove(field);
  }
  const effort = isObject(body.reasoning) ? (body.reasoning.effort ?? "none") : "none";
  leaveOutSampling(changes, request, target, { fields: SAMPLING_FIELDS, asks_reasoning: effort !== "none" });
  fitInput(changes, request, target);
  return preparedParts(changes, request, target, judged);
}

const SAMPLING_FIELDS = ["temperature", "top_p", "top_logprobs"];

function unsupportedFields({ vendor }: Target): readonly string[] {
  const { unsupported_fields, no_stream_options } = vendor.quirks;
  const fields = withChoiceOfTools(unsupported_fields);
  return no_stream_options ? [...fields, "stream_options"] : fields;
}

/** Fits the reasoning settings to the model (docs/rulings.md 12). */
function fitReasoning(changes: BodyChanges, { reasoning }: JsonRecord, { model }: Target): void {
  if (!isObject(reasoning)) return;
  const effort = typeof reasoning.effort === "string" ? reasoning.effort : null;
  if (!model.capabilities.thinking) {
    // A model that does not reason needs no setting for `none`.
    if ((effort ?? "none") !== "none" || (reasoning.summary ?? null) !== null) changes.note("reasoning");
    return changes.remove("reasoning");
  }
  const level = effort === null ? null : effortFor(effort, model.capabilities);
  if (level === effort) return;
  const value = level === null ? null : JSON.stringify(level);
  changes.set("reasoning", replaceMembers(changes.value("reasoning") ?? "{}", [["effort", value]]));
  if (level === null) changes.note("reasoning.effort");
}

/** An answer that the gateway keeps can go back to its vendor only with its reasoning sealed (docs/adr/0017). */
function includeReasoning(changes: BodyChanges, target: Target): void {
  if (!target.model.capabilities.thinking || unsupportedFields(target).includes("include")) return;
  const sent = parseJson(changes.value("include") ?? "[]");
  const included: readonly unknown[] = Array.isArray(sent) ? sent : [];
  if (!included.includes(SEALED_REASONING)) changes.set("include", JSON.stringify([...included, SEALED_REASONING]));
}

const SEALED_REASONING = "reasoning.encrypted_content";

/** The input for this vendor. Most inputs stay unchanged. */
function fitInput(changes: BodyChanges, { body, memory }: ClientRequest, target: Target): void {
  const text = changes.value("input");
  if (text === null || !Array.isArray(body.input)) return;
  const given = { text, items: body.input };
  const replayed = replayedHistory(given, { ...(memory && { memory }) }, target);
  for (const name of replayed?.carried ?? []) changes.note(name);
  const recalled = recalledInput(replayed ?? given, memory?.recalled, target.vendor);
  changes.set("input", relayedInput(recalled.text, recalled.items, target.vendor));
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
