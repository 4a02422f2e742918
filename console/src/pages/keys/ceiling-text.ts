import { amountText } from "../../../../contract/amounts.ts";
import type { KeyCeilings } from "../../../../contract/keys.ts";
import { formatAllDigits, formatCount, formatExactTime } from "../../kit/format.ts";
import { perWindow } from "./key-state.ts";

const SET_ON = {
  key: "an administrator has set this for the key",
  account: "an administrator has set this for the account",
  configuration: "this is the gateway's default",
} as const;

/**
 * The highest value that members may set for a limit of a key, and who set it, in a sentence; empty where they may set any value. A budget is written with the
 * currency once that is known.
 */
export function ceilingText(ceilings: KeyCeilings, name: keyof KeyCeilings, currency?: string): string {
  const ceiling = ceilings[name];
  return ceiling === null ? "" : `Members: at most ${mostOf(ceilings, name, currency)}; ${SET_ON[ceiling.set_on]}.`;
}

function mostOf(ceilings: KeyCeilings, name: keyof KeyCeilings, currency: string | undefined): string {
  switch (name) {
    case "models":
      return ceilings.models?.value.join(", ") ?? "";
    case "budget":
      return ceilings.budget ? budgetText(ceilings.budget.value, currency) : "";
    case "expires_at":
      return ceilings.expires_at ? formatExactTime(Date.parse(ceilings.expires_at.value)) : "";
    default:
      return ceilings[name] === null ? "" : formatCount(ceilings[name].value);
  }
}

type Budget = NonNullable<KeyCeilings["budget"]>["value"];

function budgetText({ amount_micro, window }: Budget, currency: string | undefined): string {
  const amount = currency === undefined ? amountText(amount_micro) : formatAllDigits(amount_micro, currency);
  return `${amount} ${perWindow(window)}`;
}
