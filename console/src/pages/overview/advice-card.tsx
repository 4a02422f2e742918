import type { ReactNode } from "react";
import { useIsAdministrator } from "../../api/session.ts";
import { useApi } from "../../api/use-api.ts";
import { ALL_ACCOUNTS } from "../../kit/all-accounts.ts";
import { Card } from "../../kit/card.tsx";
import { formatCount } from "../../kit/format.ts";
import { Icon } from "../../kit/icon.tsx";
import { TextLink } from "../../kit/row-link.tsx";
import { failingCredentials, idleModels } from "./advice.ts";

/** What an administrator should look at: credentials that fail, keys that nobody uses, models that nobody calls. Nothing where there is none. */
export function AdviceCard() {
  return useIsAdministrator() ? <Advice /> : null;
}

const MOST_KEYS = 100;
const MOST_NAMED = 5;

function Advice() {
  const vendors = useApi("GET /vendors", {});
  const unused = useApi("GET /keys", { query: { status: "unused", limit: String(MOST_KEYS) } });
  const prices = useApi("GET /prices", {});
  const traffic = useApi("GET /usage/traffic", { query: { by: "model", ...lastDays(90), step: "day", top: "100" } });
  const key_count = unused.data?.data.length ?? 0;
  const idle = prices.data && traffic.data ? idleModels(prices.data.data, traffic.data) : [];
  const advice = [
    ...failingCredentials(vendors.data?.data ?? []).map(({ vendor, name, why }) => (
      <Item key={vendor} is_urgent>
        The credential of{" "}
        <TextLink to="/admin/vendors/$id" params={{ id: vendor }}>
          {name}
        </TextLink>{" "}
        fails: {why}.
      </Item>
    )),
    key_count > 0 && (
      <Item key="keys">
        <TextLink to="/keys" search={{ account: ALL_ACCOUNTS, status: "unused" }}>
          {formatCount(key_count)}
          {key_count === MOST_KEYS ? " or more" : ""} active {key_count === 1 ? "key" : "keys"}
        </TextLink>{" "}
        unused for 90 days. Revoke what nobody needs.
      </Item>
    ),
    idle.length > 0 && (
      <Item key="models">
        <TextLink to="/usage" search={{ account: ALL_ACCOUNTS, by: "model", range: "90d" }}>
          {formatCount(idle.length)} {idle.length === 1 ? "model" : "models"}
        </TextLink>{" "}
        without requests for 90 days: {idle.slice(0, MOST_NAMED).join(", ")}
        {idle.length > MOST_NAMED ? " …" : ""}
      </Item>
    ),
  ].filter((item) => item !== false);
  if (advice.length === 0) return null;
  return (
    <Card title="Needs attention">
      <ul className="space-y-2">{advice}</ul>
    </Card>
  );
}

function Item({ is_urgent = false, children }: { is_urgent?: boolean; children: ReactNode }) {
  return (
    <li className="flex items-start gap-2.5">
      <Icon
        name={is_urgent ? "warning" : "info"}
        className={`mt-0.5 size-4.5 ${is_urgent ? "text-danger-ink" : "text-ink-soft"}`}
      />
      <span className="min-w-0 [overflow-wrap:anywhere]">{children}</span>
    </li>
  );
}

/** The last days up to today, in UTC. */
function lastDays(days: number): { since: string; until: string } {
  const dayAt = (time_ms: number) => new Date(time_ms).toISOString().slice(0, 10);
  return { since: dayAt(Date.now() - (days - 1) * 86_400_000), until: dayAt(Date.now()) };
}
