import { type Command, InvalidArgumentError } from "commander";
import { type AnsweredQuestion, Decision } from "./decision-answers.ts";
import { type ApiOptions, apiCommand, callApi } from "./shared/api-client.ts";
import { print } from "./shared/command.ts";
import type { CliDeps } from "./shared/deps.ts";
import { CliFailure } from "./shared/failure.ts";
import { formatTable } from "./shared/table.ts";

interface DecideOptions extends ApiOptions {
  readonly model: string;
  readonly input: string;
}

export function addDecideCommand(program: Command, deps: CliDeps): void {
  const list = new QuestionList();
  const command = apiCommand(program, "decide", "ask a decision model about one input")
    .requiredOption("--model <model>", "a decision model's id or an alias")
    .requiredOption("--input <text>", "what is decided about: a text, @FILE, or @- for the standard input")
    .option("--yes-no <question>", "ask a yes/no question (may be repeated, as the others)", list.addYesNo)
    .option("--choice <question>", "ask for one of the --options that follow", list.addChoice)
    .option("--options <names>", "NAME or NAME=DESCRIPTION, with commas between them", list.addOptions)
    .option("--score <question>", "ask for a level of the --levels that follow", list.addScore)
    .option("--levels <names>", "LABEL or LABEL=DESCRIPTION, lowest first, with commas between them", list.addLevels);
  command.action(async (options: DecideOptions) => {
    const { questions } = list;
    const missing = missingIn(questions);
    if (missing !== null) command.error(`error: ${missing}`, { exitCode: 2 });
    const input = await readInput(options.input);
    const body = { model: options.model, input, questions };
    const decision = await callApi(deps, options, { path: "/v1/decisions", body, answer: Decision });
    print(deps, options, decision, (found) => inWords(found, questions));
  });
}

async function readInput(text: string): Promise<string> {
  if (text === "-" || text === "@-") return await Bun.stdin.text();
  if (!text.startsWith("@")) return text;
  try {
    return await Bun.file(text.slice(1)).text();
  } catch (cause) {
    const message = `The file ${text.slice(1)} cannot be read. Check its name and whether this user may read it.`;
    throw new CliFailure(message, { code: "unreadable_source", cause });
  }
}

function inWords({ model, answers, usage }: Decision, questions: readonly AskedQuestion[]): string {
  const paragraphs = answers.map((answer, index) => {
    const [head, rows] = tableOf(answer);
    const title = `${questions[index]?.instructions ?? ""}${head}`;
    return rows.length === 0 ? title : `${title}\n${indent(formatTable(["", ">"], rows))}`;
  });
  return [...paragraphs, `${model}, ${usage.input_tokens} input tokens`].join("\n\n");
}

/** A question's result as text for its heading, and a row for each possible answer. */
function tableOf(answer: AnsweredQuestion): [head: string, rows: string[][]] {
  switch (answer.type) {
    case "predicate":
      return ["", [row("yes", answer.probability), row("no", 1 - answer.probability)]];
    case "choice": {
      const rows = answer.probabilities.map(({ value, probability }) => row(String(value), probability));
      return [`  ${answer.choice} (confidence ${shown(answer.confidence)})`, rows];
    }
    case "score": {
      const rows = answer.probabilities.map(({ label, probability }) => row(label, probability));
      return [`  ${shown(answer.score)} (confidence ${shown(answer.confidence)})`, rows];
    }
    case "refusal":
      return [`  refused${answer.reason ? `: ${answer.reason}` : ""}`, []];
  }
}

function row(name: string, probability: number): string[] {
  return [name, shown(probability)];
}

function shown(number: number): string {
  return number.toFixed(3);
}

/** The table's rows without its empty heading, under their question. */
function indent(table: string): string {
  return table
    .split("\n")
    .slice(1)
    .map((line) => `  ${line}`)
    .join("\n");
}

/** A question as `/v1/decisions` takes it (docs/api.md 4.6). */
type AskedQuestion =
  | { readonly type: "predicate"; readonly instructions: string }
  | { readonly type: "choice"; readonly instructions: string; choices: Described<"value">[] }
  | { readonly type: "score"; readonly instructions: string; levels: Described<"label">[] };

type Described<Name extends string> = Readonly<Record<Name, string>> & { readonly description?: string };

/**
 * The questions of a command line, in the order of their options: `--options` belongs to the `--choice` before it,
 * `--levels` to the `--score` before it. The readers throw wrong usage: status 2.
 */
class QuestionList {
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
function missingIn(questions: readonly AskedQuestion[]): string | null {
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
