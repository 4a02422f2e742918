import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { runCamino } from "../../support/camino.ts";

/** What a start says that cannot be: the port or the directory, why, and what to do. */

let folder: string;
let taken: Bun.TCPSocketListener<undefined>;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "camino-errors-"));
  await Bun.write(join(folder, "a-file"), "");
  taken = Bun.listen({ hostname: "127.0.0.1", port: 0, socket: { data: () => {} } });
});
afterAll(async () => {
  taken.stop(true);
  await rm(folder, { recursive: true, force: true });
});

test.each([
  ["a port that is taken", () => ["--port", String(taken.port)], "(the port is in use). Choose another with --port"],
  [
    "an address of another machine",
    () => ["--host", "192.0.2.1", "--port", "0"],
    "192.0.2.1, port 0 (this machine has no such address). Give one that it has with --host",
  ],
  [
    "a file in place of the data directory",
    () => ["--data", "a-file"],
    "The data directory a-file cannot be used: it is a file. Name another with --data",
  ],
  [
    "a data directory below a file",
    () => ["--data", "a-file/data"],
    "The data directory a-file/data cannot be used: a part of its path is a file.",
  ],
])(
  "%s",
  async (_, words, told) => {
    const { status, stderr } = await runCamino(["serve", ...words()], { cwd: folder, env: { CAMINO_LOG: "silent" } });
    expect([status, stderr]).toEqual([1, expect.stringContaining(told)]);
  },
  60_000,
);

test.each([
  ["openai", "chat-completions"],
  ["Anthropic", "messages"],
  ["google", "gemini"],
  ["chat-completion", "chat-completions"],
])(
  "a wrong protocol %s suggests %s",
  async (protocol, meant) => {
    await Bun.write(
      join(folder, "camino.yaml"),
      `vendors: { acme: { protocol: ${protocol}, base_url: "http://127.0.0.1:1/v1" } }`,
    );
    const { status, stderr } = await runCamino(["check"], { cwd: folder });
    expect([status, stderr]).toEqual([1, expect.stringContaining(`(did you mean "${meant}"?)`)]);
  },
  60_000,
);

test("wrong indentation is one problem, in words", async () => {
  await Bun.write(
    join(folder, "camino.yaml"),
    "vendors:\n  acme:\n    protocol: messages\n   base_url: x\n  other:\n   a: 1\n",
  );
  const { stderr } = await runCamino(["check"], { cwd: folder });
  expect(
    stderr
      .trim()
      .split("\n")
      .filter((line) => line.includes("camino.yaml:")),
  ).toHaveLength(1);
  expect(stderr).toContain("a text that is not YAML");
}, 60_000);
