import type { CredentialKey } from "../../../../contract/vendors.ts";
import { Badge } from "../../kit/badge.tsx";
import { Time } from "../../kit/values.tsx";
import { LimitUses } from "./limit-uses.tsx";

const REASONS = {
  limited: "The vendor limits its rate (429)",
  refused: "The vendor refuses it (401)",
  forbidden: "The vendor forbids it (403)",
} as const;

/** A vendor's several credentials, each with whether this process uses it now. */
export function KeyStates({ keys }: { keys: readonly CredentialKey[] }) {
  return (
    <ul className="space-y-1.5">
      {keys.map(({ name, hint, weight, state, reason, rests_until, accounts_alone, limits }) => (
        <li key={name} className="flex flex-wrap items-center gap-x-2 gap-y-0.5">
          <span className="font-mono text-[0.9rem] break-all">{name}</span>
          {hint !== null && <code className="font-mono text-[0.82rem] text-ink-soft">…{hint}</code>}
          <span className="text-[0.85rem] text-ink-soft">weight {weight}</span>
          <Badge tone={state === "ready" ? "good" : "warn"} hint={reason === null ? "In use" : REASONS[reason]}>
            {state}
          </Badge>
          {rests_until !== null && (
            <span className="text-[0.85rem] text-ink-soft">
              until <Time at={rests_until} />
            </span>
          )}
          {accounts_alone > 0 && (
            <span className="text-[0.85rem] text-ink-soft">
              kept from {accounts_alone} {accounts_alone === 1 ? "account" : "accounts"}
            </span>
          )}
          {limits.length > 0 && (
            <div className="basis-full">
              <LimitUses limits={limits} />
            </div>
          )}
        </li>
      ))}
    </ul>
  );
}
