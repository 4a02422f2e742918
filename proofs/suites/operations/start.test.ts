import { afterEach, describe, expect, test } from "bun:test";
import { mkdtemp, readdir, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { eventsOf } from "../../support/calls.ts";
import { runCamino } from "../../support/camino.ts";
import { COMPILES_LESS, caminoCommand, LAUNCHER } from "../../support/camino-command.ts";
import { ConsoleBrowser, tokenOf } from "../../support/console-browser.ts";
import { runCurl } from "../../support/curl.ts";

/** `camino serve` as a newcomer starts it: in an empty directory, again, twice at once, and wrongly. */

interface Started extends AsyncDisposable {
  readonly url: string;
  /** The text that it has printed for the user. */
  readonly banner: string;
  readonly pid: number;
  stop(): Promise<number>;
}

/** A proxy at which nobody listens. */
const NOWHERE = "http://127.0.0.1:9";

const folders: string[] = [];

afterEach(async () => {
  for (const folder of folders.splice(0)) await rm(folder, { recursive: true, force: true });
});

async function emptyFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "camino-start-"));
  folders.push(folder);
  return folder;
}

/** Starts it with only a free port configured. `LAUNCHER` is the command of `npm start`, which takes thrice the executable's processor time. */
async function start(cwd: string, env: Record<string, string> = {}, command = caminoCommand()): Promise<Started> {
  const child = Bun.spawn([command, "serve"], {
    cwd,
    env: { PATH: process.env.PATH ?? "", ...COMPILES_LESS, CAMINO_PORT: "0", ...env },
    stdin: "ignore",
    stdout: "ignore",
    stderr: "pipe",
  });
  let banner = "";
  const reader = child.stderr.getReader();
  // The last line says how to go on.
  while (!/\n.*(start again|--account you@example\.com)\n$/.test(banner)) {
    const { done, value } = await reader.read();
    banner += Buffer.from(value ?? []).toString();
    if (done) throw new Error(`the gateway ended with ${await child.exited}: ${banner}`);
  }
  const stop = async () => {
    child.kill("SIGTERM");
    return await child.exited;
  };
  return {
    url: /listens on (\S+)/.exec(banner)?.[1] ?? "",
    banner,
    pid: child.pid,
    stop,
    [Symbol.asyncDispose]: async () => {
      await stop();
    },
  };
}

const demoKeyOf = ({ banner }: Started) => /Demo key +(\S+)/.exec(banner)?.[1] ?? "";

