import type { AuditChange } from "../people/audit.ts";

/** Elements of the configuration that are kept in the database and laid over the file (docs/adr/0042). */

export const ELEMENT_KINDS = ["vendor", "model", "alias", "limits"] as const;
export type ElementKind = (typeof ELEMENT_KINDS)[number];

/** The file's element as JSON: texts, whole numbers, flags, lists and maps; an alias is the id of its model. */
export type ElementValue = string | { readonly [key: string]: unknown };

export interface ElementName {
  readonly kind: ElementKind;
  readonly id: string;
}

/** One version of an element. Versions count from 1 and are never changed. */
export interface ElementVersion extends ElementName {
  readonly version: number;
  /** The action that made it: `put`, `retire`, `take-over` and so on. */
  readonly action: string;
  /** Null: the element was dropped. */
  readonly value: ElementValue | null;
  readonly changed_ms: number;
  /** The actor's name. */
  readonly changed_by: string;
}

/** The elements of a database: an append-only history, whose newest versions count. */
export interface ConfigurationStore {
  /** The newest version of each element, those that were dropped included, by kind and id. */
  listElements(): Promise<ElementVersion[]>;
  /** Incremented by every change on any node; 0 before the first one. */
  elementsRevision(): Promise<number>;
  /** Versions of an element, newest first, those before `before` where it is given. */
  elementHistory(
    name: ElementName,
    page: { readonly before?: number; readonly limit: number },
  ): Promise<ElementVersion[]>;
  /**
   * Adds a version together with its line in the audit log. `revision` is the one at which the change was checked: after another change it
   * is rejected with a StoreConflict and nothing is written.
   */
  changeElement(change: Omit<ElementVersion, "changed_ms">, revision: number, audit: AuditChange): Promise<void>;
}
