import type {
  ClientRequest,
  Exchange,
  ProtocolAdapter,
  Target,
  WholeAnswer,
  WholeBody,
} from "../../core/answer/exchange.ts";
import { textOf } from "../../core/answer/sent-body.ts";
import { isObject, type JsonRecord } from "../../core/json.ts";
import { failedAnswer, invalidAnswer } from "../shared/endings.ts";
import { findMembers, replaceMembers } from "../shared/json-members.ts";
import { nameText } from "../shared/json-text.ts";
import { readRelayedError } from "../shared/relayed-error.ts";
import { bodyWriter, REPEATED_MEMBER, relayedWhole } from "../shared/rewrite-answer.ts";
import { readErrorObject } from "../shared/vendor-error.ts";
import { BodyChanges } from "./body-changes.ts";
import { NO_CHOICES } from "./chunk-events.ts";
import { type CompletionRequest, promptsOf } from "./completions-request.ts";
import { CompletionStream, envelopeOf, generatedIn, type ShownCompletion } from "./completions-stream.ts";
import { choiceIndex, choicesOf, errorOf, hasChoice, parseChunk } from "./inspect-chunk.ts";
import { findUsage, readUsage, shownInstead, showUsage } from "./usage.ts";

/** Reads a completion that arrived whole. The client gets the vendor's bytes but for the model's name, its usage and members that are missing. Never throws. */
function readCompletion(sent: WholeBody, shown: ShownCompletion): WholeAnswer {
  const text = textOf(sent);
  const answer = parseChunk(text);
  if (answer === null) return failedAnswer(invalidAnswer("The model service's answer is not a JSON object."));
  const error = errorOf(answer);
  if (error !== null) return failedAnswer(readErrorObject(error));
  if (!hasChoice(answer)) return failedAnswer(NO_CHOICES);
  const { usage, rejected } = readUsage(findUsage(answer));
  const write = bodyWriter({ sent, text, answer }, shown.model_id, missingIn(answer, shown));
  if (write === null) return failedAnswer(REPEATED_MEMBER);
  const instead = shownInstead(answer.usage, usage);
  const generated = choicesOf(answer)
    .map((choice, place) => generatedOf(choice, place, shown))
    .join("");
  return relayedWhole({
    ...{ sent, write, failure: null, usage, raw_usage: rejected, has_content: generated !== "" },
    usageFor: (billed) => (billed === null ? instead : { ...showUsage(billed) }),
    generated: () => generated,
  });
}

function generatedOf(choice: JsonRecord, place: number, shown: ShownCompletion): string {
  return typeof choice.text === "string" ? generatedIn(choice.text, choiceIndex(choice, place), shown) : "";
}

/** The members that clients read, where the vendor left one out. */
function missingIn(answer: JsonRecord, { model_id }: ShownCompletion) {
  const envelope = envelopeOf(answer, model_id);
  return (["id", "object", "created"] as const)
    .filter((name) => answer[name] !== envelope[name])
    .map((name) => [name, JSON.stringify(envelope[name])] as const);
}

/** Completions by a vendor of chat completions, at its `/completions`: the client's own body, but for what must change (docs/rulings.md 215). */
export const relayCompletions: ProtocolAdapter = { prepare };

/** Without these an answer would be another than was asked for: the vendor itself refuses what it does not know. */
const KEPT: ReadonlySet<string> = new Set([
  "model",
  "prompt",
  "suffix",
  "echo",
  "n",
  "best_of",
  "max_tokens",
  "stream",
]);

function prepare(request: ClientRequest, target: Target): Exchange {
  const body = request.body as CompletionRequest;
  const changes = changesFor(request, target);
  const parts = changes.apply();
  const shown: ShownCompletion = {
    model_id: target.model.id,
    choices: promptsOf(body).length * (body.n ?? 1),
    echoed: body.echo === true ? promptsOf(body) : [],
  };
  return {
    path: "/completions",
    parts,
    get body() {
      return parts.join("");
    },
    headers: {},
    ignored: changes.ignored,
    readWhole: (sent) => readCompletion(sent, shown),
    openStream: () => new CompletionStream(shown, wantsUsage(body)),
    readError: readRelayedError,
  };
}

function wantsUsage({ stream_options }: CompletionRequest): boolean {
  return isObject(stream_options) && stream_options.include_usage === true;
}

/** The cap is always sent: vendors have other usual ones than the public API. A stream's usage is asked for, as it is billed by. */
function changesFor(request: ClientRequest, { vendor, upstream_model }: Target): BodyChanges {
  const changes = new BodyChanges(request, request.members ?? findMembers(request.text));
  if (request.body.model !== upstream_model) changes.set("model", nameText(upstream_model));
  for (const field of vendor.quirks.unsupported_fields ?? []) if (!KEPT.has(field)) changes.leaveOut(field);
  if (!vendor.forwards_safety_identifier) changes.leaveOut("user");
  if (!changes.isGiven("max_tokens")) changes.set("max_tokens", String(request.output_cap));
  if (!request.stream || vendor.quirks.no_stream_options) changes.remove("stream_options");
  else {
    const options = changes.value("stream_options") ?? "{}";
    const sent = options === "null" ? "{}" : options;
    changes.set("stream_options", replaceMembers(sent, new Map([["include_usage", "true"]])));
  }
  return changes;
}
