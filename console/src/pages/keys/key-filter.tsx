import { useState } from "react";
import { useApi } from "../../api/use-api.ts";
import { useFoundKeys } from "../../api/use-found.ts";
import { Combobox } from "../../kit/combobox.tsx";
import { useUrlState } from "../../kit/url-state.ts";
import { keyName } from "./key-state.ts";

/** A filter by one of an account's keys, which may be many: the server finds them by name, id, ending or alias. */
export function KeyFilter({ account }: { account: string }) {
  const [{ key = "" }, setSearch] = useUrlState("key");
  const [typed, setTyped] = useState("");
  const { rows, searching } = useFoundKeys({ typed, account });
  const is_found = key === "" || rows.some(({ id }) => id === key);
  const chosen = useApi("GET /keys/{key}", { path: { key } }, { enabled: !is_found });
  return (
    <Combobox
      label="Key"
      hide_label
      placeholder="All keys"
      options={[
        { value: "", label: "All keys" },
        // Rows of what was typed before are found by their names alone.
        ...rows.map((row) => ({
          value: row.id,
          label: keyName(row),
          note: `…${row.hint}`,
          ...(searching ? {} : { also: typed }),
        })),
      ]}
      value={key}
      shown={!is_found && chosen.data?.id === key ? keyName(chosen.data) : undefined}
      onChange={(value) => setSearch({ key: value })}
      onType={setTyped}
      searching={searching}
      className="w-44 max-sm:w-full"
    />
  );
}
