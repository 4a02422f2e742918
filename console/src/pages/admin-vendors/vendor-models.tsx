import type { Vendor, VendorModel } from "../../../../contract/vendors.ts";
import { Badge } from "../../kit/badge.tsx";
import { Card } from "../../kit/card.tsx";
import { type Column, DataTable } from "../../kit/data-table.tsx";
import { BeneathName, FittingName } from "../../kit/long-name.tsx";
import { RowLink } from "../../kit/row-link.tsx";
import { sortRows, useSort } from "../../kit/sort.ts";
import { EmptyState } from "../../kit/states.tsx";
import { None } from "../../kit/values.tsx";
import { CALLS, OUTCOMES } from "../admin-parts/health-columns.tsx";
import { CircuitBadge } from "../admin-parts/health-values.tsx";
import { useShowMore } from "../admin-parts/show-more.tsx";
import { KIND_BADGES } from "../models/kinds.ts";

/** The calls of a vendor's model are those of all models that go by it. */
function nameColumn(models: readonly VendorModel[]): Column<VendorModel> {
  return {
    key: "model",
    header: "Model",
    heading: true,
    sortBy: ({ model }) => model,
    cell: (row) => <Name {...row} sharing={models.filter((one) => one.upstream_model === row.upstream_model).length} />,
  };
}

function Name({ model, upstream_model, kind, sharing }: VendorModel & { sharing: number }) {
  return (
    <div className="min-w-0 text-left">
      <span className="flex flex-wrap items-center gap-x-2">
        <RowLink to="/admin/routes" search={{ q: model }}>
          <FittingName>{model}</FittingName>
        </RowLink>
        {KIND_BADGES[kind] !== null && <Badge>{KIND_BADGES[kind]}</Badge>}
      </span>
      <BeneathName code>{upstream_model}</BeneathName>
      {sharing > 1 && <BeneathName>{`used by ${sharing} models, counted together`}</BeneathName>}
    </div>
  );
}

const PROTOCOLS: Column<VendorModel> = {
  key: "protocols",
  header: "Protocols",
  wide_only: true,
  cell: ({ protocols }) => <span className="text-[0.88rem] text-ink-soft">{protocols.join(", ")}</span>,
};

const HEALTH: readonly Column<VendorModel>[] = [
  CALLS,
  ...OUTCOMES,
  {
    key: "circuit",
    header: "Circuit",
    cell: ({ health }) => (health === null ? <None /> : <CircuitBadge health={health} />),
  },
];

const INITIAL = "-calls";

/** The models that the vendor serves, each with its health. */
export function VendorModels({ vendor: { models, status } }: { vendor: Vendor }) {
  const enabled = status === "enabled";
  const columns = [nameColumn(models), PROTOCOLS, ...(enabled ? HEALTH : [])];
  const [sort] = useSort("sort", INITIAL);
  const sortBy = columns.find(({ key }) => key === sort?.key)?.sortBy;
  const ordered = sort === null || sortBy === undefined ? models : sortRows(models, sortBy, sort.descending);
  const { shown, footer, showAll } = useShowMore(ordered, "models");
  return (
    <Card title={enabled ? "Models" : "Models it would add"} flush>
      {models.length === 0 ? (
        <EmptyState icon="models" title="No models use this vendor yet">
          Fetch its models below, and offer those that you want.
        </EmptyState>
      ) : (
        <DataTable
          caption="Models"
          columns={columns}
          rows={shown}
          file={{ name: "models-of-the-vendor", complete: showAll }}
          rowKey={({ model, upstream_model }) => `${model} ${upstream_model}`}
          sort_param="sort"
          initial_sort={INITIAL}
          footer={footer}
        />
      )}
    </Card>
  );
}
