import { useState } from "react";
import type { OfAccount } from "../../../../contract/common.ts";
import { useApi } from "../../api/use-api.ts";
import { Button } from "../../kit/button.tsx";
import { Card } from "../../kit/card.tsx";
import { PageHeader } from "../../kit/page-header.tsx";
import { Notice } from "../../kit/states.tsx";
import { useAccount, useMay } from "../../kit/use-account.ts";
import { Time } from "../../kit/values.tsx";
import { AddTargetDialog } from "./add-target-dialog.tsx";
import { Deliveries } from "./deliveries.tsx";
import { Targets } from "./targets.tsx";

const REFRESH_MS = 30_000;

export function AlertsPage() {
  const account = useAccount();
  const may = useMay();
  return (
    <Alerts
      account={account}
      may_change={may("alerts:write")}
      description="Who hears when credit runs out, a budget is nearly used, a key ends or spending jumps."
    />
  );
}

/** The gateway's alerts, for administrators. */
export function GatewayAlertsPage() {
  return (
    <Alerts
      may_change
      description="Who hears of trouble with the gateway, its vendors and all accounts, before a customer calls."
    />
  );
}

interface Props {
  /** Absent: the gateway. */
  readonly account?: string;
  readonly may_change: boolean;
  readonly description: string;
}

function Alerts({ account, may_change, description }: Props) {
  const query = account === undefined ? {} : { account };
  const [adding, setAdding] = useState(false);
  const targets = useApi("GET /alerts/targets", { query });
  return (
    <>
      <PageHeader
        title="Alerts"
        guide="console#alerts"
        description={description}
        actions={
          may_change && (
            <Button kind="primary" icon="plus" onClick={() => setAdding(true)}>
              Add a target
            </Button>
          )
        }
      />
      <div className="space-y-5">
        <OpenAlerts query={query} />
        <Card title="Targets" description="Where alerts go." flush>
          <Targets query={query} may_change={may_change} />
        </Card>
        <Deliveries query={query} may_change={may_change} />
      </div>
      <AddTargetDialog
        account={account}
        sends_mail={targets.data?.mail ?? false}
        open={adding}
        onClose={() => setAdding(false)}
      />
    </>
  );
}

/** What is true now; nothing where all is well. */
function OpenAlerts({ query }: { query: OfAccount }) {
  const alerts = useApi("GET /alerts", { query }, { refresh_ms: REFRESH_MS }).data?.data ?? [];
  if (alerts.length === 0) return null;
  return (
    <Notice tone="warn">
      <ul className="space-y-1">
        {alerts.slice(0, 20).map(({ type, title, since, data }) => (
          <li key={`${type} ${title} ${JSON.stringify(data)}`}>
            {title}, since <Time at={since} clock />
          </li>
        ))}
        {alerts.length > 20 && <li>And {alerts.length - 20} more.</li>}
      </ul>
    </Notice>
  );
}
