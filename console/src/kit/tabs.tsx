import { Tabs as Radix } from "radix-ui";
import type { ReactNode } from "react";
import { useChosenInSight, useScrollEdges } from "./scrollable.tsx";

interface Tab {
  readonly id: string;
  readonly label: ReactNode;
  readonly content: ReactNode;
}

/** Several views of one object. Keep the chosen view in the URL (`useUrlState`) where people may want to link to it. */
export function Tabs({
  tabs,
  value,
  onChange,
  label,
  aside,
}: {
  tabs: readonly Tab[];
  value: string;
  onChange: (id: string) => void;
  label: string;
  /** Beside the tabs, or above them where there is no room: what can be done in all of the views. */
  aside?: ReactNode;
}) {
  const { box, onScroll } = useScrollEdges();
  useChosenInSight(box, value);
  return (
    <Radix.Root value={value} onValueChange={onChange}>
      <div className="-mx-1 mb-4 flex flex-wrap-reverse border-b border-line">
        <Radix.List
          ref={box}
          onScroll={onScroll}
          aria-label={label}
          className="tab-row -mb-px flex min-w-0 grow gap-1 px-1"
        >
          {tabs.map((tab) => (
            <Radix.Trigger
              key={tab.id}
              value={tab.id}
              className="rounded-t-md border-b-2 border-transparent px-3 py-2 font-medium whitespace-nowrap text-ink-soft -outline-offset-2 hover:text-ink data-[state=active]:border-accent data-[state=active]:text-ink"
            >
              {tab.label}
            </Radix.Trigger>
          ))}
        </Radix.List>
        {aside && <div className="ml-auto flex items-center px-1">{aside}</div>}
      </div>
      {tabs.map((tab) => (
        <Radix.Content key={tab.id} value={tab.id} className="rounded-md">
          {tab.content}
        </Radix.Content>
      ))}
    </Radix.Root>
  );
}
