import { expect, test } from "bun:test";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { type Ran, runCamino } from "../../support/camino.ts";
import { startGateway } from "../../support/gateway.ts";
import { startScene } from "../failures/support/scene.ts";
import { chat } from "../failures/support/styles.ts";

/** What an operator does when commits are missing, command by command (docs/operations.md). */

test("a lost log: backup, a start that is refused, accept-loss, an incident that the audit tells until it is closed", async () => {
  await using scene = await startScene({ models: { "acme/echo": {} } });
  const { data } = scene.gateway;
  // In processes of their own: what a process has open of a database, it keeps when the files are removed.
  const camino = (...words: string[]): Promise<Ran> => runCamino(words, { cwd: data, env: { CAMINO_DATA: data } });
  const key = await scene.newKey();
  const call = async (): Promise<void> => void (await (await scene.call(chat, key, "acme/echo")).arrayBuffer());
  await call();
  expect(await camino("incident", "list")).toMatchObject({ status: 0, stdout: "No incident is open.\n" });
  expect(await camino("backup", "copy.db")).toMatchObject({ status: 0 });
  expect(await camino("accept-loss")).toMatchObject({ status: 1, stdout: "" });
  expect(await camino("restore", "copy.db", "--replace")).toMatchObject({ status: 1, stdout: "" });
  for (let made = 0; made < 20; made += 1) await call();

  await scene.gateway.stop("SIGKILL");
  for (const name of ["camino.db-wal", "camino.db-shm"]) await rm(join(data, name), { force: true });
  const refused = await startGateway({ data, config: await Bun.file(join(data, "camino.yaml")).text() }).then(
    () => "it started",
    (thrown: unknown) => (thrown instanceof Error ? thrown.message : ""),
  );
  expect(refused).toContain("camino accept-loss");

  const accepted = await camino("accept-loss", "--json");
  expect(accepted).toMatchObject({ status: 0 });
  expect((JSON.parse(accepted.stdout) as { accepted: string[] }).accepted).toHaveLength(1);
  expect(await camino("accept-loss")).toMatchObject({ status: 0, stdout: "Nothing is missing: the gateway starts.\n" });
  scene.gateway = await scene.gateway.restart();
  await call();

  const listed = await camino("incident", "list", "--json");
  expect(listed).toMatchObject({ status: 0, stderr: "" });
  const { incidents } = JSON.parse(listed.stdout) as { incidents: { id: number; kind: string }[] };
  expect(incidents).toHaveLength(1);
  const told = await camino("audit");
  expect(told.status).toBe(1);
  expect(told.stdout).toContain("incident");
  expect(await scene.gateway.admin("GET", "/health")).toMatchObject({ ledger: { open_incidents: 1 } });

  const id = String(incidents[0]?.id);
  expect((await camino("incident", "close", id)).stderr).toContain("--note");
  for (const wrong of ["999", "one"]) {
    const unknown = await camino("incident", "close", wrong, "--note", "none");
    expect(unknown).toMatchObject({ status: 1, stdout: "" });
    expect(unknown.stderr).toContain(`No incident ${wrong} is open.`);
  }
  const closed = await camino("incident", "close", id, "--note", "compared with the vendor's bill");
  expect(closed).toMatchObject({ status: 0, stdout: `Incident ${id} is closed.\n` });
  expect(await camino("incident", "list")).toMatchObject({ stdout: "No incident is open.\n" });
  expect(await camino("audit")).toMatchObject({ status: 0 });

  await scene.gateway.stop();
  const restored = await camino("restore", "copy.db", "--replace");
  expect(restored).toMatchObject({ status: 0 });
  expect(restored.stdout).toContain("What was there before is kept");
  scene.gateway = await scene.gateway.restart();
  await call();
  expect((await scene.entries(key)).filter(({ kind }) => kind === "charge")).toHaveLength(2);
  expect(await camino("audit")).toMatchObject({ status: 0 });
}, 120_000);

test.each([
  ["gone", async (_path: string) => {}],
  ["empty", async (path: string) => void (await Bun.write(path, ""))],
])(
  "a database that is %s beside its anchor is no new one: doctor and audit say what is missing",
  async (_how, make) => {
    await using scene = await startScene({ models: { "acme/echo": {} } });
    const { data } = scene.gateway;
    const camino = (...words: string[]): Promise<Ran> => runCamino(words, { cwd: data, env: { CAMINO_DATA: data } });
    await (await scene.call(chat, await scene.newKey(), "acme/echo")).arrayBuffer();
    await scene.gateway.stop("SIGKILL");
    for (const end of ["", "-wal", "-shm"]) await rm(join(data, `camino.db${end}`), { force: true });
    await make(join(data, "camino.db"));

    const MISSING = /camino\.db\.anchor says that its database has \d+ commits, and this one has none/;
    const doctor = await camino("doctor", "--json");
    const { checks } = JSON.parse(doctor.stdout) as { checks: { subject: string; outcome: string; detail: string }[] };
    expect([doctor.status, checks.find(({ subject }) => subject === "database")]).toEqual([
      1,
      { subject: "database", outcome: "failed", detail: expect.stringMatching(MISSING) },
    ]);
    const audit = await camino("audit");
    expect([audit.status, audit.stderr]).toEqual([1, expect.stringMatching(MISSING)]);
    expect(audit.stderr).toContain("camino accept-loss");
    expect(await camino("accept-loss")).toMatchObject({ status: 0, stdout: expect.stringMatching(MISSING) });
    scene.gateway = await scene.gateway.restart();
    await (await scene.call(chat, await scene.newKey(), "acme/echo")).arrayBuffer();
  },
);

test("a backup that was copied beside the log of the database it replaces is not opened, and nothing of either is lost", async () => {
  await using scene = await startScene({ models: { "acme/echo": {} } });
  const { data } = scene.gateway;
  const camino = (...words: string[]): Promise<Ran> => runCamino(words, { cwd: data, env: { CAMINO_DATA: data } });
  const key = await scene.newKey();
  expect(await camino("backup", "copy.db")).toMatchObject({ status: 0 });
  for (let made = 0; made < 20; made += 1) await (await scene.call(chat, key, "acme/echo")).arrayBuffer();
  await scene.gateway.stop("SIGKILL");
  expect(Bun.file(join(data, "camino.db-wal")).size).toBeGreaterThan(0);
  await Bun.write(join(data, "camino.db"), Bun.file(join(data, "copy.db")));
  const before = await Bun.file(join(data, "camino.db")).bytes();
  const config = await Bun.file(join(data, "camino.yaml")).text();
  const told = "is a backup that was copied in place beside";
  expect(await startGateway({ data, config }).then(() => "it started", String)).toContain(told);
  expect((await camino("doctor")).stdout).toContain(told);
  expect((await camino("accept-loss")).stderr).toContain(told);
  expect(await Bun.file(join(data, "camino.db")).bytes()).toEqual(before);

  for (const name of ["camino.db-wal", "camino.db-shm"]) await rm(join(data, name), { force: true });
  expect(await camino("restore", "copy.db", "--replace")).toMatchObject({ status: 0 });
  scene.gateway = await scene.gateway.restart();
  expect((await scene.call(chat, key, "acme/echo")).status).toBe(200);
}, 60_000);
