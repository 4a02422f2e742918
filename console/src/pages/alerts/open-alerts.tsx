import type { AlertsQuery } from "../../../../contract/alerts.ts";
import { useApi } from "../../api/use-api.ts";
import { Notice } from "../../kit/states.tsx";
import { Time } from "../../kit/values.tsx";

const REFRESH_MS = 30_000;

/** What is true now; nothing where all is well. */
export function OpenAlerts({ query }: { query: AlertsQuery }) {
  const alerts = useApi("GET /alerts", { query }, { refresh_ms: REFRESH_MS }).data?.data ?? [];
  if (alerts.length === 0) return null;
  return (
    <Notice tone="warn">
      <ul className="space-y-1">
        {alerts.slice(0, 20).map(({ type, title, since, data }) => (
          <li key={`${type} ${title} ${JSON.stringify(data)}`}>
            {title}, since <Time at={since} clock />
          </li>
        ))}
        {alerts.length > 20 && <li>And {alerts.length - 20} more.</li>}
      </ul>
    </Notice>
  );
}
