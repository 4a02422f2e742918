import { expect, test } from "bun:test";
import { closeSync, mkdtempSync, openSync, rmSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { newId } from "../../../src/core/ids.ts";
import { openStore } from "../../../src/store/open-store.ts";
import { type Gateway, startGateway, type TestKey } from "../../support/gateway.ts";

/** A disk of its own, which can really be full; null where this user may not mount one. */
class Disk {
  readonly path = mkdtempSync(join(tmpdir(), "camino-disk-"));

  static mount(megabytes: number): Disk | null {
    const disk = new Disk();
    const mounted = Bun.spawnSync(["mount", "-t", "tmpfs", "-o", `size=${megabytes}m`, "tmpfs", disk.path]);
    if (mounted.exitCode === 0) return disk;
    rmSync(disk.path, { recursive: true });
    return null;
  }

  /** Leaves not a byte free. */
  fill(): void {
    const file = openSync(join(this.path, "filler"), "a");
    try {
      for (const bytes of [1 << 16, 1 << 12, 1]) fillWith(file, Buffer.alloc(bytes));
    } finally {
      closeSync(file);
    }
  }

  empty(): void {
    rmSync(join(this.path, "filler"), { force: true });
  }

  [Symbol.dispose](): void {
    Bun.spawnSync(["umount", "-l", this.path]);
    rmSync(this.path, { recursive: true, force: true });
  }
}

function fillWith(file: number, bytes: Buffer): void {
  try {
    while (writeSync(file, bytes) === bytes.length);
  } catch (thrown) {
    if (!(thrown instanceof Error && "code" in thrown && thrown.code === "ENOSPC")) throw thrown;
  }
}

const may_mount = ((): boolean => {
  using disk = Disk.mount(1);
  return disk !== null;
})();

test.skipIf(!may_mount)(
  "a full disk turns readiness 503 within ten seconds, and 200 again with the space; what was delivered is charged, and nothing else",
  async () => {
    using disk = Disk.mount(24);
    if (disk === null) throw new Error("this user may not mount a disk any more");
    const database = `sqlite:${join(disk.path, "camino.db")}`;
    let account = "";
    let answered = 0;
    {
      await using gateway = await startGateway({ database });
      const key = await gateway.newKey();
      account = key.account;
      const model = await firstModel(gateway, key);
      const call = async (): Promise<number> => {
        const status = await ask(gateway, key, model);
        if (status === 200) answered += 1;
        return status;
      };
      expect(await call()).toBe(200);
      expect(await readiness(gateway)).toBe(200);
      disk.fill();
      const full_ms = performance.now();
      const refused: Promise<number>[] = [];
      while ((await readiness(gateway)) === 200) {
        refused.push(call());
        expect(performance.now() - full_ms).toBeLessThan(10_000);
        await Bun.sleep(100);
      }
      expect((await Promise.all(refused)).filter((status) => status !== 200 && status !== 503)).toEqual([]);
      disk.empty();
      while ((await readiness(gateway)) !== 200) await Bun.sleep(100);
      expect(await call()).toBe(200);
      expect(await gateway.stop()).toBe(0);
      // All of the log is there only once the gateway has ended.
      expect(gateway.log()).toContain("database or disk is full");
    }
    const store = await openStore({ url: database, node_id: newId("node") });
    const entries = await store.accounts.listEntries(account, 1_000_000);
    expect(entries.filter(({ kind }) => kind === "charge")).toHaveLength(answered);
    expect(Number((await store.accounts.findAccount(account))?.held_micro)).toBe(0);
    expect((await store.audit()).problems).toEqual([]);
    await store.close();
  },
  90_000,
);

async function readiness(gateway: Gateway): Promise<number> {
  const response = await fetch(`${gateway.url}/readyz`);
  await response.arrayBuffer();
  return response.status;
}

async function firstModel(gateway: Gateway, key: TestKey): Promise<string> {
  const response = await fetch(`${gateway.url}/v1/models`, { headers: { authorization: `Bearer ${key.key}` } });
  const { data } = (await response.json()) as { data: { id: string }[] };
  return data[0]?.id ?? "";
}

async function ask(gateway: Gateway, key: TestKey, model: string): Promise<number> {
  const response = await fetch(`${gateway.url}/v1/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${key.key}`, "content-type": "application/json" },
    body: JSON.stringify({ model, messages: [{ role: "user", content: "Hello" }], max_tokens: 10 }),
  });
  await response.arrayBuffer();
  return response.status;
}
