import { afterAll, expect, test } from "bun:test";
import { copyFileSync, existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { newId } from "../../../src/core/ids.ts";
import { openStore } from "../../../src/store/open-store.ts";
import { runCamino } from "../../support/camino.ts";

const folder = await mkdtemp(join(tmpdir(), "camino-backup-"));
afterAll(() => rmSync(folder, { recursive: true }));

/** A process that does a gateway's bookkeeping as fast as it can, and what was acknowledged to it so far. */
class Writer {
  readonly settled: string[] = [];
  account_id = "";
  readonly #process: Bun.Subprocess<"ignore", "pipe", "inherit">;
  readonly #told: Promise<void>;

  constructor(path: string) {
    const program = join(import.meta.dir, "../../../src/store/suite/writing-process.ts");
    this.#process = Bun.spawn([process.execPath, program, `sqlite:${path}`], { stdout: "pipe", stderr: "inherit" });
    this.#told = this.#listen(this.#process.stdout);
  }

  async #listen(stdout: ReadableStream<Uint8Array>): Promise<void> {
    let rest = "";
    const decoder = new TextDecoder();
    for await (const chunk of stdout) {
      const lines = (rest + decoder.decode(chunk, { stream: true })).split("\n");
      rest = lines.pop() ?? "";
      for (const line of lines) {
        if (this.account_id === "") this.account_id = line;
        else this.settled.push(line);
      }
    }
  }

  async reaches(count: number): Promise<void> {
    while (this.settled.length < count) await Bun.sleep(10);
  }

  async kill(): Promise<void> {
    this.#process.kill("SIGKILL");
    await this.#process.exited;
    await this.#told;
  }
}

const camino = (...words: string[]) => runCamino(words, { cwd: folder });

test("a database that is written all the time is backed up and restored, and lacks nothing that was acknowledged before", async () => {
  const path = join(folder, "busy.db");
  const writer = new Writer(path);
  await writer.reaches(300);
  const before = [...writer.settled];
  const made = await camino("backup", "busy-backup.db", "--database", `sqlite:${path}`);
  const during = writer.settled.length - before.length;
  expect(made).toMatchObject({ status: 0 });
  expect(made.stderr).toContain("copying: 100 %\nverifying\n");
  expect(made.stdout).toContain("1 account, verified.");
  expect(made.stdout).toContain("without it no API key works after a restore");
  // It went on writing meanwhile.
  expect(during).toBeGreaterThan(10);
  const backup = join(folder, "busy-backup.db");
  expect(statSync(backup).mode & 0o777).toBe(0o600);
  expect(readdirSync(folder).filter((name) => name.startsWith("busy-backup.db"))).toEqual(["busy-backup.db"]);

  // In the place of the running gateway's database nothing is put.
  const refused = await camino("restore", "busy-backup.db", "--replace", "--database", `sqlite:${path}`);
  expect(refused.status).toBe(1);
  expect(refused.stderr).toContain("is in use by another gateway");
  await writer.kill();

  const restored = await camino("restore", "busy-backup.db", "--data", "other", "--json");
  expect(restored).toMatchObject({ status: 0 });
  expect(JSON.parse(restored.stdout)).toMatchObject({ accounts: 1, moved: [], problems: [] });
  await expectBooks(join(folder, "other", "camino.db"), writer.account_id, before);

  // Over the database that went on: its files are kept, and what was in its log does not come back.
  const plain = await camino("restore", "busy-backup.db", "--database", `sqlite:${path}`);
  expect(plain.status).toBe(1);
  expect(plain.stderr).toMatch(/There is a database already.*With --replace it is moved aside, and kept\./);
  expect(existsSync(`${path}-wal`)).toBe(true);
  const over = await camino("restore", "busy-backup.db", "--replace", "--database", `sqlite:${path}`);
  expect(over).toMatchObject({ status: 0 });
  const aside = readdirSync(folder).filter((name) => name.startsWith("busy.db.replaced-"));
  expect(aside.map((name) => name.replace(/^.*Z/, "")).toSorted()).toEqual(["", "-shm", "-wal", ".anchor"]);
  const charged = await expectBooks(path, writer.account_id, before);
  expect(charged).toBeLessThan(writer.settled.length);
}, 120_000);

