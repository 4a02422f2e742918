import type { CacheUse, UsageExploration } from "../../../../contract/usage.ts";
import { Stat } from "../../kit/card.tsx";
import { cx } from "../../kit/cx.ts";
import { formatCount, formatShare } from "../../kit/format.ts";
import { Count, Money, Tokens } from "../../kit/values.tsx";

/** The totals of the whole report. */
export function UsageTotals({ report: { total, currency, cache } }: { report: UsageExploration }) {
  const { request_count, success_count, cost_micro, prompt_tokens, completion_tokens } = total;
  const each = request_count === 0 ? null : Math.round(cost_micro / request_count);
  return (
    <div className={cx("grid grid-cols-2 gap-3 lg:grid-cols-4", cache && "xl:grid-cols-5")}>
      <Stat
        label="Spend"
        note={
          each === null ? (
            "nothing used"
          ) : (
            <>
              about <Money micro={each} currency={currency} /> a request
            </>
          )
        }
      >
        <Money focusable micro={cost_micro} currency={currency} />
      </Stat>
      <Stat label="Requests" note={answered(request_count - success_count)}>
        <Count count={request_count} />
      </Stat>
      <Stat label="Tokens in" note="cached input included">
        <Tokens focusable count={prompt_tokens} />
      </Stat>
      <Stat label="Tokens out" note="reasoning included">
        <Tokens focusable count={completion_tokens} />
      </Stat>
      {cache && (
        <Stat label="Saved by stored answers" note={foundOf(cache)}>
          <Money focusable micro={cache.saved_micro} currency={currency} />
        </Stat>
      )}
    </div>
  );
}

function answered(failures: number): string {
  return failures === 0 ? "all answered" : `${formatCount(failures)} without an answer`;
}

/** `found for 80% of 1,200 requests`. */
function foundOf({ hits, misses }: CacheUse): string {
  const asked = hits + misses;
  return `found for ${formatShare(hits / asked)} of ${formatCount(asked)} requests that asked`;
}
