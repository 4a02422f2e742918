import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { readAmount } from "../../../../contract/amounts.ts";
import type { VendorOffer, VendorOffers } from "../../../../contract/offers.ts";
import { useChange } from "../../api/use-api.ts";
import { AmountInput } from "../../kit/amount-input.tsx";
import { Button } from "../../kit/button.tsx";
import { Card } from "../../kit/card.tsx";
import { Form } from "../../kit/form.tsx";
import { formatCount } from "../../kit/format.ts";
import { Input } from "../../kit/input.tsx";
import { EmptyState, Notice } from "../../kit/states.tsx";
import { toast } from "../../kit/toast.tsx";
import { Checkbox } from "../../kit/toggle.tsx";
import { priceWords } from "./offer-words.ts";
import { offeredElement } from "./offered-element.ts";

const STALE = ["GET /vendors", "GET /vendors/{vendor}", "GET /models", "GET /prices", "GET /routes"] as const;
/** As many models are chosen from the beginning; of a longer list its reader chooses. */
const FEW = 12;

/** The models of a vendor that was just connected: which of them are offered, what they cost, and the markup on that. */
export function NewVendorModels({ vendor, offers }: { vendor: string; offers: VendorOffers }) {
  const all = offers.data.filter(({ is_chat }) => is_chat !== false);
  const [chosen, setChosen] = useState<ReadonlySet<string>>(
    () => new Set(all.length <= FEW ? all.map(({ model }) => model) : []),
  );
  const [cost, setCost] = useState({ input: "", output: "" });
  const [percent, setPercent] = useState("0");
  const [tried, setTried] = useState(false);
  const offering = useOffering(vendor);
  const picked = all.filter(({ model }) => chosen.has(model));
  const unpriced = picked.some((offer) => priceWords(offer.proposals[0], offers.currency) === null);
  const problems = [cost.input, cost.output].map((text) => {
    const read = readAmount(text);
    return unpriced && "problem" in read ? read.problem : null;
  });
  if (all.length === 0)
    return (
      <Card flush>
        <EmptyState icon="models" title="It lists no chat models" />
      </Card>
    );
  return (
    <Form
      className="space-y-5"
      error={offering.error}
      onSubmit={() => {
        setTried(true);
        if (problems.every((problem) => problem === null)) offering.offer(picked, { cost, percent });
      }}
    >
      <Notice tone="info">Connected: it lists {formatCount(offers.data.length)} models.</Notice>
      <Card
        title="Models to offer"
        actions={
          <Button
            size="small"
            onClick={() => setChosen(new Set(chosen.size === all.length ? [] : all.map(({ model }) => model)))}
          >
            {chosen.size === all.length ? "Select none" : `Select all ${formatCount(all.length)}`}
          </Button>
        }
      >
        <div className="grid max-h-96 gap-2 overflow-y-auto sm:grid-cols-2">
          {all.map(({ model, proposals }) => (
            <Checkbox
              key={model}
              label={model}
              help={priceWords(proposals[0], offers.currency) ?? undefined}
              checked={chosen.has(model)}
              onChange={(on) =>
                setChosen(new Set(on ? [...chosen, model] : [...chosen].filter((each) => each !== model)))
              }
            />
          ))}
        </div>
      </Card>
      <Card title="Price" description="Per million tokens: what the vendor charges you, and your markup on it.">
        <div className="grid gap-4 sm:grid-cols-3">
          {unpriced && (
            <>
              <AmountInput
                label="Vendor's input price"
                placeholder="3.00"
                value={cost.input}
                error={tried ? problems[0] : null}
                onChange={(input) => setCost({ ...cost, input })}
              />
              <AmountInput
                label="Vendor's output price"
                placeholder="15.00"
                value={cost.output}
                error={tried ? problems[1] : null}
                onChange={(output) => setCost({ ...cost, output })}
              />
            </>
          )}
          <Input
            label="Markup in percent"
            inputMode="decimal"
            required
            value={percent}
            onChange={(typed) => setPercent(typed.trim())}
          />
        </div>
      </Card>
      <Button type="submit" kind="primary" busy={offering.busy} disabled={picked.length === 0}>
        {`Offer ${formatCount(picked.length)} ${picked.length === 1 ? "model" : "models"}`}
      </Button>
    </Form>
  );
}

/** Offers models one after the other; one that a first try has stored is not sent again. */
function useOffering(vendor: string) {
  const navigate = useNavigate();
  const put = useChange("PUT /configuration/elements/{kind}/{id}", STALE);
  const [stored, setStored] = useState<ReadonlySet<string>>(new Set());
  const [busy, setBusy] = useState(false);
  const offerAll = async (offers: readonly VendorOffer[], price: Parameters<typeof offeredElement>[1]) => {
    setBusy(true);
    const done = new Set(stored);
    try {
      for (const offer of offers.filter(({ model }) => !done.has(model))) {
        const path = { kind: "model", id: offer.model };
        await put.mutateAsync({ path, body: { value: offeredElement(offer, price), version: 0 } });
        done.add(offer.model);
      }
      toast("Models offered");
      await navigate({ to: "/admin/vendors/$id", params: { id: vendor }, search: {} });
    } finally {
      setStored(done);
      setBusy(false);
    }
  };
  return {
    busy,
    error: put.error,
    offer: (...asked: Parameters<typeof offerAll>) => void offerAll(...asked).catch(() => undefined),
  };
}
