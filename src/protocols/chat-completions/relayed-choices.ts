import type { VendorFailure } from "../../core/answer/exchange.ts";
import { isObject, type JsonRecord } from "../../core/json.ts";
import { endedWith, HALF_CALL, readEnding } from "../shared/endings.ts";
import { showFinishReason } from "./finish-reason.ts";
import { hasMoreThanRole, isFilled } from "./inspect-chunk.ts";
import { withIssuedDetails } from "./issued-details.ts";
import { argumentsText, type KnownCall, KnownCalls, type ToldDelta, untoldCalls } from "./known-calls.ts";

/** The words that clients' closed lists have. */
const PUBLIC_WORDS: ReadonlySet<string> = new Set(["stop", "length", "tool_calls", "content_filter", "function_call"]);

/**
 * A choice of a relayed answer, whole or in deltas, with the members that official SDKs read without asking: its index and
 * delta, the role of the message, the index of each piece of a call, the id, type and name of its first, its arguments as
 * text, and a finish reason of the public list (docs/rulings.md 4, 172). Everything else stays as the vendor sent it, and a
 * choice that lacks nothing is returned as it came.
 */
export class RelayedChoice {
  readonly index: number;
  readonly #issuer: string;
  /** Set where the answer is broken: the vendor's own word says so, or a call is only half there. */
  failure: VendorFailure | null = null;
  is_finished = false;
  #has_role = false;
  #has_content = false;
  #has_refusal = false;
  readonly #calls = new KnownCalls();

  /** `issuer`: whose the values in `reasoning_details` are. */
  constructor(index: number, issuer: string) {
    this.index = index;
    this.#issuer = issuer;
  }

  /** The next piece as the client gets it; `has_content`: pieces that needed no look have gone to the client. */
  takeDelta(choice: JsonRecord, has_content: boolean): JsonRecord {
    this.#has_content ||= has_content;
    const right = this.#withRightCalls(this.#withRole(this.#deltaOf(choice)), toDelta);
    const delta = withIssuedDetails(right, this.#issuer);
    this.#note(delta);
    const changes: Record<string, unknown> = {};
    if (choice.index !== this.index) changes.index = this.index;
    const reason = this.#reasonOf(choice.finish_reason);
    const ended = reason === null ? delta : this.#withArguments(delta);
    if (ended !== choice.delta) changes.delta = ended;
    if (choice.finish_reason !== undefined && choice.finish_reason !== reason) changes.finish_reason = reason;
    if (isEmpty(changes)) return choice;
    const { message: _, ...rest } = choice;
    return { ...rest, ...changes };
  }

  /** The choice of a whole answer as the client gets it. */
  takeWhole(choice: JsonRecord): JsonRecord {
    const told: JsonRecord = isObject(choice.message) ? choice.message : {};
    const filled = told.content === undefined ? { ...told, ...EMPTY } : told;
    const message = withIssuedDetails(this.#withRightCalls(this.#withRole(filled), toCall), this.#issuer);
    this.#note(message);
    const reason = this.#reasonOf(choice.finish_reason) ?? this.end();
    const changes: Record<string, unknown> = {};
    if (choice.index !== this.index) changes.index = this.index;
    if (message !== choice.message) changes.message = message;
    if (choice.finish_reason !== reason) changes.finish_reason = reason;
    return isEmpty(changes) ? choice : { ...choice, ...changes };
  }

  /** The finish reason of a choice that its vendor ended without one. */
  end(): string {
    return this.#endedWith("stop", false);
  }

  /** The pieces of calls for which the vendor sent no arguments, which clients parse all the same. */
  get missing_arguments(): readonly JsonRecord[] {
    return this.#calls.all
      .filter((call) => !call.is_custom && !call.has_arguments)
      .map((call) => {
        call.has_arguments = true;
        return { index: call.place, function: { arguments: "{}" } };
      });
  }

  /** The delta; in its place some vendors send the message, which repeats what the deltas have told. */
  #deltaOf({ delta, message }: JsonRecord): JsonRecord {
    if (isObject(delta) && (!isObject(message) || !isEmpty(delta))) return delta;
    if (!isObject(message)) return {};
    const untold = untoldCalls(message, this.#calls);
    if (!this.#has_content) return untold;
    return isFilled(untold.tool_calls) ? { tool_calls: untold.tool_calls } : {};
  }

  /** The role comes once: openai-python concatenates those of all deltas. */
  #withRole(told: JsonRecord): JsonRecord {
    const is_first = !this.#has_role;
    this.#has_role = true;
    if (told.role === (is_first ? "assistant" : undefined)) return told;
    const { role: _, ...rest } = told;
    return is_first ? { role: "assistant", ...rest } : rest;
  }

  #withRightCalls(told: JsonRecord, write: WriteCall): JsonRecord {
    const { tool_calls } = told;
    if (!Array.isArray(tool_calls) || tool_calls.length === 0) return withoutOddKinds(told);
    const deltas = tool_calls.filter(isObject);
    const written = deltas.map((delta, position) => write(delta, this.#calls.take(delta, position)));
    const is_same = deltas.length === tool_calls.length && written.every((call, at) => call === deltas[at]);
    return withoutOddKinds(is_same ? told : { ...told, tool_calls: written });
  }

  #withArguments(delta: JsonRecord): JsonRecord {
    const missing = this.missing_arguments;
    if (missing.length === 0) return delta;
    const calls = Array.isArray(delta.tool_calls) ? delta.tool_calls : [];
    return { ...delta, tool_calls: [...calls, ...missing] };
  }

  #note(told: JsonRecord): void {
    this.#has_content ||= hasMoreThanRole(told);
    this.#has_refusal ||= isFilled(told.refusal);
  }

  /** The vendor's finish reason in the public words; null where it sent none. */
  #reasonOf(word: unknown): string | null {
    return typeof word === "string" && word !== "" ? this.#endedWith(word, true) : null;
  }

