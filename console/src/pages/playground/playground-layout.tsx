import { type ReactNode, useState } from "react";
import { Button } from "../../kit/button.tsx";
import { Card } from "../../kit/card.tsx";
import { cx } from "../../kit/cx.ts";

/** The request beside its answer; on a phone above its answer, with the parameters folded away. */
export function PlaygroundLayout({
  choice,
  parameters,
  main,
}: {
  choice: ReactNode;
  parameters?: ReactNode;
  main: ReactNode;
}) {
  const [unfolded, setUnfolded] = useState(false);
  return (
    <div className="grid items-start gap-5 lg:grid-cols-[minmax(0,1fr)_19rem]">
      <div className="min-w-0 space-y-5 max-lg:order-last">{main}</div>
      <Card title="Request" className="lg:sticky lg:top-5">
        <div className="flex flex-col gap-4">
          {choice}
          {parameters && (
            <>
              <Button
                kind="quiet"
                size="small"
                icon={unfolded ? "chevron-down" : "chevron-right"}
                aria-expanded={unfolded}
                onClick={() => setUnfolded(!unfolded)}
                className="-my-1 -ml-2.5 self-start lg:hidden"
              >
                Prompt and parameters
              </Button>
              <div className={cx(!unfolded && "max-lg:hidden")}>{parameters}</div>
            </>
          )}
        </div>
      </Card>
    </div>
  );
}
