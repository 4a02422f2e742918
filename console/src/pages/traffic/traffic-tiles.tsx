import type { Traffic } from "../../../../contract/traffic.ts";
import { useIsAdministrator } from "../../api/session.ts";
import { Stat } from "../../kit/card.tsx";
import { formatCompact, formatDuration, formatShare } from "../../kit/format.ts";
import { Count, Money, None, Tokens } from "../../kit/values.tsx";
import { changeOf, errorShare } from "./traffic-figures.ts";

/** The figures of the whole time, each compared with the previous period. */
export function TrafficTiles({ traffic }: { traffic: Traffic }) {
  const { total, before, currency } = traffic;
  const administrator = useIsAdministrator();
  const errors = errorShare(total);
  const errors_before = errorShare(before);
  return (
    <div className="grid grid-cols-2 gap-3 lg:grid-cols-4">
      <Stat label="Spend" note={<Change now={total.charge_micro} before={before.charge_micro} />}>
        <Money focusable micro={total.charge_micro} currency={currency} />
      </Stat>
      {administrator && (
        <Stat label="Margin" note={<MarginNote traffic={traffic} />}>
          <Money focusable micro={total.margin_micro} currency={currency} />
        </Stat>
      )}
      <Stat label="Requests" note={<Change now={total.requests} before={before.requests} />}>
        <Count count={total.requests} />
      </Stat>
      <Stat
        label="Failed or refused"
        note={errors_before === null ? "nothing before" : `${formatShare(errors_before)} before`}
      >
        {errors === null ? <None /> : formatShare(errors)}
      </Stat>
      <Stat
        label="Time to first byte"
        note={<LatencyNote {...total.first_byte_ms} before={before.first_byte_ms.p95} />}
      >
        <Latency {...total.first_byte_ms} />
      </Stat>
      <Stat label="Total time" note={<LatencyNote {...total.total_ms} before={before.total_ms.p95} />}>
        <Latency {...total.total_ms} />
      </Stat>
      <Stat label="Tokens" note={<Change now={total.total_tokens} before={before.total_tokens} />}>
        <Tokens focusable count={total.total_tokens} />
      </Stat>
      <Stat
        label="Tokens per second"
        note={before.tokens_per_s === null ? "nothing before" : `${formatCompact(before.tokens_per_s)} before`}
      >
        {total.tokens_per_s === null ? <None /> : formatCompact(total.tokens_per_s)}
      </Stat>
    </div>
  );
}

function Change({ now, before }: { now: number; before: number }) {
  const change = changeOf(now, before);
  if (change === "no change") return "no change";
  return <>{change === "new" ? "nothing in the previous period" : `${change} on the previous period`}</>;
}

function MarginNote({ traffic: { total } }: { traffic: Traffic }) {
  if (total.margin_micro === null) return <>no vendor's price is known</>;
  if (total.margin_of === null) return <>nothing was charged</>;
  return <>{`known for ${formatShare(total.margin_of)} of the spend`}</>;
}

interface LatencyValues {
  readonly mean: number | null;
  readonly p50: number | null;
  readonly p95: number | null;
}

function Latency({ p50, mean }: LatencyValues) {
  const shown = p50 ?? mean;
  return shown === null ? <None /> : formatDuration(shown);
}

function LatencyNote({ p50, p95, mean, before }: LatencyValues & { before: number | null }) {
  if (p50 === null || p95 === null) return <>{mean === null ? "no answer" : "on average"}</>;
  const was = before === null ? "" : `, ${formatDuration(before)} before`;
  return <>{`half within; 95% within ${formatDuration(p95)}${was}`}</>;
}
