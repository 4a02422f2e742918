import { type Command, Option } from "commander";
import type { ProbableAnswer } from "../core/answer/decision.ts";
import type { Debias } from "../core/catalog/decide-with.ts";
import {
  type CalibrationFit,
  FEWEST_EXAMPLES,
  fitCalibration,
  type TypeReport,
} from "../decider/calibrate/fit-calibration.ts";
import { formatCalibration } from "../decider/calibrate/format-calibration.ts";
import { type LabelledAnswer, labelledAnswer } from "../decider/calibrate/labelled-answer.ts";
import { reliabilityDiagram } from "../decider/calibrate/reliability-diagram.ts";
import { type AnsweredQuestion, Decision } from "./decision-answers.ts";
import { type LabelledQuestion, readLabelled } from "./read-labelled.ts";
import { type ApiOptions, apiCommand, callApi } from "./shared/api-client.ts";
import { print } from "./shared/command.ts";
import type { CliDeps } from "./shared/deps.ts";
import { CliFailure } from "./shared/failure.ts";
import { readCount } from "./shared/read-arguments.ts";
import { readSource } from "./shared/read-source.ts";
import { formatTable } from "./shared/table.ts";

interface CalibrateOptions extends ApiOptions {
  readonly model: string;
  readonly data: string;
  readonly out: string;
  readonly diagram?: string;
  readonly debias: Debias;
  readonly atOnce: number;
  readonly name?: string;
}

/** The result of `camino calibrate`, as `--json` prints it. */
interface Calibrated {
  readonly model: string;
  readonly version: string;
  readonly temperatures: CalibrationFit["calibration"]["temperatures"];
  readonly report: readonly object[];
  readonly refused: number;
  readonly input_tokens: number;
  readonly file: string;
  readonly diagram: string | null;
}

export function addCalibrateCommand(program: Command, deps: CliDeps): void {
  apiCommand(program, "calibrate", "fit the temperatures of a decision model to labeled questions")
    .requiredOption("--model <model>", "a decision model that is asked without a calibration")
    .requiredOption("--data <file>", "labeled questions, JSON Lines (docs/decisions.md)")
    .option("--out <file>", "where the calibration is written", "calibration.json")
    .option("--diagram <file>", "where a reliability diagram is drawn, as SVG")
    .option("--name <text>", "what the calibration is called (default: the day and the model)")
    .addOption(
      new Option("--debias <how>", "the model's debias setting, noted in the file")
        .choices(["none", "two", "all"])
        .default("all"),
    )
    .option("--at-once <n>", "questions asked at the same time", readCount, 4)
    .action((options: CalibrateOptions) => calibrate(deps, options));
}

async function calibrate(deps: CliDeps, options: CalibrateOptions): Promise<void> {
  const labelled = readLabelled(await readSource(options.data, deps.fetch), options.data);
  const asked = await askLabelled(deps, options, labelled);
  const day = new Date(deps.clock.now_ms()).toISOString().slice(0, 10);
  const fit = fitCalibration(asked.answers, options.name ?? `${day} ${options.model}`);
  if (fit.reports.every(({ temperature }) => temperature === null)) throw tooFew(fit.reports);
  const { model, debias } = options;
  await write(options.out, formatCalibration(fit, { model, debias }));
  if (options.diagram !== undefined) await write(options.diagram, reliabilityDiagram(fit.reports, model));
  print(deps, options, resultOf(options, fit, asked), (result) => inWords(result, fit));
}

async function write(file: string, text: string): Promise<void> {
  try {
    await Bun.write(file, text);
  } catch (cause) {
    const message = `The file ${file} cannot be written. Check its folder and whether this user may write there.`;
    throw new CliFailure(message, { code: "unwritable_file", cause });
  }
}

function resultOf({ model, out, diagram }: CalibrateOptions, fit: CalibrationFit, asked: AskedLabelled): Calibrated {
  const { version, temperatures } = fit.calibration;
  const { refused, input_tokens } = asked;
  const report = fit.reports.map(({ type, temperature, before, after }) => ({
    ...{ type, examples: before.examples, temperature },
    before: numbersOf(before),
    after: numbersOf(after),
  }));
  return { model, version, temperatures, report, refused, input_tokens, file: out, diagram: diagram ?? null };
}

function numbersOf({ ece_equal_width, ece_equal_mass, brier, accuracy }: TypeReport["before"]) {
  return { ece: ece_equal_width, ece_equal_mass, brier, accuracy };
}

