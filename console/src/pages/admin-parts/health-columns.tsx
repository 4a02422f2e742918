import type { RouteHealth, VendorHealth } from "../../../../contract/vendors.ts";
import type { Column } from "../../kit/data-table.tsx";
import { Count, None } from "../../kit/values.tsx";
import { ErrorRate, Latency } from "./health-values.tsx";

/** The figures of health that a vendor and each of its models show. */
interface HealthRow {
  readonly health: RouteHealth | VendorHealth | null;
}

/** How many calls there were lately. */
export const CALLS: Column<HealthRow> = {
  key: "calls",
  header: "Calls",
  numeric: true,
  sortBy: ({ health }) => health?.calls ?? null,
  cell: ({ health }) => (health === null ? <None /> : <Count count={health.calls} />),
};

/** How many of them failed, and how soon the others began. */
export const OUTCOMES: readonly Column<HealthRow>[] = [
  {
    key: "errors",
    header: "Errors",
    numeric: true,
    sortBy: ({ health }) => health?.error_rate ?? null,
    cell: ({ health }) => (health === null ? <None /> : <ErrorRate health={health} />),
  },
  {
    key: "latency",
    header: "First byte p50 / p95",
    numeric: true,
    sortBy: ({ health }) => health?.first_byte_ms.p50 ?? null,
    cell: ({ health }) => (health === null ? <None /> : <Latency of={health.first_byte_ms} what="First byte" />),
  },
];
