import { expect, test } from "bun:test";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { deriveSubKeys } from "../../access/sub-keys.ts";
import { openStore } from "../../store/open-store.ts";
import { DataDirectory } from "../settings/data-directory.ts";
import { prepareDemo } from "./demo.ts";

test("gateways that start together on one database share the demo account and its credit", async () => {
  const folder = await mkdtemp(join(tmpdir(), "camino-demo-"));
  const store = await openStore({ url: `sqlite:${join(folder, "camino.db")}`, node_id: "node_1" });
  try {
    const keys = deriveSubKeys("a secret of no value");
    const starts = ["one", "two", "three"].map(async (name) => {
      const data = await DataDirectory.open(join(folder, name));
      return await prepareDemo(store, keys, data);
    });
    const demos = await Promise.all(starts);
    expect(new Set(demos.map(({ key }) => key)).size).toBe(3);
    const accounts = await store.accounts.listAccounts();
    expect(accounts).toMatchObject([{ email: "demo@camino.local", balance_micro: 10_000_000n }]);
    expect(await store.accounts.listKeys(accounts[0]?.id ?? "")).toHaveLength(3);
  } finally {
    await store.close();
    await rm(folder, { recursive: true });
  }
});

test("a demo key that was rolled or revoked, or made with another secret, is not shown as if it answered", async () => {
  const folder = await mkdtemp(join(tmpdir(), "camino-demo-"));
  const store = await openStore({ url: `sqlite:${join(folder, "camino.db")}`, node_id: "node_1" });
  try {
    const keys = deriveSubKeys("a secret of no value");
    const data = await DataDirectory.open(join(folder, "data"));
    const { key } = await prepareDemo(store, keys, data);
    expect(await prepareDemo(store, keys, data)).toMatchObject({ key });
    expect(await prepareDemo(store, deriveSubKeys("another secret of no value"), data)).toMatchObject({ key: null });
    const [account] = await store.accounts.listAccounts();
    const [made] = await store.accounts.listKeys(account?.id ?? "");
    await store.accounts.setKeyStatus(made?.id ?? "", "disabled");
    expect(await prepareDemo(store, keys, data)).toMatchObject({ key: null });
  } finally {
    await store.close();
    await rm(folder, { recursive: true });
  }
});
