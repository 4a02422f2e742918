import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { DecideWith } from "../../core/catalog/decide-with.ts";
import { loadConfiguration, tryLoad } from "../configuration/load-configuration.ts";
import { formatProblem } from "./problem.ts";

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "camino-calibration-"));
});
afterAll(() => rm(folder, { recursive: true }));

const FILE = (settings: string) => `vendors:
  acme:
    protocol: chat-completions
    base_url: https://api.acme.example/v1
models:
  acme/chat:
    price: { input: 1, output: 2 }
  acme/judge:
    decide_with:
      engine: logprobs
      model: acme/chat
${settings}
    price: { input: 1 }
`;

const given = (settings: string) => ({ file_text: FILE(settings), file_name: join(folder, "camino.yaml"), env: {} });
const load = (settings: string): DecideWith | undefined =>
  loadConfiguration(given(settings)).models.get("acme/judge")?.decide_with;

async function problemsOf(calibration: string): Promise<string[]> {
  await writeFile(join(folder, "fit.json"), calibration);
  return tryLoad(given("      calibration: fit.json")).problems.map(formatProblem);
}

describe("a decision model of a chat model", () => {
  test("is asked and calibrated as the file says", async () => {
    const fit = { version: "9", model: "acme/chat", debias: "two", report: {} };
    const temperatures = { predicate: 1.7, choice: null, score: 0.25 };
    await writeFile(join(folder, "fit.json"), JSON.stringify({ ...fit, temperatures }));
    expect(load("      debias: two\n      min_label_mass: 0.2\n      calibration: fit.json")).toEqual({
      engine: "logprobs",
      model: "acme/chat",
      debias: "two",
      min_label_mass: 0.2,
      calibration: { version: "9", temperatures },
    });
  });
});

describe("a mistake in a calibration file is reported where it is in that file", () => {
  test.each([
    ["broken JSON", '{\n "version": "1",\n "temperatures": {', "fit.json:3"],
    [
      "an unknown key",
      '{"version": "1",\n "temperature": {}}',
      'fit.json:2: temperature: found the unknown key "temperature" (did you mean "temperatures"?)',
    ],
    ["no version", '{"temperatures": {}}', "fit.json:1: version: found nothing; allowed: a text that names the fit"],
    [
      "a temperature out of range",
      '{"version": "1", "temperatures": {\n "predicate": 1,\n "choice": -2}}',
      'fit.json:3: temperatures.choice: found "-2"; allowed: a number from 0.05 to 20, or null',
    ],
    ["no object", "[]", "fit.json:1: found a list; allowed: a map with version, temperatures"],
  ])("%s", async (_name, text, problem) => {
    const problems = await problemsOf(text);
    expect(problems.join("\n")).toContain(join(folder, problem));
  });
});
