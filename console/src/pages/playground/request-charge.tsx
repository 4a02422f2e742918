import type { ReceiptDetail } from "../../../../contract/requests.ts";
import { useApi } from "../../api/use-api.ts";
import { Badge } from "../../kit/badge.tsx";
import { formatCount } from "../../kit/format.ts";
import { TextLink } from "../../kit/row-link.tsx";
import { Money } from "../../kit/values.tsx";

const SETTLING_MS = 400;

/** The charge of an ended request, with a link to its receipt. Reads the receipt until the request is settled. */
export function RequestCharge({ request_id }: { request_id: string }) {
  const receipt = useApi(
    "GET /requests/{request}",
    { path: { request: request_id } },
    { refresh_ms: (answer) => (answer?.status === "held" ? SETTLING_MS : false) },
  );
  // A request that was refused has no receipt, and costs nothing.
  if (receipt.error || receipt.data?.object === "refused_request") return <span>not charged</span>;
  const settled = receipt.data?.id === request_id && receipt.data.status !== "held" ? receipt.data : null;
  if (settled === null) return <span className="animate-pulse">settling…</span>;
  const { model, requested_model } = settled;
  return (
    <span className="inline-flex flex-wrap items-baseline gap-x-3">
      {model !== "" && model !== requested_model && (
        <Badge tone="warn" hint={`${requested_model} was asked for, and ${model} answered in its place.`}>
          answered by {model}
        </Badge>
      )}
      <span>
        charged{" "}
        <Money focusable micro={settled.charge_micro} currency={settled.currency} className="font-medium text-ink" />
      </span>
      {cachedWords(settled)}
      <TextLink to="/requests/$id" params={{ id: request_id }}>
        Receipt
      </TextLink>
    </span>
  );
}

function cachedWords({ usage }: ReceiptDetail): string | null {
  if (usage === null) return null;
  const parts = [
    usage.cache_read_tokens > 0 ? `${formatCount(usage.cache_read_tokens)} from cache` : "",
    usage.reasoning_tokens > 0 ? `${formatCount(usage.reasoning_tokens)} for reasoning` : "",
  ].filter((part) => part !== "");
  return parts.length === 0 ? null : parts.join(", ");
}
