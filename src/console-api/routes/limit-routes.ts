import type { Key } from "../../../contract/keys.ts";
import type { LimitOverride, Limits } from "../../../contract/limits.ts";
import type { KeyRecord } from "../../core/principal.ts";
import { type ConsoleCall, route } from "../answer/route.ts";
import { showKey } from "../show/show.ts";

export const limitRoutes = [
  route({
    method: "GET",
    path: "/limits",
    role: "administrator",
    handle: async (call) => ({ status: 200, body: await showLimits(call) }),
  }),
];

async function showLimits({ deps }: ConsoleCall<unknown, unknown>): Promise<Limits> {
  const { accounts, administration, configuration } = deps;
  const [keys, owners] = await Promise.all([accounts.listKeys(null), accounts.listAccounts()]);
  const emails = new Map(owners.map(({ id, email }) => [id, email]));
  const { body_bytes, default_key } = configuration.limits;
  const { stall_ms, total_ms } = administration.gateway.body_timeouts;
  return {
    currency: configuration.currency,
    default_key: { rpm: default_key.rpm, concurrent: default_key.concurrent, tpm: null },
    body_bytes,
    body_stall_ms: stall_ms,
    body_total_ms: total_ms,
    key_count: keys.length,
    overrides: keys
      .filter(isLimited)
      .map((key) => showOverride(showKey(key, configuration), emails.get(key.account_id) ?? "")),
  };
}

/** Whether a key has limits of its own. A revoked key never works again, so its limits are in force no more. */
function isLimited({ status, rpm, tpm, concurrent, budget, models, expires_ms }: KeyRecord): boolean {
  const own = [rpm, tpm, concurrent, budget, models, expires_ms].some((limit) => limit !== null);
  return own && status !== "revoked";
}

function showOverride(key: Key, account_email: string): LimitOverride {
  const { id, name, hint, status, account, rpm, tpm, concurrent, budget, models, expires_at } = key;
  return {
    key: id,
    key_name: name,
    ...{ hint, status, account, account_email, rpm, tpm, concurrent, budget, models, expires_at },
  };
}
