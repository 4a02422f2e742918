import { useState } from "react";
import type { ProposeFromList, VendorOffers } from "../../../../contract/offers.ts";
import { useChange } from "../../api/use-api.ts";

/** The vendor's own list of models, from when somebody asks for it: free of charge, and so the trial of a credential that was just set. */
export function useOffers(vendor: string) {
  const ask = useChange("POST /vendors/{vendor}/models");
  const [offers, setOffers] = useState<VendorOffers | null>(null);
  const fetchModels = (list?: ProposeFromList["list"]) =>
    ask.mutate({ path: { vendor }, body: list === undefined ? {} : { list } }, { onSuccess: setOffers });
  return { offers, error: ask.error, busy: ask.isPending, fetchModels };
}

export type AskedOffers = ReturnType<typeof useOffers>;
