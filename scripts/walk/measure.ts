/**
 * Counts the files of `src` that one warm relayed call passes on the serving thread (docs/architecture.md), and lists them in
 * the order in which they are entered:
 *
 *   bin/camino-bun scripts/walk/measure.ts
 *
 * A gateway runs in a process of its own with a database in a file, a vendor of chat completions answers at once, and the call
 * is a chat completion that is not streamed. A file counts when a function in it runs in each of several calls: so what timers
 * do in between does not count, and neither does what runs once when a module is loaded.
 */
import { existsSync } from "node:fs";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

const ROOT = join(import.meta.dir, "../..");
const ADMIN_TOKEN = "a-token-for-the-walk-0123456789abcdef";
const WARM_UP_CALLS = 20;
const MEASURED_CALLS = 8;
/** Longer than the last steps of a call take, which follow its answer. */
const SETTLED_MS = 300;
const START_MS = 60_000;

const ANSWER = {
  ...{ id: "chatcmpl-1", object: "chat.completion", created: 1, model: "upstream" },
  choices: [{ index: 0, message: { role: "assistant", content: "Hello" }, finish_reason: "stop" }],
  usage: { prompt_tokens: 9, completion_tokens: 2, total_tokens: 11 },
};
const ASK = { model: "acme/model", messages: [{ role: "user", content: "Say hello" }], max_tokens: 20 };

const folder = await mkdtemp(join(tmpdir(), "camino-walk-"));
const vendor = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => Response.json(ANSWER) });
const port = await freePort();
const base = `http://127.0.0.1:${port}`;
const walk_file = join(folder, "walk.txt");
await writeFile(join(folder, "camino.yaml"), configuration(vendor.url.href));
const gateway = startGateway();
try {
  await waitFor("the gateway to be ready", async () => (await fetch(`${base}/readyz`)).ok);
  const key = await makeKey();
  for (let call = 0; call < WARM_UP_CALLS; call += 1) await ask(key);
  await Bun.sleep(SETTLED_MS);
  let walk: readonly string[] | null = null;
  for (let call = 0; call < MEASURED_CALLS; call += 1) {
    await readWalk();
    await ask(key);
    await Bun.sleep(SETTLED_MS);
    const files: readonly string[] = await readWalk();
    walk = walk === null ? files : walk.filter((file) => files.includes(file));
  }
  for (const file of walk ?? []) console.log(file);
  console.log(`${walk?.length ?? 0} files`);
} finally {
  gateway.kill();
  await gateway.exited;
  await vendor.stop(true);
  await rm(folder, { recursive: true, force: true });
}

function configuration(vendor_url: string): string {
  return JSON.stringify({
    ...{ currency: "USD", catalog: "none" },
    vendors: { acme: { name: "Acme", protocol: "chat-completions", base_url: `${vendor_url}v1`, api_key: "secret" } },
    models: { "acme/model": { price: { input: 1, output: 4 }, capabilities: { thinking: false } } },
  });
}

function startGateway() {
  const preload = join(import.meta.dir, "record.ts");
  const options = ["--config", join(folder, "camino.yaml"), "--data", join(folder, "data"), "--port", String(port)];
  return Bun.spawn(
    [join(ROOT, "bin/camino-bun"), "--preload", preload, "src/main.ts", "serve", ...options, "--host", "127.0.0.1"],
    {
      cwd: ROOT,
      env: { ...process.env, CAMINO_ADMIN_TOKEN: ADMIN_TOKEN, WALK_FILE: walk_file },
      stdout: "ignore",
      stderr: "inherit",
    },
  );
}

async function ask(key: string): Promise<void> {
  const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
  const answer = await fetch(`${base}/v1/chat/completions`, { method: "POST", headers, body: JSON.stringify(ASK) });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`the gateway answered ${answer.status}: ${text}`);
}

/** The files that were entered since this was last called. */
async function readWalk(): Promise<string[]> {
  await rm(walk_file, { force: true });
  gateway.kill("SIGUSR2");
  await waitFor("the walk to be written", async () => existsSync(walk_file));
  return (await readFile(walk_file, "utf8")).split("\n").filter((line) => line !== "");
}

async function makeKey(): Promise<string> {
  const { id } = await administer<{ id: string }>("accounts", { email: "a@example.com", credit: "100" });
  const made = await administer<{ key: string }>("keys", { account: id, name: "walk" });
  return made.key;
}

async function administer<Answer>(path: string, body: object): Promise<Answer> {
  const headers = { authorization: `Bearer ${ADMIN_TOKEN}`, "content-type": "application/json" };
  const answer = await fetch(`${base}/console/api/${path}`, { method: "POST", headers, body: JSON.stringify(body) });
  if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
  return (await answer.json()) as Answer;
}

async function waitFor(what: string, isSo: () => Promise<boolean>): Promise<void> {
  const until_ms = performance.now() + START_MS;
  while (!(await isSo().catch(() => false))) {
    if (performance.now() > until_ms) throw new Error(`waited ${START_MS} ms for ${what}`);
    await Bun.sleep(20);
  }
}

function freePort(): Promise<number> {
  const { promise, resolve } = Promise.withResolvers<number>();
  const server = createServer().listen(0, "127.0.0.1", () => {
    const address = server.address();
    server.close(() => resolve(typeof address === "object" && address !== null ? address.port : 0));
  });
  return promise;
}
