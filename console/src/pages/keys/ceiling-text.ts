import { amountText } from "../../../../contract/amounts.ts";
import type { KeyCeilings } from "../../../../contract/keys.ts";
import { formatExactTime } from "../../kit/format.ts";
import { perWindow } from "./key-state.ts";

const SET_ON = {
  key: "an administrator has set this for the key",
  account: "an administrator has set this for the account",
  configuration: "this is the gateway's usual limit",
} as const;

/** The highest value that members may set for a limit of a key, and who set it, in a sentence; empty where they may set any value. */
export function ceilingText(ceilings: KeyCeilings, name: keyof KeyCeilings): string {
  const ceiling = ceilings[name];
  return ceiling === null ? "" : `Members: at most ${mostOf(ceilings, name)}; ${SET_ON[ceiling.set_on]}.`;
}

function mostOf(ceilings: KeyCeilings, name: keyof KeyCeilings): string {
  switch (name) {
    case "models":
      return ceilings.models?.value.join(", ") ?? "";
    case "budget":
      return ceilings.budget
        ? `${amountText(ceilings.budget.value.amount_micro)} ${perWindow(ceilings.budget.value.window)}`
        : "";
    case "expires_at":
      return ceilings.expires_at ? formatExactTime(Date.parse(ceilings.expires_at.value)) : "";
    default:
      return String(ceilings[name]?.value ?? "");
  }
}
