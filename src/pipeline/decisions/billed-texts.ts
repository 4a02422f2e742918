import type { DecisionRequest, InputSketch, Question } from "../../core/answer/decision.ts";
import type { PlannedCalls } from "../../decider/decide-question.ts";
import { imageTokens, textsOf } from "../request/decision-input.ts";
import type { DecisionSource } from "./decision-source.ts";

export interface BilledText {
  readonly text: string;
  readonly times: number;
  /** The size of the rest of the text, where another thread holds it: UTF-16 units, and UTF-8 bytes. */
  readonly more?: { readonly characters: number; readonly bytes: number };
}

/** The calls of each question where every call is charged; null where the request is. */
export function chargedCalls(source: DecisionSource): readonly PlannedCalls[] | null {
  return source.kind === "engine" && source.price.per === "call" ? source.calls : null;
}

/** An upper bound of the tokens of all calls: no text has more tokens than bytes. */
export function boundOfCalls(decision: DecisionRequest, calls: readonly PlannedCalls[]): number {
  let bound = imageTokens(decision) * timesOfInput(calls);
  for (const { text, times, more } of billedTexts(decision, calls))
    bound += (Buffer.byteLength(text) + (more?.bytes ?? 0)) * times;
  return bound;
}

/** All texts that are billed: once, or as often as the questions' calls send them. */
export function billedTexts(
  { input, sketch, questions }: DecisionRequest,
  calls: readonly PlannedCalls[] | null = null,
): BilledText[] {
  const texts: BilledText[] = [];
  const add = (text: string, times: number) => void texts.push({ text, times });
  if (sketch === undefined) for (const text of textsOf(input)) add(text, timesOfInput(calls));
  else for (const billed of sketchedTexts(sketch, timesOfInput(calls))) texts.push(billed);
  for (const [index, question] of questions.entries()) {
    add(question.instructions, calls?.[index]?.calls ?? 1);
    for (const description of descriptionsOf(question)) add(description, calls?.[index]?.listings ?? 1);
  }
  return texts;
}

export function timesOfInput(calls: readonly PlannedCalls[] | null): number {
  return calls?.reduce((sum, planned) => sum + planned.calls, 0) ?? 1;
}

/** The texts at the beginning of an input that another thread holds; the last one stands for all that follow too. */
function* sketchedTexts({ first_texts, characters, bytes }: InputSketch, times: number): Iterable<BilledText> {
  const more = { characters, bytes };
  for (const [index, text] of first_texts.entries()) {
    more.characters -= text.length;
    more.bytes -= Buffer.byteLength(text);
    yield index < first_texts.length - 1 ? { text, times } : { text, times, more };
  }
}

function descriptionsOf(question: Question): string[] {
  switch (question.type) {
    case "box":
      return [];
    case "predicate":
      return present([question.when_true, question.when_false]);
    case "choice":
      return present(question.options.map(({ description }) => description));
    case "score":
      return present(question.levels.map(({ description }) => description));
  }
}

function present(texts: readonly (string | null)[]): string[] {
  return texts.filter((text) => text !== null);
}
