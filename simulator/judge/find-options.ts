export interface ListedOption {
  readonly label: string;
  readonly text: string;
}

/** The labelled options of a prompt, and the text without them. */
interface FoundOptions {
  readonly options: readonly ListedOption[];
  readonly before: string;
  readonly after: string;
}

/** `A: text`, `A) text`, `A. text`, `(A) text`, `- 3 = text`, `Yes: text`. */
const OPTION_LINE =
  /^\s*(?:[-*•]\s+)?[([*"'`]*([A-Za-z]{1,2}|\d{1,3}|[Yy]es|YES|[Nn]o|NO|[Tt]rue|[Ff]alse)[)\]*"'`]*\s*(?:[:.)=]|[-–—]\s)\s*(.*)$/u;

/**
 * Finds the options in the last run of labelled lines: at least two, with letters, numbers or words as labels, and no
 * label twice. Indented or blank lines between them belong to the run. Null when the text has no such run.
 */
export function findOptions(text: string): FoundOptions | null {
  const lines = text.split("\n");
  let run: { option: { label: string; text: string }; line: number }[] = [];
  let best: typeof run = [];
  for (const [index, line] of lines.entries()) {
    const [, label, rest = ""] = OPTION_LINE.exec(line) ?? [];
    const last = run.at(-1);
    if (label !== undefined && !/^\s{2,}\S/.test(line) && run.every(({ option }) => belong(option.label, label)))
      run.push({ option: { label, text: rest.trim() }, line: index });
    else if (last !== undefined && /^\s+\S/.test(line)) last.option.text += ` ${line.trim()}`;
    else if (label !== undefined) run = [{ option: { label, text: rest.trim() }, line: index }];
    else if (line.trim() !== "") run = [];
    if (run.length >= 2) best = run;
  }
  const [first] = best;
  const last = best.at(-1);
  if (first === undefined || last === undefined) return null;
  return {
    options: best.map(({ option }) => option),
    before: lines.slice(0, first.line).join("\n"),
    after: lines.slice(last.line + 1).join("\n"),
  };
}

/** Whether two labels may stand in one list: they differ, and both or neither of them mean yes or no. */
function belong(label: string, next: string): boolean {
  return label !== next && (polarityOf(label) === null) === (polarityOf(next) === null);
}

/** The first word of a text, quoted or not. */
export const FIRST_WORD = /^[\p{P}\p{S}\s]*(\p{L}+)/u;

/** Whether a text begins with yes (or true), no (or false), or neither. */
export function polarityOf(text: string): boolean | null {
  const word = FIRST_WORD.exec(text.toLowerCase())?.[1];
  if (word === "yes" || word === "true") return true;
  return word === "no" || word === "false" ? false : null;
}
