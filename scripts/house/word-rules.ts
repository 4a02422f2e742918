import type { SourceFile } from "./source-files.ts";
import type { Violation } from "./violation.ts";

/** A way of putting something that docs/style.md rules out, and what to write. */
interface BannedPhrase {
  readonly phrase: RegExp;
  readonly write: string;
}

const ban = (phrase: RegExp, write: string): BannedPhrase => ({ phrase, write });

/** What neither the console nor the command line nor a document for users says. */
const EVERYWHERE: readonly BannedPhrase[] = [
  ban(
    /\b(?:catalogue|behaviour|honour|favour|cancelled|grey\b|recognise|normalise|labelled (?!=))/i,
    "the American spelling",
  ),
  ban(/\bcan be spent (?:now|at once)\b/i, "available"),
  ban(/\bthose of UTC\b/i, "in UTC"),
  ban(/\bfor ever\b/i, "permanently, forever"),
  ban(/\bput right\b/i, "fix"),
  ban(/\bmend(?:s|ed|ing)?\b(?![-`])/i, "fix"),
  ban(/\b(?:somebody|anybody|everybody)\b/i, "someone, anyone, everyone, or name the role"),
  ban(/\bwhoever\b/i, "anyone who, or name the role"),
  ban(/\bin force\b/i, "takes effect, in effect"),
  ban(/\b(?:ends|moves|goes on|adds|appears?) by (?:itself|themselves)\b/i, "automatically"),
  ban(/\b(?:a|an) (?:[a-z]+ ){1,2}of (?:its|their|your) own\b/, "its own …"),
  ban(/\bas long a time\b/i, "the previous period"),
  ban(/\bcounted up to\b/i, "updated"),
  ban(/\b(?:is|are|was|were) yours to say\b/i, "you control"),
  ban(/\bas if (?:it|they) did not exist\b/i, "returns 404"),
  ban(/\bdoes not have it now\b/i, "is temporarily unavailable"),
  ban(/\bgoes in and never comes out\b/i, "stored encrypted; never shown again"),
  ban(/\bno way in\b/i, "cannot sign in, no account"),
];

/** What interfaces do not say, and documents may: there it is a sentence's, not a label's. */
const INTERFACES: readonly BannedPhrase[] = [
  ban(/\b(?:as usual|is usual|the usual)\b/i, "default"),
  ban(/\bas the keys\b/i, "no limit"),
  ban(/\b(?:requests|tokens) a (?:minute|second)\b/i, "per minute, per second"),
  ban(/\b(?:requests? in flight|requests at once)\b|"(?:in flight|at the same time)"/i, "concurrent requests"),
  ban(/\bas before\b/i, "no change"),
  ban(/\bthe time before\b/i, "the previous period"),
  ban(/\bhalf within\b/i, "p50, p95"),
  ban(/\bhow quick\b/i, "latency"),
  ban(/\bknow (?:it|them) again\b/i, "shown in …"),
  ban(/\bcome later, too\b/i, "including future …"),
  ban(/\bstanding still\b/i, "idle"),
  ban(/\b(?:that|of all that) fit(?:s)?\b/i, "matching"),
  ban(/\bask(?:s)? for its models\b/i, "fetch models"),
  ban(/\bgoes by this vendor\b/i, "uses this vendor"),
  ban(/(?<!\bnone )\bof (?:its|their|your) own\b/i, "its own …"),
  ban(/\bby (?:itself|themselves)\b/i, "automatically, separately"),
  ban(/\bfor people\b/i, "display"),
  ban(/\b(?:dearer|lately)\b/i, "higher, recently"),
  ban(/\bmake it a key\b/i, "create a key"),
  ban(/\b(?:please|simply|oops|sorry)\b/i, "nothing: leave it out"),
];

const CONSOLE_TEXT = /^console\/src\/.*\.tsx?$/;
const COMMANDS = /^(?:src\/(?:cli|console-api)|contract)\/.*\.ts$/;
/** Documents for users. Records, designs and rulings are written for contributors, and tell of how things came to be. */
const DOCUMENTS = /^(?:README|SECURITY|docs\/(?!adr\/|design\/|rulings\.md|style\.md).*)(?:\.md)?$/;

/**
 * Every banned phrase in the texts of the console and the command line, and in the documents for users (docs/style.md). Comments of code
 * are not texts, and a test's name in a document is the test's.
 */
export function checkWords(files: readonly SourceFile[]): Violation[] {
  return files.flatMap((file) => {
    if (file.path.includes(".test.")) return [];
    if (CONSOLE_TEXT.test(file.path) || COMMANDS.test(file.path))
      return found(file.path, withoutComments(file.text), [...EVERYWHERE, ...INTERFACES]);
    return DOCUMENTS.test(file.path) ? found(file.path, withoutTestNames(file.text), EVERYWHERE) : [];
  });
}

function found(path: string, text: string, phrases: readonly BannedPhrase[]): Violation[] {
  return phrases.flatMap(({ phrase, write }) =>
    [...text.matchAll(new RegExp(phrase, `g${phrase.flags}`))].map(({ 0: words, index }) => ({
      path,
      line: text.slice(0, index).split("\n").length,
      message: `says ${JSON.stringify(words)}. Write: ${write} (docs/style.md).`,
    })),
  );
}

/** The text with empty comments, line for line. */
function withoutComments(text: string): string {
  return text.replace(/^[ \t]*(?:\/\/|\/?\*|\{\/\*).*$|[ \t]\/\/ .*$/gm, "");
}

/** The text without the names of tests, which stand behind the file that has them, and without code between backticks. */
function withoutTestNames(text: string): string {
  return text.replace(/\.test\.ts`:.*$/gm, "").replace(/`[^`\n]*`/g, "");
}
