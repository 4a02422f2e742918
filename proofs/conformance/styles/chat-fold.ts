import { type Fields, fieldsAt, isFields, listAt } from "../read-fields.ts";

interface Folded {
  readonly texts: Map<string, string>;
  readonly calls: Record<string, unknown>[];
  readonly details: Fields[];
  readonly logprobs: Fields[];
  finish_reason: unknown;
}

/** Joins the chunks of a stream as clients do: texts joined, calls by index, details and log-probabilities appended. */
export function foldChat(chunks: readonly Fields[]): Fields {
  const choices = new Map<unknown, Folded>();
  for (const chunk of chunks) for (const choice of listAt(chunk, "choices")) gather(choices, choice);
  const { id, created, model } = chunks[0] ?? {};
  const usage = chunks.map((chunk) => chunk.usage).find(isFields);
  return {
    id,
    created,
    model,
    object: "chat.completion",
    choices: [...choices].map(([index, folded]) => ({ index, ...choiceOf(folded) })),
    ...(usage && { usage }),
  };
}

const TEXTS = ["content", "refusal", "reasoning_content"];

function gather(choices: Map<unknown, Folded>, choice: Fields): void {
  const fresh: Folded = { texts: new Map(), calls: [], details: [], logprobs: [], finish_reason: null };
  const folded = choices.get(choice.index) ?? fresh;
  choices.set(choice.index, folded);
  const delta = fieldsAt(choice, "delta");
  for (const name of TEXTS) {
    const text = delta[name];
    if (typeof text === "string") folded.texts.set(name, (folded.texts.get(name) ?? "") + text);
  }
  if (delta.tool_calls !== undefined) for (const call of listAt(delta, "tool_calls")) addCall(folded.calls, call);
  if (delta.reasoning_details !== undefined) folded.details.push(...listAt(delta, "reasoning_details"));
  if (isFields(choice.logprobs) && choice.logprobs.content) folded.logprobs.push(...listAt(choice.logprobs, "content"));
  folded.finish_reason ??= choice.finish_reason;
}

function addCall(calls: Record<string, unknown>[], { index, ...delta }: Fields): void {
  const at = Number(index);
  const known = calls[at];
  if (known === undefined) {
    calls[at] = structuredClone(delta);
    return;
  }
  for (const [holder, member] of [
    ["function", "arguments"],
    ["custom", "input"],
  ] as const) {
    const more = delta[holder];
    const so_far = known[holder];
    if (isFields(more) && isFields(so_far))
      known[holder] = { ...so_far, [member]: `${String(so_far[member] ?? "")}${String(more[member] ?? "")}` };
  }
}

function choiceOf({ texts, calls, details, logprobs, finish_reason }: Folded): Fields {
  const content = texts.get("content") || null;
  const reasoning_content = texts.get("reasoning_content");
  const message = {
    role: "assistant",
    content: content ?? (calls.length > 0 || texts.has("refusal") ? null : ""),
    refusal: texts.get("refusal") ?? null,
    ...(reasoning_content && { reasoning_content }),
    ...(details.length > 0 && { reasoning_details: details }),
    ...(calls.length > 0 && { tool_calls: calls }),
  };
  return { message, finish_reason, logprobs: logprobs.length > 0 ? { content: logprobs } : null };
}
