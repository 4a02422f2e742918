import { perform, textBlock } from "../answer.ts";
import { type Ask, type AskedImage, BadRequest } from "../ask.ts";
import { answerQuestions } from "../decisions/answer-questions.ts";
import { distort } from "../decisions/distortions.ts";
import { EDITED_TOKENS, pictureTokens } from "../images/picture.ts";
import { type Performance, words } from "../performance.ts";
import { heardText, soundTokens, spokenTokens } from "../sound/sound.ts";
import { BYTES_PER_TOKEN, countTokens } from "../tokens.ts";
import { agent } from "./agent.ts";
import { echo, repeated } from "./echo.ts";
import { json } from "./json.ts";
import { judge } from "./judge.ts";
import { reason, reasoningFor } from "./reason.ts";
import { tools } from "./tools.ts";

const OPENING = "Simulated answer: long. ";

const WORD = "word";

const WITHOUT_CAP = 4096;

/** The tokens of hidden reasoning, unless `@think` says how many. */
const THOUGHT_TOKENS = 60_000;

/** The contents by name: each makes the answer to a request, independently of the protocol. */
export const CONTENTS = {
  agent,
  bench,
  decide,
  draw,
  echo,
  embed,
  everything,
  filter,
  hidden,
  json,
  judge,
  listen,
  long,
  moderate,
  rank,
  reason,
  refuse,
  speak,
  stop,
  tools,
  unicode,
  vision,
} as const satisfies Record<string, (ask: Ask) => Performance>;

export type ContentName = keyof typeof CONTENTS;

/** Some words, then a content filter ends the answer. */
function filter(ask: Ask): Performance {
  return perform(ask, { blocks: [textBlock("Simulated answer: filtered from here")], finish: "content_filter" });
}

/** Writes the last stop sequence of the request within its answer, so that a vendor that honours it ends there. */
function stop(ask: Ask): Performance {
  const sequence = ask.stop.at(-1) ?? "";
  return perform(ask, { blocks: [textBlock(`Simulated answer: before${sequence} after`)] });
}

/** The part of a request that a model of one kind needs. Throws for a request of another kind. */
function needed<Asked>(asked: Asked | undefined, { model }: Ask, only: string): Asked {
  if (asked !== undefined) return asked;
  throw new BadRequest(`The model '${model.full}' ${only}.`, "model");
}

/** An answer whose tokens are these, unless the model's name states others. */
function counted(ask: Ask, counts: { readonly input: number; readonly output?: number }, text?: string) {
  const performance = perform(ask, { blocks: text === undefined ? [] : [textBlock(text)] });
  const { params } = ask.model;
  const input = params.count("input", counts.input);
  const output = counts.output === undefined ? performance.usage.output : params.count("output", counts.output);
  return { ...performance, usage: { ...performance.usage, input, output } };
}

/** Counts what is judged; takes no other request. */
function moderate(ask: Ask): Performance {
  needed(ask.moderation, ask, "gives moderations only: use /v1/moderations");
  return perform(ask, { blocks: [] });
}

/** Declines the request with a refusal. */
function refuse(ask: Ask): Performance {
  return perform(ask, {
    blocks: [{ type: "refusal", pieces: words("Simulated refusal: I cannot help with that.") }],
    finish: "refusal",
  });
}

/** Reasoning, text and tool calls in one answer; after tool results, reasoning and text. */
function everything(ask: Ask): Performance {
  const calls = tools(ask).blocks.filter((block) => block.type === "tool_call");
  const text = textBlock(`Simulated answer: ${repeated(ask)}`);
  return perform(ask, { reasoning: reasoningFor(ask), blocks: [text, ...calls] });
}

/** Counts the inputs of a request for embeddings, each by itself; takes no other request. */
function embed(ask: Ask): Performance {
  const { inputs } = needed(ask.embedding, ask, "gives embeddings only: use /v1/embeddings");
  const counts = inputs.map((input) => (typeof input === "string" ? countTokens(input) : input.length));
  return counted(ask, { input: counts.reduce((sum, count) => sum + count, 0) });
}

/** Reports how many images there were, their media types and sizes, or their addresses. */
function vision(ask: Ask): Performance {
  const count = ask.images.length === 1 ? "1 image" : `${ask.images.length} images`;
  const list = ask.images.map(describe).join(", ");
  return perform(ask, { blocks: [textBlock(`Simulated answer: ${count}${list === "" ? "" : `: ${list}`}`)] });
}

function describe(image: AskedImage): string {
  return image.url ?? `${image.media_type ?? "unknown type"} of ${image.bytes ?? 0} bytes`;
}

/** Counts what is ranked, the query once for each text; takes no other request. */
function rank(ask: Ask): Performance {
  const { query, texts } = needed(ask.ranking, ask, "ranks only: use /v1/rerank");
  const query_tokens = countTokens(query);
  return counted(ask, { input: texts.reduce((sum, text) => sum + query_tokens + countTokens(text), 0) });
}

