import type {
  ClientRequest,
  Exchange,
  ProtocolAdapter,
  SentBody,
  StreamAnswer,
  Target,
  VendorFailure,
  WholeAnswer,
  WholeBody,
} from "../../core/answer/exchange.ts";
import { textOf, textOfParts } from "../../core/answer/sent-body.ts";
import { systemClock } from "../../core/clock.ts";
import { newId } from "../../core/ids.ts";
import { isObject, type JsonRecord } from "../../core/json.ts";
import { type Usage, withServed } from "../../core/money/usage.ts";
import { failedAnswer, invalidAnswer } from "../shared/endings.ts";
import { detailsIssuer } from "../shared/issuer.ts";
import { readRelayedError } from "../shared/relayed-error.ts";
import { bodyWriter, REPEATED_MEMBER, type WriteBody } from "../shared/rewrite-answer.ts";
import type { UsageChange } from "../shared/vendor-costs.ts";
import { readErrorObject } from "../shared/vendor-error.ts";
import { NO_CHOICES } from "./chunk-events.ts";
import { choiceIndex, choicesOf, errorOf, hasChoice, hasContent, parseChunk } from "./inspect-chunk.ts";
import { prepareBody } from "./prepare-body.ts";
import { RelayedChoice } from "./relayed-choices.ts";
import { ChatStream } from "./stream.ts";
import { correctedUsage, findUsage, readUsage, showUsage } from "./usage.ts";

/** The relay of chat completions: the vendor gets the client's own body except for members that must change. */
export const relayChatCompletions: ProtocolAdapter = { prepare };

function prepare(request: ClientRequest, target: Target): Exchange {
  return new RelayedExchange(request, target);
}

const NO_HEADERS = {};

class RelayedExchange implements Exchange {
  readonly path = "/chat/completions";
  readonly headers = NO_HEADERS;
  readonly parts: readonly string[];
  readonly ignored: readonly string[];
  readonly charged: Exchange["charged"] & object;
  readonly readError = readRelayedError;
  readonly #request: ClientRequest;
  readonly #model_id: string;
  readonly #issuer: string;

  constructor(request: ClientRequest, target: Target) {
    const { parts, ignored, charged } = prepareBody(request, target);
    this.parts = parts;
    this.ignored = ignored;
    this.charged = charged;
    this.#request = request;
    this.#model_id = target.model.id;
    this.#issuer = detailsIssuer(target.vendor);
  }

  get body(): string {
    return textOfParts(this.parts);
  }

  readWhole(body: WholeBody): WholeAnswer {
    return readWhole(body, this.#model_id, this.#issuer);
  }

  openStream(): StreamAnswer {
    const shown = { model_id: this.#model_id, shows_usage: wantsUsage(this.#request) };
    return new ChatStream({ ...shown, choices: this.#request.choices, issuer: this.#issuer });
  }
}

/** Whether the client asked for a chunk with the usage (docs/api.md 6.1). */
function wantsUsage(request: ClientRequest): boolean {
  const options = request.body.stream_options as { include_usage?: unknown } | null | undefined;
  return options?.include_usage === true;
}

/** The most generated text that an estimate starts from. */
const MAX_SAMPLE_LENGTH = 256 * 1024;

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
  return new RelayedWhole(shown, write, usage && withServed(usage, answer.service_tier), rejected);
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

class RelayedWhole implements WholeAnswer {
  readonly failure = null;
  readonly usage: Usage | null;
  readonly rejected_usage: unknown;
  readonly #answer: Record<string, unknown>;
  readonly #write: WriteBody;
  readonly #shown: UsageChange;
  #text: string | null = null;

  constructor(answer: Record<string, unknown>, write: WriteBody, usage: Usage | null, rejected_usage: unknown) {
    this.#answer = answer;
    this.#write = write;
    this.usage = usage;
    this.rejected_usage = rejected_usage;
    this.#shown = shownInstead(answer.usage, usage);
  }

  get body(): SentBody {
    return this.#write(this.#shown);
  }

  /** Where the vendor sent no usage, the one that is billed is shown (docs/rulings.md 58). */
  bodyWith(billed: Usage | null, cost?: string): SentBody {
    return this.#write(billed === null ? this.#shown : { ...showUsage(billed) }, cost);
  }

  get has_content(): boolean {
    return hasContent(this.#answer);
  }

  get output_bytes(): number {
    return Buffer.byteLength(this.#generated);
  }

  get output_sample(): string {
    return this.#generated.slice(0, MAX_SAMPLE_LENGTH);
  }

  /** The generated text, gathered on first use, because only answers without a usage need it. */
  get #generated(): string {
    this.#text ??= choicesOf(this.#answer)
      .map((choice) => generatedText(choice.message))
      .join("");
    return this.#text;
  }
}

/**
 * The usage to show in place of the vendor's, because the usage shown must be the one that is billed; null to remove a usage that is
 * not believed.
 */
function shownInstead(sent: unknown, usage: Usage | null): UsageChange {
  if (!isObject(sent)) return undefined;
  return usage === null ? null : (correctedUsage({ ...sent }, usage) ?? undefined);
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