function inWords({ file, diagram, refused, input_tokens }: Calibrated, { reports }: CalibrationFit): string {
  const columns = ["question", ">examples", ">temperature", ">ECE before", ">after", ">Brier before", ">after"];
  const table = formatTable(columns, reports.map(cells));
  const lines = [table, "", "After is measured on questions that the temperature was not fitted to."];
  if (reports.some(({ temperature }) => temperature === null))
    lines.push(`A type with fewer than ${FEWEST_EXAMPLES} examples is left as it is.`);
  if (refused > 0) lines.push(`The model refused ${refused} questions, which tell nothing.`);
  lines.push(`${input_tokens} input tokens were billed.`);
  lines.push(
    `Written to ${file}${diagram === null ? "" : `, drawn in ${diagram}`}. Name the file as decide_with.calibration.`,
  );
  return lines.join("\n");
}

function cells({ type, temperature, before, after }: TypeReport): string[] {
  return [
    type,
    String(before.examples),
    temperature === null ? "–" : temperature.toPrecision(4),
    before.ece_equal_width.toFixed(4),
    after.ece_equal_width.toFixed(4),
    before.brier.toFixed(4),
    after.brier.toFixed(4),
  ];
}

function tooFew(reports: readonly TypeReport[]): CliFailure {
  const found = reports.map(({ type, before }) => `${before.examples} of type ${type}`).join(", ") || "none";
  const message = `There are too few answers to fit a temperature: ${found}. At least ${FEWEST_EXAMPLES} of a type are needed.`;
  return new CliFailure(message, { code: "too_few_examples" });
}

/** Tries of one question: among hundreds of questions, some meet a rate limit or a vendor that pauses. */
const TRIES = 6;

interface AskedLabelled {
  /** The answers, in the order of the file. */
  readonly answers: readonly LabelledAnswer[];
  /** How many questions the model refused. */
  readonly refused: number;
  readonly input_tokens: number;
}

interface AskOptions extends ApiOptions {
  readonly model: string;
  readonly atOnce: number;
}

/** Asks each labelled question in its own call, a few at a time, over the public API. Throws the first failure. */
async function askLabelled(
  deps: CliDeps,
  options: AskOptions,
  labelled: readonly LabelledQuestion[],
): Promise<AskedLabelled> {
  const decisions: (Decision | undefined)[] = [];
  const rest = labelled.entries();
  const askOnwards = async () => {
    for (const [index, { input, question }] of rest) {
      const body = { model: options.model, input, questions: [question] };
      decisions[index] = await callApi(deps, options, { path: "/v1/decisions", body, answer: Decision, tries: TRIES });
    }
  };
  await Promise.all(Array.from({ length: Math.min(options.atOnce, labelled.length) }, askOnwards));
  return gather(decisions, labelled);
}

function gather(decisions: readonly (Decision | undefined)[], labelled: readonly LabelledQuestion[]): AskedLabelled {
  const answers: LabelledAnswer[] = [];
  let input_tokens = 0;
  for (const [index, { truth }] of labelled.entries()) {
    const decision = decisions[index];
    const answer = decision?.answers[0];
    if (decision === undefined || answer === undefined) throw noAnswer(index);
    input_tokens += decision.usage.input_tokens;
    const found = labelledAnswer(neutral(answer), truth);
    if (found !== null) answers.push(found);
  }
  return { answers, refused: labelled.length - answers.length, input_tokens };
}

function neutral(answer: AnsweredQuestion): ProbableAnswer {
  switch (answer.type) {
    case "predicate":
      return { type: "predicate", probability: answer.probability };
    case "choice": {
      const { confidence } = answer;
      const choice = answer.probabilities.findIndex(({ value }) => value === answer.choice);
      return { type: "choice", choice, confidence, probabilities: chances(answer.probabilities) };
    }
    case "score": {
      const { score, confidence } = answer;
      return { type: "score", score, confidence, probabilities: chances(answer.probabilities) };
    }
    case "refusal":
      return { type: "refusal", reason: answer.reason ?? null };
  }
}

function chances(entries: readonly { readonly probability: number }[]): number[] {
  return entries.map(({ probability }) => probability);
}

function noAnswer(index: number): CliFailure {
  return new CliFailure(`Question ${index + 1} was not answered.`, { code: "unexpected_answer" });
}
