import type { Account } from "../../../../contract/accounts.ts";
import type { Key } from "../../../../contract/keys.ts";
import type { Receipt } from "../../../../contract/requests.ts";
import type { VendorSummary } from "../../../../contract/vendors.ts";

/** The steps from a new gateway to one that people use. */
export type FirstStep = "vendor" | "credit" | "key" | "call" | "invitation";

/** What tells which steps are done: the newest of each list are enough. */
export interface Begun {
  readonly vendors: readonly Pick<VendorSummary, "status" | "enabled_by">[];
  readonly accounts: readonly Pick<Account, "email" | "balance_micro">[];
  readonly keys: readonly Pick<Key, "models" | "playground">[];
  readonly requests: readonly Pick<Receipt, "model">[];
  readonly user_count: number;
  readonly invitation_count: number;
}

/** The account that the first run makes, with credit and a demo key. */
export const DEMO_EMAIL = "demo@camino.local";

/** The steps that are done. What comes with the first run, the simulator, its demo account and key, is none of them; a call with that key is one. */
export function stepsDone(begun: Begun): ReadonlySet<FirstStep> {
  const { vendors, accounts, keys, requests, user_count, invitation_count } = begun;
  const done: Readonly<Record<FirstStep, boolean>> = {
    vendor: vendors.some(({ status, enabled_by }) => status === "enabled" && enabled_by !== "simulator"),
    credit: accounts.some(({ email, balance_micro }) => email !== DEMO_EMAIL && balance_micro > 0),
    key: keys.some(({ models, playground }) => !playground && !isSimulated(models)),
    call: requests.some(({ model }) => model !== ""),
    invitation: user_count > 1 || invitation_count > 0,
  };
  return new Set((Object.keys(done) as FirstStep[]).filter((step) => done[step]));
}

/** Whether a key leads to the simulator alone, as the demo key does. */
export function isSimulated(models: readonly string[] | null): boolean {
  return models?.every((pattern) => pattern.startsWith("sim/")) ?? false;
}
