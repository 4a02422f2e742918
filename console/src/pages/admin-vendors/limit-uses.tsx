import type { VendorLimit } from "../../../../contract/vendors.ts";
import { Badge } from "../../kit/badge.tsx";
import { formatCount } from "../../kit/format.ts";
import { useCurrency } from "../../kit/use-currency.ts";
import { Money } from "../../kit/values.tsx";

const NAMES: Readonly<Record<VendorLimit["limit"], string>> = {
  spend: "spent today (UTC)",
  rpm: "requests per minute",
  tpm: "tokens per minute",
  concurrent: "concurrent requests",
};

export function LimitUses({ limits }: { limits: readonly VendorLimit[] }) {
  return (
    <ul className="flex flex-wrap gap-x-4 gap-y-1 text-[0.88rem]">
      {limits.map(({ limit, allowed, share, used }) => (
        <li key={limit} className="inline-flex flex-wrap items-center gap-x-1.5">
          <span className="tabular-nums">
            <Amount limit={limit} value={used} /> of <Amount limit={limit} value={allowed} />
          </span>
          <span className="text-ink-soft">
            {NAMES[limit]}
            {share !== allowed && `, here ${formatCount(share)}`}
          </span>
          {used >= share && <Badge tone="warn">reached</Badge>}
        </li>
      ))}
    </ul>
  );
}

function Amount({ limit, value }: { limit: VendorLimit["limit"]; value: number }) {
  const currency = useCurrency();
  return limit === "spend" && currency !== undefined ? <Money micro={value} currency={currency} /> : formatCount(value);
}
