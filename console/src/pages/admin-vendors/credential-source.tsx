import type { VendorSummary } from "../../../../contract/vendors.ts";
import { Badge } from "../../kit/badge.tsx";

const SOURCES = {
  environment: { label: "environment", hint: "From a variable of the environment" },
  file: { label: "file", hint: "From the configuration file" },
  console: { label: "console", hint: "Set in this console, stored encrypted" },
} as const;

function KeyCount({ keys }: Pick<VendorSummary["credential"], "keys">) {
  const resting = keys.filter(({ state }) => state === "resting").length;
  return (
    <span className="text-[0.88rem] text-ink-soft">
      {keys.length} keys{resting > 0 && `, ${resting} resting`}
    </span>
  );
}

/** The origin of the credential in use; never the credential itself. */
export function CredentialSource({ vendor: { credential } }: { vendor: Pick<VendorSummary, "credential"> }) {
  const { source, hint, keys, needed, stored, variable } = credential;
  if (stored !== null && stored.problem !== null)
    return (
      <Badge tone="danger" hint={stored.problem}>
        cannot be used
      </Badge>
    );
  if (source === null)
    return needed === "yes" ? <Badge tone="warn">missing</Badge> : <span className="text-ink-soft">none needed</span>;
  return (
    <span className="inline-flex flex-wrap items-center gap-x-2">
      <Badge tone={source === "console" ? "accent" : "neutral"} hint={variable ?? SOURCES[source].hint}>
        {SOURCES[source].label}
      </Badge>
      {keys.length > 0 && <KeyCount keys={keys} />}
      {keys.length === 0 && hint !== null && <code className="font-mono text-[0.82rem] text-ink-soft">…{hint}</code>}
    </span>
  );
}
