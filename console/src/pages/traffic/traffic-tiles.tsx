import type { Traffic, TrafficFigures } from "../../../../contract/traffic.ts";
import { useIsAdministrator } from "../../api/session.ts";
import { Stat } from "../../kit/card.tsx";
import { formatCompact, formatDuration, formatShare } from "../../kit/format.ts";
import { Count, Money, None, Tokens } from "../../kit/values.tsx";
import { changeOf, errorShare, previousPeriod } from "./traffic-figures.ts";

/** The figures of the whole time, each compared with the previous period. */
export function TrafficTiles({ traffic }: { traffic: Traffic }) {
  const { total, before, currency } = traffic;
  const administrator = useIsAdministrator();
  const period = previousPeriod(traffic);
  const errors = errorShare(total);
  const errors_before = errorShare(before);
  return (
    <div className="grid grid-cols-2 gap-3 lg:grid-cols-4">
      <Stat label="Spend" note={<Change now={total.charge_micro} before={before.charge_micro} period={period} />}>
        <Money focusable micro={total.charge_micro} currency={currency} />
      </Stat>
      {administrator && (
        <Stat label="Margin" note={<MarginNote traffic={traffic} />}>
          <Money focusable micro={total.margin_micro} currency={currency} />
        </Stat>
      )}
      <Stat label="Requests" note={<Change now={total.requests} before={before.requests} period={period} />}>
        <Count count={total.requests} />
      </Stat>
      <Stat
        label="Failed or refused"
        note={errors_before === null ? `none in ${period}` : `was ${formatShare(errors_before)}`}
      >
        {errors === null ? <None /> : formatShare(errors)}
      </Stat>
      <Latency label="Time to first byte" of={total.first_byte_ms} before={before.first_byte_ms} />
      <Latency label="Total time" of={total.total_ms} before={before.total_ms} />
      <Stat label="Tokens" note={<Change now={total.total_tokens} before={before.total_tokens} period={period} />}>
        <Tokens focusable count={total.total_tokens} />
      </Stat>
      <Stat
        label="Tokens per second"
        note={before.tokens_per_s === null ? `none in ${period}` : `was ${formatCompact(before.tokens_per_s)}`}
      >
        {total.tokens_per_s === null ? <None /> : formatCompact(total.tokens_per_s)}
      </Stat>
    </div>
  );
}

function Change({ now, before, period }: { now: number; before: number; period: string }) {
  const change = changeOf(now, before);
  if (change === "no change") return <>{`same as ${period}`}</>;
  return <>{change === "new" ? `none in ${period}` : `${change} vs. ${period}`}</>;
}

function MarginNote({ traffic: { total } }: { traffic: Traffic }) {
  if (total.margin_micro === null) return <>no vendor's price is known</>;
  if (total.margin_of === null) return <>nothing was charged</>;
  return <>{`known for ${formatShare(total.margin_of)} of the spend`}</>;
}

interface LatencyProps {
  readonly label: string;
  readonly of: TrafficFigures["total_ms"];
  readonly before: TrafficFigures["total_ms"];
}

/** A latency's median with its 95th percentile; of accounts and keys the mean, of which alone they are counted. */
function Latency({ label, of: { p50, p95, mean }, before }: LatencyProps) {
  if (p50 === null || p95 === null)
    return (
      <Stat label={label} note={mean === null ? "no answer" : "on average"}>
        {mean === null ? <None /> : formatDuration(mean)}
      </Stat>
    );
  const was = before.p95 === null ? "" : `, was ${formatDuration(before.p95)}`;
  return (
    <Stat label={`${label}, p50`} note={`p95 ${formatDuration(p95)}${was}`}>
      {formatDuration(p50)}
    </Stat>
  );
}
