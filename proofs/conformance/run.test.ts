import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type OwnDeployment, startOwnDeployment } from "./deployment/own-deployment.ts";

/** Runs the command as a separate process against a deployment that the command did not start. */

let own: OwnDeployment;
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "camino-conformance-test-"));
  own = await startOwnDeployment();
}, 30_000);

afterAll(async () => {
  await own[Symbol.asyncDispose]();
  await rm(folder, { recursive: true });
}, 30_000);

interface Ended {
  readonly status: number;
  readonly stdout: string;
  readonly stderr: string;
}

async function conformance(...args: readonly string[]): Promise<Ended> {
  const command = [process.execPath, join(import.meta.dir, "run.ts"), ...args];
  const child = Bun.spawn(command, { stdin: "ignore", stdout: "pipe", stderr: "pipe" });
  const [stdout, stderr] = await Promise.all([child.stdout.text(), child.stderr.text()]);
  return { status: await child.exited, stdout, stderr };
}

const ONE_FEATURE = "system prompt in parts";

test("runs against any address and key, and writes both reports", async () => {
  const json = join(folder, "report.json");
  const markdown = join(folder, "report.md");
  const address = ["--base-url", `${own.url}/v1`, "--key", own.key];
  const ended = await conformance(...address, "--only", ONE_FEATURE, "--json", json, "--markdown", markdown);
  expect(ended).toEqual({ status: 0, stdout: "40 cells: 40 pass, 0 fail, 0 are skipped.\n", stderr: "" });
  const report = (await Bun.file(json).json()) as { results: object[] };
  expect(report).toMatchObject({ cells: 40, passed: 40, failed: 0, skipped: 0 });
  expect(report.results[0]).toEqual({
    section: "Conversations",
    feature: ONE_FEATURE,
    client: "chat",
    vendor: "chat",
    stream: false,
    result: "pass",
  });
  expect(await Bun.file(markdown).text()).toContain("| chat | ✓ ✓ | ✓ ✓ | ✓ ✓ | ✓ ✓ | ✓ ✓ |");
});

test("skips features for which the deployment has no model, and fails where the answer is not the expected one", async () => {
  const models = join(folder, "models.json");
  const markdown = join(folder, "wrong.md");
  await Bun.write(models, JSON.stringify({ chat: { echo: "chat/echo" }, gemini: { echo: "gemini/filter" } }));
  const address = ["--base-url", own.url, "--key", own.key, "--models", models];
  const ended = await conformance(...address, "--only", ONE_FEATURE, "--markdown", markdown);
  expect(ended).toMatchObject({ status: 1, stdout: "40 cells: 8 pass, 8 fail, 24 are skipped.\n" });
  expect(ended.stderr).toContain(`✗ ${ONE_FEATURE}: chat → gemini, streamed: it ended with filter; expected stop`);
  const report = await Bun.file(markdown).text();
  expect(report).toContain("| messages | ✓ ✓ | – – | – – | ✗ ✗ | – – |");
  expect(report).toContain("- – 24 cells: the deployment names no model for echo.");
});

test("prints its usage when its arguments are wrong", async () => {
  for (const args of [["--base-url", own.url], ["--key", "cm-x"], ["--what"]]) {
    const ended = await conformance(...args);
    expect(ended).toMatchObject({ status: 2, stdout: "" });
    expect(ended.stderr).toContain("usage: npm run conformance");
  }
});
