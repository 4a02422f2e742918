import { printed } from "../release/run.ts";

const BARE = { PATH: process.env.PATH ?? "/usr/bin:/bin", HOME: process.env.HOME ?? "/" };
const CREDIT_MICRO = 25_000_000;

/** Serves in a folder, makes an account and a key by the installed command, and calls once: the seconds of all of it. Throws where the call was not billed. */
export async function firstCall(camino: string, folder: string): Promise<number> {
  const started = performance.now();
  const child = Bun.spawn(["sh", "-c", `exec ${camino} serve --json --port 0`], {
    ...{ cwd: folder, env: BARE, stdin: "ignore", stdout: "pipe", stderr: "ignore" },
  });
  try {
    const { value } = await child.stdout.getReader().read();
    const { url, pid } = JSON.parse(new TextDecoder().decode(value)) as { url: string; pid: number };
    if (!(pid > 0)) throw new Error("the gateway says no process");
    const ask = async (words: string) =>
      JSON.parse(await printed(["sh", "-c", `${camino} ${words} --json --url ${url}`], folder));
    await ask("account create you@example.com --credit 25");
    const { key } = await ask("key create --account you@example.com");
    const body = JSON.stringify({ model: "sim/echo", messages: [{ role: "user", content: "Hello!" }] });
    const headers = { authorization: `Bearer ${key}` };
    const answer = await fetch(`${url}/v1/chat/completions`, { method: "POST", headers, body });
    await answer.text();
    const { balance_micro } = await ask("account show you@example.com");
    if (answer.status !== 200 || balance_micro >= CREDIT_MICRO) throw new Error(`not billed: ${answer.status}`);
    return (performance.now() - started) / 1000;
  } finally {
    child.kill("SIGTERM");
    await child.exited;
  }
}
