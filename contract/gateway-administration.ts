import {
  AddTarget,
  AlertList,
  AlertTarget,
  AlertTargetList,
  DeliveriesQuery,
  Delivery,
  DeliveryList,
  TestedTarget,
} from "./alerts.ts";
import { AutoTopUp, SetAutoTopUp } from "./auto-top-up.ts";
import { Deleted, OfAccount } from "./common.ts";
import {
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
  Reloaded,
  TryElement,
} from "./configuration.ts";
import { CircuitHistory, CircuitHistoryQuery, VendorHistory, VendorHistoryQuery } from "./health.ts";
import { TestedMail, TestMail } from "./mail.ts";
import { ProposeFromList, VendorOffers } from "./offers.ts";
import { RefusalList, RefusalsQuery } from "./refusals.ts";
import { Traffic, TrafficQuery } from "./traffic.ts";
import { SetCredential, TestVendor, Vendor, VendorList, VendorTest } from "./vendors.ts";

const acting = { body: ActOnElement, answer: ElementChange } as const;

/** The part of the documented administration API (administration.ts) that is about the gateway itself: its configuration, vendors and traffic. */
export const GATEWAY_ADMINISTRATION = {
  "GET /usage/traffic": {
    id: "reportTraffic",
    summary: "Requests, spend, errors, latencies and tokens per second over time",
    query: TrafficQuery,
    answer: Traffic,
  },
  "GET /requests/refused": {
    id: "listRefusals",
    summary: "Refused requests, grouped by minute, key and error",
    query: RefusalsQuery,
    answer: RefusalList,
  },
  "GET /credits/auto-top-up": {
    id: "showAutoTopUp",
    summary: "The rule for automatic top-ups of an account",
    query: OfAccount,
    answer: AutoTopUp,
  },
  "PUT /credits/auto-top-up": {
    id: "setAutoTopUp",
    summary: "Set the rule for automatic top-ups of an account",
    query: OfAccount,
    body: SetAutoTopUp,
    answer: AutoTopUp,
  },
  "DELETE /credits/auto-top-up": {
    id: "removeAutoTopUp",
    summary: "Remove the rule of top-ups",
    query: OfAccount,
    answer: AutoTopUp,
  },
  "GET /configuration/elements": {
    id: "listElements",
    summary: "The elements of the configuration, by kind and id",
    query: ListElements,
    answer: ElementList,
  },
  "GET /configuration/elements/{kind}/{id}": {
    id: "showElement",
    summary: "One element, as it is written and as it takes effect",
    answer: Element,
  },
  "PUT /configuration/elements/{kind}/{id}": {
    id: "putElement",
    summary: "Create or change an element; it takes effect on every node within five seconds",
    body: PutElement,
    answer: ElementChange,
  },
  "POST /configuration/elements/{kind}/{id}/retire": {
    id: "retireElement",
    summary: "Stop a model from taking new calls",
    ...acting,
  },
  "POST /configuration/elements/{kind}/{id}/reinstate": {
    id: "reinstateElement",
    summary: "Let a retired model take calls again",
    ...acting,
  },
  "POST /configuration/elements/{kind}/{id}/delete": {
    id: "deleteElement",
    summary: "Delete an element that only the database has",
    ...acting,
  },
  "POST /configuration/elements/{kind}/{id}/take-over": {
    id: "takeOverElement",
    summary: "Copy an element of the file or the catalog into the database",
    ...acting,
  },
  "POST /configuration/elements/{kind}/{id}/give-back": {
    id: "giveBackElement",
    summary: "Drop the copy, so that the file or the catalog applies again",
    ...acting,
  },
  "POST /configuration/elements/{kind}/{id}/take-back": {
    id: "takeBackElement",
    summary: "Restore an earlier version",
    ...acting,
  },
  "GET /configuration/elements/{kind}/{id}/history": {
    id: "listElementVersions",
    summary: "The versions of an element, newest first",
    query: HistoryQuery,
    answer: ElementHistory,
  },
  "POST /configuration/preview": {
    id: "previewElement",
    summary: "What a change would do; it changes nothing",
    body: PreviewElement,
    answer: ElementChange,
  },
  "POST /configuration/try": {
    id: "tryElement",
    summary: "One small call with an element that is not stored",
    body: TryElement,
    answer: VendorTest,
  },
  "POST /configuration/reload": {
    id: "reloadConfiguration",
    summary: "Read the configuration file again",
    answer: Reloaded,
  },
  "GET /configuration/export": {
    id: "exportConfiguration",
    summary: "The current configuration, as a file",
    answer: ExportedConfiguration,
  },
  "GET /vendors": { id: "listVendors", summary: "Vendors, and how each does on this node", answer: VendorList },
  "GET /vendors/{vendor}": { id: "showVendor", summary: "One vendor with its models", answer: Vendor },
  "PUT /vendors/{vendor}/credential": {
    id: "setVendorCredential",
    summary: "Set a vendor's credential, which is never shown again",
    body: SetCredential,
    answer: Vendor,
  },
  "DELETE /vendors/{vendor}/credential": {
    id: "deleteVendorCredential",
    summary: "Delete the credential that was set here",
    answer: Vendor,
  },
  "POST /vendors/{vendor}/test": {
    id: "testVendor",
    summary: "One small call to a vendor, not billed",
    body: TestVendor,
    answer: VendorTest,
  },
  "GET /vendors/{vendor}/models": {
    id: "listVendorModels",
    summary: "A vendor's own list of models, with proposed configuration",
    answer: VendorOffers,
  },
  "POST /vendors/{vendor}/models": {
    id: "proposeVendorModels",
    summary: "The same with prices of a published list",
    body: ProposeFromList,
    answer: VendorOffers,
  },
  "GET /health/vendors": {
    id: "reportVendors",
    summary: "What became of the vendors' calls over the last day or week, on all nodes",
    query: VendorHistoryQuery,
    answer: VendorHistory,
  },
  "GET /health/circuits": {
    id: "listCircuitChanges",
    summary: "When circuits opened and closed, on which node and why",
    query: CircuitHistoryQuery,
    answer: CircuitHistory,
  },
  "GET /alerts": {
    id: "listAlerts",
    summary: "What is true now of an account or the gateway",
    query: OfAccount,
    answer: AlertList,
  },
  "GET /alerts/targets": {
    id: "listAlertTargets",
    summary: "Where the alerts of an account or the gateway go",
    query: OfAccount,
    answer: AlertTargetList,
  },
  "POST /alerts/targets": {
    id: "addAlertTarget",
    summary: "Add a target of alerts: a mail address, a webhook or Slack",
    body: AddTarget,
    answer: AlertTarget,
  },
  "DELETE /alerts/targets/{target}": {
    id: "removeAlertTarget",
    summary: "Remove a target, and what waits for it",
    answer: Deleted,
  },
  "POST /alerts/targets/{target}/test": {
    id: "testAlertTarget",
    summary: "Send a test to a target now, and say what became of it",
    answer: TestedTarget,
  },
  "GET /deliveries": {
    id: "listDeliveries",
    summary: "What was told of an account or the gateway, newest first",
    query: DeliveriesQuery,
    answer: DeliveryList,
  },
  "POST /deliveries/{delivery}/resend": {
    id: "resendDelivery",
    summary: "Send once more, under the same id, what was told",
    answer: Delivery,
  },
  "POST /mail/test": {
    id: "testMail",
    summary: "Send a test mail now, and say what the mail server says",
    body: TestMail,
    answer: TestedMail,
  },
} as const;
