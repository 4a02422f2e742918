import type { LinkProps } from "@tanstack/react-router";
import { useIsAdministrator } from "../../api/session.ts";
import { useApi } from "../../api/use-api.ts";
import { Button } from "../../kit/button.tsx";
import { Card } from "../../kit/card.tsx";
import { cx } from "../../kit/cx.ts";
import { Icon } from "../../kit/icon.tsx";
import { TextLink } from "../../kit/row-link.tsx";
import { useStoredFlag } from "../../kit/use-stored-flag.ts";
import { type FirstStep, stepsDone } from "./first-steps-done.ts";

const STEPS: readonly {
  readonly id: FirstStep;
  readonly to: NonNullable<LinkProps["to"]>;
  readonly title: string;
  readonly why: string;
}[] = [
  { id: "vendor", to: "/admin/vendors", title: "Add a vendor", why: "Its API key makes its models available." },
  { id: "credit", to: "/admin/accounts", title: "Add credit to an account", why: "Requests are paid from it." },
  { id: "key", to: "/keys/new", title: "Create a key", why: "A program sends it with each request." },
  { id: "call", to: "/playground", title: "Make the first request", why: "Here, or with your program." },
  { id: "invitation", to: "/admin/users", title: "Invite a colleague", why: "Members see their own account." },
];

/** What is left to do on a new gateway, for its administrator: until it is done, or dismissed. */
export function FirstStepsCard() {
  const administrator = useIsAdministrator();
  const [dismissed, dismiss] = useStoredFlag("camino-first-steps");
  return administrator && !dismissed ? <Steps onDismiss={dismiss} /> : null;
}

function Steps({ onDismiss }: { onDismiss: () => void }) {
  const done = useStepsDone();
  if (done === null || done.size === STEPS.length) return null;
  const next = STEPS.find(({ id }) => !done.has(id));
  return (
    <Card
      title="Set up this gateway"
      description={`${done.size} of ${STEPS.length} done`}
      actions={
        <Button size="small" kind="quiet" icon="close" onClick={onDismiss}>
          Dismiss
        </Button>
      }
    >
      <ol className="grid gap-x-6 gap-y-3 sm:grid-cols-2 xl:grid-cols-5">
        {STEPS.map(({ id, to, title, why }) => (
          <li key={id} className="flex items-start gap-2.5">
            <Mark is_done={done.has(id)} is_next={id === next?.id} />
            <div className="min-w-0">
              {done.has(id) ? (
                <span className="text-ink-soft line-through">{title}</span>
              ) : (
                <TextLink to={to}>{title}</TextLink>
              )}
              <span className="sr-only">{done.has(id) ? ", done" : ""}</span>
              <p className="text-[0.85rem] text-ink-soft">{why}</p>
            </div>
          </li>
        ))}
      </ol>
    </Card>
  );
}

function Mark({ is_done, is_next }: { is_done: boolean; is_next: boolean }) {
  return (
    <span
      aria-hidden="true"
      className={cx(
        "mt-0.5 flex size-5 shrink-0 items-center justify-center rounded-full border",
        is_done
          ? "border-transparent bg-good-soft text-good-ink"
          : is_next
            ? "border-accent bg-accent-soft"
            : "border-line-strong",
      )}
    >
      {is_done && <Icon name="check" className="size-3.5" />}
    </span>
  );
}

/** The steps that are done; null until all of it is known. */
function useStepsDone(): ReadonlySet<FirstStep> | null {
  const vendors = useApi("GET /vendors", {});
  const accounts = useApi("GET /accounts", { query: { limit: "50" } });
  const keys = useApi("GET /keys", { query: { limit: "50" } });
  const requests = useApi("GET /requests", { query: { limit: "20" } });
  const users = useApi("GET /users", { query: { limit: "2" } });
  const invitations = useApi("GET /invitations", { query: { limit: "1" } });
  const answers = [vendors, accounts, keys, requests, users, invitations];
  if (answers.some(({ data }) => data === undefined)) return null;
  return stepsDone({
    vendors: vendors.data?.data ?? [],
    accounts: accounts.data?.data ?? [],
    keys: keys.data?.data ?? [],
    requests: requests.data?.data ?? [],
    user_count: users.data?.data.length ?? 0,
    invitation_count: invitations.data?.data.length ?? 0,
  });
}
