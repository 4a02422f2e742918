import Type, { type Static } from "typebox";
import { closed, nullable, orNull, Timestamp } from "./common.ts";
import { ElementKind, ElementValue } from "./configuration-values.ts";
import { Unlisted } from "./models.ts";

/** The configuration that is in force, for administrators: its elements, their changes, and the file it can be written as. */

const Names = Type.Array(Type.String());
const nullableString = orNull(Type.String());

const NamedChanges = Type.Object({
  added: Names,
  removed: Names,
  /** Which fields differ, without their values. */
  changed: Type.Array(Type.Object({ id: Type.String(), fields: Names })),
});
export type NamedChanges = Static<typeof NamedChanges>;

/** The differences between two configurations, by names. */
const changes = {
  vendors: NamedChanges,
  models: NamedChanges,
  /** Absent from a gateway that knows no aliases of its own. */
  aliases: Type.Optional(NamedChanges),
  /** The limits that differ. */
  limits: Names,
};

/** The changes by a reload. */
export const Reloaded = Type.Object({
  /** The file that was read; null where there is none, and the offered vendors come from the environment alone. */
  file: orNull(Type.String()),
  ...changes,
  /** Sections of the file that differ and are in force only after a restart. */
  after_restart: Names,
  /** Elements of the database that do not fit the file and are not in use, each as its kind and its id: `model acme/swift-1`. */
  left_out: Type.Optional(Names),
});
export type Reloaded = Static<typeof Reloaded>;

/**
 * The origin of an element. `file`: the configuration file. `bundled`: the bundled catalogue, the vendors that the environment
 * enables, the built-in simulator, and the default limits. `console`: the database, through this API.
 */
export const ElementOrigin = Type.Enum(["file", "bundled", "console"], { description: "file, bundled or console" });
export type ElementOrigin = Static<typeof ElementOrigin>;

/** The maker and the time of a version. */
const made = {
  changed_at: Timestamp,
  /** The actor's name: a user's e-mail at that time, or `admin-token`. */
  changed_by: Type.String(),
};

/**
 * `in_force`: requests use it. `retired`: a model that takes no new calls; receipts, usage and prices still have it. `left_out`: it
 * does not fit the rest any more and is not used; see `problem`. `deleted`: nothing is left but its history.
 */
export const ElementStatus = Type.Enum(["in_force", "retired", "left_out", "deleted"]);
export type ElementStatus = Static<typeof ElementStatus>;

const summary = {
  kind: ElementKind,
  id: Type.String(),
  /** Its name for people: the name of a vendor or model, an alias's target; null for limits. */
  name: nullableString,
  origin: ElementOrigin,
  status: ElementStatus,
  /**
   * The number of the database's newest version of it, which a change names; 0 where the database never had one. Versions count from 1
   * and go on over deletions.
   */
  version: Type.Integer(),
  /** Null for elements of the file or the catalogue. */
  changed: orNull(Type.Object(made)),
  /** For an element of the console: the origin of an element with the same id below it, which is not in force; null where there is none. */
  overrides: orNull(Type.Enum(["file", "bundled"])),
  /** Why the console's element is not in use, as sentences; null where it is. */
  problem: nullableString,
  unlisted: Unlisted,
};

export const ElementSummary = Type.Object(summary);
export type ElementSummary = Static<typeof ElementSummary>;

/** `GET /configuration/elements`: by kind (vendor, model, alias, limits), then id. */
export const ListElements = closed({
  kind: Type.Optional(ElementKind),
  origin: Type.Optional(ElementOrigin),
  /** Part of an id or a name. */
  search: Type.Optional(Type.String({ maxLength: 200, description: "a text of at most 200 characters" })),
  /** `next_after` of the page before. */
  after: Type.Optional(Type.String({ maxLength: 400, description: "the next_after of an earlier page" })),
  limit: Type.Optional(
    Type.String({
      pattern: "^([1-9]\\d{0,2}|1000)$",
      description: "a whole number from 1 to 1000 (100 unless it is given)",
    }),
  ),
});
export type ListElements = Static<typeof ListElements>;

