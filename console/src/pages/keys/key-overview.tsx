import type { Key } from "../../../../contract/keys.ts";
import { tagTexts } from "../../../../contract/tag-rules.ts";
import type { UsageExploration } from "../../../../contract/usage.ts";
import { useApi } from "../../api/use-api.ts";
import { Card, Facts, Stat } from "../../kit/card.tsx";
import { Copyable } from "../../kit/copy-button.tsx";
import { DataTable } from "../../kit/data-table.tsx";
import { formatCount } from "../../kit/format.ts";
import { FittingName } from "../../kit/long-name.tsx";
import { TextLink } from "../../kit/row-link.tsx";
import { EmptyState, Loaded, Skeleton } from "../../kit/states.tsx";
import { Count, Money, Time, Tokens } from "../../kit/values.tsx";
import { SpendChart } from "../overview/spend-chart.tsx";
import { requestColumns } from "../requests/request-columns.tsx";
import { BudgetMeter } from "./budget-meter.tsx";
import { keyName, maskedKey } from "./key-state.ts";
import { RaiseButton } from "./raise-dialog.tsx";

/** A key's recent use and requests, and its properties. */
export function KeyOverview({ of: key }: { of: Key }) {
  const { account, id } = key;
  const usage = useApi("GET /usage/explore", { query: { account, key: id, by: "day,model", top: "8" } });
  return (
    <div className="space-y-5">
      <Loaded query={usage} skeleton={<Skeleton className="h-72 rounded-xl" />}>
        {(report) => (
          <>
            <Sums usage={report} of={key} />
            {report.total.request_count > 0 && <SpendChart usage={report} />}
          </>
        )}
      </Loaded>
      <div className="grid items-start gap-5 xl:grid-cols-[1fr_22rem]">
        <LastRequests of={key} />
        <KeyFacts of={key} />
      </div>
    </div>
  );
}

function Sums({ usage, of: key }: { usage: UsageExploration; of: Key }) {
  const { account, id } = key;
  const { currency, total, data, until } = usage;
  const budgets = useApi("GET /budgets", { query: { account } });
  const budget = budgets.data?.data.find((use) => use.key === id);
  const today = data.filter(({ day }) => day === until).reduce((sum, { cost_micro }) => sum + cost_micro, 0);
  const failed = total.request_count - total.success_count;
  return (
    <div className="grid grid-cols-2 gap-3 lg:grid-cols-4">
      <Stat label="Today">
        <Money focusable micro={today} currency={currency} />
      </Stat>
      <Stat label="Last 30 days">
        <Money focusable micro={total.cost_micro} currency={currency} />
      </Stat>
      <Stat
        label="Requests"
        note={failed === 0 ? "in 30 days, none failed" : `in 30 days, ${formatCount(failed)} without an answer`}
      >
        <Count count={total.request_count} />
      </Stat>
      {budget === undefined ? (
        <Stat label="Tokens" note="in 30 days">
          <Tokens focusable count={total.total_tokens} />
        </Stat>
      ) : (
        <div className="min-w-0 rounded-xl border border-line bg-surface px-4 py-3.5 shadow-lift">
          <div className="mb-1.5 text-[0.85rem] text-ink-soft">Budget</div>
          <BudgetMeter focusable use={budget} currency={currency} />
          <div className="mt-1.5 text-[0.83rem] text-ink-soft">
            <Money micro={budget.remaining_micro} currency={currency} /> left
          </div>
          <RaiseButton of={{ key: id }} name={keyName(key)} scope="keys:write" use={budget} currency={currency} />
        </div>
      )}
    </div>
  );
}

function KeyFacts({ of: key }: { of: Key }) {
  const tags = tagTexts(key.tags);
  return (
    <Card title="Details">
      <Facts
        facts={[
          [
            "Key",
            <code key="key" className="font-mono text-[0.85rem]">
              {maskedKey(key)}
            </code>,
          ],
          ["Id", <Copyable key="id" value={key.id} />],
          ["Project", key.project?.name ?? "none"],
          ["Tags", tags.length === 0 ? "none" : <Patterns key="tags" patterns={tags} />],
          ["Models", key.models === null ? "all" : <Patterns key="models" patterns={key.models} />],
          ["Created", <Time key="created" at={key.created_at} />],
          ["Last used", <Time key="used" at={key.last_used_at} />],
          ["Expires", <Time key="expires" at={key.expires_at} />],
        ]}
      />
    </Card>
  );
}

function Patterns({ patterns }: { patterns: readonly string[] }) {
  return (
    <ul className="font-mono text-[0.85rem]">
      {patterns.map((pattern) => (
        <li key={pattern}>
          <FittingName>{pattern}</FittingName>
        </li>
      ))}
    </ul>
  );
}

function LastRequests({ of: { account, id } }: { of: Key }) {
  const requests = useApi("GET /requests", { query: { account, key: id, limit: "10" } });
  return (
    <Card
      title="Last requests"
      flush
      actions={
        <TextLink to="/requests" search={{ key: id }}>
          All requests
        </TextLink>
      }
    >
      <Loaded query={requests}>
        {({ data }) =>
          data.length === 0 ? (
            <EmptyState icon="requests" title="Not used yet">
              Its requests appear here as they happen. The snippets show how to make the first.
            </EmptyState>
          ) : (
            <DataTable
              caption="Last requests"
              columns={requestColumns({ without: ["key", "endpoint", "duration"] })}
              rows={data}
              file={null}
              rowKey={(request) => request.id}
            />
          )
        }
      </Loaded>
    </Card>
  );
}
