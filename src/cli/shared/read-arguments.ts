import { InvalidArgumentError } from "commander";
import { readAmount as readTypedAmount } from "../../../contract/amounts.ts";
import { parseTime, startOfDay } from "../../../contract/day.ts";
import type { Alias, ModelLimit, PrefixAlias, UpdateKey } from "../../../contract/keys.ts";
import { readModelLimit as readTypedLimit } from "../../../contract/model-limit-text.ts";
import {
  readTagLimit as readTypedTagLimit,
  readTagValueLimit as readTypedValueLimit,
} from "../../../contract/tag-limit-text.ts";
import type { TagLimit } from "../../../contract/tag-limits.ts";
import { splitTag, tagNameProblem, tagValueProblem } from "../../../contract/tag-rules.ts";
import { OTHER_TAGS } from "../../core/people/keys.ts";

/** Readers of arguments and options. Their errors are wrong usage: status 2, with the sentence of the error. */

/** An amount of at least 0, as the API takes it. */
export function readAmount(text: string): string {
  return readSized(text, (amount_micro) => amount_micro >= 0, "An amount here is at least 0, such as 25 or 0.50.");
}

export function readPositiveAmount(text: string): string {
  return readSized(text, (amount_micro) => amount_micro > 0, "An amount here is above 0, such as 25 or 0.50.");
}

/** An amount other than 0, which may have a minus. */
export function readSignedAmount(text: string): string {
  return readSized(text, (amount_micro) => amount_micro !== 0, "An amount here is other than 0, such as 25 or -1.50.");
}

function readSized(text: string, allows: (amount_micro: number) => boolean, otherwise: string): string {
  const amount = readTypedAmount(text);
  if ("problem" in amount) throw new InvalidArgumentError(amount.problem);
  if (allows(amount.micro)) return amount.text;
  throw new InvalidArgumentError(otherwise);
}

export function readBookingId(text: string): string {
  if (/^[\x21-\x7e]{1,255}$/.test(text)) return text;
  throw new InvalidArgumentError(
    "An id has 1 to 255 printable ASCII characters and no spaces, such as invoice-2026-114.",
  );
}

type BudgetBody = NonNullable<UpdateKey["budget"]>;
const WINDOWS: readonly BudgetBody["window"][] = ["day", "week", "month", "once"];

/** `AMOUNT/day|week|month|once`. */
export function readBudget(text: string): BudgetBody {
  const slash = text.indexOf("/");
  const window = WINDOWS.find((name) => name === text.slice(slash + 1));
  if (slash !== -1 && window !== undefined) return { amount: readAmount(text.slice(0, slash)), window };
  throw new InvalidArgumentError("A budget is AMOUNT/day, AMOUNT/week, AMOUNT/month or AMOUNT/once, such as 10/day.");
}

/** Adds an alias, written `NAME=MODEL`. */
export function readAlias(text: string, earlier: readonly Alias[] = []): Alias[] {
  const [name, model] = splitAlias(text, "An alias is NAME=MODEL, such as fast=acme/swift-1.");
  return [...earlier, { name, model }];
}

/** Adds a prefix alias, written `PREFIX=MODEL`. */
export function readPrefixAlias(text: string, earlier: readonly PrefixAlias[] = []): PrefixAlias[] {
  const sentence = "A prefix alias is PREFIX=MODEL without a *, such as claude-=acme/swift-1.";
  const [prefix, model] = splitAlias(text, sentence);
  if (prefix.endsWith("*")) throw new InvalidArgumentError(sentence);
  return [...earlier, { prefix, model }];
}

/** Adds a tag, written `NAME=VALUE`. */
export function readTag(text: string, earlier: Readonly<Record<string, string>> = {}): Record<string, string> {
  const tag = splitTag(text);
  if (tag === null) throw new InvalidArgumentError("A tag is NAME=VALUE, such as team=search.");
  const problem = tagNameProblem(tag.name) ?? tagValueProblem(tag.value);
  if (problem !== null) throw new InvalidArgumentError(`But ${problem}.`);
  if (Object.hasOwn(earlier, tag.name)) throw new InvalidArgumentError(`The tag '${tag.name}' is given twice.`);
  return { ...earlier, [tag.name]: tag.value };
}

