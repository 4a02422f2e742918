import type { ElementAction, ElementOrigin } from "../../../../contract/configuration.ts";
import type { ElementKind } from "../../../../contract/configuration-values.ts";
import type { Tone } from "../../kit/badge.tsx";

/** The kinds of elements, in the order of their tabs. */
const KINDS = [
  {
    kind: "model",
    one: "model",
    heading: "Configured models",
    about: "What you offer: its price, its limits, and where its requests go.",
  },
  {
    kind: "vendor",
    one: "vendor",
    heading: "Vendors' connections",
    about: "Where requests go: addresses, protocols and timeouts. Credentials are set on the vendor's own page.",
  },
  {
    kind: "alias",
    one: "alias",
    heading: "Aliases for all keys",
    about: "Other names for models, for every key of the gateway. A key's own aliases come first.",
  },
  {
    kind: "limits",
    one: "default limits",
    heading: "Default limits",
    about: "Limits for every key that has none of its own.",
  },
] as const satisfies readonly { kind: ElementKind; one: string; heading: string; about: string }[];

export function isKind(text: string | undefined): text is ElementKind {
  return KINDS.some(({ kind }) => kind === text);
}

export function isOrigin(text: string | undefined): text is ElementOrigin {
  return text !== undefined && Object.hasOwn(ORIGINS, text);
}

export function kindWords(kind: ElementKind): (typeof KINDS)[number] {
  return KINDS.find((each) => each.kind === kind) ?? KINDS[0];
}

/** The name of an element: its id, but for the limits, which are one element. */
export function titleOf(kind: ElementKind, id: string): string {
  return kind === "limits" && id === "default" ? "Default limits" : id;
}

/** The title of the dialog that asks for a change: "Take over the model acme/swift-1?". */
export function questionOf(
  { action, to }: { readonly action: ElementAction | "put"; readonly to?: number },
  kind: ElementKind,
  id: string,
): string {
  const named = `the ${kindWords(kind).one}${kind === "limits" ? "" : ` ${id}`}`;
  if (action !== "take-back") return `${ACTIONS[action].verb} ${named}?`;
  return `Take version ${to} of ${named} back?`;
}

export const ORIGINS: Readonly<Record<ElementOrigin, { label: string; tone: Tone; hint: string }>> = {
  console: { label: "console", tone: "accent", hint: "Made here, and kept in the database" },
  file: { label: "file", tone: "info", hint: "The configuration file's: read-only here unless it is taken over" },
  bundled: { label: "bundled", tone: "neutral", hint: "Comes with Camino: read-only here unless it is taken over" },
};

/** The words of a change: on its button, in the dialog's title, and when it is done. */
export const ACTIONS: Readonly<
  Record<ElementAction | "put", { verb: string; done: string; about: string; danger?: true }>
> = {
  put: { verb: "Apply", done: "Takes effect with the next request", about: "" },
  retire: {
    verb: "Retire",
    done: "Retired: it takes no new calls",
    about: "A retired model takes no new calls. Receipts and usage still show it, and it can be reinstated.",
  },
  reinstate: { verb: "Reinstate", done: "Reinstated", about: "It takes calls again." },
  delete: {
    verb: "Delete",
    done: "Deleted",
    about: "Its history stays, and an earlier version can be taken back.",
    danger: true,
  },
  "take-over": {
    verb: "Take over",
    done: "Taken over: it can be changed here",
    about:
      "Copies it into the database, where it can be changed. The file is not changed, and no longer applies to this element.",
  },
  "give-back": {
    verb: "Give back",
    done: "Given back",
    about: "Drops the copy in the database. The file or the catalog applies again.",
  },
  "take-back": {
    verb: "Take back",
    done: "Earlier version restored",
    about: "Makes the earlier version the newest again.",
  },
};
