import { useState } from "react";
import type { VendorOffer } from "../../../../contract/offers.ts";
import { Dialog } from "../../kit/dialog.tsx";
import { Input, Select } from "../../kit/input.tsx";
import { ElementEditor } from "../admin-configuration/element-editor.tsx";
import { useElementChange } from "../admin-configuration/use-element-change.ts";
import { priceWords, sourceWords } from "./offer-words.ts";

/** A model of the vendor's list as it would be offered: the proposal, which may be changed, then what would change. */
export function OfferDialog({
  offer,
  onClose,
  onDone,
}: {
  offer: VendorOffer | null;
  onClose: () => void;
  onDone: () => void;
}) {
  return (
    <Dialog
      open={offer !== null}
      onClose={onClose}
      title={offer === null ? "Offer a model" : `Offer ${offer.upstream_model}`}
      description="Takes effect with the next request."
      wide
    >
      {offer !== null && <OfferForm offer={offer} onDone={onDone} />}
    </Dialog>
  );
}

function OfferForm({ offer, onDone }: { offer: VendorOffer; onDone: () => void }) {
  const { model, proposals } = offer;
  const [id, setId] = useState(model);
  const [chosen, setChosen] = useState("0");
  const changing = useElementChange("model", id, onDone);
  const proposal = proposals[Number(chosen)];
  const looked = changing.previewed?.problems.length === 0;
  return (
    <div className="space-y-5">
      {!looked && (
        <div className="grid gap-4 sm:grid-cols-2">
          <Input label="Id" mono required value={id} onChange={(typed) => setId(typed.trim())} />
          <Select
            label="Price source"
            value={chosen}
            options={proposals.map((each, index) => ({ value: String(index), label: labelOf(each) }))}
            onChange={setChosen}
          />
        </div>
      )}
      <ElementEditor
        key={chosen}
        kind="model"
        id={id}
        initial={proposal?.element ?? {}}
        effective={null}
        changing={changing}
      />
    </div>
  );
}

function labelOf(proposal: VendorOffer["proposals"][number]): string {
  const price = priceWords(proposal, "USD");
  return price === null ? "No known price: enter one" : `${sourceWords(proposal)} (${price})`;
}
