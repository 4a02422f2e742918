import { afterAll, beforeAll, expect, test } from "bun:test";
import { chmod, mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { runCamino } from "../../support/camino.ts";
import { startGateway } from "../../support/gateway.ts";

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

test("several workers without a temporary folder are told what to do, as on a root that is read-only", async () => {
  const env = { CAMINO_LOG: "silent", TMPDIR: join(folder, "nowhere") };
  const { status, stderr } = await runCamino(["serve", "--workers", "2", "--port", "0"], { cwd: folder, env });
  const told = `${join(folder, "nowhere")} cannot be written (ENOENT). Make it writable, name another in TMPDIR, or start with --workers 1.`;
  expect([status, stderr]).toEqual([1, expect.stringContaining(told)]);
}, 60_000);

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

/** Runs a command with a disk of its own at `disk`, where this user may mount one. */
async function withDisk(size: string, use: (disk: string) => Promise<void>): Promise<void> {
  const disk = await mkdtemp(join(folder, "disk-"));
  if (!mounts("-t", "tmpfs", "-o", `size=${size}`, "tmpfs", disk)) return;
  try {
    await use(disk);
  } finally {
    Bun.spawnSync(["umount", "-l", disk]);
  }
}

function mounts(...words: string[]): boolean {
  return Bun.spawnSync(["mount", ...words], { stderr: "ignore" }).exitCode === 0;
}

async function serve(data: string): Promise<{ status: number; stderr: string }> {
  const cwd = await mkdtemp(join(folder, "without-a-file-"));
  return runCamino(["serve", "--port", "0", "--data", data], { cwd, env: { CAMINO_LOG: "silent" } });
}

const MAY_MOUNT = process.getuid?.() === 0;

test.skipIf(!MAY_MOUNT)(
  "a start on a full disk names the database and what to do",
  () =>
    withDisk("64k", async (disk) => {
      const { status, stderr } = await serve(disk);
      const told = `The database ${join(disk, "camino.db")} cannot be used: its disk is full. Make room, and start again.`;
      expect([status, stderr]).toEqual([1, expect.stringContaining(told)]);
    }),
  60_000,
);

test.skipIf(!MAY_MOUNT)(
  "a data directory on a read-only disk is told as that, whether it is there or not",
  () =>
    withDisk("1m", async (disk) => {
      await mkdir(join(disk, "data"));
      if (!mounts("-o", "remount,ro", disk)) return;
      for (const data of ["data", "new"]) {
        const { status, stderr } = await serve(join(disk, data));
        expect([status, stderr]).toEqual([1, expect.stringContaining("cannot be used: its disk is read-only.")]);
      }
    }),
  60_000,
);

test("a data directory that this user may not write is told as that", async () => {
  const data = await mkdtemp(join(folder, "denied-"));
  await chmod(data, 0o500);
  // Rights do not bind root, so that another user's hands are needed.
  const hands = process.getuid?.() === 0 ? ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"] : [];
  if (hands.length > 0 && Bun.which("setpriv") === null) return;
  await chmod(folder, 0o755);
  const words = [...hands, join(import.meta.dir, "../../../bin/camino"), "serve", "--port", "0", "--data", data];
  const child = Bun.spawn(words, {
    cwd: folder,
    stdout: "ignore",
    stderr: "pipe",
    env: { PATH: process.env.PATH ?? "" },
  });
  const stderr = await child.stderr.text();
  // A user who may not even read the project's files says nothing of the data directory.
  if (stderr.includes("cannot be used")) expect(stderr).toContain("this user may not read and write it");
  expect(await child.exited).not.toBe(0);
}, 60_000);

test("a reload of a wrong file says every problem, and that nothing has changed", async () => {
  await using gateway = await startGateway({ config: RIGHT });
  const file = join(gateway.data, "camino.yaml");
  await Bun.write(file, RIGHT.replace("input: 1", "input: much"));
  const reloaded = await runCamino(["reload", "--data", gateway.data], { cwd: folder });
  expect(reloaded.status).toBe(1);
  expect(reloaded.stderr).toMatch(/models\.acme\/one\.price\.input: found "?much"?; allowed/);
  expect(reloaded.stderr).toContain("Nothing has changed: the configuration that was in force stays.");
  const checked = await runCamino(["check", "--config", file], { cwd: folder });
  expect([checked.status, checked.stderr]).toEqual([1, expect.stringContaining("models.acme/one.price.input")]);
}, 60_000);

const RIGHT = `vendors: { acme: { protocol: messages, base_url: "http://127.0.0.1:1/v1" } }
models: { acme/one: { price: { input: 1, output: 2 } } }
`;
