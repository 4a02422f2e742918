import type { Vendor } from "../../../../contract/vendors.ts";
import { Stat } from "../../kit/card.tsx";
import { formatCount, formatDuration, formatShare } from "../../kit/format.ts";
import { Count, None } from "../../kit/values.tsx";
import { MeasuredBy } from "../admin-parts/measured-by.tsx";
import { LimitUses } from "./limit-uses.tsx";

/** The vendor's recent health, over all of its models. */
export function VendorStats({ vendor: { health, limits, model_count, node, window_s } }: { vendor: Vendor }) {
  if (health === null) return null;
  const { calls, errors, error_rate, rate_limited, first_byte_ms, total_ms, in_flight, circuits_open } = health;
  return (
    <div>
      <div className="grid grid-cols-2 gap-3 lg:grid-cols-5 max-sm:[&>:first-child]:col-span-2">
        <Stat label="Calls" note={in_flight === 0 ? "none running" : `${formatCount(in_flight)} running`}>
          <Count count={calls} />
        </Stat>
        <Stat
          label="Errors"
          note={
            errors === 0
              ? "no call failed"
              : `${formatCount(errors)} failed${rate_limited === 0 ? "" : `, ${formatCount(rate_limited)} rate limited`}`
          }
        >
          {error_rate === null ? <None /> : formatShare(error_rate)}
        </Stat>
        <LatencyStat label="First byte" of={first_byte_ms} />
        <LatencyStat label="Whole answer" of={total_ms} />
        <Stat label="Circuits" note={`of ${formatCount(model_count)} ${model_count === 1 ? "model" : "models"}`}>
          {circuits_open === 0 ? "all healthy" : `${formatCount(circuits_open)} failing`}
        </Stat>
      </div>
      {limits.length > 0 && (
        <div className="mt-3">
          <LimitUses limits={limits} />
        </div>
      )}
      <p className="mt-2 text-[0.85rem] text-ink-soft">
        <MeasuredBy node={node} window_s={window_s} />. Other nodes measure their own.
      </p>
    </div>
  );
}

function LatencyStat({ label, of }: { label: string; of: { p50: number | null; p95: number | null } }) {
  return (
    <Stat label={label} note={of.p95 === null ? "nothing measured" : `p95 ${formatDuration(of.p95)}`}>
      {of.p50 === null ? <None /> : formatDuration(of.p50)}
    </Stat>
  );
}