export function readTagNames(text: string, earlier: readonly string[] = []): readonly string[] {
  return [...earlier, readTagName(text)];
}

/** The name of a tag for reports of usage: also `(other)`, which stands for other names (docs/design/tags-and-projects.md). */
export function readUsageTagName(text: string): string {
  return text === OTHER_TAGS ? text : readTagName(text);
}

function readTagName(text: string): string {
  const problem = tagNameProblem(text);
  if (problem !== null) throw new InvalidArgumentError(`But ${problem}.`);
  return text;
}

function splitAlias(text: string, sentence: string): [string, string] {
  const [name = "", model = "", ...rest] = text.split("=");
  if (name !== "" && model !== "" && rest.length === 0) return [name, model];
  throw new InvalidArgumentError(sentence);
}

/** Reads patterns of model ids, written `PATTERN,…`. */
export function readPatterns(text: string): string[] {
  const patterns = text.split(",").map((pattern) => pattern.trim());
  if (patterns.every((pattern) => pattern !== "")) return patterns;
  throw new InvalidArgumentError(
    "Patterns are model ids with commas between them, * standing for any text: acme/*,other/one.",
  );
}

/** Adds a limit by model, written `PATTERN:rpm=60,budget=5/day`. */
export function readModelLimit(text: string, earlier: readonly ModelLimit[] = []): ModelLimit[] {
  return [...earlier, soundOrThrow(readTypedLimit(text))];
}

/** Adds a limit by tag, written `TAG=5/day,rpm=60`. */
export function readTagLimit(text: string, earlier: readonly TagLimit[] = []): TagLimit[] {
  return [...earlier, soundOrThrow(readTypedTagLimit(text))];
}

/** A value of a tag with its own limits; null: none. */
export interface TagValueLimit {
  readonly tag: string;
  readonly value: string;
  readonly limits: Omit<TagLimit, "tag"> | null;
}

/** Adds a value's own limits, written `TAG:VALUE=500/day`. */
export function readTagValueLimit(text: string, earlier: readonly TagValueLimit[] = []): TagValueLimit[] {
  return [...earlier, soundOrThrow(readTypedValueLimit(text))];
}

function soundOrThrow<Read extends object>(read: Read | { readonly problem: string }): Read {
  if ("problem" in read) throw new InvalidArgumentError(read.problem);
  return read;
}

export function readCount(text: string): number {
  const count = /^\d{1,10}$/.test(text) ? Number(text) : 0;
  if (count >= 1 && count <= 1_000_000_000) return count;
  throw new InvalidArgumentError("A limit is a whole number from 1 to 1000000000.");
}

export function readLimit(text: string): number {
  const limit = /^\d{1,3}$/.test(text) ? Number(text) : 0;
  if (limit >= 1 && limit <= 500) return limit;
  throw new InvalidArgumentError("A number of lines is a whole number from 1 to 500.");
}

export function readPort(text: string): string {
  if (/^\d{1,5}$/.test(text) && Number(text) <= 65535) return text;
  throw new InvalidArgumentError("A port is a whole number from 0 (any free one) to 65535.");
}

export function readDay(text: string): string {
  if (startOfDay(text) !== null) return text;
  throw new InvalidArgumentError("A date is a day of the calendar as YYYY-MM-DD, UTC.");
}

/** A day, or a time in RFC 3339. */
export function readTime(text: string): string {
  if (parseTime(text) !== null) return text;
  throw new InvalidArgumentError(
    "A date is a day as YYYY-MM-DD (its beginning, UTC) or a time such as 2027-01-31T12:00:00Z.",
  );
}
