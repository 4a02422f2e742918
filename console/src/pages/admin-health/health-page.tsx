import type { SystemHealth } from "../../../../contract/health.ts";
import { LIVE_MS, useApi } from "../../api/use-api.ts";
import { StatusBadge } from "../../kit/badge.tsx";
import { Card, Facts } from "../../kit/card.tsx";
import { Copyable } from "../../kit/copy-button.tsx";
import { formatCount, formatDuration } from "../../kit/format.ts";
import { LANGUAGE } from "../../kit/language.ts";
import { FittingName } from "../../kit/long-name.tsx";
import { PageHeader } from "../../kit/page-header.tsx";
import { TextLink } from "../../kit/row-link.tsx";
import { Loaded, Notice, Skeleton } from "../../kit/states.tsx";
import { Money, None, Time } from "../../kit/values.tsx";
import { formatBytes } from "../admin-parts/format-bytes.ts";
import { CircuitHistory } from "./circuit-history.tsx";
import { formatUptime } from "./format-uptime.ts";
import { LiveTiles } from "./live-tiles.tsx";
import { Nodes } from "./nodes.tsx";
import { useHistory } from "./use-history.ts";
import { VendorHistory } from "./vendor-history.tsx";
import { VendorTroubles } from "./vendor-troubles.tsx";
import { Workers } from "./workers.tsx";

/** The gateway's health, updated live: this process, its database, the other processes. */
export function HealthPage() {
  const health = useApi("GET /health", {}, { refresh_ms: LIVE_MS });
  const history = useHistory(health.data, health.dataUpdatedAt);
  const stale = health.data !== undefined && health.isError;
  return (
    <>
      <PageHeader
        title="Health"
        guide="operations#when-something-is-wrong"
        shown_title={
          <>
            Health
            {health.data && <StatusBadge status={stale ? "down" : health.data.status} />}
          </>
        }
        description="This process, its database and the other processes on it. This page updates automatically."
      />
      <Loaded query={health} skeleton={<HealthSkeleton />}>
        {(data) => (
          <div className="space-y-5">
            {stale && <Notice tone="danger">The gateway does not respond. These figures may be out of date.</Notice>}
            <Troubles health={data} />
            <VendorTroubles />
            <LiveTiles health={data} history={history} />
            <VendorHistory />
            <CircuitHistory />
            <div className="grid items-start gap-5 xl:grid-cols-2">
              <Ledger health={data} />
              <Audit health={data} />
              <Database health={data} />
              <Process health={data} />
              <Nodes health={data} />
              {data.workers !== null && <Workers workers={data.workers} />}
            </div>
          </div>
        )}
      </Loaded>
    </>
  );
}

function Troubles({ health }: { health: SystemHealth }) {
  const { database, draining, ledger, left_out } = health;
  const { open_holds, uncollected_micro, open_incidents } = ledger;
  const is_odd = open_holds !== null && uncollected_micro !== null && open_holds.sum_micro !== uncollected_micro;
  return (
    <>
      {database.error !== null && (
        <Notice tone="danger">
          {troubleInWords(database)} Requests that need it are refused until it can be used.
        </Notice>
      )}
      {database.warnings.map((warning) => (
        <Notice key={warning} tone="warn">
          The database: {warning}
        </Notice>
      ))}
      {open_incidents !== null && open_incidents > 0 && (
        <Notice tone="danger">
          {open_incidents === 1 ? "An incident" : `${formatCount(open_incidents)} incidents`} with the books{" "}
          {open_incidents === 1 ? "is" : "are"} open: the audit of the books says what happened.
        </Notice>
      )}
      {left_out.count > 0 && (
        <Notice tone="warn">
          {left_out.count === 1 ? "An element" : `${formatCount(left_out.count)} elements`} of the configuration{" "}
          {left_out.count === 1 ? "is" : "are"} left out, as what is stored does not fit the rest:{" "}
          <span className="break-words">
            {left_out.first.join(", ")}
            {left_out.count > left_out.first.length && ", …"}
          </span>
          . <TextLink to="/admin/configuration">The configuration</TextLink> says why.
        </Notice>
      )}
      {draining && (
        <Notice tone="warn">This process is stopping. It finishes running requests and accepts no new ones.</Notice>
      )}
      {is_odd && (
        <Notice tone="warn">
          Open holds and what accounts have held differ. For a moment that is normal while requests end; if it stays,
          run the audit of the books.
        </Notice>
      )}
    </>
  );
}

const TROUBLES = {
  unreachable: "The database cannot be reached",
  silent: "The database does not respond",
  busy: "The database is overloaded or out of connections",
  read_only: "The database takes no changes: it is a replica, or was set to be read-only",
  disk_full: "The disk of the database is full",
  other_database: "The address leads to another database than the one that was opened",
} as const;

