import type { VendorHistory as History } from "../../../../contract/health.ts";
import { urlOf } from "../../api/call.ts";
import { useApi } from "../../api/use-api.ts";
import { Card } from "../../kit/card.tsx";
import { DownloadLink } from "../../kit/download-link.tsx";
import { formatCount, formatDuration, formatExactTime, formatShare } from "../../kit/format.ts";
import { Select } from "../../kit/input.tsx";
import { optionsOf } from "../../kit/options.ts";
import { QuietLink } from "../../kit/row-link.tsx";
import { EmptyState, Loaded, SkeletonRows } from "../../kit/states.tsx";
import { useUrlState } from "../../kit/url-state.ts";

type VendorSteps = History["vendors"][number];

const RANGES = optionsOf({ day: "Last 24 hours", week: "Last 7 days" });
const REFRESH_MS = 30_000;
/** From this share of failures on, a step is red. */
const BAD = 0.2;

/** The outcomes of vendors' calls on all nodes, also before this process was started: a strip for each vendor. */
export function VendorHistory() {
  const [search, setSearch] = useUrlState("vendors");
  const range = RANGES.find(({ value }) => value === search.vendors)?.value ?? "day";
  const history = useApi("GET /health/vendors", { query: { range } }, { refresh_ms: REFRESH_MS });
  return (
    <Card
      flush
      title="Vendors"
      description="Calls of all nodes, including before this process started."
      actions={
        <>
          <Select
            label="Period of the vendors"
            hide_label
            options={RANGES}
            value={range}
            onChange={(typed) => setSearch({ vendors: typed === "day" ? undefined : typed })}
          />
          <DownloadLink href={urlOf("/health/vendors", { query: { range, format: "csv" } })} />
        </>
      }
    >
      <Loaded query={history} skeleton={<SkeletonRows rows={3} />}>
        {(data) =>
          data.vendors.length === 0 ? (
            <EmptyState icon="vendors" title="No vendor was called in this period" />
          ) : (
            <ul className="divide-y divide-line border-t border-line">
              {data.vendors.map((vendor) => (
                <VendorRow key={vendor.vendor} vendor={vendor} history={data} />
              ))}
            </ul>
          )
        }
      </Loaded>
    </Card>
  );
}

function VendorRow({ vendor, history }: { vendor: VendorSteps; history: History }) {
  const { calls, failed, errors, first_byte_ms } = vendor;
  const worst = Object.entries(errors).toSorted(([, a], [, b]) => b - a);
  return (
    <li className="grid gap-x-5 gap-y-1.5 px-5 py-3 sm:grid-cols-[11rem_1fr] sm:items-center">
      <div className="min-w-0">
        <QuietLink to="/admin/vendors/$id" params={{ id: vendor.vendor }}>
          {vendor.vendor}
        </QuietLink>
        <p className="text-[0.82rem] text-ink-soft">
          {calls === 1 ? "1 call" : `${formatCount(calls)} calls`}
          {first_byte_ms !== null && `, first byte ${formatDuration(first_byte_ms)} on average`}
        </p>
      </div>
      <div className="min-w-0">
        <Strip vendor={vendor} history={history} />
        <p className="mt-1 text-[0.82rem] text-ink-soft">
          {failed === 0 ? "none failed" : `${formatShare(failed / calls)} failed`}
          {worst.length > 0 && `; ${worst.map(([error, count]) => `${error} ${formatCount(count)}`).join(", ")}`}
        </p>
      </div>
    </li>
  );
}

const HEIGHT = 22;

/** A bar for each step: grey without calls, green where none failed, and redder the more did. */
function Strip({ vendor, history }: { vendor: VendorSteps; history: History }) {
  const { step_count, since, step_s } = history;
  const steps = new Map(vendor.steps.map((each) => [each.step, each]));
  const worst = vendor.steps.toSorted((a, b) => b.failed / b.calls - a.failed / a.calls)[0];
  const timeOf = (step: number) => formatExactTime(Date.parse(since) + step * step_s * 1000);
  const label =
    worst === undefined || worst.failed === 0
      ? `${vendor.vendor}: none failed`
      : `${vendor.vendor}: the worst was ${timeOf(worst.step)}, ${formatShare(worst.failed / worst.calls)} of ${formatCount(worst.calls)} failed`;
  return (
    <svg
      viewBox={`0 0 ${step_count * 4} ${HEIGHT}`}
      preserveAspectRatio="none"
      role="img"
      aria-label={label}
      className="block h-5.5 w-full"
    >
      {Array.from({ length: step_count }, (_, step) => {
        const found = steps.get(step);
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: a step is its place in the strip
          <rect key={step} x={step * 4} y={0} width={3} height={HEIGHT} fill={colourOf(found)}>
            {found !== undefined && (
              <title>{`${timeOf(step)}: ${formatCount(found.calls)} calls, ${formatCount(found.failed)} failed`}</title>
            )}
          </rect>
        );
      })}
    </svg>
  );
}

function colourOf(step: VendorSteps["steps"][number] | undefined): string {
  if (step === undefined) return "var(--sunken)";
  if (step.failed === 0) return "var(--series-1)";
  return step.failed / step.calls >= BAD ? "var(--danger)" : "var(--series-2)";
}
