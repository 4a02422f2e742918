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
export function contentWords(text: string): ContentWords {
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
