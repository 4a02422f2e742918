import type { RoutedModel, RouteList } from "../../../../contract/routes.ts";
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
import { MeasuredBy } from "../admin-parts/measured-by.tsx";
import { countOf, useShowMore } from "../admin-parts/show-more.tsx";
import { ModelRoutes, RouteHeads } from "./model-routes.tsx";

const FRESH_MS = 5_000;

/** The routes of each model, and its fallbacks. */
export function RoutesPage() {
  const routes = useApi("GET /routes", {}, { refresh_ms: FRESH_MS });
  const vendors = new Map(
    (routes.data?.data ?? []).flatMap((each) => each.routes.map(({ vendor, vendor_name }) => [vendor, vendor_name])),
  );
  return (
    <>
      <PageHeader
        title="Routes"
        guide="configuration#a-model"
        description="Where requests for each model go, by weight, and the fallbacks for when no route answers."
      />
      <FilterBar names={["q", "vendor", "state"]}>
        <FilterText name="q" label="Model" />
        <FoldedFilters>
          <FilterSelect
            name="vendor"
            label="Vendor"
            all="Any vendor"
            options={[...vendors]
              .map(([value, label]) => ({ value, label }))
              .sort((a, b) => a.label.localeCompare(b.label))}
          />
          <FilterSelect
            name="state"
            label="State"
            all="Any state"
            options={optionsOf({
              trouble: "With an open circuit",
              fallback: "Only a fallback answers",
              unavailable: "Unavailable",
              several: "Several routes",
              fallbacks: "With fallbacks",
              used: "Recently used",
            })}
          />
        </FoldedFilters>
      </FilterBar>
      <Loaded query={routes}>{(list) => <Found list={list} />}</Loaded>
    </>
  );
}

function Found({ list }: { list: RouteList }) {
  const [{ q = "", vendor, state }] = useUrlState("q", "vendor", "state");
  const matches = wordsIn(q);
  const { shown: listed, hidden } = useWithoutFixtures()(list.data);
  const found = listed.filter(
    (each) =>
      matches(`${each.model} ${each.display_name}`) &&
      (vendor === undefined || each.routes.some((route) => route.vendor === vendor)) &&
      isIn(each, state),
  );
  const { shown, footer } = useShowMore(found, "models");
  const down = list.data.filter(({ status }) => status === "unavailable").length;
  return (
    <div className="space-y-5">
      {down > 0 && <Notice tone="danger">{countOf(down, "models")} cannot be reached by any route just now.</Notice>}
      <Card title="Models" description={<MeasuredBy node={list.node} window_s={list.window_s} />} flush>
        {found.length === 0 ? (
          <EmptyState icon="routes" title={list.data.length === 0 ? "No models yet" : "No model matches"}>
            {list.data.length === 0
              ? "Enable a vendor, and its models have routes to it."
              : "Try a part of the model's name, or clear the filters."}
          </EmptyState>
        ) : (
          <>
            <RouteHeads />
            <ul className="divide-y divide-line border-t border-line">
              {shown.map((each) => (
                <ModelRoutes key={each.model} model={each} />
              ))}
            </ul>
            {footer}
          </>
        )}
      </Card>
      <FixtureSwitch count={hidden} />
    </div>
  );
}

function isIn({ routes, fallbacks, status }: RoutedModel, state: string | undefined): boolean {
  if (state === "trouble") return routes.some(({ health }) => health.circuit.state !== "closed");
  if (state === "several") return routes.length > 1;
  if (state === "fallbacks") return fallbacks.length > 0;
  if (state === "used") return routes.some(({ health }) => health.calls > 0);
  return state === undefined || status === state;
}
