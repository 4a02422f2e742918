import type { DecisionPart, DecisionRequest, InputSketch, Question } from "../../core/answer/decision.ts";
import { SAMPLE_CHARACTERS } from "./collect-text.ts";

/** The input tokens of an image by its `detail`: vendors scale images down, so their size in bytes says nothing. */
export const IMAGE_TOKENS = { low: 85, other: 765 } as const;

type DecisionInput = Pick<DecisionRequest, "input" | "sketch" | "questions">;

/** A decision without its input, which stays in its thread: the sketch has the facts that the pipeline needs. */
export function sketched(whole: DecisionRequest): DecisionRequest {
  const { input, keyed_input: _, sent_members: _sent, ...decision } = whole;
  const questions = decision.questions.map(withoutTexts);
  return { ...decision, questions, input: [], sketch: sketchOf(input) };
}

/** A question without the texts that only its vendor needs. */
function withoutTexts(question: Question): Question {
  if (question.type === "box") return { ...question, keyed_text: "" };
  const { keyed_text: _written, parts_text: _parts, ...rest } = question;
  return rest;
}

function sketchOf(input: DecisionRequest["input"]): InputSketch {
  const first_texts: string[] = [];
  let [characters, bytes] = [0, 0];
  for (const text of textsOf(input)) {
    if (characters < SAMPLE_CHARACTERS) first_texts.push(text.slice(0, SAMPLE_CHARACTERS - characters));
    characters += text.length;
    bytes += Buffer.byteLength(text);
  }
  return {
    first_texts,
    characters,
    bytes,
    has_images: hasImages({ input, questions: [] }),
    image_tokens: imageTokens({ input, questions: [] }),
  };
}

export function hasImages({ input, sketch, questions }: DecisionInput): boolean {
  if (questions.some(({ images }) => images !== undefined)) return true;
  return sketch?.has_images ?? input.some((parts) => parts.some(({ type }) => type === "image"));
}

export function imageTokens({ input, sketch, questions }: DecisionInput): number {
  let tokens = questions.reduce((sum, { images }) => sum + (images?.count ?? 0) * IMAGE_TOKENS.other, 0);
  if (sketch !== undefined) return tokens + sketch.image_tokens;
  for (const message of input) for (const part of message) tokens += tokensOfImage(part);
  return tokens;
}

/** UTF-16 units of an input's texts. */
export function charactersOf({ input, sketch }: Pick<DecisionInput, "input" | "sketch">): number {
  if (sketch !== undefined) return sketch.characters;
  let characters = 0;
  for (const text of textsOf(input)) characters += text.length;
  return characters;
}

export function* textsOf(input: DecisionRequest["input"]): Iterable<string> {
  for (const message of input) for (const part of message) if (part.type !== "image") yield part.text;
}

function tokensOfImage(part: DecisionPart): number {
  if (part.type !== "image") return 0;
  return part.detail === "low" ? IMAGE_TOKENS.low : IMAGE_TOKENS.other;
}
