import { expect, test } from "bun:test";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

const ROOT = join(import.meta.dir, "../../..");

test("npm start builds stale parts, then becomes the gateway: its arguments, its signals, its exit code", async () => {
  const data = await mkdtemp(join(tmpdir(), "camino-npm-"));
  const npm = Bun.spawn(["npm", "start", "--silent", "--", "--json", "--port", "0", "--data", data], {
    cwd: ROOT,
    env: { PATH: process.env.PATH ?? "", HOME: data },
    stdin: "ignore",
    stdout: "pipe",
    stderr: "ignore",
  });
  const reader = npm.stdout.getReader();
  let text = "";
  while (!text.endsWith("\n")) {
    const { done, value } = await reader.read();
    if (done) throw new Error(`npm ended with ${await npm.exited}: ${text}`);
    text += Buffer.from(value).toString();
  }
  const { url, pid } = JSON.parse(text) as { url: string; pid: number };
  const page = await fetch(`${url}/console/`);
  expect(page.status).toBe(200);
  expect(await page.text()).toContain('<div id="root">');
  // No shell is left between npm and the gateway.
  expect(await Bun.file(`/proc/${pid}/status`).text()).toMatch(new RegExp(`^PPid:\\s+${npm.pid}$`, "m"));
  process.kill(pid, "SIGTERM");
  expect(await npm.exited).toBe(0);
  await rm(data, { recursive: true });
});
