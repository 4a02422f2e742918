import Type, { type Static } from "typebox";

/** The configuration that is in force, for administrators. */

const Names = Type.Array(Type.String());
const NamedChanges = Type.Object({
  added: Names,
  removed: Names,
  /** Which fields differ, without their values. */
  changed: Type.Array(Type.Object({ id: Type.String(), fields: Names })),
});
export type NamedChanges = Static<typeof NamedChanges>;

/** What a reload changed. */
export const Reloaded = Type.Object({
  /** The file that was read; null where there is none, and the environment alone says what is offered. */
  file: Type.Union([Type.String(), Type.Null()]),
  vendors: NamedChanges,
  models: NamedChanges,
  /** The limits that differ. */
  limits: Names,
  /** Sections of the file that differ and are in force only after a restart. */
  after_restart: Names,
});
export type Reloaded = Static<typeof Reloaded>;