  /** `is_public`: the word is the vendor's own, and stays if clients know it. */
  #endedWith(word: string, is_public: boolean): string {
    this.is_finished = true;
    const has_calls = this.#calls.all.length > 0;
    const ending = readEnding(word, this.#has_content);
    if (ending === "failed") this.failure = endedWith(word);
    const is_good = ending === "stop" || ending === "tool-calls";
    if (is_good && this.#calls.all.some((call) => call.arguments.is_begun)) this.failure = HALF_CALL;
    if (ending === "failed" || (is_public && PUBLIC_WORDS.has(word))) return word;
    const reason = is_good ? (has_calls ? "tool-calls" : "stop") : ending;
    return showFinishReason(reason, { has_refusal: this.#has_refusal, has_calls, is_old: false });
  }
}

const EMPTY = { content: null };

type WriteCall = (delta: JsonRecord, told: ToldDelta) => JsonRecord;

/** A piece of a call; `id`, `type` and name come with the first alone (docs/rulings.md 4). */
function toDelta(delta: JsonRecord, { call, is_new, text }: ToldDelta): JsonRecord {
  const member = call.is_custom ? "custom" : "function";
  const declared: JsonRecord = isObject(delta[member]) ? delta[member] : {};
  const piece = call.is_custom ? "input" : "arguments";
  const is_right =
    delta.index === call.place &&
    isObject(delta[member]) &&
    (is_new ? beginsRight(delta, call) && typeof declared.name === "string" : goesOnRight(delta, declared)) &&
    (declared[piece] === undefined || declared[piece] === text);
  if (is_right) return delta;
  const { id: _, type: __, index: ___, ...rest } = delta;
  const { name: ____, ...left } = declared;
  const head = is_new ? { id: call.id, type: member } : {};
  const name = is_new ? { name: call.name } : {};
  return { index: call.place, ...head, ...rest, [member]: { ...name, ...left, [piece]: text } };
}

function beginsRight({ id, type }: JsonRecord, call: KnownCall): boolean {
  return id === call.id && type === (call.is_custom ? "custom" : "function");
}

function goesOnRight({ id, type }: JsonRecord, { name }: JsonRecord): boolean {
  return !isFilled(id) && (type === undefined || type === null || isFilled(type)) && name === undefined;
}

/** A call of a whole answer. */
function toCall(told: JsonRecord, { call }: ToldDelta): JsonRecord {
  const member = call.is_custom ? "custom" : "function";
  const declared: JsonRecord = isObject(told[member]) ? told[member] : {};
  const piece = call.is_custom ? "input" : "arguments";
  const text = argumentsText(declared);
  // Clients parse the arguments, also those of a function without parameters.
  const whole = text === "" && !call.is_custom ? "{}" : text;
  if (beginsRight(told, call) && typeof declared.name === "string" && declared[piece] === whole) return told;
  return { ...told, id: call.id, type: member, [member]: { ...declared, name: call.name, [piece]: whole } };
}

/** A message or delta without the members that clients read as text or as a list, where they are something else. */
function withoutOddKinds(told: JsonRecord): JsonRecord {
  let right: Record<string, unknown> | null = null;
  for (const name in told) {
    if (!isOdd(name, told[name])) continue;
    right ??= { ...told };
    right[name] = undefined;
  }
  return right ?? told;
}

function isOdd(name: string, value: unknown): boolean {
  if (value === null || value === undefined) return false;
  switch (name) {
    case "content":
      return typeof value !== "string" && !Array.isArray(value);
    case "refusal":
      return typeof value !== "string";
    case "tool_calls":
      return !Array.isArray(value);
    case "function_call":
      return !isObject(value);
    default:
      return false;
  }
}

function isEmpty(value: object): boolean {
  for (const _ in value) return false;
  return true;
}
