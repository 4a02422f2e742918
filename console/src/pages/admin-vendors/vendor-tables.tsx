import type { VendorSummary } from "../../../../contract/vendors.ts";
import { Badge, StatusBadge } from "../../kit/badge.tsx";
import { type Column, DataTable } from "../../kit/data-table.tsx";
import { RowLink } from "../../kit/row-link.tsx";
import { Count, None } from "../../kit/values.tsx";
import { CALLS, OUTCOMES } from "../admin-parts/health-columns.tsx";
import { CircuitsBadge } from "../admin-parts/health-values.tsx";
import { CredentialSource } from "./credential-source.tsx";

const NAME: Column<VendorSummary> = {
  key: "name",
  header: "Vendor",
  heading: true,
  sortBy: ({ name }) => name,
  cell: ({ id, name, local, known }) => (
    <div className="min-w-0 text-left">
      <span className="flex flex-wrap items-center gap-x-2">
        <RowLink to="/admin/vendors/$id" params={{ id }}>
          {name}
        </RowLink>
        {local && <Badge hint="Self-hosted">local</Badge>}
        {!known && !local && <Badge hint="Defined in the configuration file">own</Badge>}
      </span>
      <div className="font-mono text-[0.8rem] font-normal text-ink-soft">{id}</div>
    </div>
  ),
};

const ENABLED: readonly Column<VendorSummary>[] = [
  NAME,
  { key: "credential", header: "Credential", cell: (vendor) => <CredentialSource vendor={vendor} /> },
  {
    key: "models",
    header: "Models",
    numeric: true,
    sortBy: ({ model_count }) => model_count,
    cell: ({ model_count }) => <Count count={model_count} />,
  },
  CALLS,
  {
    key: "in_flight",
    header: "Running",
    numeric: true,
    sortBy: ({ health }) => health?.in_flight ?? null,
    cell: ({ health }) => (health === null ? <None /> : <Count count={health.in_flight} />),
  },
  ...OUTCOMES,
  {
    key: "circuits",
    header: "Circuits",
    sortBy: ({ health }) => health?.circuits_open ?? null,
    cell: ({ health, model_count }) =>
      health === null ? <None /> : <CircuitsBadge health={health} routes={model_count} />,
  },
];

const OTHERS: readonly Column<VendorSummary>[] = [
  NAME,
  {
    key: "status",
    header: "Status",
    cell: ({ status }) => (
      <StatusBadge
        status={status}
        hint={status === "not_offered" ? "The configuration file leaves it out" : "It lacks a credential or a setting"}
      />
    ),
  },
  {
    key: "needs",
    header: "Needs",
    cell: ({ credential, missing }) => (
      <span className="font-mono text-[0.82rem] break-words text-ink-soft">
        {[...new Set([...missing, ...credential.variables])].join(", ") || "a place in the configuration file"}
      </span>
    ),
  },
  {
    key: "models",
    header: "Models it adds",
    numeric: true,
    sortBy: ({ model_count }) => model_count,
    cell: ({ model_count }) =>
      model_count === 0 ? (
        <span className="whitespace-nowrap text-ink-soft" data-hint="Camino brings none: you add them">
          models you add
        </span>
      ) : (
        <Count count={model_count} />
      ),
  },
];

export function EnabledVendors({ vendors }: { vendors: readonly VendorSummary[] }) {
  return (
    <DataTable
      caption="Enabled vendors"
      columns={ENABLED}
      rows={vendors}
      file={{ name: "vendors" }}
      rowKey={({ id }) => id}
      sort_param="sort"
      initial_sort="-calls"
    />
  );
}

export function OtherVendors({ vendors }: { vendors: readonly VendorSummary[] }) {
  return (
    <DataTable
      caption="Vendors that are not configured"
      columns={OTHERS}
      rows={vendors}
      file={{ name: "vendors-not-configured" }}
      rowKey={({ id }) => id}
      initial_sort="name"
    />
  );
}
