import { describe, expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { alternatives, type Shape, shapeOf } from "./shape.ts";

/**
 * Declared types that are read member by member, with no relay: each member is a word of the protocol's folder, or is known
 * to be left aside. A new version of an SDK fails here with the members that nobody has looked at.
 */

const ROOT = join(import.meta.dir, "../../..");
const GENAI = "@google/genai/dist/genai.d.ts";
const DECISIONS = "openai/resources/decisions.d.ts";
const TYPESAFE = "@typesafe-ai/sdk/dist/index.d.mts";

interface Reading {
  readonly type: string;
  readonly file: string;
  readonly folder: string;
  readonly left_aside: readonly string[];
}

/** Of vendors' own tools, which are never asked for, and what no client's style has a place for. */
const ASIDE_IN_CANDIDATES = [...["citationMetadata", "continuationToken", "safetyRatings", "urlContextMetadata"]];
const ASIDE_IN_PARTS = [
  ...["audioTranscription", "mediaProcessing", "partMetadata", "speechMetadata", "toolCall", "toolResponse"],
];
/** What the SDK does itself, what other members say in their place, and what no client's style asks for. */
const ASIDE_IN_CONFIG = [
  ...["abortSignal", "automaticFunctionCalling", "httpOptions"],
  ...["audioTimestamp", "audioTranscriptionConfig", "automaticContinuation", "continuationToken"],
  ...["enableEnhancedCivicAnswers", "generationOutputConfig", "imageConfig"],
  ...["modelArmorConfig", "modelSelectionConfig", "routingConfig"],
  "speechConfig",
];

const READINGS: readonly Reading[] = [
  { type: "Candidate", file: GENAI, folder: "gemini", left_aside: ASIDE_IN_CANDIDATES },
  { type: "Part", file: GENAI, folder: "gemini", left_aside: ASIDE_IN_PARTS },
  { type: "DecisionCreateParams", file: DECISIONS, folder: "decisions", left_aside: [] },
  { type: "Decision", file: DECISIONS, folder: "decisions", left_aside: [] },
  { type: "GenerateContentConfig", file: GENAI, folder: "gemini", left_aside: ASIDE_IN_CONFIG },
  ...[
    ...["SystemOneRequest", "NoulQuestion", "ChoiceQuestion", "ScoreQuestion"],
    ...["SystemOneResult", "NoulResponse", "ChoiceResponse", "ScoreResponse", "Usage"],
  ].map((type) => ({ type, file: TYPESAFE, folder: "systemone", left_aside: [] })),
];

/** The names of a type's own members, and, of decisions, of all types within. */
function memberNames(shape: Shape, is_deep: boolean, done = new Set<string>()): readonly string[] {
  return alternatives(shape).flatMap((one): readonly string[] => {
    if (one.kind === "array") return memberNames(one.of, is_deep, done);
    if (one.kind !== "object" || done.has(one.name)) return [];
    done.add(one.name);
    return one.members().flatMap(({ name, shape: of }) => [name, ...(is_deep ? memberNames(of, is_deep, done) : [])]);
  });
}

function sourceOf(folder: string): string {
  const files = [folder, "shared"].flatMap((room) => {
    const path = join(ROOT, "src/protocols", room);
    return readdirSync(path).map((file) => join(path, file));
  });
  return files
    .filter((file) => file.endsWith(".ts") && !file.endsWith(".test.ts"))
    .map((file) => readFileSync(file, "utf8"))
    .join("\n");
}

describe.each(READINGS)("the members of $type", ({ type, file, folder, left_aside }) => {
  test("are read, or known to be left aside", () => {
    const source = sourceOf(folder);
    const names = memberNames(shapeOf(type, join(ROOT, "proofs/node_modules", file)), file === DECISIONS);
    const unread = [...new Set(names)].filter((name) => !new RegExp(`\\b${name}\\b`).test(source));
    expect(names.length).toBeGreaterThan(1);
    expect(unread.sort()).toEqual([...left_aside].sort());
  });
});