/** Expects that a database's books are right and have these charges, each once. Returns how many charges there are. */
async function expectBooks(path: string, account_id: string, settled: readonly string[]): Promise<number> {
  const store = await openStore({ url: `sqlite:${path}`, node_id: newId("node") });
  const entries = await store.accounts.listEntries(account_id, 1_000_000);
  const charged = entries.filter(({ kind }) => kind === "charge").map(({ request_id }) => request_id ?? "");
  expect(new Set(charged).size).toBe(charged.length);
  expect(new Set(settled).difference(new Set(charged)).size).toBe(0);
  expect((await store.audit()).problems).toEqual([]);
  expect(Number((await store.accounts.findAccount(account_id))?.held_micro)).toBe(0);
  await store.close();
  return charged.length;
}

test("what would mix two histories is refused", async () => {
  const path = join(folder, "mixed.db");
  const store = await openStore({ url: `sqlite:${path}`, node_id: newId("node") });
  await store.accounts.createAccount({ id: newId("acct"), email: "a@example.com", name: "" });
  await store.close();
  expect(await camino("backup", "mixed-backup.db", "--database", `sqlite:${path}`)).toMatchObject({ status: 0 });
  expect((await camino("backup", "mixed-backup.db", "--database", `sqlite:${path}`)).stderr).toContain(
    "exists already",
  );
  const nowhere = await camino("backup", join("no-such-folder", "backup.db"), "--database", `sqlite:${path}`);
  expect(nowhere).toMatchObject({
    status: 1,
    stderr: expect.stringContaining("The folder no-such-folder is not there"),
  });

  // A log that another database left.
  writeFileSync(join(folder, "alone.db-wal"), "a log");
  const beside = await camino("restore", "mixed-backup.db", "--database", `sqlite:${join(folder, "alone.db")}`);
  expect(beside.stderr).toContain(`or a part of one: ${join(folder, "alone.db-wal")}`);
  expect(existsSync(join(folder, "alone.db"))).toBe(false);

  // A backup that is put in place by hand.
  copyFileSync(join(folder, "mixed-backup.db"), path);
  const opened = openStore({ url: `sqlite:${path}`, node_id: newId("node") });
  expect(String(await opened.catch(String))).toMatch(/It is a backup of .* put in place without `camino restore`/);

  // A backup with a log of its own, and one that is damaged.
  copyFileSync(join(folder, "mixed-backup.db"), join(folder, "unfinished.db"));
  writeFileSync(join(folder, "unfinished.db-wal"), "a log");
  const unfinished = await camino("restore", "unfinished.db", "--data", "third");
  expect(unfinished.stderr).toContain("is no finished backup");
  const bytes = readFileSync(join(folder, "mixed-backup.db"));
  bytes.fill(7, 8192, 40_960);
  writeFileSync(join(folder, "damaged.db"), bytes);
  const damaged = await camino("restore", "damaged.db", "--data", "third");
  expect(damaged.status).toBe(1);
  expect(damaged.stderr).toContain("is no sound database");
  expect(readdirSync(join(folder, "third")).filter((name) => !name.endsWith(".lock"))).toEqual([]);
}, 60_000);

test("for PostgreSQL both say what to use", async () => {
  for (const command of ["backup", "restore"]) {
    const { status, stderr } = await camino(command, "x.db", "--database", "postgres://localhost/x");
    expect(status).toBe(1);
    expect(stderr).toMatch(/For PostgreSQL, .*(pg_dump|pg_restore).*pg_basebackup/);
  }
}, 20_000);
