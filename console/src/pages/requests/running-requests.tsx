import { useEffect, useState } from "react";
import type { Live, RunningRequest } from "../../../../contract/overview.ts";
import { StatusBadge } from "../../kit/badge.tsx";
import { Card } from "../../kit/card.tsx";
import { formatCount, formatDuration } from "../../kit/format.ts";
import { RowLink } from "../../kit/row-link.tsx";
import { Money } from "../../kit/values.tsx";

/** The running requests, with the time that each has taken so far. Hidden when no request runs. */
export function RunningRequests({ live }: { live: Live }) {
  const now_ms = useSecond(live);
  if (live.running_count === 0) return null;
  const more = live.running_count - live.running.length;
  return (
    <Card
      flush
      className="mb-5"
      title={
        live.running_count === 1 ? "1 request is running" : `${formatCount(live.running_count)} requests are running`
      }
    >
      <ul className="divide-y divide-line border-t border-line">
        {live.running.map((request) => (
          <RunningRow key={request.id} request={request} currency={live.currency} now_ms={now_ms} />
        ))}
      </ul>
      {more > 0 && <p className="border-t border-line px-5 py-2.5 text-ink-soft">and {formatCount(more)} more</p>}
    </Card>
  );
}

function RunningRow({ request, currency, now_ms }: { request: RunningRequest; currency: string; now_ms: number }) {
  const { id, key_name, model, endpoint, stream, hold_micro, created_at } = request;
  return (
    <li className="relative flex flex-wrap items-center gap-x-4 gap-y-1 px-5 py-2.5 hover:bg-canvas">
      <span className="max-sm:order-1">
        <StatusBadge status="running" />
      </span>
      <span className="min-w-0 flex-1 basis-48 truncate max-sm:basis-full">
        <RowLink to="/requests/$id" params={{ id }}>
          {model || "no model"}
        </RowLink>
        <span className="text-ink-soft">
          {" · "}
          {endpoint}
          {stream && " · stream"}
          {key_name !== undefined && ` · ${key_name}`}
        </span>
      </span>
      <span className="text-ink-soft tabular-nums max-sm:order-2">
        {formatDuration(Math.max(0, now_ms - Date.parse(created_at)))}
      </span>
      <span className="tabular-nums max-sm:order-3 max-sm:ml-auto">
        <Money micro={hold_micro} currency={currency} /> <span className="text-ink-soft">held</span>
      </span>
    </li>
  );
}

/** The gateway's time, moved on every second by this machine's clock; only while something runs. */
function useSecond({ as_of, running_count }: Live): number {
  const [started_ms] = useState(() => Date.now());
  const [now_ms, setNow] = useState(started_ms);
  const [ahead_ms, setAhead] = useState(0);
  const running = running_count > 0;
  useEffect(() => setAhead(Date.parse(as_of) - Date.now()), [as_of]);
  useEffect(() => {
    if (!running) return;
    const timer = setInterval(() => setNow(Date.now()), 1_000);
    return () => clearInterval(timer);
  }, [running]);
  return Math.max(now_ms + ahead_ms, Date.parse(as_of));
}
