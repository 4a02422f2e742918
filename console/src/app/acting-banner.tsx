import { useLocation } from "@tanstack/react-router";
import { useUser } from "../api/session.ts";
import { useApi } from "../api/use-api.ts";
import { Button } from "../kit/button.tsx";
import { Icon } from "../kit/icon.tsx";
import { LongName } from "../kit/long-name.tsx";
import { useUrlState } from "../kit/url-state.ts";
import { useAccount } from "../kit/use-account.ts";
import { pageAt } from "./navigation.ts";

/** Whether the pages show an account that the administrator does not belong to: what is done on them is done for a customer. */
function useActsFor(): string | null {
  const user = useUser();
  const account = useAccount();
  return user.role === "administrator" && !user.accounts.some(({ id }) => id === account) ? account : null;
}

/** Says on each page of a customer whose it is, with the way out. */
export function ActingBanner() {
  const acts_for = useActsFor();
  const path = useLocation({ select: ({ pathname }) => pathname });
  return acts_for !== null && pageAt(path) !== undefined ? <Banner account={acts_for} /> : null;
}

function Banner({ account: id }: { account: string }) {
  const [, setSearch] = useUrlState("account");
  const account = useApi("GET /accounts/{account}", { path: { account: id } });
  const { name = "", email = id } = account.data?.id === id ? account.data : {};
  return (
    <section
      aria-label="Acting for an account"
      className="flex flex-wrap items-center gap-x-3 gap-y-1 bg-accent px-4 py-1.5 text-on-accent sm:px-6 lg:px-8"
    >
      <Icon name="accounts" className="size-4.5" />
      <p className="min-w-0 flex-1 [overflow-wrap:anywhere]">
        You are acting for{" "}
        <b className="font-semibold">
          <LongName>{name || email}</LongName>
        </b>
        {name !== "" && ` (${email})`}
      </p>
      <Button size="small" onClick={() => setSearch({ account: undefined })}>
        Leave
      </Button>
    </section>
  );
}
