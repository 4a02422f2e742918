import { useState } from "react";
import type { CredentialKey, Vendor } from "../../../../contract/vendors.ts";
import { messageOf } from "../../api/api-error.ts";
import { useChange } from "../../api/use-api.ts";
import { useNames } from "../../api/use-names.ts";
import { Badge } from "../../kit/badge.tsx";
import { Button } from "../../kit/button.tsx";
import { Card, Facts } from "../../kit/card.tsx";
import { ConfirmDialog } from "../../kit/dialog.tsx";
import { formatCount } from "../../kit/format.ts";
import { Notice } from "../../kit/states.tsx";
import { Time } from "../../kit/values.tsx";
import { CredentialDialog } from "./credential-dialog.tsx";
import { KIND_NAMES } from "./credential-kinds.ts";
import { CredentialSource } from "./credential-source.tsx";
import { LimitUses } from "./limit-uses.tsx";
import type { AskedOffers } from "./use-offers.ts";

const REASONS = {
  limited: "The vendor limits its rate (429)",
  refused: "The vendor refuses it (401)",
  forbidden: "The vendor forbids it (403)",
} as const;

const STALE = ["GET /vendors", "GET /vendors/{vendor}", "GET /models", "GET /routes", "GET /prices"] as const;

/** The vendor's credential: where it comes from, and how to set, replace or remove the console's own credential. */
export function CredentialCard({ vendor, asked }: { vendor: Vendor; asked: AskedOffers }) {
  const [trying, setTrying] = useState(false);
  const [setting, setSetting] = useState(false);
  const [removing, setRemoving] = useState(false);
  const remove = useChange("DELETE /vendors/{vendor}/credential", [...STALE, "GET /audit-log"]);
  const { id, name, credential, missing } = vendor;
  const { stored, kinds, kind, variables } = credential;
  const instead = stored?.instead_of ?? null;
  return (
    <Card
      title="Credential"
      actions={
        <>
          {stored !== null && (
            <Button size="small" icon="trash" onClick={() => setRemoving(true)}>
              Remove
            </Button>
          )}
          {kinds.length > 0 && (
            <Button
              size="small"
              kind={stored === null ? "primary" : "secondary"}
              icon="key"
              onClick={() => setSetting(true)}
            >
              {stored === null ? "Set credential" : "Replace"}
            </Button>
          )}
        </>
      }
    >
      <div className="space-y-4">
        {stored !== null && stored.problem !== null && (
          <Notice tone="danger">The stored credential is not in use: {stored.problem}</Notice>
        )}
        {trying && stored !== null && <Trial of={asked} name={name} />}
        <Facts
          facts={[
            ["In use", <CredentialSource key="use" vendor={vendor} />],
            kind === null ? null : ["Kind", KIND_NAMES[kind]],
            credential.keys.length === 0 ? null : ["Keys", <KeyStates key="keys" keys={credential.keys} />],
            stored === null ? null : ["Set", <SetBy key="set" stored={stored} />],
            missing.length === 0 ? null : ["Missing", <Variables key="missing" names={missing} />],
            variables.length === 0 || credential.source !== null
              ? null
              : ["Or by variable", <Variables key="or" names={variables} />],
          ]}
        />
        <p className="text-[0.9rem] text-ink-soft">
          {kinds.length === 0
            ? "No credential can be set here: requests carry none, or the configuration file sets it."
            : "Stored encrypted; never shown again. Takes effect with the next request, on every node within seconds; running requests keep theirs. Overrides the file and the environment."}
        </p>
      </div>
      <CredentialDialog
        vendor={vendor}
        open={setting}
        onClose={() => setSetting(false)}
        onSet={() => {
          setTrying(true);
          asked.fetchModels();
        }}
      />
      <ConfirmDialog
        open={removing}
        onClose={() => setRemoving(false)}
        title={`Remove the credential of ${name}?`}
        action="Remove credential"
        danger
        done="Credential removed"
        onConfirm={() => remove.mutateAsync({ path: { vendor: id } })}
      >
        {instead === null
          ? "Nothing replaces it: its models are no longer offered, and requests for them are refused or use another route."
          : `The one of the ${instead === "file" ? "configuration file" : "environment"} is used again from the next request on.`}{" "}
        The console cannot show it, so keep a copy if you need one.
      </ConfirmDialog>
    </Card>
  );
}

/** What came of the first use of a credential, for which the vendor's list of models is fetched. */
function Trial({ of: { offers, error, busy }, name }: { of: AskedOffers; name: string }) {
  if (busy) return <p role="status">Checking it with {name} …</p>;
  if (error) return <Notice tone="warn">It is stored, but the check failed. {messageOf(error)}</Notice>;
  if (offers === null) return null;
  const { length } = offers.data;
  return (
    <Notice tone="info">{`${name} accepts it and lists ${formatCount(length)} ${length === 1 ? "model" : "models"}.`}</Notice>
  );
}

function Variables({ names }: { names: readonly string[] }) {
  return <code className="font-mono text-[0.85rem] break-words">{names.join(", ")}</code>;
}

function SetBy({ stored }: { stored: NonNullable<Vendor["credential"]["stored"]> }) {
  const names = useNames([stored.set_by]);
  const who =
    stored.set_by === "admin-token" ? "with the admin token" : `by ${names.get(stored.set_by) || stored.set_by}`;
  return (
    <span className="break-words">
      <Time at={stored.set_at} /> {who}
    </span>
  );
}

/** A vendor's several credentials, each with whether this process uses it now. */
function KeyStates({ keys }: { keys: readonly CredentialKey[] }) {
  return (
    <ul className="space-y-1.5">
      {keys.map(({ name, hint, weight, state, reason, rests_until, accounts_alone, limits }) => (
        <li key={name} className="flex flex-wrap items-center gap-x-2 gap-y-0.5">
          <span className="font-mono text-[0.9rem] break-all">{name}</span>
          {hint !== null && <code className="font-mono text-[0.82rem] text-ink-soft">…{hint}</code>}
          <span className="text-[0.85rem] text-ink-soft">weight {weight}</span>
          <Badge tone={state === "ready" ? "good" : "warn"} hint={reason === null ? "In use" : REASONS[reason]}>
            {state}
          </Badge>
          {rests_until !== null && (
            <span className="text-[0.85rem] text-ink-soft">
              until <Time at={rests_until} />
            </span>
          )}
          {accounts_alone > 0 && (
            <span className="text-[0.85rem] text-ink-soft">
              kept from {accounts_alone} {accounts_alone === 1 ? "account" : "accounts"}
            </span>
          )}
          {limits.length > 0 && (
            <div className="basis-full">
              <LimitUses limits={limits} />
            </div>
          )}
        </li>
      ))}
    </ul>
  );
}
