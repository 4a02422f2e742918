import type { ReactNode } from "react";
import type { Vendor } from "../../../../contract/vendors.ts";
import { Badge } from "../../kit/badge.tsx";
import { Card, Facts } from "../../kit/card.tsx";
import { formatDuration } from "../../kit/format.ts";
import { FittingName } from "../../kit/long-name.tsx";
import { None } from "../../kit/values.tsx";

const TRAVELS: Readonly<Record<string, string>> = {
  bearer: "as a bearer token",
  sigv4: "as an AWS signature",
  "google-service-account": "as a token of a Google service account",
  none: "without a credential",
};

/** The vendor's protocols, addresses and timeouts. */
export function Endpoints({ vendor }: { vendor: Vendor }) {
  const { endpoints, settings, header_names, timeouts, on_disconnect } = vendor;
  return (
    <Card title="Connection" flush>
      <ul className="divide-y divide-line border-y border-line">
        {endpoints.map(({ protocol, base_url, credential }) => (
          <li
            key={`${protocol} ${base_url}`}
            className="flex flex-wrap items-center gap-x-4 gap-y-1 px-4 py-2.5 sm:px-5"
          >
            <span className="w-40 shrink-0">
              <Badge tone="info">{protocol}</Badge>
            </span>
            <code className="min-w-0 flex-1 basis-64 font-mono text-[0.85rem]">
              <FittingName>{base_url}</FittingName>
            </code>
            <span className="text-[0.88rem] text-ink-soft">{TRAVELS[credential] ?? `in the header ${credential}`}</span>
          </li>
        ))}
      </ul>
      <div className="px-4 py-4 sm:px-5">
        <Facts
          facts={[
            ["Connecting", `at most ${formatDuration(timeouts.connect_ms)}`],
            ["First byte", `at most ${formatDuration(timeouts.first_byte_ms)}`],
            ["Between chunks", `at most ${formatDuration(timeouts.idle_ms)}`],
            ["Whole answer", `at most ${formatDuration(timeouts.total_ms)}`],
            ["On client disconnect", LEAVING[on_disconnect]],
            header_names.length === 0 ? null : ["Added headers", <Words key="headers" words={header_names} />],
            ...settings.map(settingFact),
          ]}
        />
      </div>
    </Card>
  );
}

const LEAVING: Readonly<Record<Vendor["on_disconnect"], string>> = {
  auto: "the call ends if all of it was seen; otherwise it is read to its end and charged",
  abort: "the call ends at once",
  drain: "the answer is read to its end, and charged",
};

function settingFact({ name, value }: Vendor["settings"][number]): readonly [string, ReactNode] {
  const shown = value === null ? <None /> : <code className="font-mono text-[0.88rem]">{value}</code>;
  return [name, shown];
}

function Words({ words }: { words: readonly string[] }) {
  return <code className="font-mono text-[0.88rem] break-words">{words.join(", ")}</code>;
}
