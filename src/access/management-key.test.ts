import { expect, test } from "bun:test";
import { checkApiKey, createApiKey, hashApiKey } from "./api-key.ts";
import { createManagementKey, isManagementKey, managementKeyHash } from "./management-key.ts";
import { deriveSubKeys } from "./sub-keys.ts";

const keys = deriveSubKeys("a secret that is long enough");

test("a management key is known by its prefix, signed by the gateway, and stored by a hash of its own", () => {
  const { key, hash, hint } = createManagementKey(keys);
  expect(isManagementKey(key)).toBe(true);
  expect(managementKeyHash(keys, key)).toBe(hash);
  expect(key.endsWith(hint)).toBe(true);
  expect(hash).not.toBe(hashApiKey(keys, `cm-${key.slice(4)}`));
});

test("an API key is none, nor is one of another gateway, a mistyped or a cut one", () => {
  const { key } = createManagementKey(keys);
  const api_key = createApiKey(keys).key;
  expect(isManagementKey(api_key)).toBe(false);
  expect(checkApiKey(keys, key)).toBe(false);
  const other = createManagementKey(deriveSubKeys("another secret, just as long")).key;
  for (const wrong of [api_key, other, key.slice(0, -1), `${key.slice(0, -1)}!`, `${key}0`, "cmm-"])
    expect([wrong, managementKeyHash(keys, wrong)]).toEqual([wrong, null]);
});
