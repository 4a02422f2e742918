import { memo } from "react";
import { formatCount } from "../../kit/format.ts";
import { Scrollable } from "../../kit/scrollable.tsx";
import type { RawEvent } from "./chat/turns.ts";

const PER_CHUNK = 50;

/** A stream's frames exactly as they came, each with its time since the request was sent. */
export function RawEvents({ events, total_ms }: { events: readonly RawEvent[]; total_ms: number | null }) {
  const chunks = Array.from({ length: Math.ceil(events.length / PER_CHUNK) }, (_, index) => index);
  return (
    <div>
      <p role="status" className="mb-2 text-[0.88rem] text-ink-soft">
        {formatCount(events.length)} {events.length === 1 ? "event" : "events"}
        {total_ms !== null && `, the stream ended after ${formatMs(total_ms)}`}
      </p>
      <Scrollable
        label="Raw events"
        className="max-h-[32rem] overflow-auto rounded-lg border border-line bg-sunken font-mono text-[0.8rem] leading-relaxed"
      >
        <ol className="min-w-full divide-y divide-line">
          {chunks.map((chunk) => {
            const begin = chunk * PER_CHUNK;
            const count = Math.min(PER_CHUNK, events.length - begin);
            return (
              <Chunk key={chunk} first={events[begin]} count={count} rows={() => events.slice(begin, begin + count)} />
            );
          })}
        </ol>
      </Scrollable>
    </div>
  );
}

/** A chunk of frames, which is drawn again only while it fills: frames never change, and new ones come at the end. */
const Chunk = memo(
  function Chunk({ rows }: { first: RawEvent | undefined; count: number; rows: () => readonly RawEvent[] }) {
    return rows().map(({ at_ms, raw }, index) => (
      // biome-ignore lint/suspicious/noArrayIndexKey: frames have no other identity, and keep their order
      <li key={index} className="flex gap-4 px-3.5 py-2">
        <span className="w-16 shrink-0 text-right text-ink-soft tabular-nums">{formatMs(at_ms)}</span>
        <Frame raw={raw} />
      </li>
    ));
  },
  (before, after) => before.first === after.first && before.count === after.count,
);

const LONG = 400;

/** A frame's whole text; a long frame shows only its beginning until it is pressed. */
function Frame({ raw }: { raw: string }) {
  if (raw.length <= LONG) return <code className={FRAME}>{raw}</code>;
  return (
    <details className="group min-w-0">
      <summary className="list-none rounded-sm" data-hint="Show or fold the whole event">
        <code className={`${FRAME} line-clamp-3 group-open:line-clamp-none`}>{raw}</code>
      </summary>
    </details>
  );
}

const FRAME = "min-w-0 break-all whitespace-pre-wrap";

function formatMs(time_ms: number): string {
  return `${formatCount(Math.round(time_ms * 10) / 10)} ms`;
}
