import { useState } from "react";
import type { VendorOffers as Offers, VendorOffer } from "../../../../contract/offers.ts";
import type { Vendor } from "../../../../contract/vendors.ts";
import { messageOf } from "../../api/api-error.ts";
import { Button } from "../../kit/button.tsx";
import { Card } from "../../kit/card.tsx";
import { type Column, DataTable } from "../../kit/data-table.tsx";
import { formatCount } from "../../kit/format.ts";
import { Input } from "../../kit/input.tsx";
import { FittingName } from "../../kit/long-name.tsx";
import { QuietLink } from "../../kit/row-link.tsx";
import { EmptyState, Notice } from "../../kit/states.tsx";
import { Checkbox } from "../../kit/toggle.tsx";
import { None } from "../../kit/values.tsx";
import { wordsIn } from "../../kit/words.ts";
import { ListDialog } from "./list-dialog.tsx";
import { OfferDialog } from "./offer-dialog.tsx";
import { priceWords, sourceWords } from "./offer-words.ts";
import type { AskedOffers } from "./use-offers.ts";

/** The models in the vendor's own list, and a proposal to offer each. The vendor is asked only on demand, or when its credential was set. */
export function VendorOffers({ vendor: { id, name, status }, asked }: { vendor: Vendor; asked: AskedOffers }) {
  const { offers, error, busy, fetchModels } = asked;
  const [listing, setListing] = useState(false);
  const [chosen, setChosen] = useState<VendorOffer | null>(null);
  if (status !== "enabled") return null;
  return (
    <Card
      title="What it offers"
      description="The vendor's own list of models, with their known prices."
      actions={
        <>
          {offers !== null && <Button onClick={() => setListing(true)}>Prices from a list</Button>}
          <Button icon="refresh" busy={busy} onClick={() => fetchModels()}>
            Fetch models
          </Button>
        </>
      }
      flush={offers !== null && !error}
    >
      {offers === null && !error && <p className="text-ink-soft">Fetching the list is free.</p>}
      {error && <Notice tone="danger">{messageOf(error)}</Notice>}
      {offers !== null && !error && <Found offers={offers} name={name} onChoose={setChosen} />}
      <ListDialog
        vendor={id}
        open={listing}
        onClose={() => setListing(false)}
        onList={(list) => {
          setListing(false);
          fetchModels(list);
        }}
      />
      <OfferDialog
        offer={chosen}
        onClose={() => setChosen(null)}
        onDone={() => {
          setChosen(null);
          fetchModels();
        }}
      />
    </Card>
  );
}

function Found({
  offers: { data, is_cut, left_out, found_in_list, currency },
  name,
  onChoose,
}: {
  offers: Offers;
  name: string;
  onChoose: (offer: VendorOffer) => void;
}) {
  const [typed, setTyped] = useState("");
  const [all, setAll] = useState(false);
  const matches = wordsIn(typed);
  const found = data.filter(({ upstream_model, display_name, is_chat, offered_as }) => {
    if (!all && (is_chat === false || offered_as.length > 0)) return false;
    return matches(`${upstream_model} ${display_name ?? ""}`);
  });
  return (
    <div>
      <div className="flex flex-wrap items-end gap-x-5 gap-y-3 px-4 pb-4 sm:px-5">
        <Input
          label="Find"
          hide_label
          placeholder="Find a model"
          className="min-w-48"
          value={typed}
          onChange={setTyped}
        />
        <Checkbox label="Include offered models and other kinds" checked={all} onChange={setAll} />
      </div>
      {(is_cut || left_out.length > 0 || found_in_list !== null) && (
        <p className="px-4 pb-3 text-[0.88rem] text-ink-soft sm:px-5">
          {is_cut && "Its list is longer; the rest was not read. "}
          {left_out.length > 0 && `Left out: ${left_out.slice(0, 3).join("; ")}. `}
          {found_in_list !== null && `The list has ${formatCount(found_in_list)} of them.`}
        </p>
      )}
      {found.length === 0 ? (
        <EmptyState icon="models" title={data.length === 0 ? `${name} lists no model` : "Nothing left to offer"}>
          {data.length > 0 && "All matching models are already offered."}
        </EmptyState>
      ) : (
        <DataTable
          caption="Models of the vendor's list"
          columns={columnsOf(currency, onChoose)}
          rows={found}
          file={{ name: "offers" }}
          rowKey={({ upstream_model }) => upstream_model}
          first_rows={50}
        />
      )}
    </div>
  );
}

function columnsOf(currency: string, onChoose: (offer: VendorOffer) => void): Column<VendorOffer>[] {
  return [
    {
      key: "model",
      header: "Model",
      heading: true,
      sortBy: ({ upstream_model }) => upstream_model,
      cell: ({ upstream_model, display_name }) => (
        <span className="flex min-w-0 flex-col text-left">
          <span className="font-medium">
            <FittingName>{upstream_model}</FittingName>
          </span>
          {display_name !== null && <span className="font-normal break-words text-ink-soft">{display_name}</span>}
        </span>
      ),
    },
    {
      key: "context",
      header: "Context",
      numeric: true,
      wide_only: true,
      sortBy: ({ context_length }) => context_length,
      cell: ({ context_length }) => (context_length === null ? <None /> : formatCount(context_length)),
    },
    {
      key: "price",
      header: "Price in / out",
      numeric: true,
      cell: ({ proposals }) => priceWords(proposals[0], currency) ?? <span className="text-ink-soft">not known</span>,
    },
    { key: "source", header: "Price from", wide_only: true, cell: ({ proposals }) => sourceWords(proposals[0]) },
    {
      key: "offered",
      header: "Offered as",
      cell: (offer) =>
        offer.offered_as.length === 0 ? (
          <Button size="small" icon="plus" onClick={() => onChoose(offer)}>
            Offer<span className="sr-only"> {offer.upstream_model}</span>
          </Button>
        ) : (
          <span className="flex flex-col">
            {offer.offered_as.slice(0, 3).map((id) => (
              <QuietLink key={id} to="/admin/configuration/$kind/$id" params={{ kind: "model", id }} search={{}}>
                <FittingName>{id}</FittingName>
              </QuietLink>
            ))}
          </span>
        ),
    },
  ];
}
