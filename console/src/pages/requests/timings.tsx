import type { ReceiptDetail } from "../../../../contract/requests.ts";
import { Card } from "../../kit/card.tsx";
import { cx } from "../../kit/cx.ts";
import { formatDuration } from "../../kit/format.ts";
import { type Stretch, timelineOf } from "./timeline.ts";

const COLOURS: Readonly<Record<Stretch["kind"], string>> = {
  gateway: "bg-line-strong",
  hook: "bg-ink-soft",
  waiting: "bg-marker",
  answering: "bg-accent",
  failed: "bg-danger",
};

/** The parts of a request's time, as a waterfall. */
export function Timings({ of: receipt }: { of: ReceiptDetail }) {
  const timeline = timelineOf(receipt);
  return (
    <Card
      title="Timings"
      description={
        timeline === null
          ? undefined
          : `${formatDuration(timeline.total_ms)} in all${receipt.first_byte_ms === null ? "" : `, first byte after ${formatDuration(receipt.first_byte_ms)}`}`
      }
    >
      {timeline === null ? (
        <p className="text-ink-soft">Known when the request ends.</p>
      ) : (
        <ol className="space-y-2.5">
          {timeline.stretches.map((stretch) => (
            <Row key={stretch.key} stretch={stretch} total_ms={timeline.total_ms} />
          ))}
        </ol>
      )}
    </Card>
  );
}

function Row({ stretch: { label, kind, start_ms, end_ms }, total_ms }: { stretch: Stretch; total_ms: number }) {
  const share = (ms: number) => `${(100 * ms) / Math.max(1, total_ms)}%`;
  return (
    <li>
      <div className="flex items-baseline justify-between gap-4 text-[0.88rem]">
        <span className="min-w-0 truncate">{label}</span>
        <span className="shrink-0 text-ink-soft tabular-nums">{formatDuration(end_ms - start_ms)}</span>
      </div>
      <div aria-hidden="true" className="mt-1 h-2 overflow-hidden rounded-full bg-sunken">
        <div
          className={cx("h-full min-w-1 rounded-full", COLOURS[kind])}
          style={{ marginLeft: share(start_ms), width: share(end_ms - start_ms) }}
        />
      </div>
    </li>
  );
}
