import { existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { JsonObject } from "../../src/core/json.ts";

/** Only a run of all suites has one temporary folder for all of its processes and sources that stay as they are (scripts/suites.ts). */
const IS_WHOLE_RUN = process.env.TEST_BUILT_GATEWAY !== undefined;

/**
 * The OpenAPI document of these sources. In a run of all suites the first process leaves it in the run's temporary folder: making it, with all
 * modules that it is made from, takes a fifth of a second, and reading it a tenth of that.
 */
export async function openApiOfTheRun(): Promise<JsonObject> {
  const kept = join(tmpdir(), "openapi-of-the-run.json");
  if (IS_WHOLE_RUN && existsSync(kept)) return JSON.parse(readFileSync(kept, "utf8")) as JsonObject;
  const { buildOpenApi } = await import("../../src/http/openapi/build-openapi.ts");
  const document = buildOpenApi({ version: "0" });
  if (IS_WHOLE_RUN) {
    const staged = `${kept}-${process.pid}`;
    writeFileSync(staged, JSON.stringify(document));
    renameSync(staged, kept);
  }
  return document;
}
