/**
 * The simulated judge's true opinion, before a bias, a scale or missing tokens distort the probabilities that it sends.
 * It is deterministic, and documented so that tests can compute it:
 *
 * - overlap(text, state) = share of the text's content words that the state has too, from 0 to 1 (0 for no words);
 * - an option's logit = GAIN × overlap(option, state) + noise(option, state);
 * - a statement's logit = GAIN × (2 × overlap(statement, state) − 1) + GAIN × (overlap(yes means) − overlap(no means))
 *   + noise(statement, state), with its sign flipped where the statement has an odd number of negations;
 * - noise is drawn from a hash of the sorted content words of both, evenly from −NOISE to NOISE.
 *
 * An opinion depends on no order, label, name or sibling question. Logits are in nats.
 */
export const GAIN = 4;
export const NOISE = 0.5;

/** Logits of options, in their order. */
export function optionLogits(state: string, options: readonly string[]): number[] {
  const known = contentWords(state).words;
  return options.map((option) => {
    const { words } = contentWords(option);
    return GAIN * overlap(words, known) + noise(words, known);
  });
}

/** The true distribution over options, from which labels for calibration are drawn. */
export function optionProbabilities(state: string, options: readonly string[]): number[] {
  return softmax(optionLogits(state, options));
}

/** The meanings of yes and no, when a question describes them. */
interface Meanings {
  readonly when_true: string | null;
  readonly when_false: string | null;
}

const NO_MEANINGS: Meanings = { when_true: null, when_false: null };

/** The logit of yes against no. */
export function statementLogit(state: string, statement: string, meanings: Meanings = NO_MEANINGS): number {
  const known = contentWords(state).words;
  const { words, negated } = contentWords(statement);
  const meant = overlap(contentWords(meanings.when_true ?? "").words, known);
  const meant_not = overlap(contentWords(meanings.when_false ?? "").words, known);
  const logit = GAIN * (2 * overlap(words, known) - 1) + noise(words, known);
  return (negated ? -logit : logit) + GAIN * (meant - meant_not);
}

/** The true probability of yes, from which labels for calibration are drawn. */
export function yesProbability(state: string, statement: string, meanings: Meanings = NO_MEANINGS): number {
  return 1 / (1 + Math.exp(-statementLogit(state, statement, meanings)));
}

/** Draws an index from a distribution, as a simulated true label; equal seeds give equal indexes. */
export function drawLabel(probabilities: readonly number[], seed: string): number {
  let left = uniform(seed);
  for (const [index, probability] of probabilities.entries()) {
    left -= probability;
    if (left < 0) return index;
  }
  return probabilities.length - 1;
}

/** Converts logits to probabilities. */
export function softmax(logits: readonly number[]): number[] {
  const largest = Math.max(...logits);
  const powers = logits.map((logit) => Math.exp(logit - largest));
  const sum = powers.reduce((total, power) => total + power, 0);
  return powers.map((power) => power / sum);
}

function overlap(words: readonly string[], known: readonly string[]): number {
  if (words.length === 0) return 0;
  const state = new Set(known);
  return words.filter((word) => state.has(word)).length / words.length;
}

function noise(words: readonly string[], known: readonly string[]): number {
  return NOISE * (2 * uniform(`${words.join(" ")}\n${known.join(" ")}`) - 1);
}

/** A number from 0 to below 1, derived from the text alone. */
function uniform(text: string): number {
  return Number(Bun.hash.xxHash64(text) >> 11n) / 2 ** 53;
}

/** Words that flip a statement. */
const NEGATIONS = new Set([
  "not",
  "no",
  "never",
  "none",
  "nobody",
  "nothing",
  "neither",
  "nor",
  "without",
  "false",
  "untrue",
]);

/** Words that do not show the topic of a text. */
const STOP_WORDS = new Set(
  (
    "a an the and or but if of to in on at by for from with as is are was were be been being am do does did has have had " +
    "this that these those it its they them their he she his her you your we our i my me there here so than then too very " +
    "can could will would shall should may might must about into over under out up down which what who whom whose when " +
    "where why how statement question true yes following answer case"
  ).split(" "),
);

/** The features of a text that the scorer uses. */
interface ContentWords {
  /** The distinct content words in lower case, in alphabetical order; plurals are turned into their singular. */
  readonly words: readonly string[];
  /** Whether the text has an odd number of negations. */
  readonly negated: boolean;
}

/** The content words of a text, and whether it is negated. */
function contentWords(text: string): ContentWords {
  const words = new Set<string>();
  let negated = false;
  for (const word of unescaped(text).match(/[\p{L}\p{N}]+(?:['’]\p{L}+)?/gu) ?? []) {
    if (NEGATIONS.has(word) || /n['’]t$/u.test(word)) negated = !negated;
    else if (!STOP_WORDS.has(singular(word)) && !STOP_WORDS.has(word)) words.add(singular(word));
  }
  return { words: [...words].sort(), negated };
}

/** In lower case; a prompt may write texts as JSON, where a line break is a letter behind a backslash. */
function unescaped(text: string): string {
  return text.toLowerCase().replace(/\\[nrt"\\]/g, " ");
}

function singular(word: string): string {
  return word.length > 3 && word.endsWith("s") && !word.endsWith("ss") ? word.slice(0, -1) : word;
}
