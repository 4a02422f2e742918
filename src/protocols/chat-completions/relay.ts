import type {
  ClientRequest,
  Exchange,
  ProtocolAdapter,
  Target,
  VendorFailure,
  WholeAnswer,
  WholeBody,
} from "../../core/answer/exchange.ts";
import { textOf, textOfParts } from "../../core/answer/sent-body.ts";
import { systemClock } from "../../core/clock.ts";
import { newId } from "../../core/ids.ts";
import { isObject, type JsonRecord } from "../../core/json.ts";
import { withServed } from "../../core/money/usage.ts";
import { failedAnswer, invalidAnswer } from "../shared/endings.ts";
import { detailsIssuer } from "../shared/issuer.ts";
import { readRelayedError } from "../shared/relayed-error.ts";
import { bodyWriter, REPEATED_MEMBER, relayedWhole } from "../shared/rewrite-answer.ts";
import { readErrorObject } from "../shared/vendor-error.ts";
import { NO_CHOICES } from "./chunk-events.ts";
import { choiceIndex, choicesOf, errorOf, hasChoice, hasContent, parseChunk } from "./inspect-chunk.ts";
import { prepareBody } from "./prepare-body.ts";
import { RelayedChoice } from "./relayed-choices.ts";
import { ChatStream } from "./stream.ts";
import { findUsage, readUsage, shownInstead, showUsage } from "./usage.ts";

/** The relay of chat completions: the vendor gets the client's own body except for members that must change. */
export const relayChatCompletions: ProtocolAdapter = {
  prepare(request: ClientRequest, target: Target): Exchange {
    const { parts, ignored, charged } = prepareBody(request, target);
    const model_id = target.model.id;
    const issuer = detailsIssuer(target.vendor);
    return {
      path: "/chat/completions",
      parts,
      get body() {
        return textOfParts(parts);
      },
      headers: {},
      ignored,
      charged,
      readWhole: (body) => readWhole(body, model_id, issuer),
      openStream: () =>
        new ChatStream({ model_id, shows_usage: wantsUsage(request), choices: request.choices, issuer }),
      readError: readRelayedError,
    };
  },
};

/** Whether the client asked for a chunk with the usage (docs/api.md 6.1). */
function wantsUsage(request: ClientRequest): boolean {
  const options = request.body.stream_options as { include_usage?: unknown } | null | undefined;
  return options?.include_usage === true;
}

/**
 * Reads a completion that arrived whole. The client gets the vendor's bytes except for the model's name, and for the
 * usage where the vendor's numbers are not the billed ones, and for the signed reasoning of `issuer` (docs/rulings.md 192). Never throws: a body that is no answer gives a `failure`.
 */
export function readWhole(sent: WholeBody, model_id: string, issuer: string): WholeAnswer {
  const text = textOf(sent);
  const answer = parseChunk(text);
  if (answer === null) return failedAnswer(invalidAnswer("The model service's answer is not a JSON object."));
  const error = errorOf(answer);
  if (error !== null) return failedAnswer(readErrorObject(error));
  if (!hasChoice(answer)) return failedAnswer(NO_CHOICES);
  const mended = mendedChoices(answer, issuer);
  if (mended.failure !== null) return failedAnswer(mended.failure);
  const { usage, rejected } = readUsage(findUsage(answer));
  const { members } = mended;
  const changes =
    members === null ? [] : Object.keys(members).map((key) => [key, JSON.stringify(members[key])] as const);
  const write = bodyWriter({ sent, text, answer }, model_id, changes);
  if (write === null) return failedAnswer(REPEATED_MEMBER);
  const shown = members === null ? answer : { ...answer, ...members };
  const instead = shownInstead(answer.usage, usage);
  return relayedWhole({
    ...{ sent, write, failure: null, usage: usage && withServed(usage, answer.service_tier), raw_usage: rejected },
    has_content: hasContent(shown),
    // Where the vendor sent no usage, the one that is billed is shown (docs/rulings.md 58).
    usageFor: (billed) => (billed === null ? instead : { ...showUsage(billed) }),
    generated: () =>
      choicesOf(shown)
        .map(({ message }) => generatedText(message))
        .join(""),
  });
}

/** The members of a completion that clients read, where the vendor left one out or broke it; null where all are right. */
function mendedChoices(
  answer: JsonRecord,
  issuer: string,
): {
  readonly failure: VendorFailure | null;
  readonly members: JsonRecord | null;
} {
  let failure: VendorFailure | null = null;
  const told: readonly unknown[] = Array.isArray(answer.choices) ? answer.choices : [];
  const choices: JsonRecord[] = [];
  let is_same = true;
  for (const sent of told) {
    if (isObject(sent)) {
      const choice = new RelayedChoice(choiceIndex(sent, choices.length), issuer);
      choices.push(choice.takeWhole(sent));
      failure ??= choice.failure;
    }
    is_same &&= choices.at(-1) === sent;
  }
  const members: Record<string, unknown> = is_same ? {} : { choices };
  if (typeof answer.id !== "string") members.id = newId("chatcmpl");
  if (typeof answer.object !== "string") members.object = "chat.completion";
  if (typeof answer.created !== "number") members.created = Math.floor(systemClock.now_ms() / 1000);
  if (answer.system_fingerprint === undefined) members.system_fingerprint = null;
  return { failure, members: Object.keys(members).length === 0 ? null : members };
}

/** The generated text in a message's members; reasoning is read under only one of its two names. */
function generatedText(message: unknown): string {
  if (!isObject(message)) return "";
  const reasoning = message.reasoning_content ?? message.reasoning;
  const calls = Array.isArray(message.tool_calls) ? message.tool_calls : [];
  return [message.content, reasoning, message.refusal, message.function_call, message.audio, ...calls]
    .map(textIn)
    .join("");
}

function textIn(part: unknown): string {
  if (typeof part === "string") return part;
  if (Array.isArray(part)) return part.map(textIn).join("");
  if (!isObject(part)) return "";
  const text = part.text ?? part.transcript ?? part.arguments ?? part.input ?? part.function ?? part.custom;
  return textIn(text ?? part.thinking);
}
