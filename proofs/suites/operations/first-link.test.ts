import { afterEach, expect, test } from "bun:test";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { COMPILES_LESS, caminoCommand, LAUNCHER } from "../../support/camino-command.ts";
import { ConsoleBrowser } from "../../support/console-browser.ts";
import { invite } from "../../support/people.ts";

/**
 * The first administrator's link is for the person at the terminal. What a service prints is kept in a journal that others
 * read: it says how to get the link.
 */

const folders: string[] = [];
const children: Bun.Subprocess[] = [];

afterEach(async () => {
  for (const child of children.splice(0)) {
    child.kill("SIGTERM");
    await child.exited;
  }
  for (const folder of folders.splice(0)) await rm(folder, { recursive: true, force: true });
});

interface Start {
  readonly env?: Record<string, string>;
  readonly words?: readonly string[];
  readonly on_terminal?: boolean;
  /** Default: the executable file where there is one. */
  readonly camino?: string;
}

/** Starts the gateway in an empty folder: what it has printed, on both streams, when it listens. */
async function start({
  env = {},
  words = [],
  on_terminal = false,
  camino = caminoCommand(),
}: Start): Promise<{ folder: string; printed: string }> {
  const folder = await mkdtemp(join(tmpdir(), "camino-link-"));
  folders.push(folder);
  let printed = "";
  const command = [camino, "serve", "--port", "0", ...words];
  const options = { cwd: folder, env: { PATH: process.env.PATH ?? "", ...COMPILES_LESS, TERM: "xterm", ...env } };
  const decoder = new TextDecoder();
  if (on_terminal) {
    const data = (_terminal: unknown, bytes: Uint8Array): void => {
      printed += decoder.decode(bytes, { stream: true });
    };
    children.push(Bun.spawn(command, { ...options, terminal: { cols: 300, rows: 50, data } }));
  } else {
    const child = Bun.spawn(command, { ...options, stdin: "ignore", stdout: "pipe", stderr: "pipe" });
    children.push(child);
    for (const stream of [child.stdout, child.stderr]) {
      void (async () => {
        for await (const bytes of stream) printed += Buffer.from(bytes).toString();
      })();
    }
  }
  while (!/listening/.test(printed) || !/(console\/|#token)/.test(printed)) {
    if (children.at(-1)?.exitCode !== null) throw new Error(`the gateway ended: ${printed}`);
    await Bun.sleep(20);
  }
  return { folder, printed };
}

const urlIn = (printed: string): string => /http:\/\/127\.0\.0\.1:\d+/.exec(printed)?.[0] ?? "";

const HIDDEN: [what: string, start: Start][] = [
  ["a service of systemd", { env: { INVOCATION_ID: "0123456789abcdef", JOURNAL_STREAM: "8:1234" }, camino: LAUNCHER }],
  ["a service of systemd that writes JSON", { env: { INVOCATION_ID: "0123456789abcdef" }, words: ["--json"] }],
  ["a gateway with a vendor, whose output goes elsewhere", { env: { OPENAI_API_KEY: "sk-none" } }],
  ["a gateway that listens to the network, whose output goes elsewhere", { words: ["--host", "0.0.0.0"] }],
];
test.each(HIDDEN)("%s prints no link, and says which command does", async (_what, how) => {
  const { printed, folder } = await start(how);
  expect(printed).not.toContain("#token=");
  const [, command = ""] = /([^\s"]+) sign-in-link/.exec(printed) ?? [];
  const url = `http://127.0.0.1:${/http:\/\/[\d.]+:(\d+)/.exec(printed)?.[1]}`;
  // The command as it was printed, in the folder where the gateway was started.
  const child = Bun.spawn(["sh", "-euc", `${command} sign-in-link --json`], {
    ...{ cwd: folder, env: { PATH: process.env.PATH ?? "", CAMINO_URL: url } },
    ...{ stdin: "ignore", stdout: "pipe", stderr: "pipe" },
  });
  const [stdout, stderr, status] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited]);
  expect({ command, status, stderr }).toEqual({ command: how.camino ?? caminoCommand(), status: 0, stderr: "" });
  const { link } = JSON.parse(stdout) as { link: string };
  expect((await new ConsoleBrowser(url).signInByLink(link)).user.role).toBe("administrator");
});

test("on a terminal the link is printed, and signs in; with an administrator nothing is", async () => {
  const { printed, folder } = await start({ on_terminal: true, env: { OPENAI_API_KEY: "sk-none" }, camino: LAUNCHER });
  const link = /http:\S+#token=\w+/.exec(printed)?.[0] ?? "";
  const url = urlIn(printed);
  // By a name: browsers make no passkeys at a number.
  expect(link).toStartWith(`http://localhost:${new URL(url).port}/console/`);
  expect((await new ConsoleBrowser(url).signInByLink(link)).user.role).toBe("administrator");
  const token = (await Bun.file(join(folder, "data/admin-token")).text()).trim();
  const admin = async <Body>(method: string, path: string, body?: unknown): Promise<Body> => {
    const headers = { authorization: `Bearer ${token}` };
    const answer = await fetch(`${url}/console/api${path}`, { method, headers, body: JSON.stringify(body) });
    return (await answer.json()) as Body;
  };
  await invite({ url, admin }, { role: "administrator" });
  const [first] = children.splice(0);
  first?.kill("SIGTERM");
  await first?.exited;
  const again = await start({ words: ["--data", join(folder, "data")], env: { INVOCATION_ID: "0123" } });
  expect(again.printed).not.toMatch(/#token=|sign-in-link/);
});
