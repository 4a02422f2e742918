import { expect, test } from "bun:test";
import { tmpdir } from "node:os";
import { runCommand, startCommand } from "./program.ts";

const HERE = { cwd: tmpdir(), env: { PATH: process.env.PATH ?? "" }, timeout_ms: 20_000 };

test("a program gets its input and its environment, and its output and exit status are reported", async () => {
  const argv = ["sh", "-c", 'cat; echo "$NAME" >&2; exit 3'];
  const ended = await runCommand({ ...HERE, argv, stdin: "given", env: { ...HERE.env, NAME: "set" } });
  expect(ended).toEqual({ status: 3, stdout: "given", stderr: "set\n", timed_out: false });
});

test("a program that takes too long is killed with its child processes", async () => {
  const argv = ["sh", "-c", 'sleep 600 & echo "$!"; wait'];
  for (let timeout_ms = 300; ; timeout_ms *= 2) {
    const ended = await runCommand({ ...HERE, argv, timeout_ms });
    expect(ended.timed_out).toBe(true);
    // A busy machine may not have started the child by then.
    if (ended.stdout !== "") return await ends(Number(ended.stdout));
  }
});

test("a process that a program leaves running is ended with it", async () => {
  const ended = await runCommand({ ...HERE, argv: ["sh", "-c", 'sleep 600 & echo "$!"'] });
  expect(ended.status).toBe(0);
  await ends(Number(ended.stdout));
});

test("a signal reaches the whole group", async () => {
  const running = startCommand({ ...HERE, argv: ["sh", "-c", "sleep 600; echo not reached"] });
  running.signal("SIGTERM");
  expect(await running.ended).toMatchObject({ status: null, stdout: "", timed_out: false });
});

test("waiting for output ends when the program ends without it", async () => {
  const running = startCommand({ ...HERE, argv: ["sh", "-c", "echo one; sleep 600"] });
  await running.hasSaid("one");
  running.signal("SIGTERM");
  expect(running.hasSaid("two")).rejects.toThrow("ended without a word of 'two'");
});

test("a program that does not exist is an error", async () => {
  expect(runCommand({ ...HERE, argv: ["/nowhere/at/all"] })).rejects.toThrow("ENOENT");
});

/** Waits until a process has ended, because its pipes are closed a moment before that. A zombie counts as ended. */
async function ends(pid: number): Promise<void> {
  expect(pid).toBeGreaterThan(0);
  for (;;) {
    const { stdout } = Bun.spawnSync(["ps", "-o", "stat=", "-p", String(pid)]);
    const stat = stdout.toString().trim();
    if (stat === "" || stat.startsWith("Z")) return;
    await Bun.sleep(10);
  }
}
