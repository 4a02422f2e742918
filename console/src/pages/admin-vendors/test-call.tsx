import { useState } from "react";
import type { Vendor, VendorTest } from "../../../../contract/vendors.ts";
import { messageOf } from "../../api/api-error.ts";
import { useChange } from "../../api/use-api.ts";
import { Badge } from "../../kit/badge.tsx";
import { Button } from "../../kit/button.tsx";
import { Card, Facts } from "../../kit/card.tsx";
import { Combobox } from "../../kit/combobox.tsx";
import { Form } from "../../kit/form.tsx";
import { formatCount, formatDuration } from "../../kit/format.ts";
import { Select } from "../../kit/input.tsx";
import { FittingName } from "../../kit/long-name.tsx";
import { Notice } from "../../kit/states.tsx";

const CHEAPEST = "";

/** Asks the vendor for a few words to test that it works. No account is charged. */
export function TestCall({ vendor: { id, name, status, models, credential } }: { vendor: Vendor }) {
  const [model, setModel] = useState(CHEAPEST);
  const [key, setKey] = useState("");
  const test = useChange("POST /vendors/{vendor}/test", ["GET /vendors", "GET /vendors/{vendor}"]);
  const enabled = status === "enabled" && models.length > 0;
  const options = [
    { value: CHEAPEST, label: "Its cheapest model" },
    ...models.map((each) => ({ value: each.model, label: each.model, note: each.display_name })),
  ];
  return (
    <Card title="Test call" description="Sends one short request. It is not billed.">
      {!enabled ? (
        <p className="text-ink-soft">
          {status === "enabled" ? `No model goes by ${name}.` : "Set its credential first; then it can be tested."}
        </p>
      ) : (
        <div className="space-y-4">
          <Form
            className="flex flex-wrap items-end gap-2.5"
            onSubmit={() =>
              test.mutate({
                path: { vendor: id },
                body: { ...(model !== CHEAPEST && { model }), ...(key !== "" && { key }) },
              })
            }
          >
            <Combobox
              label="Model"
              options={options}
              value={model}
              onChange={setModel}
              className="min-w-0 flex-1 basis-56"
            />
            {credential.keys.length > 1 && (
              <Select
                label="Key"
                options={credential.keys.map((each, at) => ({ value: at === 0 ? "" : each.name, label: each.name }))}
                value={key}
                onChange={setKey}
              />
            )}
            <Button type="submit" icon="play" busy={test.isPending}>
              Make a test call
            </Button>
          </Form>
          <div aria-live="polite">
            {test.error && <Notice tone="danger">{messageOf(test.error)}</Notice>}
            {test.data && !test.isPending && <Result result={test.data} />}
          </div>
        </div>
      )}
    </Card>
  );
}

function Result({ result }: { result: VendorTest }) {
  const { ok, model, upstream_model, protocol, status, first_byte_ms, duration_ms, text, usage, error } = result;
  return (
    <div className="space-y-3">
      <Notice tone={ok ? "good" : "danger"}>
        {ok ? `It works: an answer after ${formatDuration(duration_ms)}.` : (error?.message ?? "It did not work.")}
      </Notice>
      {text !== null && (
        <blockquote className="border-l-2 border-line-strong pl-3 text-[0.95rem] break-words italic">{text}</blockquote>
      )}
      <Facts
        facts={[
          ["Model", <FittingName key="model">{model}</FittingName>],
          upstream_model === model ? null : ["Asked for", <FittingName key="asked">{upstream_model}</FittingName>],
          ["Protocol", protocol],
          ["Status", status === null ? "no answer" : String(status)],
          error === null
            ? null
            : [
                "Error",
                <Badge key="error" tone="danger">
                  {error.code}
                </Badge>,
              ],
          first_byte_ms === null ? null : ["First byte", formatDuration(first_byte_ms)],
          usage === null
            ? null
            : ["Tokens", `${formatCount(usage.input_tokens)} in, ${formatCount(usage.output_tokens)} out`],
        ]}
      />
    </div>
  );
}
