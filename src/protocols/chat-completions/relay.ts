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
export function wantsUsage({ body: { stream_options } }: ClientRequest): boolean {
  return isObject(stream_options) && stream_options.include_usage === true;
}

/** The choices of an answer that arrived whole, as the client gets them. */
export interface WholeChoices {
  readonly failure: VendorFailure | null;
  /** The members that stand in place of the vendor's. */
  readonly members: JsonRecord;
  readonly has_content: boolean;
  readonly generated: () => string;
  /** The tier by which the vendor says that it has served the request. */
  readonly served_tier?: unknown;
}

/**
 * Reads a completion that arrived whole. The client gets the vendor's bytes except for the model's name, its usage where the
 * vendor's numbers are not the billed ones, and for what `look` says of the choices. Never throws: a body that is no answer
 * gives a `failure`.
 */
export function readCompletion(
  sent: WholeBody,
  model_id: string,
  look: (answer: JsonRecord) => WholeChoices,
): WholeAnswer {
  const text = textOf(sent);
  const answer = parseChunk(text);
  if (answer === null) return failedAnswer(invalidAnswer("The model service's answer is not a JSON object."));
  const error = errorOf(answer);
  if (error !== null) return failedAnswer(readErrorObject(error));
  if (!hasChoice(answer)) return failedAnswer(NO_CHOICES);
  const { failure, members, has_content, generated, served_tier } = look(answer);
  if (failure !== null) return failedAnswer(failure);
  const changes = Object.keys(members).map((key) => [key, JSON.stringify(members[key])] as const);
  const write = bodyWriter({ sent, text, answer }, model_id, changes);
  if (write === null) return failedAnswer(REPEATED_MEMBER);
  const { usage, rejected } = readUsage(findUsage(answer));
  const instead = shownInstead(answer.usage, usage);
  return relayedWhole({
    ...{ sent, write, failure: null, usage: usage && withServed(usage, served_tier), raw_usage: rejected },
    ...{ has_content, generated },
    // Where the vendor sent no usage, the one that is billed is shown (docs/rulings.md 58).
    usageFor: (billed) => (billed === null ? instead : { ...showUsage(billed) }),
  });
}

/** Reads a chat completion that arrived whole, whose signed reasoning is of `issuer` (docs/rulings.md 192). Never throws. */
export function readWhole(sent: WholeBody, model_id: string, issuer: string): WholeAnswer {
  return readCompletion(sent, model_id, (answer) => {
    const { failure, members } = mendedChoices(answer, issuer);
    const shown = { ...answer, ...members };
    return {
      ...{ failure, members, has_content: hasContent(shown), served_tier: answer.service_tier },
      generated: () =>
        choicesOf(shown)
          .map(({ message }) => generatedText(message))
          .join(""),
    };
  });
}

/** The members of a completion that clients read, where the vendor left one out or broke it. */
function mendedChoices(answer: JsonRecord, issuer: string): Pick<WholeChoices, "failure" | "members"> {
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
  return { failure, members };
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