function troubleInWords({ trouble, error }: SystemHealth["database"]): string {
  const what = trouble === null ? "The database does not respond" : TROUBLES[trouble];
  return `${what}: ${(error ?? "").replace(/\.?$/, ".")}`;
}

function Ledger({ health: { ledger, currency } }: { health: SystemHealth }) {
  const { open_holds, uncollected_micro, oldest_hold_at, queue_depth } = ledger;
  return (
    <Card title="Ledger" description="On the whole database; the queue is this gateway's.">
      <Facts
        facts={[
          ["Operations waiting", formatCount(queue_depth)],
          ["Requests held", open_holds === null ? <None key="count" /> : formatCount(open_holds.count)],
          ["Total held", <Money key="sum" focusable micro={open_holds?.sum_micro ?? null} currency={currency} />],
          ["Held by accounts", <Money key="held" focusable micro={uncollected_micro} currency={currency} />],
          ["Oldest hold", <Time key="oldest" past at={oldest_hold_at} none="nothing is held" />],
        ]}
      />
    </Card>
  );
}

/** The outcome of the daily audit of the books. */
function Audit({ health: { audit } }: { health: SystemHealth }) {
  const { hour, running, last } = audit;
  const when = hour === null ? "Switched off (audit.hour)." : `Once a day, from ${hour}:00 UTC on.`;
  return (
    <Card title="Audit of the books" description={running ? `${when} It runs now.` : when}>
      <Facts
        facts={[
          ["Last", <Time key="at" past at={last?.at ?? null} none="not yet" />],
          ["Took", last === null ? <None key="took" /> : formatDuration(last.duration_ms)],
          ["Accounts", last === null ? <None key="accounts" /> : formatCount(last.accounts)],
          ["Requests", last === null ? <None key="requests" /> : formatCount(last.requests)],
          ["Problems", last === null ? <None key="problems" /> : formatCount(last.problems)],
        ]}
      />
      {last?.first.map((problem) => (
        <Notice key={problem} tone="danger">
          {problem}
        </Notice>
      ))}
    </Card>
  );
}

function Database({ health: { database } }: { health: SystemHealth }) {
  const { kind, description, ping_ms, error } = database;
  return (
    <Card title="Database">
      <Facts
        facts={[
          ["State", <StatusBadge key="state" status={error === null ? "ok" : "down"} />],
          ["Kind", kind === "sqlite" ? "SQLite, embedded" : "PostgreSQL"],
          [
            "Where",
            <code key="where" className="font-mono text-[0.88rem]">
              <FittingName>{description}</FittingName>
            </code>,
          ],
          ["Response time", ping_ms === null ? <None key="ping" /> : formatMs(ping_ms)],
        ]}
      />
    </Card>
  );
}

function Process({ health }: { health: SystemHealth }) {
  const { version, node, host, started_at, uptime_s, process } = health;
  const { rss_bytes, heap_used_bytes, event_loop_delay_ms: delay, pid } = process;
  return (
    <Card title="This process">
      <Facts
        facts={[
          ["Version", version],
          ["Uptime", <Uptime key="uptime" uptime_s={uptime_s} started_at={started_at} />],
          ["Host", `${host}, process ${pid}`],
          ["Node", <Copyable key="node" value={node} />],
          ["Memory", `${formatBytes(rss_bytes)}, of it ${formatBytes(heap_used_bytes)} in the heap`],
          [
            "Event-loop delay",
            delay.mean === null
              ? "not measured yet"
              : `${formatMs(delay.mean)} on average, p99 ${formatMs(delay.p99 ?? 0)}`,
          ],
        ]}
      />
    </Card>
  );
}

function Uptime({ uptime_s, started_at }: { uptime_s: number; started_at: string }) {
  return (
    <>
      {formatUptime(uptime_s)}{" "}
      <span className="text-ink-soft">
        (started <Time past at={started_at} />)
      </span>
    </>
  );
}

function formatMs(ms: number): string {
  return ms < 10
    ? `${new Intl.NumberFormat(LANGUAGE, { maximumFractionDigits: 2 }).format(ms)} ms`
    : formatDuration(ms);
}

function HealthSkeleton() {
  return (
    <div role="status" className="space-y-5">
      <span className="sr-only">Loading</span>
      <div className="grid grid-cols-2 gap-3 lg:grid-cols-4">
        {["flight", "streams", "queue", "holds"].map((each) => (
          <Skeleton key={each} className="h-32 rounded-xl" />
        ))}
      </div>
      <div className="grid gap-5 xl:grid-cols-2">
        <Skeleton className="h-56 rounded-xl" />
        <Skeleton className="h-56 rounded-xl" />
      </div>
    </div>
  );
}
