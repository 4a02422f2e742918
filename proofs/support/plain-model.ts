/**
 * A model of a configuration file that does not reason unless its entry says so: what an entry leaves out is not "no", and is held for
 * as if the model reasoned (docs/rulings.md 170). An entry with `thinking: undefined` says nothing.
 */
export function plainModel<Entry extends object>(entry: Entry): Entry {
  const said = "capabilities" in entry ? entry.capabilities : null;
  const stated = typeof said === "object" && said !== null ? said : {};
  return "reasoning" in stated ? entry : { ...entry, capabilities: { thinking: false, ...stated } };
}
