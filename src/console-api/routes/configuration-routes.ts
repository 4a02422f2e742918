import {
  ActOnElement,
  type ElementAction,
  type ElementChange,
  type ElementHistory,
  type ElementList,
  type ExportedConfiguration,
  HistoryQuery,
  ListElements,
  PreviewElement,
  PutElement,
  type Reloaded,
  type Element as ShownElement,
  TryElement,
} from "../../../contract/configuration.ts";
import type { VendorTest } from "../../../contract/vendors.ts";
import type { ElementName } from "../../core/catalog/configuration-elements.ts";
import { GatewayError, invalidRequest } from "../../core/errors.ts";
import { given } from "../../core/given.ts";
import type { AskedChange } from "../../pipeline/configuration/next-value.ts";
import { InvalidConfiguration } from "../answer/administration.ts";
import { type ConsoleCall, route } from "../answer/route.ts";
import { showTest } from "./vendor-routes.ts";

const ELEMENT = "/configuration/elements/{kind}/{id}";
const ACTIONS = [
  "retire",
  "reinstate",
  "delete",
  "take-over",
  "give-back",
  "take-back",
] as const satisfies readonly ElementAction[];

/** docs/operations.md "Changing the configuration", docs/configuration.md "Configuration in the database". */
export const configurationRoutes = [
  route("POST /configuration/reload", "administrator", {
    audit: {
      action: "configuration.reload",
      describe: (_call, { body }) => {
        const { file, vendors, models, ...rest } = body as Reloaded;
        const after = { vendors: firstOf(vendors), models: firstOf(models), ...rest };
        return { object: { kind: "configuration", id: file }, after };
      },
    },
    show: reload,
  }),
  route("GET /configuration/elements", "administrator", { query: ListElements, show: list }),
  route(`GET ${ELEMENT}`, "administrator", { show: read }),
  route(`PUT ${ELEMENT}`, "administrator", {
    audit: "configuration.put",
    body: PutElement,
    show: (call) => {
      const { value, take_over = false } = call.body;
      return change(call, { action: "put", value, take_over });
    },
  }),
  ...ACTIONS.map((action) =>
    route(`POST ${ELEMENT}/${action}`, "administrator", {
      audit: `configuration.${action}`,
      body: ActOnElement,
      show: (call) => change(call, { action, ...given({ to: call.body.to }) }),
    }),
  ),
  route(`GET ${ELEMENT}/history`, "administrator", { query: HistoryQuery, show: history }),
  route("POST /configuration/preview", "administrator", {
    audit: { none: "a preview changes nothing" },
    body: PreviewElement,
    show: preview,
  }),
  route("POST /configuration/try", "administrator", {
    audit: { none: "a test call changes nothing" },
    body: TryElement,
    show: tryOut,
  }),
  route("GET /configuration/export", "administrator", { show: exported }),
];

async function reload({ deps }: ConsoleCall): Promise<Reloaded> {
  const reloaded = await deps.administration.reload().catch(refused);
  const { file, vendors, models, aliases, limits, after_restart, left_out } = reloaded;
  return structuredClone({ file, vendors, models, aliases, limits, after_restart, left_out }) as Reloaded;
}

function refused(thrown: unknown): never {
  throw thrown instanceof InvalidConfiguration
    ? new GatewayError("invalid_request", thrown.message, { cause: thrown })
    : thrown;
}

/** How many names of each list the audit log keeps: a catalogue may have thousands. */
const NAMES = 50;

function firstOf({ added, removed, changed }: Reloaded["models"]) {
  const counts = { added_count: added.length, removed_count: removed.length, changed_count: changed.length };
  const names = { added: added.slice(0, NAMES), removed: removed.slice(0, NAMES), changed: changed.slice(0, NAMES) };
  return { ...counts, ...names };
}

/** The code that shows and changes elements is loaded when an administrator first asks: other gateways need not hold it in memory. */
function views() {
  return import("../show/show-configuration.ts");
}

function changes() {
  return import("../../pipeline/configuration/element-changes.ts");
}

async function list({ deps, query }: ConsoleCall<unknown, ListElements>): Promise<ElementList> {
  const { elements } = deps.administration;
  await elements.refresh();
  return (await views()).showElements(elements, query);
}

async function read(call: ConsoleCall): Promise<ShownElement> {
  const { elements } = call.deps.administration;
  await elements.refresh();
  return (await views()).showElement(elements, nameIn(call));
}

async function history(call: ConsoleCall<unknown, HistoryQuery>): Promise<ElementHistory> {
  const { elements } = call.deps.administration;
  return (await views()).showHistory(elements, nameIn(call), call.query);
}

async function preview({ deps, body }: ConsoleCall<PreviewElement>): Promise<ElementChange> {
  const { previewChange } = await changes();
  const judged = await previewChange(deps.administration.elements, body);
  return (await views()).showChange(judged);
}

/** Makes one small call with an element that is not stored. */
async function tryOut({ deps, body }: ConsoleCall<TryElement>): Promise<VendorTest> {
  const { administration } = deps;
  const { kind, id, value } = body;
  const { configurationWith } = await changes();
  const unoffered = kind === "vendor" && body.upstream_model !== undefined ? [trialModel(id, body.upstream_model)] : [];
  const configuration = await configurationWith(administration.elements, { kind, id, value }, unoffered);
  const model = kind === "model" ? id : (unoffered[0]?.id ?? body.model ?? null);
  const named = kind === "vendor" ? id : (body.vendor ?? configuration.models.get(id)?.routes[0]?.vendor);
  const vendor = configuration.vendors.get(named ?? "");
  if (vendor === undefined) {
    const found = named === undefined ? `The model '${id}' has no route to a vendor` : `There is no vendor '${named}'`;
    throw invalidRequest(`${found}: a test call needs one.`, "vendor");
  }
  const result = await administration.testVendor({ vendor, configuration, model, is_trial: true });
  return showTest(vendor.id, result);
}

/** A model of a vendor that nothing offers yet, for one call that nobody pays for. */
function trialModel(vendor: string, upstream_model: string) {
  const id = `${vendor}/the-model-that-is-tried-out`;
  return { kind: "model" as const, id, value: { upstream_model, price: { input: "0", output: "0" } } };
}

async function change(
  call: ConsoleCall<PutElement | ActOnElement, unknown>,
  asked: Pick<AskedChange, "action" | "value" | "take_over" | "to">,
): Promise<ElementChange> {
  const { makeChange } = await changes();
  const { version } = call.body;
  const made = { ...nameIn(call), ...asked, version, note: call.note };
  const judged = await makeChange(call.deps.administration.elements, made);
  return (await views()).showChange(judged);
}

async function exported({ deps }: ConsoleCall): Promise<ExportedConfiguration> {
  const { elements } = deps.administration;
  await elements.refresh();
  return (await views()).showExport(elements);
}

/** The element that a path names. Throws a 404 for a kind that there is not. */
function nameIn({ params }: Pick<ConsoleCall, "params">): ElementName {
  const { kind = "", id = "" } = params;
  if (kind === "vendor" || kind === "model" || kind === "alias" || kind === "limits") return { kind, id };
  throw new GatewayError(
    "not_found",
    `There is no kind '${kind.slice(0, 50)}'; allowed: vendor, model, alias, limits.`,
  );
}
