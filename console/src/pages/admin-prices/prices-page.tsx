import type { PricedModel, PriceList } from "../../../../contract/prices.ts";
import { useApi } from "../../api/use-api.ts";
import { Card } from "../../kit/card.tsx";
import { FilterBar, FilterSelect, FilterText } from "../../kit/filter-bar.tsx";
import { FixtureSwitch, useWithoutFixtures } from "../../kit/fixtures.tsx";
import { FoldedFilters } from "../../kit/folded-filters.tsx";
import { optionsOf } from "../../kit/options.ts";
import { PageHeader } from "../../kit/page-header.tsx";
import { EmptyState, Loaded, Notice } from "../../kit/states.tsx";
import { useUrlState } from "../../kit/url-state.ts";
import { wordsIn } from "../../kit/words.ts";
import { PriceDialog } from "./price-dialog.tsx";
import { PriceTable } from "./price-table.tsx";
import { marginRange } from "./price-words.ts";

const SOURCES = optionsOf({ bundled: "Bundled", overridden: "Overridden", own: "Own", simulator: "Simulator" });

const SPECIAL = optionsOf({ losing: "Sold below cost", upcoming: "Price will change", tiers: "Higher for long input" });

/** Every model's prices, now and later, and margins. */
export function PricesPage() {
  const prices = useApi("GET /prices", {});
  const [{ model }, setSearch] = useUrlState("model");
  const chosen = prices.data?.data.find((each) => each.model === model);
  return (
    <>
      <PageHeader
        title="Prices"
        guide="configuration#a-price"
        description="What requests are charged at, per million tokens, and what is left after the vendor's own price. To change a price, open its row."
      />
      <Filters prices={prices.data} />
      <Loaded query={prices}>{(list) => <Found list={list} />}</Loaded>
      <PriceDialog
        model={chosen}
        currency={prices.data?.currency ?? "USD"}
        onClose={() => setSearch({ model: undefined })}
      />
    </>
  );
}

function Filters({ prices }: { prices: PriceList | undefined }) {
  const vendors = new Set((prices?.data ?? []).flatMap(({ routes }) => routes.map(({ vendor }) => vendor)));
  return (
    <FilterBar names={["q", "vendor", "source", "only"]}>
      <FilterText name="q" label="Model" />
      <FoldedFilters>
        <FilterSelect
          name="vendor"
          label="Vendor"
          all="Any vendor"
          options={[...vendors].sort().map((value) => ({ value, label: value }))}
        />
        <FilterSelect name="source" label="Source" all="Any source" options={SOURCES} />
        <FilterSelect name="only" label="Only" all="Any price" options={SPECIAL} />
      </FoldedFilters>
    </FilterBar>
  );
}

function Found({ list }: { list: PriceList }) {
  const [{ q = "", vendor, source, only }] = useUrlState("q", "vendor", "source", "only");
  const matches = wordsIn(q);
  const { shown, hidden } = useWithoutFixtures()(list.data);
  const found = shown.filter(
    (each) =>
      matches(`${each.model} ${each.display_name}`) &&
      (vendor === undefined || each.routes.some((route) => route.vendor === vendor)) &&
      (source === undefined || each.source === source) &&
      isSpecial(each, only),
  );
  return (
    <div className="space-y-5">
      {list.currency !== list.bundled_currency && (
        <Notice>
          Vendors' own prices are known in {list.bundled_currency}, and this gateway counts in {list.currency}: margins
          are not known.
        </Notice>
      )}
      <Card flush>
        {found.length > 0 ? (
          <PriceTable models={found} currency={list.currency} />
        ) : list.data.length === 0 ? (
          <EmptyState icon="prices" title="No models yet">
            Enable a vendor, and its models appear here with their prices.
          </EmptyState>
        ) : (
          <EmptyState icon="search" title="No price matches">
            Try a part of the model's name, or clear the filters.
          </EmptyState>
        )}
      </Card>
      <FixtureSwitch count={hidden} />
    </div>
  );
}

function isSpecial(model: PricedModel, only: string | undefined): boolean {
  if (only === "losing") return (marginRange(model)?.least ?? 0) < 0;
  if (only === "upcoming") return model.upcoming.length > 0;
  return only !== "tiers" || model.effective.tiers.length > 0;
}
