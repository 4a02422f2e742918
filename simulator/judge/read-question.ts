import { FIRST_WORD, findOptions, type ListedOption, polarityOf } from "./find-options.ts";
import { optionLogits, statementLogit } from "./score.ts";
import { splitPrompt } from "./split-prompt.ts";

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
