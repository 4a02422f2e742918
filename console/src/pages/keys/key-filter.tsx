import { Combobox } from "../../kit/combobox.tsx";
import { useChip } from "../../kit/folded-filters.tsx";
import { useUrlState } from "../../kit/url-state.ts";
import { useKeyChoice } from "./use-key-choice.ts";

/** A filter by one of an account's keys, which may be many: the server finds them by name, id, ending or alias. */
export function KeyFilter({ account }: { account: string }) {
  const [{ key = "" }, setSearch] = useUrlState("key");
  const { options, ...choice } = useKeyChoice({ account, value: key });
  useChip("key", key && (choice.shown ?? key));
  return (
    <Combobox
      label="Key"
      hide_label
      placeholder="All keys"
      {...choice}
      options={[{ value: "", label: "All keys" }, ...options]}
      value={key}
      onChange={(value) => setSearch({ key: value })}
      className="w-44 max-sm:w-full"
    />
  );
}
