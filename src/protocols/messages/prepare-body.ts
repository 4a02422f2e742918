import type { ClientRequest, Target } from "../../core/answer/exchange.ts";
import { isObject, type JsonMembers, type JsonRecord } from "../../core/json.ts";
import { withPricedLifetimes } from "../shared/cache-lifetimes.ts";
import { chargesAt, type PreparedBody } from "../shared/charged-members.ts";
import { memberWithExactSchemas } from "../shared/exact-schemas.ts";
import { findMembers, type MemberChanges, memberText, replaceMembers } from "../shared/json-members.ts";
import { mendSchemas } from "../shared/relayed-schemas.ts";
import { refusedSampling, refusesSampling } from "../shared/sampling.ts";
import { sentCap } from "../shared/sent-cap.ts";
import { choosable, demandError, judgeChoice } from "../shared/tool-choice.ts";
import { placesOf, type RelayedTools, stillCharged, withChoiceOfTools, withoutPlaces } from "../shared/tool-lists.ts";
import { decodeChoice, decodeTool } from "./decode-tools.ts";
import { resultsLackThinking } from "./encode-thinking.ts";
import { fitConversation } from "./fit-conversation.ts";
import { fitThinking } from "./fit-thinking.ts";
import { relayedCalls } from "./relayed-calls.ts";
import { relayedTurns } from "./relayed-turns.ts";
import type { WireMessage, WireTool, WireToolChoice } from "./wire-blocks.ts";

type Changes = Map<string, string | null>;

/** Fields that every request needs: they are sent even where a vendor's configuration lists them as unsupported. */
const INDISPENSABLE: ReadonlySet<string> = new Set(["model", "messages", "max_tokens", "stream"]);

/**
 * Prepares the client's body for one target. Every byte that need not change stays: unknown fields, numbers, the order
 * of keys, signed reasoning.
 */
export function prepareBody(request: ClientRequest, target: Target): PreparedBody {
  const members = request.members ?? findMembers(request.text);
  const changes: Changes = new Map();
  const ignored: string[] = [];
  if (request.body.model !== target.upstream_model) changes.set("model", JSON.stringify(target.upstream_model));
  const cap = sentCap(request, target);
  if (cap !== request.output_cap) changes.set("max_tokens", String(cap));
  hideUser(changes, ignored, request, target);
  fitReasoning(changes, ignored, { request, target, members });
  fitTurns(changes, ignored, { request, target, members });
  const judged = chargesAt(request, target, "invalid_request");
  const left_out = placesOf(judged?.left_out ?? []);
  if (left_out.tools.size > 0) {
    const tools = relayedTools(request, members, left_out.tools, target);
    for (const [name, value] of tools.changes) changes.set(name, value);
    for (const name of tools.ignored) ignored.push(name);
  }
  mendSchemas(changes, { body: request.body, text: request.text, members }, ["input_schema"]);
  for (const field of [...withChoiceOfTools(target.vendor.quirks.unsupported_fields), ...left_out.members]) {
    if (INDISPENSABLE.has(field) || !members.has(field)) continue;
    changes.set(field, null);
    if (!ignored.includes(field)) ignored.push(field);
  }
  leaveSamplingOut(changes, ignored, request, target);
  const charged = stillCharged(judged?.kept, changes);
  const body = replaceMembers(request.text, changes satisfies MemberChanges, members);
  const priced = withPricedLifetimes(body, target.price);
  if (priced === null) return { body, ignored, charged };
  return { body: priced.text, ignored: [...ignored, ...priced.left_out], charged };
}

/** Leaves out the sampling parameters that the model refuses (docs/rulings.md 166). */
function leaveSamplingOut(changes: Changes, ignored: string[], { body }: ClientRequest, { model }: Target): void {
  if (model.sampling === undefined) return;
  const thinks = isObject(body.thinking) && body.thinking.type !== "disabled";
  if (!refusesSampling(model, thinks)) return;
  for (const { field, differs_from_default } of refusedSampling(body, SAMPLING_FIELDS)) {
    changes.set(field, null);
    if (differs_from_default && !ignored.includes(field)) ignored.push(field);
  }
}

const SAMPLING_FIELDS = ["temperature", "top_p", "top_k"];

