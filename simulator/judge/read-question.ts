import { optionLogits, statementLogit } from "./score.ts";

/** The labels between which a prompt asks to choose, in the prompt's order, and the judge's logit of each in nats. */
export interface JudgedQuestion {
  readonly labels: readonly string[];
  readonly logits: readonly number[];
}

/**
 * Reads a question from a prompt in any wording: options on labelled lines, or yes and no named in a sentence.
 * `allowed` are the labels of a constrained output, else null. Returns null when the prompt has no question.
 */
export function judge(text: string, elsewhere: string, allowed: readonly string[] | null): JudgedQuestion | null {
  const found = findOptions(text);
  const options = found?.options.filter(({ label }) => allowed === null || allowed.includes(label)) ?? [];
  if (found !== null && options.length >= 2) {
    const { state, question } = splitPrompt(found.before, elsewhere);
    const labels = options.map(({ label }) => label);
    const yes = options.findIndex((option) => optionPolarity(option) === true);
    const no = options.findIndex((option) => optionPolarity(option) === false);
    if (options.length !== 2 || yes < 0 || no < 0)
      return {
        labels,
        logits: optionLogits(
          state,
          options.map(({ text }) => text),
        ),
      };
    const when_true = meaning(options[yes]);
    const logit = statementLogit(state, question, { when_true, when_false: meaning(options[no]) });
    return { labels, logits: labels.map((_, index) => (index === yes ? logit / 2 : -logit / 2)) };
  }
  return judgeYesNo(text, elsewhere, allowed);
}

/** `Yes: …`, or a letter whose text says yes or no. */
function optionPolarity({ label, text }: ListedOption): boolean | null {
  return polarityOf(label) ?? polarityOf(text);
}

/** The text of an option after its yes or no. */
function meaning(option: ListedOption | undefined): string {
  const text = option?.text ?? "";
  return polarityOf(text) === null ? text : text.replace(FIRST_WORD, "");
}

const YES_NO =
  /\b(yes)\b[^\n?]{0,12}?\b(no)\b|\b(no)\b[^\n?]{0,12}?\b(yes)\b|\b(true)\b[^\n?]{0,12}?\b(false)\b|\b(false)\b[^\n?]{0,12}?\b(true)\b/giu;

/** The last sentence with both words names them as labels; the text before that sentence is the prompt. */
function judgeYesNo(text: string, elsewhere: string, allowed: readonly string[] | null): JudgedQuestion | null {
  const place = [...text.matchAll(YES_NO)].at(-1);
  const listed = place?.slice(1).filter((word) => word !== undefined) ?? [];
  const labels = listed.length === 2 ? listed : (allowed ?? []).filter((label) => polarityOf(label) !== null);
  if (labels.length !== 2) return null;
  const asked = place === undefined ? text : text.slice(0, sentenceStart(text, place.index));
  const { state, question } = splitPrompt(asked, elsewhere);
  const logit = statementLogit(state, question);
  return { labels, logits: labels.map((label) => (polarityOf(label) === true ? logit / 2 : -logit / 2)) };
}

function sentenceStart(text: string, index: number): number {
  return Math.max(
    text.lastIndexOf("\n", index),
    text.lastIndexOf(". ", index) + 1,
    text.lastIndexOf("? ", index) + 1,
    0,
  );
}

interface ListedOption {
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
function findOptions(text: string): FoundOptions | null {
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
const FIRST_WORD = /^[\p{P}\p{S}\s]*(\p{L}+)/u;

/** Whether a text begins with yes (or true), no (or false), or neither. */
function polarityOf(text: string): boolean | null {
  const word = FIRST_WORD.exec(text.toLowerCase())?.[1];
  if (word === "yes" || word === "true") return true;
  return word === "no" || word === "false" ? false : null;
}

/** A prompt's state and its question. */
interface SplitPrompt {
  readonly state: string;
  readonly question: string;
}

const STATE_NAMES = /^(?:the[ _-])?(?:state|input|data|document|context|content|situation)s?(?![a-z])/i;
const QUESTION_NAMES = /^(?:the[ _-])?(?:question|statement|instructions?|claim|task|criterion|rubric)/i;
const TAGGED = /<([a-z][\w-]*)(?:\s[^>]*)?>([\s\S]*?)<\/\1>/gi;
const HEADING = /^[#*\s]*([A-Za-z][\w -]{0,30}?)\s*(?:\([^)]*\)\s*)?(?::[*\s]*(.*)|\*{2}|)$/;

/** `BEGIN NAME CODE` … `END NAME CODE`, each a line of its own. */
const FENCED = /^BEGIN ([A-Z]+) ?(\S*)\n([\s\S]*?)^END \1 ?\2$/m;

/**
 * Separates the state from the question in the text before the options: by lines that begin and end it (`BEGIN MATERIAL
 * 1f`), by tags (`<state>…</state>`), else by headings (`State:`, `## Question`), else the last paragraph is the
 * question. When the text has no state, the state is `elsewhere`.
 */
function splitPrompt(text: string, elsewhere: string): SplitPrompt {
  const fence = FENCED.exec(text);
  if (fence !== null) {
    const [whole, , code = "", body = ""] = fence;
    const rest = byHeadings(text.slice(fence.index + whole.length));
    return { state: withoutLinesOf(code, body), question: rest.question || rest.rest };
  }
  const tagged = byTags(text);
  const found = tagged.state === "" && tagged.question === "" ? byHeadings(text) : tagged;
  if (found.state !== "" && found.question !== "") return found;
  if (found.state !== "") return { state: found.state, question: found.rest };
  if (found.question !== "") return { state: elsewhere === "" ? found.rest : elsewhere, question: found.question };
  const paragraphs = text.trim().split(/\n\s*\n/);
  const question = paragraphs.pop() ?? "";
  const state = paragraphs.length > 0 ? paragraphs.join("\n\n") : elsewhere;
  return { state: state === "" ? question : state, question };
}

/** The body without lines that contain a fence's code, which belong to the prompt itself. */
function withoutLinesOf(code: string, body: string): string {
  const lines = body.split("\n");
  return (code === "" ? lines : lines.filter((line) => !line.includes(code))).join("\n").trim();
}

interface Found extends SplitPrompt {
  readonly rest: string;
}

function byTags(text: string): Found {
  const found = { state: "", question: "" };
  const rest = text.replace(TAGGED, (whole: string, name: string, body: string) => {
    if (STATE_NAMES.test(name)) found.state += `${body}\n`;
    else if (QUESTION_NAMES.test(name)) found.question += `${body}\n`;
    else return whole;
    return "\n";
  });
  return { state: found.state.trim(), question: found.question.trim(), rest: rest.trim() };
}

function byHeadings(text: string): Found {
  const found = { state: "", question: "", rest: "" };
  let into: keyof typeof found = "rest";
  for (const line of text.split("\n")) {
    const [, name, rest] = HEADING.exec(line) ?? [];
    const named =
      name === undefined ? null : STATE_NAMES.test(name) ? "state" : QUESTION_NAMES.test(name) ? "question" : null;
    if (named !== null) into = named;
    found[into] += `${named === null ? line : (rest ?? "")}\n`;
  }
  return { state: found.state.trim(), question: found.question.trim(), rest: found.rest.trim() };
}
