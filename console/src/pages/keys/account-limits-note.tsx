import type { AccountLimits } from "../../../../contract/accounts.ts";
import { CALM_MS, useApi } from "../../api/use-api.ts";
import { Card } from "../../kit/card.tsx";
import { formatCount } from "../../kit/format.ts";
import { BudgetMeter } from "./budget-meter.tsx";
import { ModelLimitUseList } from "./model-limits.tsx";
import { RaiseButton } from "./raise-dialog.tsx";

/** The limits over all keys of an account, which an administrator has set; nothing where there are none. */
export function AccountLimitsNote({ account }: { account: string }) {
  const { data } = useApi("GET /accounts/{account}", { path: { account } });
  const budget = useApi("GET /accounts/{account}/budget", { path: { account } }, { refresh_ms: CALM_MS });
  const lines = data === undefined ? [] : inWords(data.limits);
  const use = budget.data?.use ?? null;
  const of_models = useApi("GET /accounts/{account}/model-limits", { path: { account } }, { refresh_ms: CALM_MS });
  const by_model = (of_models.data?.data.length ?? 0) > 0;
  if (data === undefined || (lines.length === 0 && use === null && !by_model)) return null;
  return (
    <Card title="Limits of the account" description="Across all of its keys. Set by an administrator.">
      <div className="space-y-3">
        {use !== null && (
          <div>
            <BudgetMeter use={use} currency={data.currency} focusable />
            <RaiseButton
              of={{ account }}
              name={data.name || data.email}
              scope="accounts:write"
              use={use}
              currency={data.currency}
            />
          </div>
        )}
        {by_model && of_models.data && <ModelLimitUseList {...of_models.data} />}
        {lines.length > 0 && (
          <ul className="space-y-1">
            {lines.map((line) => (
              <li key={line}>{line}</li>
            ))}
          </ul>
        )}
      </div>
    </Card>
  );
}

function inWords({ models, rpm, tpm, concurrent }: AccountLimits): string[] {
  return [
    ...(rpm === null ? [] : [`${counted(rpm, "request")} a minute`]),
    ...(tpm === null ? [] : [`${counted(tpm, "token")} a minute`]),
    ...(concurrent === null ? [] : [`${counted(concurrent, "request")} at once`]),
    ...(models === null ? [] : [`Only these models: ${models.join(", ")}`]),
  ];
}

function counted(count: number, what: string): string {
  return `${formatCount(count)} ${what}${count === 1 ? "" : "s"}`;
}
