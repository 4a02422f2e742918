import { InvalidArgumentError } from "commander";

/** A question as `/v1/decisions` takes it (docs/api.md 4.6). */
export type AskedQuestion =
  | { readonly type: "predicate"; readonly instructions: string }
  | { readonly type: "choice"; readonly instructions: string; choices: Described<"value">[] }
  | { readonly type: "score"; readonly instructions: string; levels: Described<"label">[] };

type Described<Name extends string> = Readonly<Record<Name, string>> & { readonly description?: string };

/**
 * The questions of a command line, in the order of their options: `--options` belongs to the `--choice` before it,
 * `--levels` to the `--score` before it. The readers throw wrong usage: status 2.
 */
export class QuestionList {
  readonly questions: AskedQuestion[] = [];

  readonly addYesNo = (text: string): this => this.#add({ type: "predicate", instructions: text });
  readonly addChoice = (text: string): this => this.#add({ type: "choice", instructions: text, choices: [] });
  readonly addScore = (text: string): this => this.#add({ type: "score", instructions: text, levels: [] });

  readonly addOptions = (text: string): this => {
    const last = this.questions.at(-1);
    if (last?.type !== "choice" || last.choices.length > 0) {
      throw new InvalidArgumentError("Give --options once after each --choice.");
    }
    last.choices = listed(text, 2, 255).map(([value, description]) => ({ value, ...description }));
    return this;
  };

  readonly addLevels = (text: string): this => {
    const last = this.questions.at(-1);
    if (last?.type !== "score" || last.levels.length > 0) {
      throw new InvalidArgumentError("Give --levels once after each --score.");
    }
    last.levels = listed(text, 2, 10).map(([label, description]) => ({ label, ...description }));
    return this;
  };

  #add(question: AskedQuestion): this {
    this.questions.push(question);
    return this;
  }
}

/** A sentence about the part that is still missing in a list of questions; null where the list is complete. */
export function missingIn(questions: readonly AskedQuestion[]): string | null {
  if (questions.length === 0)
    return "Ask something: --yes-no TEXT, --choice TEXT --options A,B or --score TEXT --levels LOW,HIGH.";
  for (const question of questions) {
    const name = JSON.stringify(question.instructions);
    if (question.type === "choice" && question.choices.length === 0)
      return `--choice ${name} needs --options A,B,… after it.`;
    if (question.type === "score" && question.levels.length === 0)
      return `--score ${name} needs --levels LOW,…,HIGH after it.`;
  }
  return null;
}

/** `NAME,NAME=DESCRIPTION,…` */
function listed(text: string, least: number, most: number): [name: string, described: { description?: string }][] {
  const entries = text.split(",").map((entry) => entry.trim());
  if (entries.length < least || entries.length > most || entries.includes("")) {
    throw new InvalidArgumentError(
      `A list has ${least} to ${most} names with commas between them, each as NAME or NAME=DESCRIPTION.`,
    );
  }
  return entries.map((entry) => {
    const [name = "", ...description] = entry.split("=");
    return [name.trim(), description.length === 0 ? {} : { description: description.join("=").trim() }];
  });
}
