import { afterAll, beforeAll, expect, test } from "bun:test";
import { join } from "node:path";
import { type OwnDeployment, startOwnDeployment } from "./deployment/own-deployment.ts";
import { SECTIONS } from "./features/sections.ts";
import { markdownReport } from "./report/markdown.ts";
import { cellsOf } from "./report/tally.ts";
import { runMatrix } from "./run-matrix.ts";

/** Runs the whole matrix over HTTP against a gateway of this working copy. */

const DOCUMENT = join(import.meta.dir, "../../docs/conformance.md");
const STARTING_MS = 30_000;
const RUNNING_MS = 150_000;

let own: OwnDeployment;

beforeAll(async () => {
  own = await startOwnDeployment();
}, STARTING_MS);

afterAll(async () => {
  await own[Symbol.asyncDispose]();
}, STARTING_MS);

test(
  "every style reaches every vendor protocol, and docs/conformance.md says exactly that",
  async () => {
    const results = await runMatrix(SECTIONS, own);
    const failed = results.flatMap(({ features }) =>
      features.flatMap(({ feature, cells }) =>
        cells.flatMap(({ cell, outcome }) =>
          outcome.result === "fail" ? [{ feature: feature.name, ...cell, violation: outcome.violation }] : [],
        ),
      ),
    );
    expect(failed).toEqual([]);
    expect(cellsOf(results).length).toBeGreaterThan(2000);
    // To write the file again: npm run conformance -- --markdown docs/conformance.md
    expect(markdownReport(results)).toBe(await Bun.file(DOCUMENT).text());
  },
  RUNNING_MS,
);
