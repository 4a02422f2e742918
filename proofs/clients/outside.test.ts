import { expect, test } from "bun:test";
import { tmpdir } from "node:os";
import { startOutside } from "./outside.ts";
import { runCommand } from "./program.ts";

test("nothing gets out, and the hosts that were asked for are known", async () => {
  const outside = await startOutside();
  try {
    for (const url of ["https://updates.example/latest", "http://metrics.example:8080/send"]) {
      const { status } = await runCommand({
        argv: ["curl", "-sf", url],
        cwd: tmpdir(),
        env: { PATH: process.env.PATH ?? "", http_proxy: outside.url, https_proxy: outside.url },
        timeout_ms: 20_000,
      });
      expect(status).not.toBe(0);
    }
    expect([...outside.hosts]).toEqual(["updates.example", "metrics.example"]);
    outside.forget();
    expect(outside.hosts.size).toBe(0);
  } finally {
    await outside.stop();
  }
});
