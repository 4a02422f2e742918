import type { VendorSummary } from "../../../../contract/vendors.ts";
import { useApi } from "../../api/use-api.ts";
import { LinkButton } from "../../kit/button.tsx";
import { Card } from "../../kit/card.tsx";
import { FilterBar, FilterSelect, FilterText } from "../../kit/filter-bar.tsx";
import { optionsOf } from "../../kit/options.ts";
import { PageHeader } from "../../kit/page-header.tsx";
import { EmptyState, Loaded } from "../../kit/states.tsx";
import { useUrlState } from "../../kit/url-state.ts";
import { wordsIn } from "../../kit/words.ts";
import { MeasuredBy } from "../admin-parts/measured-by.tsx";
import { EnabledVendors, OtherVendors } from "./vendor-tables.tsx";

const FRESH_MS = 5_000;

/** The enabled vendors with their health, and the known vendors that lack only a credential. */
export function VendorsPage() {
  const [{ q = "", show }] = useUrlState("q", "show");
  const vendors = useApi("GET /vendors", {}, { refresh_ms: FRESH_MS });
  const has_words = wordsIn(q);
  const matches = ({ id, name, protocols }: VendorSummary) => has_words(`${id} ${name} ${protocols.join(" ")}`);
  const found = (vendors.data?.data ?? []).filter(matches);
  const enabled = found.filter(({ status }) => status === "enabled");
  const others = found.filter(({ status }) => status !== "enabled");
  return (
    <>
      <PageHeader
        title="Vendors"
        guide="configuration#credentials-in-the-console"
        description="Where requests go. Add an API key to enable a vendor's models, without a restart."
        actions={
          <LinkButton icon="plus" to="/admin/vendors/new">
            New vendor
          </LinkButton>
        }
      />
      <FilterBar names={["q", "show"]}>
        <FilterText name="q" label="Name or protocol" />
        <FilterSelect
          name="show"
          label="Show"
          all="All vendors"
          options={optionsOf({ enabled: "Enabled", others: "Not configured" })}
        />
      </FilterBar>
      <Loaded query={vendors}>
        {({ node, window_s }) => (
          <div className="space-y-5">
            {found.length === 0 && (
              <Card flush>
                <EmptyState icon="search" title="No vendor matches">
                  Try a part of the name, or clear the filters.
                </EmptyState>
              </Card>
            )}
            {show !== "others" && (q.trim() === "" || enabled.length > 0) && (
              <Card title="Enabled" description={<MeasuredBy node={node} window_s={window_s} />} flush>
                {enabled.length === 0 ? (
                  <EmptyState icon="vendors" title="No vendor is enabled yet">
                    Open one below and set its credential.
                  </EmptyState>
                ) : (
                  <EnabledVendors vendors={enabled} />
                )}
              </Card>
            )}
            {show !== "enabled" && others.length > 0 && (
              <Card
                title="Not configured"
                description="Known vendors. Add a credential, here or in the environment, to enable one."
                flush
              >
                <OtherVendors vendors={others} />
              </Card>
            )}
          </div>
        )}
      </Loaded>
    </>
  );
}
