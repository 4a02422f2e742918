import { useParams } from "@tanstack/react-router";
import type { Vendor } from "../../../../contract/vendors.ts";
import { ApiError } from "../../api/api-error.ts";
import { useApi } from "../../api/use-api.ts";
import { Badge, StatusBadge } from "../../kit/badge.tsx";
import { LinkButton } from "../../kit/button.tsx";
import { PageHeader } from "../../kit/page-header.tsx";
import { EmptyState, ErrorState, SkeletonRows } from "../../kit/states.tsx";
import { CredentialCard } from "./credential-card.tsx";
import { Endpoints } from "./endpoints.tsx";
import { LocalSetUp } from "./local-set-up.tsx";
import { TestCall } from "./test-call.tsx";
import { useOffers } from "./use-offers.ts";
import { VendorModels } from "./vendor-models.tsx";
import { VendorOffers } from "./vendor-offers.tsx";
import { VendorStats } from "./vendor-stats.tsx";

const VENDORS = [{ label: "Vendors", to: "/admin/vendors" }] as const;
const FRESH_MS = 3_000;

/** One vendor: its health, its endpoints and its credential. */
export function VendorPage() {
  const { id } = useParams({ from: "/signed-in/admin/admin/vendors/$id" });
  const vendor = useApi("GET /vendors/{vendor}", { path: { vendor: id } }, { refresh_ms: FRESH_MS });
  if (vendor.data?.id === id) return <KnownVendor key={id} vendor={vendor.data} />;
  const missing = vendor.error instanceof ApiError && vendor.error.status === 404;
  return (
    <>
      <PageHeader title="Vendor" breadcrumb={VENDORS} />
      {missing ? (
        <EmptyState
          icon="vendors"
          title="There is no such vendor"
          action={<LinkButton to="/admin/vendors">All vendors</LinkButton>}
        >
          Camino does not know “{id}”, and the configuration file has none of that name.
        </EmptyState>
      ) : vendor.error ? (
        <ErrorState error={vendor.error} onRetry={() => vendor.refetch()} />
      ) : (
        <SkeletonRows rows={8} />
      )}
    </>
  );
}

const ENABLED_BY = {
  environment: "by the environment",
  file: "by the configuration file",
  console: "by a credential from this console",
  simulator: "as the built-in simulator",
} as const;

function KnownVendor({ vendor }: { vendor: Vendor }) {
  const { id, name, status, enabled_by, local, known } = vendor;
  const asked = useOffers(id);
  return (
    <>
      <PageHeader
        title={name}
        shown_title={
          <>
            {name}
            <StatusBadge status={status} />
            {local && <Badge hint="Self-hosted">local</Badge>}
            {!known && !local && <Badge hint="Defined in the configuration file">own</Badge>}
          </>
        }
        description={
          <>
            <span className="font-mono text-[0.88rem]">{id}</span>
            {enabled_by !== null && `, enabled ${ENABLED_BY[enabled_by]}`}
          </>
        }
        breadcrumb={VENDORS}
        actions={
          status === "enabled" && (
            <LinkButton icon="edit" to="/admin/configuration/$kind/$id" params={{ kind: "vendor", id }} search={{}}>
              Addresses and timeouts
            </LinkButton>
          )
        }
      />
      <div className="space-y-5">
        <VendorStats vendor={vendor} />
        {local && status !== "enabled" ? (
          <LocalSetUp vendor={vendor} />
        ) : (
          <div className="grid items-start gap-5 xl:grid-cols-2">
            <CredentialCard vendor={vendor} asked={asked} />
            <TestCall key={`${id} ${status}`} vendor={vendor} />
          </div>
        )}
        <VendorModels vendor={vendor} />
        <VendorOffers vendor={vendor} asked={asked} />
        <Endpoints vendor={vendor} />
      </div>
    </>
  );
}
