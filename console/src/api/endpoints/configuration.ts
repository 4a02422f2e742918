import type {
  ActOnElement,
  Element,
  ElementChange,
  ElementHistory,
  ElementList,
  ExportedConfiguration,
  HistoryQuery,
  ListElements,
  PreviewElement,
  PutElement,
  TryElement,
} from "../../../../contract/configuration.ts";
import type { ProposeFromList, VendorOffers } from "../../../../contract/offers.ts";
import type { VendorTest } from "../../../../contract/vendors.ts";

type Acting = { body: ActOnElement; answer: ElementChange };

/** The endpoints by which administrators change the configuration without its file. */
export interface ConfigurationEndpoints {
  "GET /configuration/elements": { query: ListElements; answer: ElementList };
  "GET /configuration/elements/{kind}/{id}": { answer: Element };
  "GET /configuration/elements/{kind}/{id}/history": { query: HistoryQuery; answer: ElementHistory };
  "POST /configuration/preview": { body: PreviewElement; answer: ElementChange };
  "POST /configuration/try": { body: TryElement; answer: VendorTest };
  "PUT /configuration/elements/{kind}/{id}": { body: PutElement; answer: ElementChange };
  "POST /configuration/elements/{kind}/{id}/retire": Acting;
  "POST /configuration/elements/{kind}/{id}/reinstate": Acting;
  "POST /configuration/elements/{kind}/{id}/delete": Acting;
  "POST /configuration/elements/{kind}/{id}/take-over": Acting;
  "POST /configuration/elements/{kind}/{id}/give-back": Acting;
  "POST /configuration/elements/{kind}/{id}/take-back": Acting;
  "GET /configuration/export": { answer: ExportedConfiguration };
  "GET /vendors/{vendor}/models": { answer: VendorOffers };
  "POST /vendors/{vendor}/models": { body: ProposeFromList; answer: VendorOffers };
}
