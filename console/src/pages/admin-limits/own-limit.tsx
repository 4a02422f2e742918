import type { LimitOverride } from "../../../../contract/limits.ts";
import { Badge } from "../../kit/badge.tsx";
import { FittingName } from "../../kit/long-name.tsx";
import { Count, Money } from "../../kit/values.tsx";
import { perWindow } from "../keys/key-state.ts";

/** A limit of a key or an account; without one, the limit that applies instead, in grey. */
export function Own({ value, otherwise }: { value: number | null; otherwise: string }) {
  return value === null ? <span className="text-ink-soft">{otherwise}</span> : <Count count={value} />;
}

export function OwnBudget({ budget, currency }: { budget: LimitOverride["budget"]; currency: string }) {
  if (budget === null) return <span className="text-ink-soft">none</span>;
  return (
    <span className="whitespace-nowrap">
      <Money micro={budget.amount_micro} currency={currency} /> {perWindow(budget.window)}
    </span>
  );
}

export function Models({ models }: { models: readonly string[] | null }) {
  if (models === null) return <span className="text-ink-soft">all</span>;
  const [first = "", ...others] = models;
  return (
    <span className="inline-flex flex-wrap items-center gap-1.5">
      <code className="font-mono text-[0.83rem]">
        <FittingName>{first}</FittingName>
      </code>
      {others.length > 0 && <Badge hint={others.join("\n")}>+{others.length}</Badge>}
    </span>
  );
}
