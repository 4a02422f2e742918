import { checkApiKey, createApiKey, hashApiKey } from "../../access/api-key.ts";
import type { SubKeys } from "../../access/sub-keys.ts";
import { newId, newKeyId } from "../../core/ids.ts";
import { micro } from "../../core/money/money.ts";
import { type AccountRecord, type Store, StoreConflict } from "../../core/store/ports.ts";
import type { DataDirectory } from "../settings/data-directory.ts";

const DEMO_EMAIL = "demo@camino.local";
const DEMO_CREDIT = micro(10_000_000n);
const DEMO_KEY_FILE = "demo-key";

export interface Demo {
  readonly email: string;
  /** Null where it answers no more: it was rolled or revoked, or made with another secret. */
  readonly key: string | null;
}

/**
 * The demo account with credit and a key, made at the first start without a configuration. The key is stored in the
 * data directory, so that later starts can print it again: it gives access to simulated models only.
 */
export async function prepareDemo(store: Store, keys: SubKeys, data: DataDirectory): Promise<Demo> {
  const known = await data.read(DEMO_KEY_FILE);
  if (known !== null) return { email: DEMO_EMAIL, key: (await isAccepted(store, keys, known)) ? known : null };
  const account_id = await demoAccount(store);
  const { key, hash, hint } = createApiKey(keys);
  await store.accounts.createKey({
    id: newKeyId(account_id),
    account_id,
    name: "demo",
    hash,
    hint,
    aliases: [],
    prefix_aliases: [],
    models: ["sim/*"],
    rpm: null,
    tpm: null,
    concurrent: null,
    budget: null,
    expires_ms: null,
  });
  return { email: DEMO_EMAIL, key: await data.writeOnce(DEMO_KEY_FILE, key) };
}

async function isAccepted(store: Store, keys: SubKeys, key: string): Promise<boolean> {
  if (!checkApiKey(keys, key)) return false;
  return (await store.accounts.findKeyByHash(hashApiKey(keys, key)))?.status === "active";
}

/** Whether a first run has given a demo key out. Without the file the simulator is not started any more. */
export async function hasDemo(data: DataDirectory): Promise<boolean> {
  return (await data.read(DEMO_KEY_FILE)) !== null;
}

async function demoAccount(store: Store): Promise<string> {
  const found = await store.accounts.findAccount(DEMO_EMAIL);
  if (found !== null) return found.id;
  const made = await createOnce(store);
  if (made === null) return await demoAccount(store);
  await store.accounts.addEntry({
    account_id: made.id,
    kind: "credit",
    amount_micro: DEMO_CREDIT,
    note: "demo credit",
    actor: "gateway",
  });
  return made.id;
}

/** Null when another gateway on this database, started at the same time, created the account first. */
async function createOnce(store: Store): Promise<AccountRecord | null> {
  try {
    return await store.accounts.createAccount({ id: newId("acct"), email: DEMO_EMAIL, name: "Demo" });
  } catch (thrown) {
    if (thrown instanceof StoreConflict) return null;
    throw thrown;
  }
}
