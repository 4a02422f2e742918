import { expect, test } from "bun:test";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { caminoCommand } from "../../support/camino-command.ts";

/** A gateway of several workers that is told to end while not all of them have started. */

const PATIENCE_MS = 60_000;

async function serves(url: string): Promise<boolean> {
  try {
    return (await fetch(`${url}/readyz`)).ok;
  } catch {
    return false;
  }
}

/** From the moment at which the first worker serves: before its supervisor knows, while the second begins, while it reads what it is for, and when all serve. */
test.each([0, 20, 100, 400, 1500])(
  "told %i ms after the first worker serves, it ends with 0",
  async (after_ms) => {
    const data = await mkdtemp(join(tmpdir(), "camino-starting-"));
    const listener = Bun.listen({ hostname: "127.0.0.1", port: 0, socket: { data: () => {} } });
    const { port } = listener;
    listener.stop(true);
    const words = ["serve", "--workers", "2", "--port", String(port), "--data", data, "--json"];
    const child = Bun.spawn([caminoCommand(), ...words], {
      ...{ cwd: data, env: { PATH: process.env.PATH ?? "" }, stdin: "ignore", stdout: "ignore", stderr: "ignore" },
    });
    try {
      // The first worker answers before its supervisor knows that it does.
      while (!(await serves(`http://127.0.0.1:${port}`))) {
        expect(child.exitCode).toBeNull();
        await Bun.sleep(1);
      }
      await Bun.sleep(after_ms);
      child.kill("SIGTERM");
      const ended = await Promise.race([child.exited, Bun.sleep(PATIENCE_MS).then(() => "it goes on")]);
      expect(ended).toBe(0);
    } finally {
      child.kill("SIGKILL");
      await child.exited;
      await rm(data, { recursive: true, force: true });
    }
  },
  120_000,
);

/** A process can be process 1 of a namespace only where somebody may make one. */
const UNSHARE = process.getuid?.() === 0 ? Bun.which("unshare") : null;

test.skipIf(UNSHARE === null)(
  "as process 1 of a container it ends at once while it waits for its database",
  async () => {
    const data = await mkdtemp(join(tmpdir(), "camino-first-process-"));
    const asked = Promise.withResolvers<void>();
    // A database that takes connections and never says a word.
    const database = Bun.listen({
      hostname: "127.0.0.1",
      port: 0,
      socket: { data: () => {}, open: () => asked.resolve() },
    });
    const words = ["serve", "--port", "0", "--data", data, "--database", `postgres://x@127.0.0.1:${database.port}/x`];
    const child = Bun.spawn([UNSHARE ?? "", "--pid", "--fork", "--kill-child", caminoCommand(), ...words], {
      ...{ cwd: data, env: { PATH: process.env.PATH ?? "" }, stdin: "ignore", stdout: "ignore", stderr: "pipe" },
    });
    try {
      await asked.promise;
      const [first] = (await Bun.file(`/proc/${child.pid}/task/${child.pid}/children`).text()).split(" ");
      process.kill(Number(first), "SIGTERM");
      const ended = await child.exited;
      expect({ ended, said: await child.stderr.text() }).toEqual({ ended: 128 + 15, said: "" });
    } finally {
      child.kill("SIGKILL");
      database.stop(true);
      await child.exited;
      await rm(data, { recursive: true, force: true });
    }
  },
  120_000,
);
