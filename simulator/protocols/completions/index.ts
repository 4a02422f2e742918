import { type Ask, BadRequest } from "../../ask.ts";
import { onlyFields } from "../../decisions/read-strict.ts";
import { SIMULATED_CREATED } from "../../ids.ts";
import type { ModelName } from "../../model-name.ts";
import type { Performance } from "../../performance.ts";
import { plainAsk } from "../../plain-ask.ts";
import { FINISH, wireUsage } from "../chat-completions/answer.ts";
import { STREAMED } from "../openai-shape.ts";
import { dataFrame, type Frame, type VendorProtocol } from "../protocol.ts";
import { isObject, type Json, readCap, readStop } from "../read.ts";

/** OpenAI's completions, as strict as its API: text that goes on from a text, by any of the models that chat. */
export const completions: VendorProtocol = {
  ...STREAMED,
  protocol: "completions",
  accepts: (path) => path.endsWith("/completions") && !path.endsWith("/chat/completions"),
  readAsk,
  whole,
  frames,
};

const FIELDS = [
  ...["model", "prompt", "suffix", "max_tokens", "n", "best_of", "echo", "stream", "stream_options", "stop", "user"],
  ...["logprobs", "temperature", "top_p", "presence_penalty", "frequency_penalty", "logit_bias", "seed"],
];

function readAsk(model: ModelName, body: Json): Ask {
  onlyFields(body, FIELDS, "");
  const prompts = promptsIn(body);
  if (body.stream === true && Number(body.best_of ?? 1) > 1)
    throw new BadRequest("Cannot stream results with best_of > 1.", "best_of");
  return plainAsk(model, body, {
    stream: body.stream === true,
    include_usage: isObject(body.stream_options) && body.stream_options.include_usage === true,
    prompt: typeof body.suffix === "string" ? [...prompts, body.suffix] : prompts,
    last_user_text: prompts.at(-1) ?? "",
    // Real vendors differ in their usual cap: this one has OpenAI's.
    output_cap: readCap(body, "max_tokens") ?? 16,
    stop: readStop(body.stop),
    choices: prompts.length * (readCap(body, "n") ?? 1),
  });
}

/** Tokens stand as their numbers. */
function promptsIn({ prompt }: Json): string[] {
  if (typeof prompt === "string") return [prompt];
  if (!Array.isArray(prompt) || prompt.length === 0) throw new BadRequest("Invalid value for 'prompt'.", "prompt");
  if (prompt.every((each) => typeof each === "number")) return [prompt.join(" ")];
  return prompt.map((each: unknown) => (Array.isArray(each) ? each.join(" ") : String(each)));
}

/** Texts that are made and not shown are counted as well. */
function made({ body, choices }: Ask): number {
  return (choices / (readCap(body, "n") ?? 1)) * (readCap(body, "best_of") ?? readCap(body, "n") ?? 1);
}

function piecesOf({ blocks }: Performance): readonly string[] {
  return blocks.flatMap((block) => (block.type === "text" ? block.pieces : []));
}

/** What comes before the text of a choice. */
function echoed({ body, choices }: Ask, index: number): string {
  const prompts = promptsIn(body);
  return body.echo === true ? (prompts[Math.floor((index * prompts.length) / choices)] ?? "") : "";
}

function envelope(ask: Ask): object {
  return { id: `cmpl-sim_${ask.serial}`, object: "text_completion", created: SIMULATED_CREATED, model: ask.model.full };
}

function whole(ask: Ask, performance: Performance): object {
  const text = piecesOf(performance).join("");
  return {
    ...envelope(ask),
    choices: Array.from({ length: ask.choices }, (_, index) => ({
      ...{ text: echoed(ask, index) + text, index, logprobs: null, finish_reason: FINISH[performance.finish] },
    })),
    ...(!performance.usage_reporting.omitted && { usage: wireUsage(performance, made(ask)) }),
  };
}

function* frames(ask: Ask, performance: Performance): Generator<Frame> {
  const chunk = (part: Frame["part"], index: number, text: string, finish_reason: string | null = null) =>
    dataFrame(part, JSON.stringify({ ...envelope(ask), choices: [{ text, index, logprobs: null, finish_reason }] }));
  for (let index = 0; index < ask.choices; index += 1) {
    const before = echoed(ask, index);
    if (before !== "") yield chunk("opening", index, before);
    for (const piece of piecesOf(performance)) yield chunk("content", index, piece);
    yield chunk("closing", index, "", FINISH[performance.finish]);
  }
  if (ask.include_usage && !performance.usage_reporting.omitted)
    yield dataFrame(
      "closing",
      JSON.stringify({ ...envelope(ask), choices: [], usage: wireUsage(performance, made(ask)) }),
    );
  yield dataFrame("terminal", "[DONE]");
}
