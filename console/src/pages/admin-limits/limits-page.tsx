import type { LimitedAccount, LimitOverride, Limits, OwnLimit } from "../../../../contract/limits.ts";
import { useApi, useApiPages } from "../../api/use-api.ts";
import { LinkButton } from "../../kit/button.tsx";
import { Card, Stat } from "../../kit/card.tsx";
import { FilterBar, FilterSelect, FilterText } from "../../kit/filter-bar.tsx";
import { formatCount, formatDuration } from "../../kit/format.ts";
import { optionsOf } from "../../kit/options.ts";
import { PageHeader } from "../../kit/page-header.tsx";
import type { PagesOf } from "../../kit/pagination.tsx";
import { EmptyState, Loaded, PageSkeleton } from "../../kit/states.tsx";
import { useUrlState } from "../../kit/url-state.ts";
import { formatBytes } from "../admin-parts/format-bytes.ts";
import { AccountTable } from "./account-table.tsx";
import { OverrideTable } from "./override-table.tsx";

/** The limits of every key, and the keys and accounts that have limits of their own. */
export function LimitsPage() {
  const limits = useApi("GET /limits", {});
  return (
    <>
      <PageHeader
        title="Limits"
        guide="configuration#limits"
        description="Limits for every key that has none of its own. A key's own limits are on its page."
        actions={
          <LinkButton
            icon="edit"
            to="/admin/configuration/$kind/$id"
            params={{ kind: "limits", id: "default" }}
            search={{}}
          >
            Change the defaults
          </LinkButton>
        }
      />
      <Loaded query={limits} skeleton={<PageSkeleton tiles={4} blocks={["h-64"]} />}>
        {(data) => (
          <div className="space-y-5">
            <Defaults limits={data} />
            <OwnLimits limits={data} />
          </div>
        )}
      </Loaded>
    </>
  );
}

function Defaults({ limits }: { limits: Limits }) {
  const { default_key, body_bytes, body_stall_ms, body_total_ms } = limits;
  return (
    <div className="grid grid-cols-2 gap-3 lg:grid-cols-4">
      <Stat label="Requests per minute" note="for each key">
        {formatCount(default_key.rpm)}
      </Stat>
      <Stat label="Concurrent requests" note="for each key">
        {formatCount(default_key.concurrent)}
      </Stat>
      <Stat label="Tokens per minute" note="unless a key has its own limit">
        no limit
      </Stat>
      <Stat label="Request body" note={`${formatDuration(body_total_ms)} max, ${formatDuration(body_stall_ms)} idle`}>
        {formatBytes(body_bytes)}
      </Stat>
    </div>
  );
}

/** The keys and accounts with limits of their own, found by one search: the newest first. */
function OwnLimits({ limits }: { limits: Limits }) {
  const [{ q = "", has }] = useUrlState("q", "has");
  const limit = LIMIT_OPTIONS.find(({ value }) => value === has)?.value;
  const query = { limit: "100", ...(q !== "" && { q: q.slice(0, 200) }), ...(limit && { has: limit }) };
  const keys = useApiPages("GET /limits/keys", { query });
  const accounts = useApiPages("GET /limits/accounts", { query });
  return (
    <>
      <FilterBar names={["q", "has"]}>
        <FilterText name="q" label="Key or account" />
        <FilterSelect name="has" label="Has its own" all="Any limit" options={LIMIT_OPTIONS} />
      </FilterBar>
      <div className="space-y-5">
        <Card
          title="Keys with their own limits"
          description={`${formatCount(limits.limited_key_count)} of ${formatCount(limits.key_count)} keys`}
          flush
        >
          <Loaded query={keys}>{() => <Keys pages={keys} limits={limits} />}</Loaded>
        </Card>
        <Card
          title="Accounts with limits"
          description={`${formatCount(limits.limited_account_count)} of ${formatCount(limits.account_count)} accounts, over all of their keys together`}
          flush
        >
          <Loaded query={accounts}>{() => <Accounts pages={accounts} limits={limits} />}</Loaded>
        </Card>
      </div>
    </>
  );
}

const LIMIT_OPTIONS = optionsOf<OwnLimit>({
  rpm: "Requests per minute",
  tpm: "Tokens per minute",
  concurrent: "Concurrent requests",
  budget: "Budget",
  models: "Models",
  expires_at: "Expiry",
});

function Keys({ pages, limits }: { pages: PagesOf<LimitOverride>; limits: Limits }) {
  if (pages.rows.length > 0) return <OverrideTable pages={pages} currency={limits.currency} />;
  return limits.limited_key_count === 0 ? (
    <EmptyState icon="limits" title="Every key has the defaults">
      A key's own rate, budget, models and expiry are set on the key's page.
    </EmptyState>
  ) : (
    <EmptyState icon="search" title="No key matches">
      Try a part of the key's name or of the account's e-mail.
    </EmptyState>
  );
}

function Accounts({ pages, limits }: { pages: PagesOf<LimitedAccount>; limits: Limits }) {
  if (pages.rows.length > 0) return <AccountTable pages={pages} currency={limits.currency} />;
  return limits.limited_account_count === 0 ? (
    <EmptyState icon="limits" title="No account is limited">
      An account's limits over all of its keys are set on the account's page.
    </EmptyState>
  ) : (
    <EmptyState icon="search" title="No limited account matches">
      Try a part of the account's name or e-mail.
    </EmptyState>
  );
}