/** Removes the end user's id unless the vendor is configured to receive it. */
function hideUser(changes: Changes, ignored: string[], { body }: ClientRequest, target: Target): void {
  if (target.vendor.forwards_safety_identifier || !isObject(body.metadata)) return;
  const { user_id, ...rest } = body.metadata;
  if (user_id === undefined) return;
  changes.set("metadata", Object.keys(rest).length === 0 ? null : JSON.stringify(rest));
  if (user_id !== null) ignored.push("metadata.user_id");
}

/** A request on its way to a target, with the places of its members. */
interface Prepared {
  readonly request: ClientRequest;
  readonly target: Target;
  readonly members: JsonMembers;
}

/**
 * Fits the conversation to the target; most conversations stay unchanged. Packed and quirky blocks are changed first,
 * then messages by their position.
 */
function fitTurns(changes: Changes, ignored: string[], { request, target, members }: Prepared): void {
  const { text, body } = request;
  const written = memberText(text, members, "messages") ?? "[]";
  const mended = relayedCalls(body.messages as readonly JsonRecord[], written);
  const sent = mended ?? written;
  const turns = (mended === null ? body.messages : JSON.parse(mended)) as readonly JsonRecord[];
  const is_off = isObject(body.thinking) && body.thinking.type === "disabled";
  const relayed = relayedTurns(turns, sent, target.vendor, is_off);
  const messages = (relayed === null ? turns : JSON.parse(relayed)) as readonly WireMessage[];
  const fitted = fitConversation(messages, target, relayed ?? sent);
  const changed = fitted?.text ?? relayed ?? mended;
  if (changed !== null) changes.set("messages", changed);
  if (relayed !== null && resultsLackThinking(messages.filter(({ role }) => role !== "system")))
    restThinking(changes, ignored, body);
  if (fitted !== null) for (const name of fitted.ignored) ignored.push(name);
}

/**
 * Leaves thinking by a budget out of a request whose answer that waits for results has lost its own, which another vendor signed: it
 * would be refused, and the model thinks again in the next turn (docs/rulings.md 192).
 */
function restThinking(changes: Changes, ignored: string[], { thinking }: ClientRequest["body"]): void {
  const changed = changes.get("thinking");
  const sent: unknown = typeof changed === "string" ? JSON.parse(changed) : changed === null ? null : thinking;
  if (!isObject(sent) || sent.type !== "enabled") return;
  changes.set("thinking", null);
  if (!ignored.includes("thinking")) ignored.push("thinking");
}

function fitReasoning(changes: Changes, ignored: string[], { request, target, members }: Prepared): void {
  const { thinking } = request.body;
  const output_config = memberWithExactSchemas(request, members, "output_config");
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
    if (value !== fields[key]) changes.set(key, value === undefined ? null : JSON.stringify(value));
  }
  for (const name of fitted.ignored) ignored.push(name);
}

/** Thinking whose budget is below a cap that is lower than the client's: vendors refuse a budget that reaches the cap. */
function below<Thinking extends JsonRecord>(thinking: Thinking | undefined, cap: number) {
  const budget_tokens = thinking?.budget_tokens;
  return typeof budget_tokens === "number" && budget_tokens >= cap ? { ...thinking, budget_tokens: cap - 1 } : thinking;
}

/**
 * The changes that leave tools out of a relayed request; with the last of them the choice goes (docs/rulings.md 190).
 * `places` are the tools' paths. Throws 400 where the choice demands one of them.
 */
function relayedTools(
  { body, text }: ClientRequest,
  members: JsonMembers,
  places: ReadonlySet<string>,
  { model }: Target,
): RelayedTools {
  const changes = new Map<string, string | null>();
  const list = withoutPlaces(memberText(text, members, "tools") ?? "[]", body.tools, "tools", places);
  if (list === null) return { changes, ignored: [] };
  const lost = list.left_out.map((tool) => choosable(decodeTool(tool as WireTool)));
  const kept = list.kept.map((tool) => choosable(decodeTool(tool as WireTool)));
  changes.set("tools", kept.length === 0 ? null : list.text);
  const { tool_choice } = decodeChoice(isObject(body.tool_choice) ? (body.tool_choice as WireToolChoice) : undefined);
  const verdict = judgeChoice(tool_choice, kept, lost);
  if (verdict === "demands") throw demandError(model.id, lost, "invalid_request");
  if (verdict === "goes" && tool_choice !== undefined) changes.set("tool_choice", null);
  return { changes, ignored: list.names };
}
