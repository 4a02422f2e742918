import { checkChatStream } from "../../grammars/chat-completions/stream-grammar.ts";
import { type Answer, brokenAnswer, type End, type Usage } from "../answer.ts";
import type { Call, Question } from "../question.ts";
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
import { chatBody } from "./chat-body.ts";
import { foldChat } from "./chat-fold.ts";
import { dataOf } from "./data-frames.ts";
import type { Style } from "./style.ts";
import { readStyleAError } from "./style-a-error.ts";

export const chat: Style = {
  path: "/v1/chat/completions",
  headers: {},
  body: chatBody,
  readWhole: (text) => readCompletion(parseFields(text, "the body"), true),
  readStream,
  readError: readStyleAError,
};

function readStream(text: string, question: Question): Answer {
  const wants_usage = question.usage !== false;
  const verdict = checkChatStream(text, { include_usage: wants_usage, choices: question.choices ?? 1 });
  demand("end" in verdict, "problem" in verdict ? `frame ${verdict.frame}: ${verdict.problem}` : "");
  const chunks = dataOf(text);
  if (verdict.end === "error") return brokenAnswer(nameAt(chunks[0] ?? {}, "model"));
  return readCompletion(foldChat(chunks), wants_usage);
}

/** Reads a chat completion object (docs/api.md 2.4). */
function readCompletion(body: Fields, has_usage: boolean): Answer {
  nameAt(body, "id");
  demandValue(body, "object", "chat.completion");
  countAt(body, "created");
  const choices = listAt(body, "choices");
  for (const [index, choice] of choices.entries()) demandValue(choice, "index", index);
  const [choice] = choices;
  demand(choice !== undefined, "'choices' is empty");
  const message = fieldsAt(choice, "message");
  demandValue(message, "role", "assistant");
  const { content, refusal = null, reasoning_content: reasoning = "" } = message;
  demand(content === null || typeof content === "string", `'content' is ${quote(content)}, not a string or null`);
  demand(refusal === null || typeof refusal === "string", `'refusal' is ${quote(refusal)}, not a string or null`);
  demand(typeof reasoning === "string", `'reasoning_content' is ${quote(reasoning)}, not a string`);
  const calls = message.tool_calls === undefined ? [] : listAt(message, "tool_calls").map(readCall);
  const details = message.reasoning_details === undefined ? [] : listAt(message, "reasoning_details");
  return {
    model: nameAt(body, "model"),
    text: content ?? "",
    refusal: refusal ?? "",
    reasoning,
    seals: details.filter(({ signature, data }) => signature !== undefined || data !== undefined).length,
    calls,
    end: endOf(textAt(choice, "finish_reason"), refusal ?? ""),
    stop_sequence: null,
    usage: has_usage ? readUsage(fieldsAt(body, "usage")) : null,
    logprobs: isFields(choice.logprobs) && choice.logprobs.content ? listAt(choice.logprobs, "content").length : 0,
    choices: choices.length,
    native: [message],
  };
}

function readCall(call: Fields): Call {
  demandValue(call, "type", "function", "custom");
  const id = nameAt(call, "id");
  const holder = fieldsAt(call, textAt(call, "type"));
  const name = nameAt(holder, "name");
  if (call.type === "custom") return { id, name, input: textAt(holder, "input"), custom: true };
  const input = textAt(holder, "arguments");
  parseFields(input, `the arguments of ${name}`);
  return { id, name, input, custom: false };
}

const ENDS: Readonly<Record<string, End>> = {
  stop: "stop",
  length: "length",
  tool_calls: "tool_calls",
  content_filter: "filter",
};

function endOf(finish_reason: string, refusal: string): End {
  const end = ENDS[finish_reason];
  demand(end !== undefined, `'finish_reason' is ${quote(finish_reason)}`);
  return end === "stop" && refusal !== "" ? "refusal" : end;
}

/** In chat completions, the prompt's count includes the cached tokens. */
function readUsage(usage: Fields): Usage {
  const { prompt_tokens_details: input, completion_tokens_details: output } = usage;
  const prompt_tokens = countAt(usage, "prompt_tokens");
  const output_tokens = countAt(usage, "completion_tokens");
  demandValue(usage, "total_tokens", prompt_tokens + output_tokens);
  const cache_read_tokens = optionalCount(input, "cached_tokens");
  const cache_write_tokens = optionalCount(input, "cache_write_tokens");
  const input_tokens = prompt_tokens - cache_read_tokens - cache_write_tokens;
  const reasoning_tokens = optionalCount(output, "reasoning_tokens");
  return { input_tokens, cache_read_tokens, cache_write_tokens, output_tokens, reasoning_tokens };
}
