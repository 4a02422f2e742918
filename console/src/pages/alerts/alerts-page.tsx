import { useState } from "react";
import { useApi } from "../../api/use-api.ts";
import { Button } from "../../kit/button.tsx";
import { Card } from "../../kit/card.tsx";
import { PageHeader } from "../../kit/page-header.tsx";
import { useAccount, useMay } from "../../kit/use-account.ts";
import { AddTargetDialog } from "./add-target-dialog.tsx";
import { Deliveries } from "./deliveries.tsx";
import { OpenAlerts } from "./open-alerts.tsx";
import { Targets } from "./targets.tsx";

/** An account's alerts. */
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
