import { expect, test } from "bun:test";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { loadConfiguration } from "../../../src/catalog/configuration/load-configuration.ts";
import { fitCalibration } from "../../../src/decider/calibrate/fit-calibration.ts";
import { formatCalibration } from "../../../src/decider/calibrate/format-calibration.ts";
import type { LabelledAnswer } from "../../../src/decider/calibrate/labelled-answer.ts";

const CONFIGURATION = `vendors: { acme: { protocol: chat-completions, base_url: "https://api.acme.example/v1" } }
models:
  acme/chat: { price: { input: 1, output: 2 } }
  acme/judge:
    decide_with: { engine: logprobs, model: acme/chat, calibration: fit.json }
    price: { input: 1 }
`;

test("the file that a fit is written into gives the decision model the temperatures of the fit", async () => {
  const answers = Array.from({ length: 60 }, (_, index): LabelledAnswer => {
    return { type: "choice", probabilities: [0.95, 0.03, 0.02], truth: index % 3 === 0 ? 1 : 0 };
  });
  const fit = fitCalibration(answers, "2026-11-21");
  const folder = await mkdtemp(join(tmpdir(), "camino-calibration-"));
  try {
    await writeFile(join(folder, "fit.json"), formatCalibration(fit, { model: "acme/chat", debias: "all" }));
    const file_name = join(folder, "camino.yaml");
    const { models } = loadConfiguration({ file_text: CONFIGURATION, file_name, env: {} });
    expect(models.get("acme/judge")?.decide_with?.calibration).toEqual(fit.calibration);
    expect(fit.calibration.temperatures.choice).toBeGreaterThan(1.5);
  } finally {
    await rm(folder, { recursive: true });
  }
});
