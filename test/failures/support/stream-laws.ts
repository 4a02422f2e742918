import { isObject } from "../../../src/core/json.ts";
import { eventsOf, type Json, type Style, textAt } from "./styles.ts";

/**
 * What is wrong with a stream as a whole, by the laws of its style: each has one end, which comes last, and what was
 * opened is closed before a good one. Empty for a legal stream, also one that ended in a failure or was cut short.
 */
export function brokenLaws(style: Style, text: string): string[] {
  const events = eventsOf(text);
  const problems = text.endsWith("\n\n") ? [] : ["it ends amid a frame"];
  switch (style.endpoint) {
    case "chat.completions":
      return [...problems, ...brokenInChat(events)];
    case "responses":
      return [...problems, ...namedFrames(text), ...brokenInResponses(events.filter((event) => event !== "[DONE]"))];
    case "messages":
      return [...problems, ...namedFrames(text), ...brokenInMessages(events.filter((event) => event !== "[DONE]"))];
  }
}

/** `event:` before each `data:`, with the same name as in it (docs/rulings.md 3). */
function namedFrames(text: string): string[] {
  const frames = text.split("\n\n").filter((frame) => frame.includes("data: "));
  return frames.flatMap((frame) => {
    const [, name, data = "{}"] = /^event: (.+)\ndata: (.+)$/.exec(frame) ?? [];
    return name !== undefined && name === (JSON.parse(data) as Json).type ? [] : [`a frame is ${frame.slice(0, 60)}`];
  });
}

function brokenInChat(events: readonly (Json | "[DONE]")[]): string[] {
  const problems: string[] = [];
  const failed = events.findIndex((event) => event !== "[DONE]" && "error" in event);
  const done = events.indexOf("[DONE]");
  if (failed !== -1 && done !== -1) problems.push("it has an error and [DONE]");
  const last = failed === -1 ? done : failed;
  if (last !== events.length - 1) problems.push("something follows its end, or there is none");
  const finishes = events.filter((event) => textAt(event, ["choices", 0, "finish_reason"]) !== "");
  if (failed === -1 && finishes.length !== 1) problems.push(`it has ${finishes.length} finish reasons`);
  return problems;
}

const TERMINAL = ["response.completed", "response.incomplete", "response.failed"];

function brokenInResponses(events: readonly Json[]): string[] {
  const problems: string[] = [];
  const numbers = events.map(({ sequence_number }) => sequence_number);
  if (numbers.some((number, index) => number !== index)) problems.push(`its sequence numbers are ${numbers}`);
  const ends = events.filter(({ type }) => TERMINAL.includes(String(type)));
  const [end] = ends;
  if (ends.length !== 1 || end !== events.at(-1)) return [...problems, "its one end is not its last event"];
  const response = isObject(end?.response) ? end.response : {};
  if (end?.type !== `response.${String(response.status)}`) problems.push(`its status is ${String(response.status)}`);
  if (end?.type === "response.incomplete" && textAt(response, ["incomplete_details", "reason"]) !== "max_output_tokens")
    problems.push("it does not say why it is incomplete");
  if (end?.type === "response.failed") return problems;
  for (const part of ["output_item", "content_part"]) {
    const count = (suffix: string) => events.filter(({ type }) => type === `response.${part}.${suffix}`).length;
    if (count("added") !== count("done")) problems.push(`not every ${part} is done`);
  }
  return problems;
}

function brokenInMessages(events: readonly Json[]): string[] {
  const problems: string[] = [];
  const open = new Set<unknown>();
  for (const { type, index } of events) {
    if (type === "content_block_start" && open.size > 0) problems.push("blocks overlap");
    if (type === "content_block_start") open.add(index);
    else if (type === "content_block_stop") open.delete(index);
    else if (type === "content_block_delta" && !open.has(index)) problems.push("a delta is outside its block");
  }
  const types = events.map(({ type }) => type);
  const last = types.at(-1);
  if (types[0] !== "message_start" && last !== "error") problems.push(`it begins with ${String(types[0])}`);
  if (last !== "message_stop" && last !== "error") problems.push(`it ends with ${String(last)}`);
  if (types.filter((type) => type === "message_stop" || type === "error").length !== 1) problems.push("it ends twice");
  if (last === "message_stop" && (open.size > 0 || !types.includes("message_delta")))
    problems.push("it ends well before its parts do");
  return problems;
}
