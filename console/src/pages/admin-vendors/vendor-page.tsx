import { useParams } from "@tanstack/react-router";
import type { Vendor } from "../../../../contract/vendors.ts";
import { ApiError } from "../../api/api-error.ts";
import { useApi } from "../../api/use-api.ts";
import { Badge, StatusBadge } from "../../kit/badge.tsx";
import { LinkButton } from "../../kit/button.tsx";
import { Card, Stat } from "../../kit/card.tsx";
import { formatCount, formatDuration, formatShare } from "../../kit/format.ts";
import { GuideLink } from "../../kit/guide-link.tsx";
import { PageHeader } from "../../kit/page-header.tsx";
import { EmptyState, ErrorState, SkeletonRows } from "../../kit/states.tsx";
import { Count, None } from "../../kit/values.tsx";
import { MeasuredBy } from "../admin-parts/measured-by.tsx";
import { CredentialCard } from "./credential-card.tsx";
import { Endpoints } from "./endpoints.tsx";
import { LimitUses } from "./limit-uses.tsx";
import { TestCall } from "./test-call.tsx";
import { useOffers } from "./use-offers.ts";
import { VendorModels } from "./vendor-models.tsx";
import { VendorOffers } from "./vendor-offers.tsx";

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

/** The one way to set up a server that people run themselves: its address, then its models. */
function LocalSetUp({ vendor: { id, name, missing } }: { vendor: Vendor }) {
  return (
    <Card title={`Set up ${name}`}>
      <ol className="list-decimal space-y-2.5 pl-5">
        <li>
          Start {name} where this gateway reaches it, and say where it listens: the address with its version, such as{" "}
          <code className="font-mono text-[0.88rem]">http://127.0.0.1:11434/v1</code>.
        </li>
        <li>
          Come back to this page: it then lists the models that the server has. Offer those that you want, each with a
          price; 0 is one.
        </li>
        <li>Only where the server asks for a key, set it here as its credential.</li>
      </ol>
      <div className="mt-4 flex flex-wrap items-center gap-x-4 gap-y-2">
        <LinkButton
          kind="primary"
          icon="plus"
          to="/admin/configuration/$kind/new"
          params={{ kind: "vendor" }}
          search={{ id }}
        >
          Set its address
        </LinkButton>
        <GuideLink to="configuration#adding-a-vendor">Guide</GuideLink>
        {missing.length > 0 && (
          <span className="text-[0.9rem] text-ink-soft">
            For a gateway that a script starts, the variable{" "}
            <code className="font-mono text-[0.85rem]">{missing.join(", ")}</code> says the same.
          </span>
        )}
      </div>
    </Card>
  );
}

/** The vendor's recent health, over all of its models. */
function VendorStats({ vendor: { health, limits, model_count, node, window_s } }: { vendor: Vendor }) {
  if (health === null) return null;
  const { calls, errors, error_rate, rate_limited, first_byte_ms, total_ms, in_flight, circuits_open } = health;
  return (
    <div>
      <div className="grid grid-cols-2 gap-3 lg:grid-cols-5 max-sm:[&>:first-child]:col-span-2">
        <Stat label="Calls" note={in_flight === 0 ? "none running" : `${formatCount(in_flight)} running`}>
          <Count count={calls} />
        </Stat>
        <Stat
          label="Errors"
          note={
            errors === 0
              ? "no call failed"
              : `${formatCount(errors)} failed${rate_limited === 0 ? "" : `, ${formatCount(rate_limited)} rate limited`}`
          }
        >
          {error_rate === null ? <None /> : formatShare(error_rate)}
        </Stat>
        <LatencyStat label="First byte" of={first_byte_ms} />
        <LatencyStat label="Whole answer" of={total_ms} />
        <Stat label="Circuits" note={`of ${formatCount(model_count)} ${model_count === 1 ? "model" : "models"}`}>
          {circuits_open === 0 ? "all healthy" : `${formatCount(circuits_open)} failing`}
        </Stat>
      </div>
      {limits.length > 0 && (
        <div className="mt-3">
          <LimitUses limits={limits} />
        </div>
      )}
      <p className="mt-2 text-[0.85rem] text-ink-soft">
        <MeasuredBy node={node} window_s={window_s} />. Other nodes measure their own.
      </p>
    </div>
  );
}

function LatencyStat({ label, of }: { label: string; of: { p50: number | null; p95: number | null } }) {
  return (
    <Stat label={label} note={of.p95 === null ? "nothing measured" : `p95 ${formatDuration(of.p95)}`}>
      {of.p50 === null ? <None /> : formatDuration(of.p50)}
    </Stat>
  );
}