/** Says how long a recording is; takes no other request than one with a recording. */
function listen(ask: Ask): Performance {
  const hearing = needed(ask.hearing, ask, "listens only: use /v1/audio/transcriptions");
  return counted(ask, { input: soundTokens(hearing.seconds) + countTokens(hearing.prompt) }, heardText(hearing));
}

/** Answers questions with probabilities, spoiled as `@answer` says; takes no other request. */
function decide(ask: Ask): Performance {
  const decision = needed(ask.decision, ask, "answers decisions only: use /v1/decisions");
  const answers = distort(answerQuestions(decision), ask.model.params.text("answer", ""));
  return { ...perform(ask, { blocks: [] }), answers };
}

/** Counts a text and its sound; takes no other request than one for speech. */
function speak(ask: Ask): Performance {
  const { text } = needed(ask.speech, ask, "speaks only: use /v1/audio/speech");
  return counted(ask, { input: countTokens(ask.prompt.join("")), output: spokenTokens(text) });
}

/** Reasons at length and shows no reasoning: only the usage counts it. The cap counts reasoning first, as at real vendors. */
function hidden(ask: Ask): Performance {
  const { params } = ask.model;
  const cap = ask.output_cap ?? Number.MAX_SAFE_INTEGER;
  const reasoning = Math.min(cap, params.count("think", THOUGHT_TOKENS));
  const shown = perform({ ...ask, output_cap: cap - reasoning }, { blocks: [textBlock("Simulated answer: thought.")] });
  const { usage } = shown;
  return {
    ...shown,
    usage: {
      ...usage,
      output: params.count("output", usage.output + reasoning),
      reasoning: params.count("reasoning", reasoning),
    },
  };
}

/** Counts a text and its pictures; takes no other request than one for pictures. */
function draw(ask: Ask): Performance {
  const pictures = needed(ask.pictures, ask, "draws only: use /v1/images/generations");
  const input = countTokens(ask.prompt.join("")) + EDITED_TOKENS * (pictures.edits?.length ?? 0);
  return counted(ask, { input, output: pictureTokens(pictures) });
}

/**
 * An answer of as many tokens as `@tokens` asks for, else as the cap allows, else 4,096; `@piece` sets the tokens of a piece. Where
 * the cap is reached, the output has exactly that many tokens and ends with `length`, because more would have followed.
 */
export function long(ask: Ask): Performance {
  const { params } = ask.model;
  const cap = ask.output_cap ?? (params.has("tokens") ? Number.MAX_SAFE_INTEGER : WITHOUT_CAP);
  const tokens = Math.min(params.count("tokens", cap + 1), cap + 1);
  const piece_bytes = Math.max(1, params.count("piece", 1)) * BYTES_PER_TOKEN;
  const pieces = piecesOf(tokens * BYTES_PER_TOKEN, piece_bytes);
  return perform({ ...ask, output_cap: cap }, { blocks: [{ type: "text", pieces }] });
}

/** The opening, then one word over and over; every full piece of words is the same string. */
function piecesOf(bytes: number, piece_bytes: number): string[] {
  const opening = (OPENING + WORD.repeat(piece_bytes)).slice(
    0,
    Math.min(bytes, Math.ceil(OPENING.length / piece_bytes) * piece_bytes),
  );
  const pieces: string[] = [];
  for (let at = 0; at < opening.length; at += piece_bytes) pieces.push(opening.slice(at, at + piece_bytes));
  const filler = WORD.repeat(piece_bytes / BYTES_PER_TOKEN);
  let left = bytes - opening.length;
  for (; left >= piece_bytes; left -= piece_bytes) pieces.push(filler);
  if (left > 0) pieces.push(filler.slice(0, left));
  return pieces;
}

const DELTAS = 64;

/** Answers every request with 64 short deltas, which are made once per protocol and then only written. */
export function bench(ask: Ask): Performance {
  const pieces = Array.from({ length: DELTAS }, (_, index) => (index === 0 ? "Simulated answer:" : ` word ${index}`));
  return perform(ask, { blocks: [{ type: "text", pieces }] });
}

/**
 * Text that breaks careless code: composed emoji, right-to-left, line separators, quotes, and text that resembles
 * framing.
 */
export const UNICODE_TEXT = [
  "Simulated answer: ",
  'naïve café — “quotes” "plain" \\ back\\slash\t tab\n newline\r\n ',
  "日本語 한국어 العربية עברית हिन्दी ",
  "👩‍👩‍👧‍👦 🏳️‍🌈 👍🏽 𝕊𝕚𝕞 🇩🇪 ",
  "e\u0301 \u200b\u200d\ufeff \u2028\u2029\u0085 \u0001\u007f ",
  'data: [DONE]\n\ndata: {"x": 1}\n\nevent: error\n: comment\n',
  "</script><!-- {{y}} %s \u0000 end",
].join("");

/** One piece per code point, so that composed characters are split between events but never within one. */
export function unicode(ask: Ask): Performance {
  return perform(ask, { blocks: [{ type: "text", pieces: [...UNICODE_TEXT] }] });
}
