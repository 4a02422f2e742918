import type { UsageExploration } from "../../../../contract/usage.ts";
import { BarList } from "../../kit/bar-list.tsx";
import { Card } from "../../kit/card.tsx";
import { moneyDecimals } from "../../kit/format.ts";
import { TextLink } from "../../kit/row-link.tsx";
import { useUrlState } from "../../kit/url-state.ts";
import { Count, Money, Tokens } from "../../kit/values.tsx";
import { groupName, type Measure, measured, readMeasure } from "./measure.ts";

/** The models' shares of the total, in the chart's measure. */
export function ModelShares({ usage }: { usage: UsageExploration }) {
  const [search] = useUrlState("measure");
  const measure = readMeasure(search.measure);
  const used = usage.groups.filter((group) => measured(group, measure) > 0);
  const decimals = moneyDecimals(used.map((group) => measured(group, measure)));
  const items = used.map((group, index) => ({
    key: groupName(group),
    label: groupName(group),
    value: measured(group, measure),
    shown: <Shown measure={measure} value={measured(group, measure)} currency={usage.currency} decimals={decimals} />,
    colour: index,
  }));
  return (
    <Card title="By model" actions={<TextLink to="/usage">Explore</TextLink>}>
      <BarList label="By model, last 30 days" items={items} />
    </Card>
  );
}

interface ShownProps {
  measure: Measure;
  value: number;
  currency: string;
  decimals: number;
}

function Shown({ measure, value, currency, decimals }: ShownProps) {
  if (measure === "cost") return <Money micro={value} currency={currency} decimals={decimals} />;
  return measure === "tokens" ? <Tokens count={value} /> : <Count count={value} />;
}
