import { checkMessagesStream } from "../../grammars/messages/stream-grammar.ts";
import { type Answer, brokenAnswer, type End, type Usage } from "../answer.ts";
import {
  countAt,
  demandValue,
  type Fields,
  fieldsAt,
  isFields,
  listAt,
  nameAt,
  optionalCount,
  parseFields,
  textAt,
} from "../read-fields.ts";
import { demand, quote } from "../violation.ts";
import { dataOf } from "./data-frames.ts";
import { messagesBody } from "./messages-body.ts";
import { foldMessage } from "./messages-fold.ts";
import type { Style } from "./style.ts";

export const messages: Style = {
  path: "/v1/messages",
  headers: { "anthropic-version": "2023-06-01" },
  body: messagesBody,
  readWhole: (text) => readMessage(parseFields(text, "the body")),
  readStream,
  readError,
};

function readStream(text: string): Answer {
  const verdict = checkMessagesStream(text);
  demand("end" in verdict, "problem" in verdict ? `frame ${verdict.frame}: ${verdict.problem}` : "");
  const events = dataOf(text);
  if (verdict.end === "error") return brokenAnswer(nameAt(fieldsAt(events[0] ?? {}, "message"), "model"));
  return readMessage(foldMessage(events));
}

/** Style B's error object (docs/api.md 2.10). */
function readError(body: Fields): string {
  demandValue(body, "type", "error");
  const error = fieldsAt(body, "error");
  nameAt(error, "type");
  return nameAt(error, "message");
}

/** Reads a message object (docs/api.md 2.6). */
function readMessage(body: Fields): Answer {
  nameAt(body, "id");
  demandValue(body, "type", "message");
  demandValue(body, "role", "assistant");
  const content = listAt(body, "content");
  for (const block of content) checkBlock(block);
  const calls = content.filter(({ type }) => type === "tool_use");
  const join = (type: string, member: string) =>
    content
      .filter((block) => block.type === type)
      .map((block) => textAt(block, member))
      .join("");
  const end = endOf(textAt(body, "stop_reason"));
  demand(
    (end === "tool_calls") === calls.length > 0 || end === "length" || end === "refusal",
    "'stop_reason' does not tell whether there are calls",
  );
  const { stop_sequence } = body;
  demand(stop_sequence === null || typeof stop_sequence === "string", `'stop_sequence' is ${quote(stop_sequence)}`);
  const text = join("text", "text");
  return {
    model: nameAt(body, "model"),
    text: end === "refusal" ? "" : text,
    refusal: end === "refusal" ? text : "",
    reasoning: join("thinking", "thinking"),
    seals: content.filter(isSealed).length,
    calls: calls.map((block) => ({
      id: nameAt(block, "id"),
      name: nameAt(block, "name"),
      input: JSON.stringify(fieldsAt(block, "input")),
      custom: false,
    })),
    end,
    stop_sequence,
    usage: readUsage(fieldsAt(body, "usage")),
    logprobs: 0,
    choices: 1,
    native: content,
  };
}

function checkBlock(block: Fields): void {
  demandValue(block, "type", "text", "tool_use", "thinking", "redacted_thinking");
  if (block.type === "text") textAt(block, "text");
  if (block.type === "thinking") textAt(block, "signature");
  if (block.type === "redacted_thinking") nameAt(block, "data");
}

function isSealed({ type, signature }: Fields): boolean {
  return type === "redacted_thinking" || (type === "thinking" && signature !== "");
}

const ENDS: Readonly<Record<string, End>> = {
  end_turn: "stop",
  stop_sequence: "stop",
  max_tokens: "length",
  tool_use: "tool_calls",
  refusal: "refusal",
};

function endOf(stop_reason: string): End {
  const end = ENDS[stop_reason];
  demand(end !== undefined, `'stop_reason' is ${quote(stop_reason)}`);
  return end;
}

/** In messages, the input classes are disjoint. */
function readUsage(usage: Fields): Usage {
  const { output_tokens_details: details } = usage;
  return {
    input_tokens: countAt(usage, "input_tokens"),
    cache_read_tokens: countAt(usage, "cache_read_input_tokens"),
    cache_write_tokens: countAt(usage, "cache_creation_input_tokens"),
    output_tokens: countAt(usage, "output_tokens"),
    reasoning_tokens: isFields(details) ? optionalCount(details, "thinking_tokens") : null,
  };
}