export const ElementList = Type.Object({
  object: Type.Literal("list"),
  data: Type.Array(ElementSummary),
  /** How many elements fit `kind`, `origin` and `search`. */
  total: Type.Integer(),
  /** Asks for the next page; null on the last one. */
  next_after: nullableString,
  /** How many elements of the console are left out, of all kinds. */
  left_out: Type.Integer(),
  /** The file's path; null where there is none. */
  file: nullableString,
  /** `none`: the bundled catalogue offers nothing by itself. */
  catalog: Type.Enum(["bundled", "none"]),
});
export type ElementList = Static<typeof ElementList>;

/** `GET /configuration/elements/KIND/ID` (the id percent-encoded: `acme%2Fswift-1`). */
export const Element = Type.Object({
  object: Type.Literal("configuration_element"),
  ...summary,
  /** The value as it is written at its origin; null once it is deleted. Secrets of the file are masked. */
  value: orNull(ElementValue),
  /** The element with everything that it leaves out filled in; null where it is not in use. */
  effective: orNull(ElementValue),
  /** The element of the file or the bundled catalogue below a console's element; null where there is none. */
  below: orNull(Type.Object({ origin: Type.Enum(["file", "bundled"]), value: ElementValue })),
});
export type Element = Static<typeof Element>;

/**
 * One leaf that differs: its path in the element (`price.input`, `routes[0].weight`, empty for a whole alias), with what was written
 * there and what is; null where no value was or is.
 */
export const ElementDifference = Type.Object({
  path: Type.String(),
  before: Type.Unknown(),
  after: Type.Unknown(),
});
export type ElementDifference = Static<typeof ElementDifference>;

/** A mistake, in the words and with the path that the file's checker has. */
export const ElementProblem = Type.Object({
  /** `models.acme/swift-1.price.input`. */
  path: Type.String(),
  found: Type.String(),
  allowed: Type.String(),
  /** The whole sentence. */
  message: Type.String(),
});
export type ElementProblem = Static<typeof ElementProblem>;

/** The effect of a change, or of a change that is only tried. */
export const ElementChange = Type.Object({
  object: Type.Literal("configuration_change"),
  kind: ElementKind,
  id: Type.String(),
  /** The version that the element has now; of a preview, the one that a change has to name. */
  version: Type.Integer(),
  /** The whole effective element before and after; null where there is none. */
  before: orNull(ElementValue),
  after: orNull(ElementValue),
  /** The differences between the two, leaf by leaf. */
  differences: Type.Array(ElementDifference),
  /** The differences in the whole configuration: a vendor may bring models. */
  effect: Type.Object(changes),
  /** Why the change is refused; empty where it can be made. Never empty only in previews: a refused change is a 400. */
  problems: Type.Array(ElementProblem),
  /** Warnings before the change is made, as sentences: a credential that a new address does not get, for instance. */
  warnings: Names,
});
export type ElementChange = Static<typeof ElementChange>;

const Version = Type.Integer({
  minimum: 0,
  description: "the element's version as it was read, a whole number (0: the database has had none)",
});

/** Without it, an element of the file is refused: its copy in the database counts from then on. Vendors are taken over first, as the file has their secrets. */
const TakeOver = Type.Optional(
  Type.Boolean({
    description: "true or false: whether a model, an alias or limits of the file are taken over and changed in one",
  }),
);

/** `PUT /configuration/elements/KIND/ID`: makes an element of the console, or changes it. 409 where `version` is not the newest. */
export const PutElement = closed({ value: ElementValue, version: Version, take_over: TakeOver });
export type PutElement = Static<typeof PutElement>;

/**
 * `POST /configuration/elements/KIND/ID/ACTION`, and the last part of a preview's path.
 *
 * - `retire`: a model takes no new calls. `reinstate`: it does again.
 * - `delete`: drops an element of the console below which there is nothing.
 * - `take-over`: copies the file's or the catalogue's element into the database, where it can be changed.
 * - `give-back`: drops the copy, so that the file's or the catalogue's element counts again.
 * - `take-back`: makes an earlier version (`to`) the newest again.
 */