describe("the first start, with nothing configured", () => {
  test("prints an address, a key and a call that streams when it is pasted", async () => {
    await using gateway = await start(await emptyFolder(), {}, LAUNCHER);
    expect(gateway.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    expect(demoKeyOf(gateway)).toMatch(/^cm-\w{54}$/);
    const command = gateway.banner.split("\n").find((line) => line.trim().startsWith("curl ")) ?? "";
    const response = await runCurl(command.trim());
    expect(response.status).toBe(200);
    expect(response.headers.get("content-type")).toBe("text/event-stream");
    const text = await response.text();
    expect(text).toEndWith("data: [DONE]\n\n");
    const said = eventsOf(text).flatMap(({ data }) => data.choices as { delta: { content?: string } }[]);
    expect(said.map(({ delta }) => delta.content ?? "").join("")).toBe("Simulated answer: Hello, Camino!");
  });

  test.each([
    { HTTP_PROXY: NOWHERE },
    { ALL_PROXY: NOWHERE, no_proxy: "intranet.example" },
    { http_proxy: NOWHERE, NO_PROXY: "intranet.example" },
  ])("asks the built-in simulator past a company's proxy, %j", async (env) => {
    await using gateway = await start(await emptyFolder(), env as Record<string, string>);
    const call = /curl .*/.exec(gateway.banner)?.[0] ?? "";
    expect((await runCurl(call)).status).toBe(200);
  });

  test("prints the console's address, and a link that signs the first administrator in once", async () => {
    const folder = await emptyFolder();
    await using gateway = await start(folder);
    const by_name = gateway.url.replace("127.0.0.1", "localhost");
    expect(gateway.banner).toContain(`  Console            ${by_name}/console/\n`);
    const link = /Sign in to it +(\S+)/.exec(gateway.banner)?.[1] ?? "";
    const browser = new ConsoleBrowser(gateway.url);
    expect((await browser.signInByLink(link)).user.role).toBe("administrator");
    const accounts = await browser.call<{ data: { email: string }[] }>("GET /accounts");
    expect(accounts.body.data.map(({ email }) => email)).toEqual(["demo@camino.local"]);
    const token = tokenOf(link);
    expect((await browser.call("POST /session/link", { token })).status).toBe(410);
    // The link is not needed once there is a password.
    await browser.call("PATCH /me", { email: "boss@example.com", password: "correct horse battery" });
    await gateway.stop();
    await using second = await start(folder);
    expect(second.banner).toContain("/console/\n");
    expect(second.banner).not.toContain("#token=");
  });

  test("has the reference at the address that it prints", async () => {
    await using gateway = await start(await emptyFolder());
    const address = /API reference +(\S+)/.exec(gateway.banner)?.[1] ?? "";
    const response = await fetch(address);
    expect(response.status).toBe(200);
    expect(response.headers.get("content-type")).toStartWith("text/html");
    await response.body?.cancel();
  });

  test("keeps everything under ./data, secrets for its owner's eyes only", async () => {
    const folder = await emptyFolder();
    await using gateway = await start(folder);
    expect(await readdir(folder)).toEqual(["data"]);
    expect((await stat(join(folder, "data"))).mode & 0o777).toBe(0o700);
    for (const secret of ["secret", "admin-token", "demo-key"])
      expect((await stat(join(folder, "data", secret))).mode & 0o777).toBe(0o600);
    expect(gateway.banner).toContain(join("data", "camino.db"));
  });

  test("is the process that was started, so that its signals and its exit code are its own", async () => {
    const gateway = await start(await emptyFolder(), {}, LAUNCHER);
    const command_line = await Bun.file(`/proc/${gateway.pid}/cmdline`).text();
    expect(command_line).toContain("src/main.ts");
    expect(await gateway.stop()).toBe(0);
  });
});

describe("the second start", () => {
  test("goes on with the first start's key and books", async () => {
    const folder = await emptyFolder();
    const first = await start(folder);
    const key = demoKeyOf(first);
    const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
    const body = JSON.stringify({ model: "sim/echo", input: "Hello!" });
    const answer = await fetch(`${first.url}/v1/responses`, { method: "POST", headers, body });
    const id = answer.headers.get("x-request-id");
    await answer.text();
    const credits = await (await fetch(`${first.url}/v1/credits`, { headers })).json();
    expect(await first.stop()).toBe(0);

    await using second = await start(folder);
    expect(demoKeyOf(second)).toBe(key);
    expect(await (await fetch(`${second.url}/v1/credits`, { headers })).json()).toEqual(credits);
    const receipt = await (await fetch(`${second.url}/v1/requests/${id}`, { headers })).json();
    expect(receipt).toMatchObject({ id, status: "settled", charge_micro: 2 * 1 + 6 * 4 });
    const accounts = await runCamino(["account", "list", "--json"], { cwd: folder, env: { CAMINO_URL: second.url } });
    expect(JSON.parse(accounts.stdout)).toMatchObject({ data: [{ email: "demo@camino.local" }] });
  });

  test("with a vendor's credential lists that vendor's models alone, and the demo key goes on with simulated ones", async () => {
    const folder = await emptyFolder();
    const first = await start(folder);
    const key = demoKeyOf(first);
    await first.stop();
    await using second = await start(folder, { OPENAI_API_KEY: "sk-none" });
    expect(second.banner).toContain("OpenAI");
    expect(second.banner).not.toContain("cm-");
    const made = await runCamino(["key", "create", "--account", "demo@camino.local", "--json"], {
      cwd: folder,
      env: { CAMINO_URL: second.url },
    });
    const own = (JSON.parse(made.stdout) as { key: string }).key;
    const idsOf = async (credential: string) => {
      const response = await fetch(`${second.url}/v1/models`, { headers: { authorization: `Bearer ${credential}` } });
      return ((await response.json()) as { data: { id: string }[] }).data.map(({ id }) => id);
    };
    const ids = await idsOf(own);
    expect(ids.length).toBeGreaterThan(5);
    expect(ids.filter((id) => !id.startsWith("openai/"))).toEqual([]);
    // The demo key is for simulated models, which no list shows any more.
    expect(await idsOf(key)).toEqual([]);
    expect(second.banner).toContain("The demo key of the first run still answers");
    const ask = async (credential: string, model: string) => {
      const headers = { authorization: `Bearer ${credential}`, "content-type": "application/json" };
      const body = JSON.stringify({ model, messages: [{ role: "user", content: "Hello again!" }] });
      const response = await fetch(`${second.url}/v1/chat/completions`, { method: "POST", headers, body });
      return { status: response.status, text: await response.text() };
    };
    expect(await ask(key, "sim/echo")).toMatchObject({ status: 200, text: expect.stringContaining("Hello again!") });
    expect(await ask(own, "sim/echo")).toMatchObject({ status: 404 });
    const refused = await ask(key, ids[0] ?? "");
    expect(refused.status).toBe(404);
    expect(refused.text).toContain(
      "This key is for simulated models (sim/…) only: create another key for other models.",
    );
  });
});

describe("an impossible start", () => {
  const serve = (folder: string, words: readonly string[] = [], env: Record<string, string> = {}) =>
    runCamino(["serve", ...words], { cwd: folder, env: { CAMINO_PORT: "0", ...env } });

  test("on a database that another gateway owns ends with 1 at once, and says so", async () => {
    const folder = await emptyFolder();
    await using _first = await start(folder);
    const { status, stdout, stderr } = await serve(folder);
    expect({ status, stdout }).toEqual({ status: 1, stdout: "" });
    expect(stderr).toMatch(/^camino: The database data\/camino\.db is in use by another gateway\./);
  });

  test("on a port that is taken ends with 1, and says which", async () => {
    await using first = await start(await emptyFolder());
    const port = new URL(first.url).port;
    const { status, stderr } = await serve(await emptyFolder(), ["--port", port]);
    expect(status).toBe(1);
    expect(stderr).toContain(port);
    expect(stderr).toStartWith("camino: ");
  });

  test("with a mistaken configuration ends with 1 and names every mistake, with line, path and what is allowed", async () => {
    const folder = await emptyFolder();
    const config = [
      "vendors:",
      "  acme: { protocol: telegraph, base_url: http://127.0.0.1:1/v1 }",
      "models:",
      "  acme/one: { price: { input: much } }",
      "",
    ];
    await writeFile(join(folder, "camino.yaml"), config.join("\n"));
    const { status, stderr } = await serve(folder);
    expect(status).toBe(1);
    expect(stderr).toMatch(/camino\.yaml:2: vendors\.acme\.protocol: found "telegraph"; allowed: /);
    expect(stderr).toMatch(/camino\.yaml:4: models\.acme\/one\.price\.input: found "much"; allowed: /);
    expect(stderr).not.toMatch(/\n\s+at /);
    const machine = await serve(folder, ["--json"]);
    expect(machine.status).toBe(1);
    expect(JSON.parse(machine.stdout)).toMatchObject({ error: { message: expect.stringContaining("telegraph") } });
  });

  test.each([
    ["a configuration file that is not there", ["--config", "none.yaml"], {}, /none\.yaml/],
    ["a log level that there is not", [], { CAMINO_LOG: "loud" }, /CAMINO_LOG is "loud"; allowed: /],
    ["a database of no known kind", ["--database", "mysql://x"], {}, /sqlite|postgres/],
  ] as const)("with %s ends with 1 and one sentence", async (_what, words, env, sentence) => {
    const { status, stdout, stderr } = await serve(await emptyFolder(), words, env);
    expect({ status, stdout }).toEqual({ status: 1, stdout: "" });
    expect(stderr).toMatch(sentence);
    expect(stderr.trimEnd().split("\n")).toHaveLength(1);
  });
});
