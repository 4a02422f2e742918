import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { drawLabel, optionProbabilities, yesProbability } from "../../../simulator/judge/score.ts";
import { type LabelledAnswer, labelledAnswer } from "../../../src/decider/calibrate/labelled-answer.ts";
import { measureQuality } from "../../../src/decider/calibrate/measure-quality.ts";
import type { Json } from "../../support/calls.ts";
import { type Ran, runCamino, runHere } from "../../support/camino.ts";
import { type DecisionGateway, judged, startDecisionGateway, untilCounting } from "./support/decision-gateway.ts";

/** Calibration from end to end: an overconfident model, `camino calibrate`, and the file in force. */

/** Limits that allow many questions in a short time. */
const LIMITS = { default_key: { rpm: 100_000, concurrent: 256 } };

let folder: string;
let raw: DecisionGateway;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "camino-calibrate-"));
  raw = await startDecisionGateway({
    judges: { sure: "judge-overconfident" },
    models: { "chat/sure-decider": judged("sure", { debias: "none" }) },
    limits: LIMITS,
  });
  await untilCounting(raw);
});

afterAll(async () => {
  await raw[Symbol.asyncDispose]();
  await rm(folder, { recursive: true, force: true });
});

const WORDS = [
  "order",
  "charged",
  "twice",
  "late",
  "parcel",
  "refund",
  "angry",
  "calm",
  "lawyer",
  "invoice",
  "phone",
  "blue",
];

/** Words by a rule that never repeats a text. */
function words(seed: number, count: number): string[] {
  return Array.from({ length: count }, (_, index) => {
    const place = new Bun.CryptoHasher("sha1").update(`${seed}/${index}`).digest().readUInt32BE(0);
    return WORDS[place % WORDS.length] ?? "";
  });
}

/** A question, its possible outcomes, and the true probability of each. */
interface Asked {
  readonly input: string;
  readonly question: { readonly type: string; readonly instructions: string; readonly choices?: { value: string }[] };
  readonly outcomes: readonly (boolean | string)[];
  readonly likely: readonly number[];
}

function asked(seed: number): Asked {
  const input = `Note ${seed}: ${words(seed, 6).join(" ")}.`;
  if (seed % 2 === 0) {
    const instructions = `The note says ${words(seed + 0.5, 4).join(" ")}.`;
    const yes = yesProbability(input, instructions);
    return { input, question: { type: "predicate", instructions }, outcomes: [true, false], likely: [yes, 1 - yes] };
  }
  const outcomes = [0, 1, 2].map((index) => `${index} ${words(seed + index / 10, 3).join(" ")}`);
  const question = { type: "choice", instructions: "What is it?", choices: outcomes.map((value) => ({ value })) };
  return { input, question, outcomes, likely: optionProbabilities(input, outcomes) };
}

/** The first questions, for the labelled file, with labels drawn by the outcomes' true probabilities. */
const fitted = Array.from({ length: 600 }, (_, seed) => {
  const { input, question, outcomes, likely } = asked(seed);
  return { input, question, label: outcomes[drawLabel(likely, `${seed}`)] };
});

/**
 * The other questions, which test the fit. Each is asked once and gets many labels: with a single label, chance alone
 * would make an error as large as the measured one, and a further label costs no call.
 */
const held_out = Array.from({ length: 400 }, (_, index) => {
  const seed = 10_000 + index;
  const each = asked(seed);
  return { ...each, truths: Array.from({ length: 16 }, (_, draw) => drawLabel(each.likely, `${seed}/${draw}`)) };
});

async function askAll(gateway: DecisionGateway, model: string): Promise<LabelledAnswer[]> {
  const answers: LabelledAnswer[] = [];
  for (let start = 0; start < held_out.length; start += 50) {
    const batch = held_out.slice(start, start + 50);
    answers.push(...(await Promise.all(batch.map((each) => askOne(gateway, model, each)))).flat());
  }
  return answers;
}

/** The answer to a question, repeated for each of its labels. */
async function askOne({ caller }: DecisionGateway, model: string, each: (typeof held_out)[number]) {
  const { input, question, truths } = each;
  const { json } = await caller.post("/v1/decisions", { model, input, questions: [question] });
  const answer = (json.answers as Json[])[0] ?? {};
  const probabilities = (answer.probabilities as { probability: number }[] | undefined)?.map(
    ({ probability }) => probability,
  );
  return truths.map((truth) => {
    const found =
      probabilities === undefined
        ? labelledAnswer({ type: "predicate", probability: answer.probability as number }, truth)
        : labelledAnswer({ type: "choice", choice: 0, confidence: 0, probabilities }, truth);
    if (found === null) throw new Error("a refusal");
    return found;
  });
}

