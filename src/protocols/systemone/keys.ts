import type { ChoiceOption, Question } from "../../core/answer/decision.ts";

/**
 * The keys of questions and options where the keyed shape requires text and the request has none. The request and its
 * answer derive equal keys, so that nothing has to be remembered in between.
 */

/**
 * One key for each question: its name, or `question_N` (the first is 1), lengthened where another question has that
 * name.
 */
export function questionKeys(questions: readonly Question[]): readonly string[] {
  const taken = new Set(questions.flatMap(({ name }) => (name === null ? [] : [name])));
  return questions.map(({ name }, index) => name ?? freeKey(`question_${index + 1}`, "_", taken));
}

/**
 * One key for each option: a string as it is, a boolean as `true` or `false`. Where `true` and `"true"` are both
 * options, which are different values (docs/rulings.md 30), the boolean is `true (boolean)`.
 */
export function optionKeys(options: readonly ChoiceOption[]): readonly string[] {
  const taken = new Set(options.flatMap(({ value }) => (typeof value === "string" ? [value] : [])));
  return options.map(({ value }) => (typeof value === "string" ? value : freeKey(String(value), " (boolean)", taken)));
}

function freeKey(wanted: string, suffix: string, taken: Set<string>): string {
  let key = wanted;
  while (taken.has(key)) key += suffix;
  taken.add(key);
  return key;
}
