import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdir, rename } from "node:fs/promises";
import { join } from "node:path";
import { COMPILES_LESS, caminoCommand, LAUNCHER } from "../../proofs/support/camino-command.ts";
import { type Gateway, startGateway } from "../../proofs/support/gateway.ts";

/** The real command, in a process of its own, against a real gateway: once as its user starts it, then as all suites do. */

let gateway: Gateway;

beforeAll(async () => {
  gateway = await startGateway();
});

afterAll(async () => {
  await gateway[Symbol.asyncDispose]();
});

async function camino(
  command: string,
  env: Record<string, string> = { CAMINO_DATA: gateway.data },
  program = caminoCommand(),
) {
  const child = Bun.spawn([program, ...command.split(" ")], {
    cwd: gateway.data,
    env: { PATH: process.env.PATH ?? "", ...COMPILES_LESS, CAMINO_URL: gateway.url, ...env },
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
  });
  const [stdout, stderr, status] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited]);
  return { status, stdout, stderr };
}

describe("camino, as its user runs it", () => {
  test("makes an account and a key that the gateway takes, with the documented JSON", async () => {
    const account = await camino("account create a@example.com --credit 25 --json", undefined, LAUNCHER);
    expect(account).toMatchObject({ status: 0, stderr: "" });
    expect(JSON.parse(account.stdout)).toMatchObject({ email: "a@example.com", balance_micro: 25_000_000 });
    const key = await camino("key create --account a@example.com --alias fast=sim/echo --json");
    expect(key).toMatchObject({ status: 0, stderr: "" });
    const made = JSON.parse(key.stdout) as { key: string };
    expect(JSON.parse(key.stdout)).toMatchObject({
      id: expect.stringMatching(/^key_/),
      key: expect.stringMatching(/^cm-/),
      account: (JSON.parse(account.stdout) as { id: string }).id,
      aliases: [{ name: "fast", model: "sim/echo" }],
    });
    const credits = await fetch(`${gateway.url}/v1/credits`, { headers: { authorization: `Bearer ${made.key}` } });
    expect(await credits.json()).toEqual({ currency: "USD", balance_micro: 25_000_000, uncollected_micro: 0 });
  });

  test("shows the traffic of all accounts once the gateway has counted it", async () => {
    const account = await camino("account create traffic@example.com --credit 25 --json");
    const made = await camino(`key create --account ${(JSON.parse(account.stdout) as { id: string }).id} --json`);
    const { key } = JSON.parse(made.stdout) as { key: string };
    const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
    const body = JSON.stringify({ model: "sim/echo", messages: [{ role: "user", content: "hello" }] });
    const answer = await fetch(`${gateway.url}/v1/chat/completions`, { method: "POST", headers, body });
    expect(answer.status).toBe(200);
    const ask = "traffic --by account --account traffic@example.com --step hour --zone Asia/Tokyo";
    const counted = async (): Promise<number> => {
      const path = "/usage/traffic?by=account&account=traffic@example.com&step=hour&zone=Asia/Tokyo";
      return (await gateway.admin<{ total: { answered: number } }>("GET", path)).total.answered;
    };
    const give_up_ms = Date.now() + 30_000;
    while ((await counted()) === 0 && Date.now() < give_up_ms) await Bun.sleep(100);
    const { stdout, status } = await camino(ask);
    expect(status).toBe(0);
    expect(stdout).toMatch(/account +requests +answered +failed +left +refused +charge USD/);
    expect(stdout).toMatch(/traffic@example\.com +1 +1 +0 +0 +0 /);
    expect(stdout).toMatch(/\nFrom .* in Asia\/Tokyo\.\nUpdated /);
    expect(await camino("traffic --since 2026-02-30")).toMatchObject({ status: 1 });
  }, 60_000);

  test("changes a key's settings, and clears them", async () => {
    await camino("account create edit@example.com --credit 1 --json");
    const made = await camino("key create --account edit@example.com --alias fast=sim/echo --rpm 5 --json");
    const { id } = JSON.parse(made.stdout) as { id: string };
    const edited = await camino(`key edit ${id} --name CI --budget 10/day --models sim/* --clear rpm --json`);
    expect(edited).toMatchObject({ status: 0, stderr: "" });
    expect(JSON.parse(edited.stdout)).toMatchObject({
      name: "CI",
      budget: { amount_micro: 10_000_000, window: "day" },
      models: ["sim/*"],
      rpm: null,
      aliases: [{ name: "fast", model: "sim/echo" }],
    });
    const cleared = await camino(`key edit ${id} --clear name,alias,models,budget`);
    expect(cleared.stdout).toMatch(/\nname\n/);
    expect(cleared.stdout).toMatch(/aliases +none\n(?:.*\n)*.*models +all\n(?:.*\n)*.*budget +none\n/);
    const refused = await camino(`key edit ${id} --alias fast=no/model --json`);
    expect(refused).toMatchObject({ status: 1, stdout: expect.stringContaining("aliases[0]") });
  });

  test("finds the admin token in ./data on the gateway's own machine", async () => {
    const data = join(gateway.data, "data");
    await mkdir(data);
    await Bun.write(join(data, "admin-token"), await Bun.file(join(gateway.data, "admin-token")).text());
    expect(await camino("account list", {})).toMatchObject({ status: 0, stderr: "" });
    // The gateway wrote where it listens, so nobody has to say its port.
    await Bun.write(join(data, "address"), await Bun.file(join(gateway.data, "address")).text());
    expect(await camino("account list", { CAMINO_URL: "" })).toMatchObject({ status: 0, stderr: "" });
    await rename(data, join(gateway.data, "elsewhere"));
    expect(await camino("account list", {})).toMatchObject({ status: 1, stdout: "" });
  });

  test("sets a vendor's credential from a file, and removes it", async () => {
    await Bun.write(join(gateway.data, "key.txt"), "sk-secret-of-a-test-1234\n");
    const set = await camino("vendor set-credential openai key.txt");
    expect(set).toMatchObject({ status: 0, stderr: "" });
    expect(set.stdout).toBe("openai is enabled, with the credential of the console that ends in 1234.\n");
    const removed = await camino("vendor remove-credential openai");
    expect(removed.stdout).toBe("openai is not enabled, and has no credential.\n");
  });

  test("names the accounts of a usage report and of keys by their e-mails", async () => {
    const account = JSON.parse((await camino("account create named@example.com --credit 25 --json")).stdout) as {
      id: string;
    };
    const { key } = JSON.parse((await camino(`key create --account ${account.id} --json`)).stdout) as { key: string };
    const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
    const body = JSON.stringify({ model: "sim/echo", messages: [{ role: "user", content: "hello" }] });
    expect((await fetch(`${gateway.url}/v1/chat/completions`, { method: "POST", headers, body })).status).toBe(200);
    expect((await camino("usage --by account")).stdout).toMatch(/^named@example\.com +1 /m);
    expect((await camino("key list --account named@example.com")).stdout).toMatch(/^key_\w+ +named@example\.com /m);
  });

  test("ends with status 1 when the gateway refuses the call, and says why", async () => {
    const { status, stdout, stderr } = await camino("key create --account nobody@example.com --json");
    expect(status).toBe(1);
    expect(stderr).toBe("camino: There is no account 'nobody@example.com'.\n");
    expect(JSON.parse(stdout)).toMatchObject({ error: { code: "not_found" } });
  });

  test("ends with status 1 when the admin token is wrong, or no gateway answers", async () => {
    const wrong = await camino("account list", { CAMINO_ADMIN_TOKEN: "wrong" });
    expect(wrong).toMatchObject({ status: 1, stderr: expect.stringContaining("does not accept the admin token") });
    const away = await camino("account list --url http://127.0.0.1:1");
    expect(away).toMatchObject({
      status: 1,
      stderr: expect.stringContaining("No gateway answers at http://127.0.0.1:1."),
    });
  });

  test("ends with status 2 when its arguments are wrong", async () => {
    expect(await camino("account create a@example.com --credit much")).toMatchObject({ status: 2, stdout: "" });
  });

  test("check counts the models that models lists, and warns of none of the simulator's", async () => {
    const { stdout } = await camino("check");
    const listed = JSON.parse((await camino("models --json")).stdout) as { data: { kind: string }[] };
    for (const [kind, models] of Map.groupBy(listed.data, (model) => model.kind))
      expect(stdout).toMatch(new RegExp(`[ .]${models.length} ${kind} models?[,.]`));
    expect(stdout).not.toContain("Warning");
  });

  test("models has each price in its own unit, and no 0.00 for what is not free", async () => {
    const { stdout } = await camino("models");
    expect(stdout).toMatch(/^sim\/speak .* {2}15\.00 per M characters$/m);
    expect(stdout).toMatch(/^sim\/rank .* {2}2\.00 per thousand searches$/m);
    expect(stdout).not.toMatch(/^sim\/(speak|rank|draw) .* 0\.00 /m);
  });

  test("check and doctor need no token while the gateway runs", async () => {
    expect(await camino("check")).toMatchObject({ status: 0, stdout: expect.stringContaining("built-in simulator") });
    const doctor = await camino("doctor --json");
    expect(doctor).toMatchObject({ status: 0, stderr: "" });
    expect(JSON.parse(doctor.stdout)).toMatchObject({ healthy: true });
  });
});
