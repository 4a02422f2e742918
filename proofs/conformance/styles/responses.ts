import { checkResponsesStream } from "../../grammars/responses/stream-grammar.ts";
import { type Answer, brokenAnswer, type End, type Usage } from "../answer.ts";
import type { Call } from "../question.ts";
import {
  countAt,
  demandValue,
  type Fields,
  fieldsAt,
  listAt,
  nameAt,
  optionalCount,
  parseFields,
  textAt,
} from "../read-fields.ts";
import { demand, quote } from "../violation.ts";
import { dataOf } from "./data-frames.ts";
import { responsesBody } from "./responses-body.ts";
import type { Style } from "./style.ts";
import { readStyleAError } from "./style-a-error.ts";

export const responses: Style = {
  path: "/v1/responses",
  headers: {},
  body: responsesBody,
  readWhole: (text) => readResponse(parseFields(text, "the body")),
  readStream,
  readError: readStyleAError,
};

/** The answer is read from the last event: the grammar has checked that its output equals the streamed items. */
function readStream(text: string): Answer {
  const verdict = checkResponsesStream(text);
  demand("end" in verdict, "problem" in verdict ? `frame ${verdict.frame}: ${verdict.problem}` : "");
  const last = fieldsAt(dataOf(text).at(-1) ?? {}, "response");
  return verdict.end === "failed" || verdict.end === "error" ? brokenAnswer(nameAt(last, "model")) : readResponse(last);
}

/** Reads a response object (docs/api.md 2.5). */
function readResponse(body: Fields): Answer {
  nameAt(body, "id");
  demandValue(body, "object", "response");
  countAt(body, "created_at");
  demandValue(body, "error", null);
  const output = listAt(body, "output");
  const items = output.map(readItem);
  const calls = items.flatMap(({ call }) => (call === undefined ? [] : [call]));
  const join = (member: "text" | "refusal" | "reasoning") => items.map((item) => item[member] ?? "").join("");
  const refusal = join("refusal");
  return {
    model: nameAt(body, "model"),
    text: join("text"),
    refusal,
    reasoning: join("reasoning"),
    seals: items.filter(({ is_sealed }) => is_sealed).length,
    calls,
    end: endOf(body, calls.length > 0, refusal),
    stop_sequence: null,
    usage: readUsage(fieldsAt(body, "usage")),
    logprobs: items.reduce((sum, { logprobs = 0 }) => sum + logprobs, 0),
    choices: 1,
    native: output,
  };
}

interface Item {
  readonly text?: string;
  readonly refusal?: string;
  readonly reasoning?: string;
  readonly is_sealed?: boolean;
  readonly call?: Call;
  readonly logprobs?: number;
}

function readItem(item: Fields): Item {
  nameAt(item, "id");
  switch (item.type) {
    case "message":
      demandValue(item, "role", "assistant");
      demandValue(item, "status", "completed", "incomplete");
      return readContent(listAt(item, "content"));
    case "reasoning": {
      const summary = listAt(item, "summary").map((part) => textAt(part, "text"));
      const { encrypted_content } = item;
      return { reasoning: summary.join(""), is_sealed: encrypted_content !== undefined && encrypted_content !== null };
    }
    case "function_call": {
      const [id, name, input] = [nameAt(item, "call_id"), nameAt(item, "name"), textAt(item, "arguments")];
      demandValue(item, "status", "completed");
      parseFields(input, `the arguments of ${name}`);
      return { call: { id, name, input, custom: false } };
    }
    case "custom_tool_call":
      return {
        call: { id: nameAt(item, "call_id"), name: nameAt(item, "name"), input: textAt(item, "input"), custom: true },
      };
    default:
      demand(false, `an output item is of the type ${quote(item.type)}`);
  }
}

function readContent(content: readonly Fields[]): Item {
  let [text, refusal, logprobs] = ["", "", 0];
  for (const part of content) {
    demandValue(part, "type", "output_text", "refusal");
    if (part.type === "refusal") refusal += textAt(part, "refusal");
    else {
      text += textAt(part, "text");
      listAt(part, "annotations");
      logprobs += part.logprobs === undefined ? 0 : listAt(part, "logprobs").length;
    }
  }
  return { text, refusal, logprobs };
}

function endOf(body: Fields, has_calls: boolean, refusal: string): End {
  demandValue(body, "status", "completed", "incomplete");
  if (body.status === "completed") {
    demandValue(body, "incomplete_details", null);
    if (has_calls) return "tool_calls";
    return refusal === "" ? "stop" : "refusal";
  }
  const details = fieldsAt(body, "incomplete_details");
  demandValue(details, "reason", "max_output_tokens", "content_filter");
  return details.reason === "max_output_tokens" ? "length" : "filter";
}

/** In responses, the input's count includes the cached tokens. */
function readUsage(usage: Fields): Usage {
  const input = fieldsAt(usage, "input_tokens_details");
  const output = fieldsAt(usage, "output_tokens_details");
  const all_input = countAt(usage, "input_tokens");
  const output_tokens = countAt(usage, "output_tokens");
  demandValue(usage, "total_tokens", all_input + output_tokens);
  const cache_read_tokens = countAt(input, "cached_tokens");
  const cache_write_tokens = optionalCount(input, "cache_write_tokens");
  const input_tokens = all_input - cache_read_tokens - cache_write_tokens;
  const reasoning_tokens = countAt(output, "reasoning_tokens");
  return { input_tokens, cache_read_tokens, cache_write_tokens, output_tokens, reasoning_tokens };
}
