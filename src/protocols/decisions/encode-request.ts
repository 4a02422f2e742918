import type { EncodedRequest } from "../../core/answer/codec.ts";
import type {
  DecisionPart,
  DecisionRequest,
  PredicateQuestion,
  Question,
  ScoreLevel,
} from "../../core/answer/decision.ts";
import type { Target } from "../../core/answer/exchange.ts";
import { foreignError, refuseForeign } from "../shared/decision-questions.ts";
import { findItems } from "../shared/json-members.ts";
import { arrayText, objectText, valueText } from "../shared/json-text.ts";

/**
 * A decision request in the shape of `/v1/decisions`. The shape has no field for the meaning of a predicate's answers,
 * so it is written after the instructions. The identifier of the client's user goes to vendors whose row says so
 * (docs/api.md 4.6, docs/rulings.md 39, 97).
 */
export function encodeRequest(request: DecisionRequest, { upstream_model, vendor }: Target): EncodedRequest {
  refuseForeign(request.questions, "decisions");
  const forwards = vendor.forwards_safety_identifier;
  const { sent_members: sent } = request;
  const body = objectText([
    ["model", valueText(upstream_model)],
    ["input", sent?.get("input") ?? inputText(request.input)],
    ["prompt_cache_key", sent?.get("prompt_cache_key") ?? null],
    ["prompt_cache_options", sent?.get("prompt_cache_options") ?? null],
    ["questions", arrayText(request.questions.map(questionText))],
    ["safety_identifier", forwards ? valueText(request.safety_identifier) : null],
  ]);
  const ignored = forwards || request.safety_identifier === null ? [] : ["safety_identifier"];
  return { path: "/decisions", body, headers: {}, ignored };
}

function inputText(input: DecisionRequest["input"]): string {
  const messages = input.map((parts) => parts.map(sendable));
  const only = messages.length === 1 ? plainText(messages[0] ?? []) : null;
  return only ?? arrayText(messages.map(messageText));
}

/** Data that the public API does not accept as a JSON part is sent as text. */
function sendable(part: DecisionPart): DecisionPart {
  return part.type === "json" && !isJsonPart(part.text) ? { type: "text", text: part.text } : part;
}

function messageText(parts: readonly DecisionPart[]): string {
  return objectText([
    ["role", '"user"'],
    ["content", plainText(parts) ?? arrayText(parts.map(partText))],
  ]);
}

/** The text of parts that are one text; null for others. */
function plainText(parts: readonly DecisionPart[]): string | null {
  const [part] = parts;
  return parts.length === 1 && part?.type === "text" ? valueText(part.text) : null;
}

function partText(part: DecisionPart): string {
  switch (part.type) {
    case "text":
      return objectText([
        ["type", '"input_text"'],
        ["text", valueText(part.text)],
      ]);
    case "json":
      return objectText([
        ["type", '"input_json"'],
        ["data", part.text],
      ]);
    case "image":
      return objectText([
        ["type", '"input_image"'],
        ["image_url", valueText(part.url)],
        ["detail", valueText(part.detail ?? null)],
      ]);
  }
}

const MOST_JSON_BYTES = 256 * 1024;

/** Whether the public API takes a value as a JSON part: an object, or an array of objects, of limited size. */
function isJsonPart(text: string): boolean {
  if (Buffer.byteLength(text) > MOST_JSON_BYTES) return false;
  return text.startsWith("{") || findItems(text, 0).every(({ start }) => text[start] === "{");
}

function questionText(question: Question): string {
  const base = [
    ["type", valueText(question.type)],
    ["name", valueText(question.name)],
  ] as const;
  switch (question.type) {
    case "predicate":
      return objectText([...base, ["instructions", question.parts_text ?? valueText(withCriteria(question))]]);
    case "choice":
      return objectText([
        ...base,
        ["instructions", question.parts_text ?? valueText(question.instructions)],
        [
          "choices",
          arrayText(question.options.map(({ value, description }) => entryText("value", value, description))),
        ],
      ]);
    case "score":
      return objectText([
        ...base,
        ["instructions", question.parts_text ?? valueText(question.instructions)],
        ["levels", arrayText(question.levels.map(levelText))],
      ]);
    case "box":
      throw foreignError(question.only);
  }
}

function withCriteria({ instructions, when_true, when_false }: PredicateQuestion): string {
  const lines = [instructions];
  if (when_true !== null) lines.push(`True means: ${when_true}`);
  if (when_false !== null) lines.push(`False means: ${when_false}`);
  return lines.join("\n");
}

/** The public API requires a label; a level without one gets the label that answers give it (docs/rulings.md 35). */
function levelText({ label, description }: ScoreLevel, index: number): string {
  return label === null
    ? entryText("label", description ?? String(index), null)
    : entryText("label", label, description);
}

function entryText(key: string, value: string | boolean, description: string | null): string {
  return objectText([
    [key, valueText(value)],
    ["description", valueText(description)],
  ]);
}
