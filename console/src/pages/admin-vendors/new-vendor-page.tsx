import { useState } from "react";
import { messageOf } from "../../api/api-error.ts";
import { useChange } from "../../api/use-api.ts";
import { Button, LinkButton } from "../../kit/button.tsx";
import { Card } from "../../kit/card.tsx";
import { Form } from "../../kit/form.tsx";
import { Input, Select } from "../../kit/input.tsx";
import { optionsOf } from "../../kit/options.ts";
import { PageHeader } from "../../kit/page-header.tsx";
import { Notice } from "../../kit/states.tsx";
import { NewVendorModels } from "./new-vendor-models.tsx";
import { useOffers } from "./use-offers.ts";

const PROTOCOLS = optionsOf({
  "chat-completions": "Chat completions (most vendors)",
  responses: "Responses",
  messages: "Messages",
  gemini: "Gemini",
});

const STALE = ["GET /vendors", "GET /vendors/{vendor}", "GET /configuration/elements"] as const;

/** A vendor that Camino does not know: its address and credential, which are tried, then its models and what they cost. */
export function NewVendorPage() {
  const [id, setId] = useState("");
  const connection = useConnection(id);
  return (
    <>
      <PageHeader
        title="New vendor"
        guide="configuration#adding-a-vendor"
        description="Any server that speaks one of these protocols. Its models are offered with the next request."
        breadcrumb={[{ label: "Vendors", to: "/admin/vendors" }]}
      />
      {connection.asked.offers === null ? (
        <ConnectionForm id={id} onId={setId} connection={connection} />
      ) : (
        <NewVendorModels vendor={id} offers={connection.asked.offers} />
      )}
    </>
  );
}

interface Connecting {
  readonly base_url: string;
  readonly protocol: string;
  readonly api_key: string;
}

/** Stores a vendor and its credential, and fetches its models, which tries both. What was refused can be corrected and sent again. */
function useConnection(id: string) {
  const put = useChange("PUT /configuration/elements/{kind}/{id}", STALE);
  const credential = useChange("PUT /vendors/{vendor}/credential", STALE);
  const asked = useOffers(id);
  const [version, setVersion] = useState(0);
  const connect = async ({ base_url, protocol, api_key }: Connecting) => {
    const path = { kind: "vendor", id };
    const made = await put.mutateAsync({ path, body: { value: { base_url, protocol }, version } });
    setVersion(made.version);
    if (api_key !== "") await credential.mutateAsync({ path: { vendor: id }, body: { api_key } });
    asked.fetchModels();
  };
  return {
    asked,
    connect: (given: Connecting) => void connect(given).catch(() => undefined),
    busy: put.isPending || credential.isPending || asked.busy,
    error: put.error ?? credential.error ?? asked.error,
    is_stored: version > 0,
  };
}

function ConnectionForm({
  id,
  onId,
  connection: { connect, busy, error, is_stored },
}: {
  id: string;
  onId: (id: string) => void;
  connection: ReturnType<typeof useConnection>;
}) {
  const [base_url, setBaseUrl] = useState("");
  const [protocol, setProtocol] = useState("chat-completions");
  const [api_key, setApiKey] = useState("");
  return (
    <Card title="Connection">
      <Form onSubmit={() => connect({ base_url, protocol, api_key })}>
        {error && (
          <Notice
            tone="danger"
            action={
              is_stored && <LinkButton size="small" to="/admin/vendors/$id" params={{ id }}>{`Open ${id}`}</LinkButton>
            }
          >
            {messageOf(error)}
          </Notice>
        )}
        <div className="grid gap-4 sm:grid-cols-2">
          <Input
            label="ID"
            mono
            required
            readOnly={is_stored}
            placeholder="acme"
            help="Its models are called acme/…"
            value={id}
            onChange={(typed) => onId(typed.trim())}
          />
          <Select label="Protocol" options={PROTOCOLS} value={protocol} onChange={setProtocol} />
          <Input
            label="Address"
            mono
            required
            placeholder="https://api.acme.example/v1"
            help="Ends with the version, such as /v1."
            value={base_url}
            onChange={(typed) => setBaseUrl(typed.trim())}
          />
          <Input
            label="API key"
            type="password"
            mono
            optional
            autoComplete="new-password"
            help="Stored encrypted; never shown again."
            value={api_key}
            onChange={(typed) => setApiKey(typed.trim())}
          />
        </div>
        <div className="flex flex-wrap gap-2">
          <Button type="submit" kind="primary" busy={busy}>
            Connect and fetch models
          </Button>
          <LinkButton kind="quiet" to="/admin/configuration/$kind/new" params={{ kind: "vendor" }} search={{}}>
            Other protocols and settings
          </LinkButton>
        </div>
      </Form>
    </Card>
  );
}
