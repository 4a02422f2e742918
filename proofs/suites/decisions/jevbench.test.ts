import { expect, test } from "bun:test";
import { startGateway } from "../../support/gateway.ts";

/**
 * `jevbench check` reads every answer of a System One endpoint strictly. It is a Python program: the test runs where
 * jevbench is installed (`pip install jevbench`) and on the path.
 */

const JEVBENCH = Bun.which("jevbench");

test.skipIf(JEVBENCH === null).each(["sim/decider", "sim/judge-decider"])(
  "jevbench check passes: %s",
  async (model) => {
    await using gateway = await startGateway();
    const { key } = await gateway.newKey();
    const words = ["check", "--url", `${gateway.url}/v1/systemone`, "--model", model, "--api-key-env", "KEY"];
    const child = Bun.spawn([JEVBENCH ?? "", ...words], {
      env: { PATH: process.env.PATH ?? "", KEY: key },
      stdout: "pipe",
      stderr: "pipe",
    });
    const [stdout, stderr, status] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited]);
    expect([status, stderr]).toEqual([0, ""]);
    expect(stdout).toContain("check: OK");
  },
  60_000,
);
