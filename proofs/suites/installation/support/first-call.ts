import { expect, test } from "bun:test";
import { mkdir, realpath } from "node:fs/promises";
import { join } from "node:path";
import { ROOT, runToEnd } from "./npm.ts";

/** A gateway that was installed in some way, as its process. */
export interface Installed extends AsyncDisposable {
  readonly url: string;
  /** The process that says it serves, and the one that was started. */
  readonly pid: number;
  readonly started_pid: number;
  /** Ends it in good order and resolves with its status. */
  stop(): Promise<number | null>;
  readonly log: () => string;
}

/** The environment of a machine that has nothing but a shell: neither Node.js nor Bun is in the path. */
export const BARE = { PATH: "/usr/bin:/bin" };

/** Starts an installed command's `serve` in a folder of its own, with the built-in simulator. */
export async function serveInstalled(
  camino: readonly string[],
  folder: string,
  { env = BARE, words = [] }: { readonly env?: Record<string, string>; readonly words?: readonly string[] } = {},
): Promise<Installed> {
  await mkdir(folder, { recursive: true });
  const command = [...camino, "serve", "--json", "--port", "0", ...words];
  const child = Bun.spawn(command, { cwd: folder, env, stdin: "ignore", stdout: "pipe", stderr: "pipe" });
  let log = "";
  const logged = (async () => {
    for await (const piece of child.stderr.pipeThrough(new TextDecoderStream())) log += piece;
  })();
  let printed = "";
  const reader = child.stdout.pipeThrough(new TextDecoderStream()).getReader();
  while (!printed.endsWith("\n")) {
    const { done, value } = await reader.read();
    if (done) {
      await logged;
      throw new Error(`${command.join(" ")} ended with ${await child.exited} before it served:\n${printed}${log}`);
    }
    printed += value;
  }
  const { url, pid } = JSON.parse(printed) as { url: string; pid: number };
  const stop = async (): Promise<number | null> => {
    if (child.exitCode === null && child.signalCode === null) child.kill("SIGTERM");
    await child.exited;
    return child.exitCode;
  };
  return {
    url,
    pid,
    started_pid: child.pid,
    stop,
    log: () => log,
    [Symbol.asyncDispose]: async () => void (await stop()),
  };
}

/**
 * What an installation is for: an account and a key are made by its commands, a call is answered and billed, and the console, the
 * reference and the calls that need threads and files of their own work.
 */
export async function expectToBill(camino: readonly string[], gateway: Installed, folder: string): Promise<void> {
  const run = async <Printed>(...words: string[]): Promise<Printed> =>
    JSON.parse(await runToEnd([...camino, ...words, "--json", "--url", gateway.url], folder, BARE)) as Printed;
  // What it prints to be pasted is this very program, and no name that a shell or npm would look for elsewhere.
  const words = await runToEnd([...camino, "management-key", "list", "--url", gateway.url], folder, BARE);
  const [, named = ""] = /Make one with: (\S+) management-key create/.exec(words) ?? [];
  expect({ words, is: await realpath(named).catch(() => named) }).toEqual({
    words,
    is: await realpath(camino[0] ?? ""),
  });
  await run("account", "create", "ann@example.com", "--credit", "25");
  const { key } = await run<{ key: string }>("key", "create", "--account", "ann@example.com");
  const call = async (path: string, body: object): Promise<unknown> => {
    const headers = { authorization: `Bearer ${key}`, "anthropic-version": "2023-06-01" };
    const answer = await fetch(gateway.url + path, { method: "POST", headers, body: JSON.stringify(body) });
    expect({ path, status: answer.status }).toEqual({ path, status: 200 });
    return await answer.json();
  };
  const messages = (content: string) => [{ role: "user", content }];
  await call("/v1/chat/completions", { model: "sim/echo", messages: messages("Hello!") });
  const { balance_micro } = await run<{ balance_micro: number }>("account", "show", "ann@example.com");
  expect(balance_micro).toBeLessThan(25_000_000);
  expect(balance_micro).toBeGreaterThan(24_000_000);
  // The tokenizer's thread counts what no vendor reports, and a large body is read in a thread for such.
  const counted = await call("/v1/chat/completions", { model: "sim/no-usage", messages: messages("Hello!") });
  expect(counted).toMatchObject({ usage: { prompt_tokens: expect.any(Number) } });
  await call("/v1/messages", { model: "sim/echo", max_tokens: 50, messages: messages("x".repeat(600_000)) });
  for (const path of ["/console/", "/docs", "/docs/guide/", "/openapi.json", "/readyz"]) {
    const page = await fetch(gateway.url + path);
    expect({ path, status: page.status }).toEqual({ path, status: 200 });
    expect((await page.text()).length).toBeGreaterThan(10);
  }
  expect(gateway.log()).not.toContain('"level":"error"');
}

/** The tests that every installed form has to pass: its command says its version, and serves and bills. `installed` is asked when they run. */
export function testInstalled(installed: () => { readonly camino: string; readonly folder: string }): void {
  test("the command says its version", async () => {
    const { camino, folder } = installed();
    const { version } = await Bun.file(join(ROOT, "package.json")).json();
    expect(await runToEnd([camino, "--version"], folder, BARE)).toBe(`${version}\n`);
  });

  test.each([
    ["one process", []],
    ["two workers", ["--workers", "2"]],
  ])("a gateway of %s serves, bills, and ends in good order", async (_form, words) => {
    const { camino, folder } = installed();
    const home = join(folder, `home-${words.length}`);
    await using gateway = await serveInstalled([camino], home, { words });
    await expectToBill([camino], gateway, home);
    expect(await gateway.stop()).toBe(0);
  });
}
