import { afterAll, expect, test } from "bun:test";
import { rmSync } from "node:fs";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { StoreNotice } from "../../core/operations/incidents.ts";
import { rejectionOf } from "../suite/books.ts";
import { WorkerClient } from "./worker-client.ts";

const folder = await mkdtemp(join(tmpdir(), "camino-worker-"));
afterAll(() => rmSync(folder, { recursive: true }));

test.each([
  ["throws", "throw new Error('out of memory')", "the database thread failed"],
  ["ends", "process.exit(3)", "the database thread"],
])(
  "a database thread that %s is told as fatal, and whoever waits or asks later is refused",
  async (how, dies, told) => {
    const script = join(folder, `${how}.ts`);
    await Bun.write(script, `self.onmessage = () => { setTimeout(() => { ${dies}; }, 10); };`);
    const notices: StoreNotice[] = [];
    const client = new WorkerClient((notice) => void notices.push(notice), new Worker(script));
    expect(String(await rejectionOf(client.ask({ kind: "ping" })))).toContain(told);
    expect(String(await rejectionOf(client.ask({ kind: "ping" })))).toContain(told);
    expect(notices).toEqual([{ level: "fatal", message: expect.stringContaining(told) }]);
  },
);
