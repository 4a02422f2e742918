import type { ReactNode } from "react";
import type { SystemHealth } from "../../../../contract/health.ts";
import { Stat } from "../../kit/card.tsx";
import { formatCount, formatMoney } from "../../kit/format.ts";
import { LANGUAGE } from "../../kit/language.ts";
import { None } from "../../kit/values.tsx";
import { formatBytes } from "../admin-parts/format-bytes.ts";
import type { Moment } from "./use-history.ts";

const WIDTH = 120;

const HEIGHT = 28;

const POINTS = 60;

/** The live numbers, each with its course since the page was opened. */
export function LiveTiles({ health, history }: { health: SystemHealth; history: readonly Moment[] }) {
  const { in_flight, active_streams, ledger, database, process, currency } = health;
  const { open_holds } = ledger;
  const delay = process.event_loop_delay_ms;
  const tile = (label: string, value: ReactNode, note: string, of: (moment: Moment) => number | null) => (
    <Stat
      key={label}
      label={label}
      note={
        <>
          {note}
          <Sparkline values={history.map(of)} />
        </>
      }
    >
      {value}
    </Stat>
  );
  return (
    <div className="grid grid-cols-2 gap-3 lg:grid-cols-4">
      {tile("Running", formatCount(in_flight), "API requests", (moment) => moment.in_flight)}
      {tile("Streams", formatCount(active_streams), "open streams", (moment) => moment.active_streams)}
      {tile("Ledger queue", formatCount(ledger.queue_depth), "operations waiting", (moment) => moment.queue_depth)}
      {tile(
        "Open holds",
        open_holds === null ? <None /> : formatCount(open_holds.count),
        open_holds === null ? "not known" : `${formatMoney(open_holds.sum_micro, currency)} held`,
        (moment) => moment.holds,
      )}
      {tile("Database", milliseconds(database.ping_ms), "response time", (moment) => moment.ping_ms)}
      {tile(
        "Event-loop delay",
        milliseconds(delay.p99),
        delay.p99 === null ? "not measured yet" : "p99",
        (moment) => moment.delay_ms,
      )}
      {tile(
        "Memory",
        formatBytes(process.rss_bytes),
        `${formatBytes(process.heap_used_bytes)} in the heap`,
        (moment) => moment.rss_bytes,
      )}
      <Stat label="Nodes" note={<NodesNote health={health} />}>
        {health.nodes === null ? <None /> : formatCount(health.nodes.filter(({ alive }) => alive).length)}
      </Stat>
    </div>
  );
}

function NodesNote({ health: { nodes, database } }: { health: SystemHealth }) {
  if (nodes === null) return "not known";
  const gone = nodes.filter(({ alive }) => !alive).length;
  if (gone > 0) return `${formatCount(gone)} not seen recently`;
  return database.kind === "sqlite" ? "the embedded database has one" : "on this database";
}

function milliseconds(ms: number | null): ReactNode {
  if (ms === null) return <None />;
  return `${new Intl.NumberFormat(LANGUAGE, { maximumFractionDigits: ms < 10 ? 1 : 0 }).format(ms)} ms`;
}

/**
 * The course of a value since the page was opened, the newest at the right. Only a picture: the value itself is beside
 * it. The scale begins at zero, so that a small change does not look large.
 */
function Sparkline({ values }: { values: readonly (number | null)[] }) {
  const known = values.map((value) => value ?? 0);
  const most = Math.max(...known, 1e-9);
  const x = (index: number) => ((index + POINTS - known.length) / (POINTS - 1)) * WIDTH;
  const y = (value: number) => HEIGHT - 1.5 - (value / most) * (HEIGHT - 4);
  const line = known.map((value, index) => `${x(index).toFixed(1)},${y(value).toFixed(1)}`).join(" ");
  const first = x(0).toFixed(1);
  return (
    <svg
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      preserveAspectRatio="none"
      aria-hidden="true"
      className="mt-2 h-7 w-full overflow-visible"
    >
      {known.length > 1 && (
        <>
          <polygon points={`${first},${HEIGHT} ${line} ${WIDTH},${HEIGHT}`} fill="var(--accent-soft)" />
          <polyline
            points={line}
            fill="none"
            stroke="var(--accent)"
            strokeWidth="1.5"
            strokeLinejoin="round"
            vectorEffect="non-scaling-stroke"
          />
        </>
      )}
      <line
        x1="0"
        x2={WIDTH}
        y1={HEIGHT - 0.5}
        y2={HEIGHT - 0.5}
        stroke="var(--line)"
        vectorEffect="non-scaling-stroke"
      />
    </svg>
  );
}
