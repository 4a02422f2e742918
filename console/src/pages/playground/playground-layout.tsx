import { type ReactNode, useState } from "react";
import { Button } from "../../kit/button.tsx";
import { Card } from "../../kit/card.tsx";
import { cx } from "../../kit/cx.ts";

/** The request beside its answer; where there is no room, above it and folded away, with `summary` on the button that unfolds it. */
export function PlaygroundLayout({
  summary,
  choice,
  parameters,
  main,
}: {
  /** The model and the endpoint that are chosen. */
  summary: string;
  choice: ReactNode;
  parameters?: ReactNode;
  main: ReactNode;
}) {
  const [unfolded, setUnfolded] = useState(false);
  return (
    <div className="grid items-start gap-3 lg:grid-cols-[minmax(0,1fr)_19rem] lg:gap-5">
      <Button
        icon={unfolded ? "chevron-down" : "chevron-right"}
        aria-expanded={unfolded}
        onClick={() => setUnfolded(!unfolded)}
        className="min-w-0 justify-start lg:hidden"
      >
        <span className="sr-only">Request: </span>
        <span className="truncate" data-hint={summary}>
          {summary}
        </span>
      </Button>
      <div className="min-w-0 space-y-5 max-lg:order-last">{main}</div>
      <Card title="Request" className={cx("lg:sticky lg:top-5", !unfolded && "max-lg:hidden")}>
        <div className="flex flex-col gap-4">
          {choice}
          {parameters}
        </div>
      </Card>
    </div>
  );
}

/** What stays at the bottom of the window below a card's content that is longer than the window. */
export function StickyFoot({ children }: { children: ReactNode }) {
  return (
    <div className="sticky -bottom-4 z-10 -mx-4 mt-4 -mb-4 rounded-b-xl border-t border-line bg-surface px-4 py-4 sm:-mx-5 sm:px-5">
      {children}
    </div>
  );
}
