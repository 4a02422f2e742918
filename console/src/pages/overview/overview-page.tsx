import type { ReactNode } from "react";
import type { Live, Overview } from "../../../../contract/overview.ts";
import type { UsageExploration } from "../../../../contract/usage.ts";
import { useApi } from "../../api/use-api.ts";
import { useLive } from "../../api/use-live.ts";
import { useAllAccounts } from "../../kit/all-accounts.ts";
import { BarList } from "../../kit/bar-list.tsx";
import { LinkButton } from "../../kit/button.tsx";
import { Card } from "../../kit/card.tsx";
import { moneyDecimals } from "../../kit/format.ts";
import { PageHeader } from "../../kit/page-header.tsx";
import { TextLink } from "../../kit/row-link.tsx";
import { Loaded, Notice, PageSkeleton } from "../../kit/states.tsx";
import { useUrlState } from "../../kit/url-state.ts";
import { useAccount } from "../../kit/use-account.ts";
import { Count, Money, Tokens } from "../../kit/values.tsx";
import { FirstSteps } from "../requests/first-steps.tsx";
import { AdviceCard } from "./advice-card.tsx";
import { AllOverview } from "./all-overview.tsx";
import { EmptyWallet } from "./empty-wallet.tsx";
import { FirstStepsCard } from "./first-steps-card.tsx";
import { DEMO_EMAIL, isSimulated } from "./first-steps-done.ts";
import { LatestRequests } from "./latest-requests.tsx";
import { groupName, type Measure, measured, readMeasure } from "./measure.ts";
import { SpendChart } from "./spend-chart.tsx";
import { WalletStats } from "./wallet-stats.tsx";

/** An account's balance, spend and current requests; for administrators also the whole gateway's last day. */
export function OverviewPage() {
  const of_all = useAllAccounts();
  const operator = (
    <>
      <FirstStepsCard />
      <AdviceCard />
    </>
  );
  return of_all ? <AllOverview operator={operator} /> : <AccountOverview operator={operator} />;
}

/** `operator`: what its administrator should do on the gateway. */
function AccountOverview({ operator }: { operator: ReactNode }) {
  const account = useAccount();
  const overview = useApi("GET /overview", { query: { account } });
  const live = useLive(account, ["GET /overview"]);
  return (
    <>
      <PageHeader
        title="Overview"
        description="Dates are in UTC."
        actions={
          <LinkButton to="/keys/new" kind="primary" icon="plus">
            Create a key
          </LinkButton>
        }
      />
      <Loaded
        query={overview}
        skeleton={<PageSkeleton tiles={5} grid="grid-cols-2 lg:grid-cols-5" blocks={["h-72", "h-64"]} />}
      >
        {(data) => (
          <div className="space-y-5">
            {operator}
            {data.account.status === "disabled" && (
              <Notice tone="warn">This account is disabled: requests with its keys are refused.</Notice>
            )}
            <DemoNotice account={data.account} />
            {isEmpty(data.account, live.data) && <EmptyWallet account={data.account} />}
            <WalletStats overview={data} live={live.data?.account === data.account.id ? live.data : undefined} />
            {data.latest.length === 0 ? (
              <Card flush>
                <FirstSteps>
                  A key lets a program use every model here. What it spends appears on this page as it happens.
                </FirstSteps>
              </Card>
            ) : (
              <Activity overview={data} />
            )}
          </div>
        )}
      </Loaded>
    </>
  );
}

/** Whether there is nothing to spend, and nothing held that may come back. */
function isEmpty(account: Overview["account"], live: Live | undefined): boolean {
  const { balance_micro, uncollected_micro } = live?.account === account.id ? live : account;
  return balance_micro <= 0 && uncollected_micro === 0;
}

function Activity({ overview }: { overview: Overview }) {
  return (
    <>
      <div className="grid gap-5 xl:grid-cols-[2fr_1fr]">
        <SpendChart usage={overview.usage} />
        <ModelShares usage={overview.usage} />
      </div>
      <LatestRequests overview={overview} />
    </>
  );
}

/** Tells a user who began with the demo key that there are real models now, which the demo key does not reach. */
function DemoNotice({ account }: { account: Overview["account"] }) {
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

/** The models' shares of the total, in the chart's measure. */
function ModelShares({ usage }: { usage: UsageExploration }) {
  const [search] = useUrlState("measure");
  const measure = readMeasure(search.measure);
  const used = usage.groups.filter((group) => measured(group, measure) > 0);
  const decimals = moneyDecimals(used.map((group) => measured(group, measure)));
  const items = used.map((group, index) => ({
    key: groupName(group),
    label: groupName(group),
    value: measured(group, measure),
    shown: <Shown measure={measure} value={measured(group, measure)} currency={usage.currency} decimals={decimals} />,
    colour: index,
  }));
  return (
    <Card title="By model" actions={<TextLink to="/usage">Explore</TextLink>}>
      <BarList label="By model, last 30 days" items={items} />
    </Card>
  );
}

interface ShownProps {
  measure: Measure;
  value: number;
  currency: string;
  decimals: number;
}

function Shown({ measure, value, currency, decimals }: ShownProps) {
  if (measure === "cost") return <Money micro={value} currency={currency} decimals={decimals} />;
  return measure === "tokens" ? <Tokens count={value} /> : <Count count={value} />;
}
