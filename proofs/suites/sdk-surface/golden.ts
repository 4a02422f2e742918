import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { judgeAnswer } from "./answers.ts";
import { type Case, casesOf } from "./cases.ts";
import { judge } from "./outcome.ts";
import { shapeOf } from "./shape.ts";
import { SILENT_IN_ANSWERS, SILENT_IN_TRANSLATION, SILENT_ON_RELAY, type Silence } from "./silences.ts";
import { ANSWERS, type AnswerSurface, REQUESTS, type RequestSurface, VENDORS } from "./surfaces.ts";

/** What becomes of every declared member, as files under version control: one line for each member and kind of value. */

/** A line of a file of outcomes. */
export interface Line {
  readonly label: string;
  /** One word for relay, and one for each other way of requests, in the order of the file's head. */
  readonly outcomes: readonly string[];
}

/** Names of models are the catalogue's, and beta names are headers. */
const NOT_OF_THE_BODY = new Set(["model", "betas"]);

const ROOT = join(import.meta.dir, "../../..");

export function casesFor({ file, type, samples }: RequestSurface | AnswerSurface): readonly Case[] {
  const cases = casesOf(shapeOf(type, join(ROOT, "proofs/node_modules", file)), samples);
  return cases.filter(({ member }) => !NOT_OF_THE_BODY.has(member));
}

/** The ways of a client's requests: relay first. */
function waysOf({ client }: RequestSurface) {
  return [client.protocol, ...VENDORS.filter((vendor) => vendor !== client.protocol)];
}

export function linesOf(surface: RequestSurface | AnswerSurface): readonly Line[] {
  const lines = casesFor(surface).map((each): Line => {
    if ("opening" in surface) {
      const outcome = judgeAnswer(each, { ...surface, vendor: surface.client.protocol });
      return { label: each.label, outcomes: [told(outcome, each.label, SILENT_IN_ANSWERS)] };
    }
    const outcomes = waysOf(surface).map((vendor, at) => {
      const { outcome } = judge(each, { client: surface.client, vendor, complete: surface.complete });
      return told(outcome, each.label, at === 0 ? SILENT_ON_RELAY : SILENT_IN_TRANSLATION);
    });
    return { label: each.label, outcomes };
  });
  return lines.sort((a, b) => (a.label < b.label ? -1 : 1));
}

/** `silent` where a reason is known for that nothing happens; otherwise `VANISHES`, which fails. */
function told(outcome: string, label: string, silences: readonly Silence[]): string {
  if (outcome !== "nothing") return outcome;
  return silences.some(({ what }) => what.test(label)) ? "silent" : "VANISHES";
}

export function textOf(surface: RequestSurface | AnswerSurface, lines: readonly Line[]): string {
  const ways = "opening" in surface ? [surface.client.protocol] : waysOf(surface);
  const head = `# ${surface.sdk} ${surface.type}: what becomes of each member on the way ${ways.join(" | ")}`;
  return `${[head, ...lines.map(lineText)].join("\n")}\n`;
}

function lineText({ label, outcomes: [first = "", ...others] }: Line): string {
  const [second] = others;
  const same = others.every((one) => one === second);
  return `${label}: ${[first, ...(same ? others.slice(0, 1) : others)].join(" | ")}`;
}

function pathOf({ name }: RequestSurface | AnswerSurface): string {
  return join(import.meta.dir, "golden", `${name}.txt`);
}

export function readGolden(surface: RequestSurface | AnswerSurface): string {
  return readFileSync(pathOf(surface), "utf8");
}

export function writeGolden(): void {
  for (const surface of [...REQUESTS, ...ANSWERS]) writeFileSync(pathOf(surface), textOf(surface, linesOf(surface)));
}
