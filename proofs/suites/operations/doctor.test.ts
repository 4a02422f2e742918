import { describe, expect, test } from "bun:test";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Finding } from "../../../src/cli/shared/finding.ts";
import { caminoCommand } from "../../support/camino-command.ts";
import { startGateway } from "../../support/gateway.ts";

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
