import { useApi } from "../../api/use-api.ts";
import { FilterText } from "../../kit/filter-bar.tsx";

/**
 * A filter by a tag, `NAME=VALUE`: the browser offers the names that keys or requests have. `account`: null for all accounts. `name`: the
 * field of the address.
 */
export function TagFilter({ account, name = "tag" }: { account: string | null; name?: string }) {
  const { data } = useApi("GET /tags", { query: account === null ? {} : { account } });
  const names = data?.data.map((tag) => `${tag.name}=`) ?? [];
  return <FilterText name={name} label="Tag, as team=search" suggestions={names} />;
}
