import type { SourceFile } from "./source-files.ts";
import type { Violation } from "./violation.ts";

/**
 * What comments and documents point at is there, and every ruling is pointed at by the code that keeps it: numbers of
 * docs/rulings.md, sections of docs/api.md, records of docs/adr, and paths of this project.
 */
export function checkReferences(files: readonly SourceFile[]): Violation[] {
  const texts = new Map(files.map(({ path, text }) => [path, text]));
  const rulings = texts.get("docs/rulings.md");
  if (rulings === undefined) return [];
  const known: Known = {
    rulings: numbersOf(rulings, /^\*\*(\d+[a-z]?)\./gm),
    sections: numbersOf(texts.get("docs/api.md") ?? "", /^#{2,3} ([\d.]+?)\.? /gm),
    records: numbersOf([...texts.keys()].join("\n"), /^docs\/adr\/(\d{4})-/gm),
    paths: [...texts.keys()].map((path) => `/${path}`),
  };
  const kept = new Set<string>();
  const lost = files.flatMap((file) =>
    CODE.test(file.path) ? lostInCode(file, known, kept) : DOCUMENT.test(file.path) ? lostInDocument(file, known) : [],
  );
  return [...lost, ...repeated(rulings), ...unkept(known.rulings, kept)];
}

interface Known {
  readonly rulings: ReadonlySet<string>;
  readonly sections: ReadonlySet<string>;
  readonly records: ReadonlySet<string>;
  /** Every file's path, with a slash in front. */
  readonly paths: readonly string[];
}

const CODE = /^(?:src|contract|console|simulator|proofs|scripts|deploy)\/.*\.(?:ts|tsx|sql)$/;
/** Where a pointer says that a ruling is kept. */
const KEEPS = /^(?:src|contract|console|simulator|proofs)\//;
const DOCUMENT = /(?:^|\/)[\w-]+\.md$/;
/** Tests that plant wrong ones. */
const QUOTES = new Set(["scripts/house/reference-rules.test.ts", "proofs/suites/house/house-rules.test.ts"]);

const LIST = String.raw`(\d[\da-d.]*(?:(?:, | and )\d[\da-d.]*)*)`;
const RULINGS = new RegExp(String.raw`rulings?(?:\.md)? ${LIST}`, "g");
const SECTIONS = new RegExp(String.raw`docs/api\.md(?: section)? ${LIST}`, "g");
const RECORD = /\b(?:docs\/adr\/|ADR )(\d{4})(?:-[\w-]+\.md)?/g;
/** A comment's end may be missed where a string has its signs: then less is looked at. */
const COMMENTS = /\/\*.*?\*\/|(?<![:"'])\/\/[^\n]*/gs;
/** A file that a comment names, not a pattern or an address. */
const FILE = /(?<![\w/."`$*{-])((?:[\w-]+\/)*[\w-]+(?:\.[\w-]+)*\.tsx?)\b/g;
const PAGE = /\bdocs\/(?:[\w-]+\/)*[\w-]+\.md\b/g;

function lostInCode({ path, text }: SourceFile, known: Known, kept: Set<string>): Violation[] {
  if (QUOTES.has(path)) return [];
  const comments = path.endsWith(".sql") ? text : (text.match(COMMENTS)?.join("\n") ?? "");
  const plain = comments.replace(/\n\s*(?:\*|\/\/|--)/g, "");
  const rulings = listed(plain, RULINGS);
  if (KEEPS.test(path)) for (const number of rulings) kept.add(number);
  return [
    ...rulings.filter((number) => !known.rulings.has(number)).map((number) => `docs/rulings.md ${number}`),
    ...listed(plain, SECTIONS)
      .filter((number) => !known.sections.has(number))
      .map((number) => `docs/api.md ${number}`),
    ...lostRecords(plain, known),
    ...[...plain.matchAll(PAGE)].map(([page]) => page).filter((page) => !known.paths.includes(`/${page}`)),
    ...[...plain.matchAll(FILE)].map(([, name = ""]) => name).filter((name) => !isThere(name, known.paths)),
  ].map((name) => ({ path, line: null, message: `points at ${name}, which is not there.` }));
}

/** Names in code spans that are paths of this project: below one of its folders, or files of its languages. */
const PROJECT_PATH =
  /^(?:src|docs|proofs|contract|console|simulator|scripts|deploy)\/[\w./-]+$|^[\w./-]+\.(?:ts|tsx|sql)$/;
/** What builds, runs and operators put into these folders, and words that stand for a name. */
const MADE = /(?:^|\/)(?:dist|node_modules|secrets|findings|VENDOR|NAME|X\.Y\.Z)(?:[./]|$)/;

function lostInDocument({ path, text }: SourceFile, known: Known): Violation[] {
  const prose = text.replace(/^```.*?^```/gms, "");
  const spans = [...prose.matchAll(/`([^`\s]+)`/g)].map(([, name = ""]) => name.replace(/:\d+$/, ""));
  const links = [...prose.matchAll(/\]\(([^)\s#]+)[^)]*\)/g)].map(([, target = ""]) => target);
  return [
    ...spans.filter((name) => PROJECT_PATH.test(name) && !MADE.test(name) && !isThere(name, known.paths)),
    ...links.filter((target) => !target.includes(":") && !isLinked(path, target, known.paths)),
    ...[...prose.matchAll(/\[R ([^\]]+)\]/g)]
      .flatMap(([, numbers = ""]) => numbers.split(", "))
      .filter((number) => path === "docs/api.md" && !known.rulings.has(number)),
    ...listed(prose, /\brulings? ((?:\d+[a-z]?)(?:(?:, | and )\d+[a-z]?)*)/g).filter(
      (each) => !known.rulings.has(each),
    ),
    ...lostRecords(prose, known),
  ].map((name) => ({ path, line: null, message: `names ${name}, which is not there.` }));
}

/** A path from the project's folder, or the end of one: rooms' pages say `books/decide.ts`. */
function isThere(name: string, paths: readonly string[]): boolean {
  const end = `/${name.replace(/^(?:\.{1,2}\/)+/, "").replace(/\/$/, "")}`;
  return paths.some((path) => path.endsWith(end) || path.includes(`${end}/`));
}

/** A link, from the folder of the page that has it. */
function isLinked(from: string, target: string, paths: readonly string[]): boolean {
  const to = new URL(target, `file:///${from}`).pathname.replace(/\/$/, "");
  return paths.some((path) => path === to || path.startsWith(`${to}/`)) || /\.(?:png|svg)$/.test(to);
}

function lostRecords(text: string, { records }: Known): string[] {
  const named = [...text.matchAll(RECORD)].map(([, number = ""]) => number);
  return named.filter((number) => !records.has(number)).map((number) => `docs/adr/${number}`);
}

/** The numbers that follow a page's name: "docs/rulings.md 12, 14a" points at two. */
function listed(text: string, pattern: RegExp): string[] {
  const lists = [...text.matchAll(pattern)].map(([, numbers = ""]) => numbers);
  return lists.flatMap((numbers) => numbers.split(/, | and /).map((number) => number.replace(/\.$/, "")));
}

function numbersOf(text: string, pattern: RegExp): ReadonlySet<string> {
  return new Set([...text.matchAll(pattern)].map(([, number = ""]) => number));
}

function repeated(rulings: string): Violation[] {
  const numbers = [...rulings.matchAll(/^\*\*(\d+[a-z]?)\./gm)].map(([, number = ""]) => number);
  return numbers
    .filter((number, place) => numbers.indexOf(number) !== place)
    .map((number) => ({ path: "docs/rulings.md", line: null, message: `has ruling ${number} twice.` }));
}

function unkept(rulings: ReadonlySet<string>, kept: ReadonlySet<string>): Violation[] {
  return [...rulings]
    .filter((number) => !kept.has(number))
    .map((number) => ({
      path: "docs/rulings.md",
      line: null,
      message: `has ruling ${number}, at which no code points: write "docs/rulings.md ${number}" where it is kept, or take the ruling out.`,
    }));
}
