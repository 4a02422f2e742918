import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { runCamino } from "../../support/camino.ts";
import { startGateway } from "../../support/gateway.ts";

/** Secrets that a container's orchestrator puts into files: the gateway and every command find them there. */

const TOKEN = "an-admin-token-out-of-a-file";
const CREDENTIAL = "sk-a-credential-out-of-a-file";
let folder: string;
let env: Record<string, string>;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "camino-secret-files-"));
  const secrets = {
    CAMINO_SECRET: "a secret out of a file, of no value",
    CAMINO_ADMIN_TOKEN: TOKEN,
    CAMINO_OPERATIONS_TOKEN: "an-operations-token-out-of-a-file",
    CAMINO_DATABASE_URL: `sqlite:${join(folder, "elsewhere.db")}`,
    OPENAI_API_KEY: CREDENTIAL,
    ACME_API_KEY: CREDENTIAL,
  };
  env = {};
  for (const [name, value] of Object.entries(secrets)) {
    const path = join(folder, name.toLowerCase());
    await Bun.write(path, `${value}\n`);
    env[`${name}_FILE`] = path;
  }
});

afterAll(() => rm(folder, { recursive: true }));

const CONFIG = `
vendors:
  sim:
  acme: { protocol: chat-completions, base_url: "http://127.0.0.1:9/v1", api_key: "\${ACME_API_KEY}" }
models:
  acme/swift: { price: { input: 1, output: 2 } }
`;

describe.each([
  ["one process", "1"],
  ["two workers", "2"],
])("a gateway of %s whose secrets are in files", (_form, workers) => {
  test("uses all of them, and generates none", async () => {
    await using gateway = await startGateway({ config: CONFIG, env: { ...env, CAMINO_WORKERS: workers } });
    const { key } = await gateway.newKey();
    const answer = await fetch(`${gateway.url}/v1/chat/completions`, {
      method: "POST",
      headers: { authorization: `Bearer ${key}` },
      body: JSON.stringify({ model: "sim/echo", messages: [{ role: "user", content: "Hello!" }] }),
    });
    expect(answer.status).toBe(200);
    const { data } = await gateway.admin<{ data: { id: string; status: string }[] }>("GET", "/vendors");
    const enabled = data.filter(({ status }) => status === "enabled").map(({ id }) => id);
    expect(enabled).toEqual(expect.arrayContaining(["acme", "openai"]));
    const refused = await fetch(`${gateway.url}/metrics`);
    expect(refused.status).toBe(401);
    const generated = ["secret", "admin-token", "camino.db"].filter((name) => existsSync(join(gateway.data, name)));
    expect({ generated, database: existsSync(join(folder, "elsewhere.db")) }).toEqual({
      generated: [],
      database: true,
    });
    expect(gateway.log()).not.toContain(CREDENTIAL);
    // A process's environment is there for others to read (on Linux as a file); it has the paths only.
    const environment = existsSync("/proc") ? await readFile(`/proc/${gateway.pid}/environ`, "utf8") : "";
    expect(environment).not.toContain(TOKEN);

    const listed = await runCamino(["account", "list", "--json", "--url", gateway.url], { cwd: folder, env });
    expect({ status: listed.status, stderr: listed.stderr }).toEqual({ status: 0, stderr: "" });
  });
});

describe("commands", () => {
  test("find vendors' credentials in files, as `serve` does", async () => {
    const { status, stdout, stderr } = await runCamino(["check", "--json"], { cwd: folder, env });
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
    const { vendors, not_enabled } = JSON.parse(stdout);
    expect(vendors).toEqual([expect.objectContaining({ id: "openai", has_credential: true })]);
    expect(not_enabled.map(({ id }: { id: string }) => id)).not.toContain("openai");
    expect(stdout).not.toContain(CREDENTIAL);
  });

  test.each([
    ["check", "OPENAI_API_KEY_FILE"],
    ["doctor", "CAMINO_DATABASE_URL_FILE"],
    ["serve", "CAMINO_SECRET_FILE"],
    ["serve --workers 2", "OPENAI_API_KEY_FILE"],
    ["account list", "CAMINO_ADMIN_TOKEN_FILE"],
  ])("`%s` names variable and path where %s cannot be read", async (words, variable) => {
    const wrong = { ...env, CAMINO_PORT: "0", [variable]: join(folder, "missing") };
    const { status, stdout, stderr } = await runCamino(words.split(" "), { cwd: folder, env: wrong });
    expect(status).toBe(1);
    expect(stdout + stderr).toContain(`${variable}: the file ${join(folder, "missing")} cannot be read (ENOENT).`);
    expect(stdout + stderr).not.toContain("    at ");
  });

  test("that need no secret do not ask for one", async () => {
    const wrong = { CAMINO_SECRET_FILE: join(folder, "missing") };
    expect(await runCamino(["--version"], { cwd: folder, env: wrong })).toMatchObject({ status: 0, stderr: "" });
  });
});
