import { describe, isObject } from "../core/json.ts";
import { CliFailure } from "./shared/failure.ts";

/** One line of a labelled file: a question about an input, with the right answer. */
export interface LabelledQuestion {
  /** Input and question as `/v1/decisions` takes them (docs/api.md 4.6). */
  readonly input: unknown;
  readonly question: Readonly<Record<string, unknown>>;
  /** The right answer's index: 0 for yes and 1 for no, or the index of the choice or level. */
  readonly truth: number;
}

/**
 * Reads a labelled file, JSON Lines: `{"input", "question", "label"}` on each line, where the label is `true` or `false`,
 * one of the choices' values, or the index of a level. Empty lines are skipped. Throws a CliFailure that names the first
 * wrong line.
 */
export function readLabelled(text: string, file: string): LabelledQuestion[] {
  const labelled: LabelledQuestion[] = [];
  for (const [index, line] of text.split("\n").entries()) {
    if (line.trim() === "") continue;
    const found = readLine(line);
    if ("wrong" in found) throw wrongLine(`Line ${index + 1} of ${file}: ${found.wrong}`);
    labelled.push(found);
  }
  if (labelled.length === 0) throw wrongLine(`${file} holds no questions. ${SHAPE}`);
  return labelled;
}

const SHAPE = 'Each line is {"input": …, "question": {"type": …, "instructions": …, …}, "label": …}.';

interface Wrong {
  readonly wrong: string;
}

function readLine(line: string): LabelledQuestion | Wrong {
  const entry = parse(line);
  if (!isObject(entry)) return { wrong: `found ${describe(entry)}. ${SHAPE}` };
  const { input, question, label } = entry;
  if (input === undefined || !isObject(question) || label === undefined)
    return { wrong: `a member is missing. ${SHAPE}` };
  const truth = truthOf(question, label);
  return typeof truth === "number" ? { input, question, truth } : truth;
}

function parse(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

function truthOf(question: Record<string, unknown>, label: unknown): number | Wrong {
  switch (question.type) {
    case "predicate":
      if (typeof label === "boolean") return label ? 0 : 1;
      return { wrong: `the label is ${describe(label)}; allowed: true, false.` };
    case "choice": {
      const place = membersOf(question.choices).findIndex((choice) => choice.value === label);
      if (place !== -1) return place;
      return { wrong: `the label is ${describe(label)}, which is none of the choices' values.` };
    }
    case "score": {
      const levels = membersOf(question.levels).length;
      if (typeof label === "number" && Number.isInteger(label) && label >= 0 && label < levels) return label;
      return { wrong: `the label is ${describe(label)}; allowed: the index of a level, 0 to ${levels - 1}.` };
    }
    default:
      return { wrong: `the question's type is ${describe(question.type)}; allowed: predicate, choice, score.` };
  }
}

function membersOf(value: unknown): Record<string, unknown>[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}

function wrongLine(message: string): CliFailure {
  return new CliFailure(message, { code: "invalid_labelled_data" });
}
