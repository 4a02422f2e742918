import type { DecisionPart, DecisionRequest, InputSketch } from "../../core/decision.ts";
import { SAMPLE_CHARACTERS } from "../generation/collect-text.ts";

/** The input tokens of an image by its `detail`: vendors scale images down, so their size in bytes says nothing. */
export const IMAGE_TOKENS = { low: 85, other: 765 } as const;

type DecisionInput = Pick<DecisionRequest, "input" | "sketch">;

/** A decision without its input, which stays in its thread: the sketch has the facts that the pipeline needs. */
export function sketched({ input, keyed_input: _, ...decision }: DecisionRequest): DecisionRequest {
  const questions = decision.questions.map(({ keyed_text: _written, ...question }) => question);
  return { ...decision, questions, input: [], sketch: sketchOf(input) };
}

function sketchOf(input: DecisionRequest["input"]): InputSketch {
  const first_texts: string[] = [];
  let [characters, bytes] = [0, 0];
  for (const text of textsOf(input)) {
    if (characters < SAMPLE_CHARACTERS) first_texts.push(text.slice(0, SAMPLE_CHARACTERS - characters));
    characters += text.length;
    bytes += Buffer.byteLength(text);
  }
  return { first_texts, characters, bytes, has_images: hasImages({ input }), image_tokens: imageTokens({ input }) };
}

export function hasImages({ input, sketch }: DecisionInput): boolean {
  return sketch?.has_images ?? input.some((parts) => parts.some(({ type }) => type === "image"));
}

/** The tokens of all images of an input. */
export function imageTokens({ input, sketch }: DecisionInput): number {
  if (sketch !== undefined) return sketch.image_tokens;
  let tokens = 0;
  for (const message of input) for (const part of message) tokens += tokensOfImage(part);
  return tokens;
}

/** UTF-16 units of an input's texts. */
export function charactersOf({ input, sketch }: DecisionInput): number {
  if (sketch !== undefined) return sketch.characters;
  let characters = 0;
  for (const text of textsOf(input)) characters += text.length;
  return characters;
}

/** The texts of an input, in their order. */
export function* textsOf(input: DecisionRequest["input"]): Iterable<string> {
  for (const message of input) for (const part of message) if (part.type !== "image") yield part.text;
}

function tokensOfImage(part: DecisionPart): number {
  if (part.type !== "image") return 0;
  return part.detail === "low" ? IMAGE_TOKENS.low : IMAGE_TOKENS.other;
}