export const ElementAction = Type.Enum(["retire", "reinstate", "delete", "take-over", "give-back", "take-back"]);
export type ElementAction = Static<typeof ElementAction>;

export const ActOnElement = closed({
  version: Version,
  /** For `take-back`: the version that counts again; 0: none, as before the first. */
  to: Type.Optional(Type.Integer({ minimum: 0, description: "the number of an earlier version" })),
});
export type ActOnElement = Static<typeof ActOnElement>;

/** `POST /configuration/preview`: the effect of a PUT (`put`, with `value`) or an action. Changes nothing. */
export const PreviewElement = closed({
  kind: ElementKind,
  id: Type.String({ minLength: 1, maxLength: 200, description: "an element's id" }),
  action: Type.Enum(["put", "retire", "reinstate", "delete", "take-over", "give-back", "take-back"], {
    description: "put, retire, reinstate, delete, take-over, give-back or take-back",
  }),
  value: Type.Optional(ElementValue),
  take_over: TakeOver,
  to: Type.Optional(Type.Integer({ minimum: 0, description: "the number of an earlier version" })),
});
export type PreviewElement = Static<typeof PreviewElement>;

/**
 * `POST /configuration/try`: one small call to a vendor with an element that is not stored. It changes and charges nothing. The answer is
 * a VendorTest (contract/vendors.ts).
 */
export const TryElement = closed({
  kind: Type.Enum(["vendor", "model"], { description: "vendor or model" }),
  id: Type.String({ minLength: 1, maxLength: 200, description: "an element's id" }),
  value: ElementValue,
  /** For a model with several routes: the vendor that is asked. Default: that of its first route. */
  vendor: Type.Optional(Type.String({ maxLength: 64, description: "the id of a vendor of the model's routes" })),
  /** For a vendor: the model that is asked for. Default: the vendor's cheapest. */
  model: Type.Optional(Type.String({ maxLength: 256, description: "the id of a model of this vendor" })),
  /** For a vendor, in place of `model`: its own name for a model, which need not be offered. A new vendor has no other. */
  upstream_model: Type.Optional(
    Type.String({ minLength: 1, maxLength: 256, description: "a vendor's own name for a model" }),
  ),
});
export type TryElement = Static<typeof TryElement>;

/** A version of an element, as it was stored. */
export const ElementVersion = Type.Object({
  version: Type.Integer(),
  ...made,
  /** `put`, or the name of an action. */
  action: Type.String(),
  /** Null: the element was dropped. */
  value: orNull(ElementValue),
});
export type ElementVersion = Static<typeof ElementVersion>;

/** `GET /configuration/elements/KIND/ID/history`: newest first. */
export const ElementHistory = Type.Object({
  object: Type.Literal("list"),
  kind: ElementKind,
  id: Type.String(),
  data: Type.Array(ElementVersion),
  /** Asks for older ones (`?before=`); null where these are all. */
  next_before: nullable(Type.Integer()),
});
export type ElementHistory = Static<typeof ElementHistory>;

export const HistoryQuery = closed({
  before: Type.Optional(Type.String({ pattern: "^\\d{1,9}$", description: "the next_before of an earlier page" })),
});
export type HistoryQuery = Static<typeof HistoryQuery>;

/** `GET /configuration/export`: the configuration in force, as a file. */
export const ExportedConfiguration = Type.Object({
  object: Type.Literal("configuration_export"),
  /** YAML. Secrets stand in it as `${NAME}`. */
  text: Type.String(),
  /** The variables that the file refers to. */
  variables: Type.Array(
    Type.Object({
      name: Type.String(),
      /** The content that it has to hold, for people: `the api_key of the vendor acme, which the console has`. */
      holds: Type.String(),
      /** Whether this gateway's environment has it under this name. */
      set: Type.Boolean(),
    }),
  ),
});
export type ExportedConfiguration = Static<typeof ExportedConfiguration>;
