import type { ClientHeaders, ClientRequest } from "../../core/answer/exchange.ts";
import type { BilledEndpoint } from "../../core/endpoints.ts";
import { isObject } from "../../core/json.ts";
import { ADDRESS, wantsArray } from "../../protocols/gemini/addressed-body.ts";

/** What makes two requests the same, and which are not compared (docs/rulings.md 183). */

/** Members that say how an answer is sent, or name the model, which is compared by what the name stands for. */
const LEFT_OUT: ReadonlySet<string> = new Set(["model", "stream", "stream_options", ADDRESS]);
/** Members by which a request continues or refers to what a gateway or a vendor has stored. */
const STATEFUL = ["previous_response_id", "conversation", "container", "cachedContent", "cached_content"];
/** Numbers that two texts may write differently, or that a double does not hold: such bodies are compared letter by letter. */
const UNSURE_NUMBERS = /\d{16}|\d[eE]/;
/** Headers that change what an answer has. */
export const COMPARED_HEADERS = ["anthropic-version", "anthropic-beta"];

/** Whether an answer to the request may be given again: not where it continues or stores something, is large, or is a form with files. */
export function isCacheable({ protocol, remote, form, memory, body }: ClientRequest): boolean {
  if (remote !== undefined || form !== undefined) return false;
  if (memory !== undefined && (memory.stores || memory.previous_response_id !== null || memory.recalled.size > 0))
    return false;
  if (body.background === true || body.store === true) return false;
  // A prompt that a vendor stores is named by an object; that of an image or a completion is a text, or texts.
  if (isObject(body.prompt)) return false;
  // In this style a response is stored unless the request says otherwise.
  if ((protocol === "responses" || protocol === "responses-in-chat") && body.store !== false) return false;
  return STATEFUL.every((name) => (body[name] ?? null) === null);
}

/** What is compared beside the body. */
export interface Compared {
  readonly endpoint: BilledEndpoint;
  /** The id of the model that the request's name stands for. */
  readonly model: string;
  readonly headers: ClientHeaders;
  /** Whether an answer has its cost. */
  readonly shows_cost: boolean;
  /** Whether streams and whole answers are made of each other. */
  readonly converts: boolean;
}

/** What two requests share beside their bodies where one's answer may be given to the other. */
export function comparedHead(request: ClientRequest, compared: Compared): string {
  const { endpoint, model, headers, shows_cost, converts } = compared;
  const form = wantsArray(request.body) ? "array" : converts && request.choices === 1 ? "any" : String(request.stream);
  const sent = COMPARED_HEADERS.map((name) => headers.get(name) ?? "");
  return JSON.stringify([endpoint, model, sent, shows_cost, form]);
}

/** What two such requests share of their bodies. */
export function comparedBody(request: ClientRequest): string {
  const members = Object.keys(request.body)
    .filter((name) => !LEFT_OUT.has(name))
    .toSorted()
    .map((name) => `${JSON.stringify(name)}:${ordered(request.body[name])}`);
  const letters = UNSURE_NUMBERS.test(request.text) ? request.text : "";
  return `${members.join(",")}\n${letters}`;
}

/** JSON with the members of every object in one order. */
function ordered(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(ordered).join(",")}]`;
  if (!isObject(value)) return JSON.stringify(value) ?? "null";
  const texts = Object.keys(value)
    .toSorted()
    .map((name) => `${JSON.stringify(name)}:${ordered(value[name])}`);
  return `{${texts.join(",")}}`;
}

/** The form of a whole answer among those of streams. */
export const WHOLE = "whole";

/** The form in which a request wants its answer: streams differ by their options. */
export function formOf({ stream, body }: Pick<ClientRequest, "stream" | "body">): string {
  return stream ? `stream ${ordered(body.stream_options ?? {})}` : WHOLE;
}
