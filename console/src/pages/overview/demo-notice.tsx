import type { Overview } from "../../../../contract/overview.ts";
import { useApi } from "../../api/use-api.ts";
import { TextLink } from "../../kit/row-link.tsx";
import { Notice } from "../../kit/states.tsx";
import { DEMO_EMAIL, isSimulated } from "./first-steps-done.ts";

/** Tells a user who began with the demo key that there are real models now, which the demo key does not reach. */
export function DemoNotice({ account }: { account: Overview["account"] }) {
  return account.email === DEMO_EMAIL ? <WhatChanged account={account.id} /> : null;
}

function WhatChanged({ account }: { account: string }) {
  const models = useApi("GET /models", { query: { kind: "all" } });
  const keys = useApi("GET /keys", { query: { account, status: "active", limit: "500" } });
  const has_real = (models.data?.data ?? []).some(({ vendor }) => vendor.id !== "sim");
  const active = keys.data?.data ?? [];
  const are_demo = active.length > 0 && active.every(({ models: named }) => isSimulated(named));
  if (!has_real || !are_demo) return null;
  return (
    <Notice>
      Real models are available. The demo key works only with simulated models (sim/…), which are no longer listed. To
      use the real ones, <TextLink to="/keys/new">create a key</TextLink>.
    </Notice>
  );
}
