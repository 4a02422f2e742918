import { expect, test } from "bun:test";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { hashSources } from "./result.ts";

test.each(["src/http/server.ts", "simulator/server.ts", "proofs/clients/sdks/python/checks.py"])(
  "a result is of the sources that it was found with: a change of %s makes it another's",
  async (path) => {
    const root = await mkdtemp(join(tmpdir(), "camino-sources-"));
    try {
      await Bun.write(join(root, "package-lock.json"), "{}");
      await Bun.write(join(root, path), "one");
      const before = await hashSources(root);
      await Bun.write(join(root, path), "two");
      expect(await hashSources(root)).not.toBe(before);
    } finally {
      await rm(root, { recursive: true, force: true });
    }
  },
);
