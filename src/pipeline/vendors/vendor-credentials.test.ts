import { afterEach, beforeEach, expect, test } from "bun:test";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { deriveSubKeys } from "../../access/sub-keys.ts";
import { loadWithOrigins } from "../../catalog/configuration/load-configuration.ts";
import type { VendorCredentialStore } from "../../core/catalog/vendor-credential-store.ts";
import type { Store } from "../../core/store/ports.ts";
import { openStore } from "../../store/open-store.ts";
import { VendorCredentials } from "./vendor-credentials.ts";

const { vendor_credential: key } = deriveSubKeys("a root secret for tests");
const loaded = loadWithOrigins({ file_text: null, file_name: "camino.yaml", env: {} });

let folder: string;
let store: Store;
let changed: string[];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "camino-vendors-"));
  store = await openStore({ url: `sqlite:${join(folder, "camino.db")}`, node_id: "node_1" });
  changed = [];
});

afterEach(async () => {
  await store.close();
  await rm(folder, { recursive: true });
});

/** The credentials as one gateway sees them. */
function gateway(credentials: VendorCredentialStore = store.vendor_credentials): VendorCredentials {
  const log = { info: () => {}, warn: () => {} };
  return new VendorCredentials({ loaded, store: credentials, key, log, onChange: (id) => void changed.push(id) });
}

const keyOf = (vendors: VendorCredentials, id = "openai") => vendors.current.vendors.get(id)?.api_key ?? null;

test("a refresh takes over what another gateway set, and reports each changed vendor once", async () => {
  const [first, second] = [gateway(), gateway()];
  await second.load();
  await first.set("openai", { api_key: "sk-first" }, "admin-token");
  await first.set("mistral", { api_key: "sk-second" }, "admin-token");
  expect([keyOf(second), second.stored("openai")]).toEqual([null, null]);
  changed = [];
  await second.refresh();
  expect([keyOf(second), keyOf(second, "mistral")]).toEqual(["sk-first", "sk-second"]);
  expect(changed.sort()).toEqual(["mistral", "openai"]);
  await second.refresh();
  await second.load();
  expect(changed).toHaveLength(2);
});

test("a configuration that was handed out never changes", async () => {
  const vendors = gateway();
  await vendors.set("openai", { api_key: "sk-old" }, "admin-token");
  const taken = vendors.current;
  await vendors.set("openai", { api_key: "sk-new" }, "admin-token");
  expect(taken.vendors.get("openai")?.api_key).toBe("sk-old");
  expect(keyOf(vendors)).toBe("sk-new");
});

test("many changes at once end with the newest, by the order of the database", async () => {
  const vendors = gateway();
  const last = 20;
  await Promise.all(
    Array.from({ length: last + 1 }, (_, n) => vendors.set("openai", { api_key: `sk-${n}` }, "admin-token")),
  );
  expect(keyOf(vendors)).toBe(`sk-${last}`);
});

test("a failed refresh changes nothing, and the next one catches up", async () => {
  const { vendor_credentials } = store;
  let is_broken = false;
  const failing: VendorCredentialStore = {
    ...vendor_credentials,
    list: () => (is_broken ? Promise.reject(new Error("gone")) : vendor_credentials.list()),
  };
  const [mine, other] = [gateway(failing), gateway()];
  await other.set("openai", { api_key: "sk-old" }, "admin-token");
  await mine.load();
  await other.set("openai", { api_key: "sk-new" }, "admin-token");
  is_broken = true;
  const failure = await mine.refresh().then(
    () => null,
    (thrown: unknown) => thrown,
  );
  expect(failure).toBeInstanceOf(Error);
  expect(keyOf(mine)).toBe("sk-old");
  is_broken = false;
  await mine.refresh();
  expect(keyOf(mine)).toBe("sk-new");
});
