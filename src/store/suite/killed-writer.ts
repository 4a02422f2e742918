import { expect } from "bun:test";
import { join } from "node:path";
import type { Store } from "../../core/store/ports.ts";

/** The answers that a process had received when it was killed. */
export interface KilledWriter {
  readonly account_id: string;
  /** Requests whose settlement was acknowledged to it. */
  readonly settled: readonly string[];
}

/** Runs bookkeeping in a process of its own, and kills it without warning once so many settlements are acknowledged. */
export async function killWhileWriting(url: string, acknowledged: number): Promise<KilledWriter> {
  const writer = Bun.spawn([process.execPath, join(import.meta.dir, "writing-process.ts"), url], {
    stdout: "pipe",
    stderr: "inherit",
  });
  let told = "";
  const decoder = new TextDecoder();
  for await (const chunk of writer.stdout) {
    told += decoder.decode(chunk, { stream: true });
    if (told.split("\n").length > acknowledged + 1) writer.kill("SIGKILL");
  }
  await writer.exited;
  // The last line may be cut.
  const [account_id = "", ...settled] = told.split("\n").slice(0, -1);
  expect(settled.length).toBeGreaterThanOrEqual(acknowledged);
  return { account_id, settled };
}

/** Expects that books which were recovered have all that was acknowledged, once, and nothing left open. */
export async function expectNothingLost(store: Store, { account_id, settled }: KilledWriter): Promise<void> {
  const account = await store.accounts.findAccount(account_id);
  expect(Number(account?.held_micro)).toBe(0);
  const charges = (await store.accounts.listEntries(account_id, 1_000_000)).filter(({ kind }) => kind === "charge");
  const charged = charges.map(({ request_id }) => request_id ?? "");
  expect(new Set(charged).size).toBe(charged.length);
  expect(new Set(settled).difference(new Set(charged)).size).toBe(0);
  expect((await store.audit()).problems).toEqual([]);
}
