import { useState } from "react";
import type { Model } from "../../../../contract/models.ts";
import { useApi } from "../../api/use-api.ts";
import { Button } from "../../kit/button.tsx";
import { Card } from "../../kit/card.tsx";
import { DataTable } from "../../kit/data-table.tsx";
import { FixtureSwitch, useWithoutFixtures } from "../../kit/fixtures.tsx";
import { formatCount } from "../../kit/format.ts";
import { PageHeader } from "../../kit/page-header.tsx";
import { sortRows, useSort } from "../../kit/sort.ts";
import { EmptyState, Loaded, SkeletonRows } from "../../kit/states.tsx";
import { useUrlState } from "../../kit/url-state.ts";
import { CompareBar } from "./compare-bar.tsx";
import { FILTER_NAMES, filterModels } from "./filter-models.ts";
import { modelColumns } from "./model-columns.tsx";
import { ModelFilterBar } from "./model-filter-bar.tsx";
import { useComparison } from "./use-comparison.ts";

/** The catalogue: every model that can be called here. */
export function ModelsPage() {
  const models = useApi("GET /models", { query: { kind: "all", unlisted: "show" } });
  const withoutFixtures = useWithoutFixtures();
  return (
    <>
      <PageHeader
        title="Models"
        guide="console#models"
        description="Every model here can be called with every key that allows it. Prices are per million tokens."
      />
      <Loaded
        query={models}
        skeleton={
          <Card flush>
            <SkeletonRows />
          </Card>
        }
      >
        {({ data, currency }) => {
          const { shown, hidden } = withoutFixtures(data);
          return (
            <>
              <ModelFilterBar models={shown} currency={currency} />
              <Catalog models={shown} currency={currency} />
              <div className="mt-4">
                <FixtureSwitch count={hidden} />
              </div>
            </>
          );
        }}
      </Loaded>
    </>
  );
}

/** How many rows are shown at first, so that a catalogue of a thousand models stays quick. */
const FIRST_SHOWN = 60;

function Catalog({ models, currency }: { models: readonly Model[]; currency: string }) {
  const [search, setSearch] = useUrlState(...FILTER_NAMES);
  const [all, setAll] = useState(false);
  const comparison = useComparison(models);
  const found = filterModels(models, search);
  const by_unit = found.some(({ price }) => price.units_micro !== undefined);
  const columns = modelColumns(currency, comparison, by_unit);
  const [sort] = useSort("sort", undefined);
  const sortBy = columns.find(({ key }) => key === sort?.key)?.sortBy;
  const ordered = sort && sortBy ? sortRows(found, sortBy, sort.descending) : found;
  const shown = all ? ordered : ordered.slice(0, FIRST_SHOWN);
  if (found.length === 0) {
    return (
      <Card flush>
        <EmptyState
          icon="models"
          title="No model matches"
          action={
            <Button onClick={() => setSearch(Object.fromEntries(FILTER_NAMES.map((name) => [name, undefined])))}>
              Clear the filters
            </Button>
          }
        >
          None of the {formatCount(models.length)} models in the catalog matches all filters.
        </EmptyState>
      </Card>
    );
  }
  return (
    <>
      <Card flush>
        <DataTable
          caption="Models"
          columns={columns}
          rows={shown}
          file={{ name: "models", complete: () => setAll(true) }}
          rowKey={({ id }) => id}
          sort_param="sort"
          footer={
            <div className="flex items-center justify-between gap-4 border-t border-line px-5 py-3 text-[0.88rem] text-ink-soft">
              <span role="status">
                {found.length === models.length
                  ? `${formatCount(found.length)} models`
                  : `${formatCount(found.length)} of ${formatCount(models.length)} models`}
              </span>
              {shown.length < found.length && (
                <Button size="small" onClick={() => setAll(true)}>
                  Show all {formatCount(found.length)}
                </Button>
              )}
            </div>
          }
        />
      </Card>
      <CompareBar comparison={comparison} currency={currency} />
    </>
  );
}
