import type { UsageExploration } from "../../../../contract/usage.ts";
import { BarList } from "../../kit/bar-list.tsx";
import { Card } from "../../kit/card.tsx";
import { TextLink } from "../../kit/row-link.tsx";
import { useUrlState } from "../../kit/url-state.ts";
import { Count, Money, Tokens } from "../../kit/values.tsx";
import { groupName, type Measure, measured, readMeasure } from "./measure.ts";

/** The models' shares of the total, in the chart's measure. */
export function ModelShares({ usage }: { usage: UsageExploration }) {
  const [search] = useUrlState("measure");
  const measure = readMeasure(search.measure);
  const used = usage.groups.filter((group) => measured(group, measure) > 0);
  const items = used.map((group, index) => ({
    key: groupName(group),
    label: groupName(group),
    value: measured(group, measure),
    shown: <Shown measure={measure} value={measured(group, measure)} currency={usage.currency} />,
    colour: index,
  }));
  return (
    <Card title="By model" actions={<TextLink to="/usage">Explore</TextLink>}>
      <BarList label="By model, last 30 days" items={items} />
    </Card>
  );
}

function Shown({ measure, value, currency }: { measure: Measure; value: number; currency: string }) {
  if (measure === "cost") return <Money micro={value} currency={currency} />;
  return measure === "tokens" ? <Tokens count={value} /> : <Count count={value} />;
}
