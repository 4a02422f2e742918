import type { ClientRequest, Target } from "../../core/answer/exchange.ts";
import { GatewayError } from "../../core/errors.ts";
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
import { replaceMembers } from "../shared/json-members.ts";
import { nameText } from "../shared/json-text.ts";
import { fitSchemas } from "../shared/relayed-schemas.ts";
import { sentCap } from "../shared/sent-cap.ts";
import { withChoiceOfTools } from "../shared/tool-lists.ts";
import { relayedMessages } from "./relayed-messages.ts";
import { messageDialect } from "./replay-reasoning.ts";

/** Fields that every request needs: they are sent even where a vendor's configuration lists them as unsupported. */
const INDISPENSABLE: ReadonlySet<string> = new Set(["model", "messages", "stream"]);

/**
 * The client's body in the form that one target takes. Every byte that need not change stays: unknown fields, numbers,
 * order. Throws `unsupported_parameter` where leaving a parameter out would change the answer's shape (docs/rulings.md
 * 10).
 */
export function prepareBody(request: ClientRequest, target: Target): PreparedParts {
  const changes = new BodyChanges(request);
  if (request.body.model !== target.upstream_model) changes.set("model", nameText(target.upstream_model));
  leaveOutUnsupported(changes, request, target);
  const asks_reasoning = (request.body.reasoning_effort ?? "none") !== "none";
  leaveOutSampling(changes, request, target, { fields: SAMPLING_FIELDS, asks_reasoning });
  const judged = chargesAt(request, target, "unsupported_parameter");
  for (const { place } of judged?.left_out ?? []) changes.leaveOut(place);
  chooseOutputCap(changes, request, target);
  askForUsage(changes, request, target);
  identifyUser(changes, target);
  fitReasoningObject(changes, request, target);
  fitReasoning(changes, request, target);
  leaveOutNoTools(changes, request);
  fitMessages(changes, request, target);
  fitSchemas(changes, request, ["function", "parameters"]);
  return preparedParts(changes, request, target, judged);
}

function leaveOutUnsupported(changes: BodyChanges, request: ClientRequest, target: Target): void {
  for (const field of withChoiceOfTools(target.vendor.quirks.unsupported_fields)) {
    if (INDISPENSABLE.has(field) || !changes.has(field)) continue;
    if (field !== "n") changes.leaveOut(field);
    else if (request.choices > 1) throw tooManyChoices(request.choices, target);
    else changes.remove("n");
  }
  const format = request.body.response_format as { type?: unknown } | null | undefined;
  if (format && format.type !== "text" && !target.model.capabilities.json) changes.leaveOut("response_format");
}

/** `stop` stays unchanged: the gateway cannot stop a relayed answer itself, and the vendor checks the value. */
const SAMPLING_FIELDS = [
  ...["temperature", "top_p", "top_k", "presence_penalty", "frequency_penalty"],
  ...["logit_bias", "logprobs", "top_logprobs"],
];

function tooManyChoices(choices: number, target: Target): GatewayError {
  const message = `'n' is the number ${choices}; allowed for ${target.model.id}: 1, as it gives one answer to a request.`;
  return new GatewayError("unsupported_parameter", message, { param: "n" });
}

/**
 * `max_completion_tokens` wins over `max_tokens` (docs/api.md 4.1). The vendor gets one of the two: reasoning models
 * refuse the legacy name, and some vendors know only the legacy name.
 */
function chooseOutputCap(changes: BodyChanges, request: ClientRequest, target: Target): void {
  const legacy_only = target.vendor.quirks.max_tokens_only === true;
  const is_modern = changes.isGiven("max_completion_tokens");
  const cap = sentCap(request, target);
  if (!is_modern && !changes.isGiven("max_tokens")) {
    if (cap === null) return;
    const is_legacy = legacy_only || !target.model.capabilities.thinking;
    return changes.set(is_legacy ? "max_tokens" : "max_completion_tokens", String(cap));
  }
  const keeps_legacy_name = !is_modern && !target.model.capabilities.thinking;
  const name = legacy_only || keeps_legacy_name ? "max_tokens" : "max_completion_tokens";
  const given_name = is_modern ? "max_completion_tokens" : "max_tokens";
  if (cap !== request.output_cap) changes.set(name, String(cap));
  else if (name !== given_name) changes.set(name, changes.value(given_name) as string);
  changes.remove(name === "max_tokens" ? "max_completion_tokens" : "max_tokens");
}

/** Asks for the usage at the end of a stream, whether or not the client wants it, because streams are billed by it. */
function askForUsage(changes: BodyChanges, request: ClientRequest, target: Target): void {
  if (!request.stream || target.vendor.quirks.no_stream_options) {
    changes.remove("stream_options");
    return;
  }
  const options = changes.value("stream_options");
  if (options === null) changes.set("stream_options", '{"include_usage":true}');
  else changes.set("stream_options", replaceMembers(options, new Map([["include_usage", "true"]])));
}

/** OpenRouter's objects, which other vendors refuse: an effort becomes `reasoning_effort`, and a usage is always sent. */
function fitReasoningObject(changes: BodyChanges, { body }: ClientRequest, { model, vendor }: Target): void {
  if (vendor.quirks.takes_reasoning_object) return;
  if (isObject(body.usage)) changes.remove("usage");
  const { reasoning } = body;
  if (!isObject(reasoning)) return;
  const effort = reasoning.enabled === false ? "none" : reasoning.effort;
  const fitted = typeof effort === "string" ? effortFor(effort, model.capabilities) : null;
  if (fitted !== null && !changes.isGiven("reasoning_effort")) {
    changes.remove("reasoning");
    changes.set("reasoning_effort", JSON.stringify(fitted));
  } else if (effort === "none" || changes.isGiven("reasoning_effort")) changes.remove("reasoning");
  else changes.leaveOut("reasoning");
}

/** An empty list of tools asks for nothing, and some vendors refuse it; where a tool is demanded, the vendor says so. */
function leaveOutNoTools(changes: BodyChanges, { body }: ClientRequest): void {
  if (!Array.isArray(body.tools) || body.tools.length > 0) return;
  const choice = body.tool_choice ?? "auto";
  if (choice !== "auto" && choice !== "none") return;
  for (const member of ["tools", "tool_choice", "parallel_tool_calls"]) changes.remove(member);
}

function fitReasoning(changes: BodyChanges, request: ClientRequest, target: Target): void {
  const asked = request.body.reasoning_effort;
  if (typeof asked !== "string" || !changes.isGiven("reasoning_effort")) return;
  const effort = effortFor(asked, target.model.capabilities);
  if (effort !== null) changes.set("reasoning_effort", JSON.stringify(effort));
  // A model that does not reason honours `none` without the parameter.
  else if (asked === "none" && !target.model.capabilities.thinking) changes.remove("reasoning_effort");
  else changes.leaveOut("reasoning_effort");
}

/** Changes the messages to the form that the vendor takes. */
function fitMessages(changes: BodyChanges, request: ClientRequest, target: Target): void {
  const messages = request.body.messages as readonly JsonRecord[];
  const textOf = () => changes.value("messages") as string;
  const relayed = relayedMessages(messages, textOf, messageDialect(target));
  if (relayed !== null) changes.set("messages", relayed);
}
