import { describe, expect, test } from "bun:test";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Finding } from "../../../src/cli/shared/finding.ts";
import { caminoCommand } from "../../support/camino-command.ts";
import { startGateway } from "../../support/gateway.ts";
import { HookServer } from "../../support/hook-server.ts";
import { OtlpReceiver } from "../../support/otlp-receiver.ts";

const SECRET = "s3cret-of-the-operator";

/** `camino doctor` looks at the gateway that the same variables start, as its operator runs both. */

async function doctor(env: Record<string, string>, words: readonly string[] = []) {
  const folder = await mkdtemp(join(tmpdir(), "camino-doctor-"));
  try {
    const child = Bun.spawn([caminoCommand(), "doctor", "--json", ...words], {
      cwd: folder,
      env: { PATH: process.env.PATH ?? "", ...env },
      stdout: "pipe",
      stderr: "pipe",
    });
    const { checks } = JSON.parse(await new Response(child.stdout).text()) as { checks: Finding[] };
    return (subject: string) => checks.find((check) => check.subject === subject);
  } finally {
    await rm(folder, { recursive: true });
  }
}

describe("camino doctor, with the variables of camino serve", () => {
  test("finds the gateway where they say that it listens, with its data and its file", async () => {
    await using gateway = await startGateway({ config: "vendors: { sim: {} }\ncurrency: EUR" });
    const { port } = new URL(gateway.url);
    const found = await doctor({
      ...{ CAMINO_HOST: "0.0.0.0", CAMINO_PORT: port, CAMINO_WORKERS: "2" },
      ...{ CAMINO_DATA: gateway.data, CAMINO_CONFIG: join(gateway.data, "camino.yaml") },
    });
    expect(found("gateway")).toMatchObject({ outcome: "ok", detail: `${gateway.url} takes requests.` });
    expect(found("settings")).toMatchObject({
      outcome: "ok",
      detail: `With these settings it listens at http://0.0.0.0:${port}, in 2 processes.`,
    });
    expect(found("configuration")?.detail).toContain("camino.yaml: 1 vendor");
    expect(found("database")).toMatchObject({ outcome: "ok" });
  }, 60_000);

  test("tries OpenTelemetry's collector and the hooks, and tells them nothing that happened", async () => {
    await using collector = new OtlpReceiver();
    await using hooks = new HookServer();
    const folder = await mkdtemp(join(tmpdir(), "camino-doctor-"));
    const file = join(folder, "camino.yaml");
    const examine = async (otlp: string, hook: string) => {
      const hooked = `before: { url: "${hook}/check?token=${SECRET}", headers: { authorization: "${SECRET}" }, deadline: 5s, on_failure: refuse }`;
      const told = `after: { url: "${hook}/seen" }`;
      const sent = `telemetry: { otlp: { endpoint: "${otlp}", headers: { x-key: "${SECRET}" }, logs: true } }`;
      await Bun.write(file, `vendors: { sim: {} }\n${sent}\nhooks: { ${hooked}, ${told} }\n`);
      const found = await doctor({ CAMINO_CONFIG: file, CAMINO_URL: "http://127.0.0.1:1" });
      const names = ["telemetry traces", "telemetry metrics", "telemetry logs", "hook before", "hook after"];
      const findings = names.map((name) => found(name));
      expect(JSON.stringify(findings)).not.toContain(SECRET);
      return findings.map((finding) => `${finding?.outcome}: ${finding?.detail}`);
    };
    expect(await examine(collector.url, hooks.url)).toEqual([
      `ok: ${collector.url}/v1/traces takes what it is sent.`,
      `ok: ${collector.url}/v1/metrics takes what it is sent.`,
      `ok: ${collector.url}/v1/logs takes what it is sent.`,
      `ok: ${hooks.url}/check answers allow to a request that nobody made.`,
      `ok: ${hooks.url}/seen can be reached. It was told nothing.`,
    ]);
    expect([collector.spans, collector.metrics, collector.logs]).toEqual([[], [], []]);
    expect(collector.headers.map((headers) => headers.get("x-key"))).toEqual([SECRET, SECRET, SECRET]);
    expect(hooks.calls.map(({ path, body }) => [path, body.request_id])).toEqual([["/check", "req_doctor"]]);
    collector.mood = "refuses";
    hooks.answer = () => Response.json({ action: "perhaps" });
    for (const said of (await examine(collector.url, hooks.url)).slice(0, 4)) expect(said).toStartWith("failed: ");
    for (const said of await examine("http://127.0.0.1:1", "http://127.0.0.1:1"))
      expect(said).toMatch(/^failed: .* cannot be reached/);
    await rm(folder, { recursive: true });
  }, 60_000);

  test.each([
    ["CAMINO_WORKERS", "many", "CAMINO_WORKERS is"],
    ["CAMINO_OPERATIONS_PORT", "high", "CAMINO_OPERATIONS_PORT is"],
    ["CAMINO_OPERATIONS_HOST", "127.0.0.1", "no port of their own"],
    ["CAMINO_ADMIN_TOKEN", "short", "CAMINO_ADMIN_TOKEN"],
  ])(
    "says what serve would say of %s=%s",
    async (name, value, said) => {
      const found = await doctor({ [name]: value, CAMINO_URL: "http://127.0.0.1:1" });
      expect(found("settings")).toMatchObject({ outcome: "failed", detail: expect.stringContaining(said) });
      const child = Bun.spawn([caminoCommand(), "serve", "--port", "0"], {
        cwd: tmpdir(),
        env: {
          PATH: process.env.PATH ?? "",
          [name]: value,
          CAMINO_DATA: await mkdtemp(join(tmpdir(), "camino-doctor-")),
        },
        stdout: "pipe",
        stderr: "pipe",
      });
      expect(await child.exited).not.toBe(0);
      expect(await new Response(child.stderr).text()).toContain(said);
    },
    60_000,
  );
});
