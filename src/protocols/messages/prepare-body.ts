import type { ClientRequest, Target } from "../../core/answer/exchange.ts";
import { isObject, type JsonRecord } from "../../core/json.ts";
import { BodyChanges, leaveOutSampling, type PreparedParts, preparedParts } from "../shared/body-changes.ts";
import { chargesAt } from "../shared/charged-members.ts";
import { memberWithExactSchemas } from "../shared/exact-schemas.ts";
import { findMembers } from "../shared/json-members.ts";
import { nameText } from "../shared/json-text.ts";
import { fitSchemas } from "../shared/relayed-schemas.ts";
import { sentCap } from "../shared/sent-cap.ts";
import { choosable, demandError, judgeChoice } from "../shared/tool-choice.ts";
import { placesOf, withChoiceOfTools, withoutPlaces } from "../shared/tool-lists.ts";
import { decodeChoice, decodeTool } from "./decode-tools.ts";
import { resultsLackThinking } from "./encode-thinking.ts";
import { fitConversation } from "./fit-conversation.ts";
import { fitThinking } from "./fit-thinking.ts";
import { relayedCalls } from "./relayed-calls.ts";
import { relayedTurns } from "./relayed-turns.ts";
import type { WireMessage, WireTool, WireToolChoice } from "./wire-blocks.ts";

/** Fields that every request needs: they are sent even where a vendor's configuration lists them as unsupported. */
const INDISPENSABLE: ReadonlySet<string> = new Set(["model", "messages", "max_tokens", "stream"]);

/**
 * Prepares the client's body for one target. Every byte that need not change stays: unknown fields, numbers, the order
 * of keys, signed reasoning.
 */
export function prepareBody(request: ClientRequest, target: Target): PreparedParts {
  const { body } = request;
  const changes = new BodyChanges(request);
  if (body.model !== target.upstream_model) changes.set("model", nameText(target.upstream_model));
  const cap = sentCap(request, target);
  if (cap !== request.output_cap) changes.set("max_tokens", String(cap));
  hideUser(changes, request, target);
  fitReasoning(changes, request, target);
  fitTurns(changes, request, target);
  const judged = chargesAt(request, target, "invalid_request");
  const left_out = placesOf(judged?.left_out ?? []);
  if (left_out.tools.size > 0) leaveToolsOut(changes, request, left_out.tools, target);
  fitSchemas(changes, request, ["input_schema"]);
  for (const field of [...withChoiceOfTools(target.vendor.quirks.unsupported_fields), ...left_out.members]) {
    if (INDISPENSABLE.has(field) || !Object.hasOwn(body, field)) continue;
    changes.note(field);
    changes.remove(field);
  }
  const thinks = isObject(body.thinking) && body.thinking.type !== "disabled";
  leaveOutSampling(changes, request, target, { fields: SAMPLING_FIELDS, asks_reasoning: thinks });
  return preparedParts(changes, request, target, judged);
}

const SAMPLING_FIELDS = ["temperature", "top_p", "top_k"];

/** Removes the end user's id unless the vendor is configured to receive it. */
function hideUser(changes: BodyChanges, { body }: ClientRequest, target: Target): void {
  if (target.vendor.forwards_safety_identifier || !isObject(body.metadata)) return;
  const { user_id, ...rest } = body.metadata;
  if (user_id === undefined) return;
  changes.put("metadata", Object.keys(rest).length === 0 ? null : JSON.stringify(rest));
  if (user_id !== null) changes.note("metadata.user_id");
}

/**
 * Fits the conversation to the target; most conversations stay unchanged. Packed and quirky blocks are changed first,
 * then messages by their position.
 */
function fitTurns(changes: BodyChanges, { body }: ClientRequest, target: Target): void {
  const written = changes.value("messages") ?? "[]";
  const mended = relayedCalls(body.messages as readonly JsonRecord[], written);
  const sent = mended ?? written;
  const turns = (mended === null ? body.messages : JSON.parse(mended)) as readonly JsonRecord[];
  const is_off = isObject(body.thinking) && body.thinking.type === "disabled";
  const relayed = relayedTurns(turns, sent, target.vendor, is_off);
  const messages = (relayed === null ? turns : JSON.parse(relayed)) as readonly WireMessage[];
  const fitted = fitConversation(messages, target, relayed ?? sent);
  const changed = fitted?.text ?? relayed ?? mended;
  if (changed !== null) changes.set("messages", changed);
  if (relayed !== null && resultsLackThinking(messages.filter(({ role }) => role !== "system"))) restThinking(changes);
  if (fitted !== null) for (const name of fitted.ignored) changes.note(name);
}

/**
 * Leaves thinking by a budget out of a request whose answer that waits for results has lost its own, which another vendor signed: it
 * would be refused, and the model thinks again in the next turn (docs/rulings.md 192).
 */
function restThinking(changes: BodyChanges): void {
  const sent: unknown = JSON.parse(changes.value("thinking") ?? "null");
  if (isObject(sent) && sent.type === "enabled") changes.leaveOut("thinking");
}

function fitReasoning(changes: BodyChanges, request: ClientRequest, target: Target): void {
  const { thinking } = request.body;
  const output_config = memberWithExactSchemas(request, request.members ?? findMembers(request.text), "output_config");
  if (thinking === undefined && output_config === undefined) return;
  const fields = {
    thinking: isObject(thinking) ? thinking : undefined,
    output_config: isObject(output_config) ? output_config : undefined,
  };
  // A request to count tokens has no output cap: the model's cap takes its place, only for budgets that are a share of
  // it.
  const cap = sentCap(request, target);
  const max_tokens = cap ?? target.model.max_completion_tokens ?? Number.MAX_SAFE_INTEGER;
  const thought = cap === request.output_cap ? fields : { ...fields, thinking: below(fields.thinking, max_tokens) };
  const fitted = fitThinking(thought, target.model, max_tokens);
  for (const key of ["thinking", "output_config"] as const) {
    const value = fitted[key];
    if (value !== fields[key]) changes.put(key, value === undefined ? null : JSON.stringify(value));
  }
  for (const name of fitted.ignored) changes.note(name);
}

/** Thinking whose budget is below a cap that is lower than the client's: vendors refuse a budget that reaches the cap. */
function below<Thinking extends JsonRecord>(thinking: Thinking | undefined, cap: number) {
  const budget_tokens = thinking?.budget_tokens;
  return typeof budget_tokens === "number" && budget_tokens >= cap ? { ...thinking, budget_tokens: cap - 1 } : thinking;
}

/**
 * Leaves tools out; with the last of them the choice goes (docs/rulings.md 190). `places` are the tools' paths. Throws 400
 * where the choice demands one of them.
 */
function leaveToolsOut(
  changes: BodyChanges,
  { body }: ClientRequest,
  places: ReadonlySet<string>,
  { model }: Target,
): void {
  const list = withoutPlaces(changes.value("tools") ?? "[]", body.tools, "tools", places);
  if (list === null) return;
  const lost = list.left_out.map((tool) => choosable(decodeTool(tool as WireTool)));
  const kept = list.kept.map((tool) => choosable(decodeTool(tool as WireTool)));
  changes.put("tools", kept.length === 0 ? null : list.text);
  const { tool_choice } = decodeChoice(isObject(body.tool_choice) ? (body.tool_choice as WireToolChoice) : undefined);
  const verdict = judgeChoice(tool_choice, kept, lost);
  if (verdict === "demands") throw demandError(model.id, lost, "invalid_request");
  if (verdict === "goes" && tool_choice !== undefined) changes.remove("tool_choice");
  for (const name of list.names) changes.note(name);
}
