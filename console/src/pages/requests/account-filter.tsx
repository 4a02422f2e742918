import { useState } from "react";
import { useFoundAccounts } from "../../api/use-found.ts";
import { useNames } from "../../api/use-names.ts";
import { Combobox } from "../../kit/combobox.tsx";
import { useChip } from "../../kit/folded-filters.tsx";
import { useUrlState } from "../../kit/url-state.ts";

/** A filter of all accounts' requests by one account, which the server finds by its e-mail, name or id. */
export function AccountFilter() {
  const [{ of = "" }, setSearch] = useUrlState("of", "key", "project");
  const [typed, setTyped] = useState("");
  const { rows, searching } = useFoundAccounts({ typed });
  const shown = useNames(of === "" ? [] : [of]).get(of);
  useChip("of", of && (shown ?? of));
  const options = rows.map(({ id, email, name }) => ({
    value: id,
    label: email,
    note: name,
    ...(searching ? {} : { also: typed }),
  }));
  return (
    <Combobox
      label="Account"
      hide_label
      placeholder="All accounts"
      options={[{ value: "", label: "All accounts" }, ...options]}
      value={of}
      shown={shown}
      onType={setTyped}
      searching={searching}
      // A key and a project are an account's.
      onChange={(value) => setSearch({ of: value, key: undefined, project: undefined })}
      className="w-52 max-sm:w-full"
    />
  );
}