function errorsOf(answers: readonly LabelledAnswer[]): Record<string, number> {
  return Object.fromEntries(
    (["predicate", "choice"] as const).map((type) => [
      type,
      measureQuality(answers.filter((answer) => answer.type === type)).ece_equal_width,
    ]),
  );
}

/** Runs the command: as a process of its own where a user's run is tested, else in this process. */
function calibrate(run: typeof runCamino, data: string, ...more: string[]): Promise<Ran> {
  const words = ["calibrate", "--model", "chat/sure-decider", "--data", data, "--out", "fit.json", ...more];
  return run([...words, "--url", raw.gateway.url, "--at-once", "8"], {
    cwd: folder,
    env: { CAMINO_API_KEY: raw.key.key },
  });
}

describe("camino calibrate", () => {
  test("calibrates probabilities: their error on data outside of the fit falls at least fivefold", async () => {
    const lines = fitted.map((each) => JSON.stringify(each)).join("\n");
    await Bun.write(join(folder, "data.jsonl"), `${lines}\n`);
    const ran = await calibrate(runCamino, "data.jsonl", "--diagram", "fit.svg", "--json");
    expect(ran).toMatchObject({ status: 0, stderr: "" });
    const told = JSON.parse(ran.stdout) as {
      report: { type: string; temperature: number; before: Json; after: Json }[];
    };
    expect(told).toMatchObject({ model: "chat/sure-decider", file: "fit.json", diagram: "fit.svg", refused: 0 });
    for (const { temperature, before, after } of told.report) {
      expect(temperature).toBeGreaterThan(3);
      expect(temperature).toBeLessThan(5.5);
      expect(after.brier as number).toBeLessThan(before.brier as number);
    }
    expect(await Bun.file(join(folder, "fit.svg")).text()).toStartWith("<svg");

    const calibration = await Bun.file(join(folder, "fit.json")).text();
    await using calibrated = await startDecisionGateway({
      judges: { sure: "judge-overconfident" },
      models: { "chat/sure-decider": judged("sure", { debias: "none", calibration: "fit.json" }) },
      files: { "fit.json": calibration },
      limits: LIMITS,
    });
    const before = errorsOf(await askAll(raw, "chat/sure-decider"));
    const after = errorsOf(await askAll(calibrated, "chat/sure-decider"));
    for (const type of ["predicate", "choice"]) {
      expect(before[type]).toBeGreaterThan(0.1);
      expect((before[type] ?? 0) / (after[type] ?? 1)).toBeGreaterThanOrEqual(5);
    }
  }, 150_000);

  test("prints a table for people", async () => {
    await Bun.write(
      join(folder, "few.jsonl"),
      fitted
        .slice(0, 60)
        .map((each) => JSON.stringify(each))
        .join("\n"),
    );
    const { status, stdout } = await calibrate(runHere, "few.jsonl");
    expect(status).toBe(0);
    expect(stdout).toMatch(/question +examples +temperature +ECE before +after +Brier before +after/);
    expect(stdout).toMatch(/predicate +30 +\d/);
    expect(stdout).toContain("fit.json");
  });

  test.each([
    ["no JSON", "{", /Line 1 of bad\.jsonl: found/],
    ["no label", '{"input": "a", "question": {"type": "predicate", "instructions": "?"}}', /a member is missing/],
    [
      "a label that is no level",
      '{"input": "a", "question": {"type": "score", "instructions": "?", "levels": [{}, {}]}, "label": 2}',
      /allowed: the index of a level, 0 to 1/,
    ],
    ["nothing", "\n\n", /holds no questions/],
  ])("refuses data with %s in one sentence that says where", async (_what, text, sentence) => {
    await Bun.write(join(folder, "bad.jsonl"), text);
    const { status, stderr, stdout } = await calibrate(runHere, "bad.jsonl");
    expect(status).toBe(1);
    expect(stderr).toMatch(sentence);
    expect(stdout).toBe("");
  });

  test("reports that there are too few examples for a fit", async () => {
    await Bun.write(
      join(folder, "two.jsonl"),
      fitted
        .slice(0, 2)
        .map((each) => JSON.stringify(each))
        .join("\n"),
    );
    const { status, stderr } = await calibrate(runHere, "two.jsonl");
    expect([status, stderr]).toEqual([1, expect.stringContaining("At least 20")]);
  });
});
