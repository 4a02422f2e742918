import type { ChoiceOption, PredicateQuestion, ScoreLevel } from "../core/answer/decision.ts";
import { digitsFor, lettersFor, YES_NO } from "./labels.ts";

export interface ListedAnswer {
  readonly label: string;
  /** One line of text, in JSON, so that no answer can look like two answers. */
  readonly text: string;
  /** The answer's index in the question. */
  readonly item: number;
}

/** The answers of one call, in the order of their listing. */
export interface Listing {
  readonly lines: readonly ListedAnswer[];
  /** A sentence about the listing where it needs one: the direction of a rubric. */
  readonly remark: string;
}

/** Lists options in this order; labels go by place, so that an option in another place gets another label. */
export function listOptions(options: readonly ChoiceOption[], order: readonly number[]): Listing {
  const labels = lettersFor(order.length);
  const lines = order.map((item, place) => ({ item, label: labels[place] ?? "", text: optionText(options[item]) }));
  return { lines, remark: "" };
}

/** Lists yes (answer 0) and no (answer 1). With `words` the labels are the words Yes and No, else letters by place. */
export function listPredicate(question: PredicateQuestion, order: readonly number[], words: boolean): Listing {
  const meanings = [
    { value: "yes", description: question.when_true },
    { value: "no", description: question.when_false },
  ];
  const { lines, remark } = listOptions(meanings, order);
  return { lines: words ? lines.map((line) => ({ ...line, label: YES_NO[line.item] ?? "" })) : lines, remark };
}

/**
 * Lists a rubric's levels from the lowest or from the highest. A level keeps its label in both directions, so that a
 * greater digit always means a higher level; labels are letters where the rubric's own words contain digits.
 */
export function listLevels(levels: readonly ScoreLevel[], direction: "rising" | "falling"): Listing {
  const has_digits = levels.some(({ label, description }) => /\p{N}/u.test(`${label ?? ""}${description ?? ""}`));
  const labels = has_digits ? lettersFor(levels.length) : digitsFor(levels.length);
  const rising = levels.map((level, item) => ({ item, label: labels[item] ?? "", text: levelText(level, item) }));
  return direction === "rising"
    ? { lines: rising, remark: "The answers are levels, listed from the lowest to the highest." }
    : { lines: rising.toReversed(), remark: "The answers are levels, listed from the highest to the lowest." };
}

function optionText(option: ChoiceOption | undefined): string {
  return jsonTexts(option?.value, option?.description);
}

function levelText({ label, description }: ScoreLevel, level: number): string {
  return jsonTexts(label ?? description ?? String(level), label === null ? null : description);
}

function jsonTexts(value: unknown, description: string | null | undefined): string {
  const written = JSON.stringify(value);
  return description === null || description === undefined ? written : `${written} - ${JSON.stringify(description)}`;
}
