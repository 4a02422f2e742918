import type { OpenSession } from "../../../../contract/session.ts";
import { useApi, useChange } from "../../api/use-api.ts";
import { Badge } from "../../kit/badge.tsx";
import { Button } from "../../kit/button.tsx";
import { Card } from "../../kit/card.tsx";
import { Loaded } from "../../kit/states.tsx";
import { toast, toastError } from "../../kit/toast.tsx";
import { Time } from "../../kit/values.tsx";
import { describeBrowser } from "./describe-browser.ts";

const METHODS: Readonly<Record<OpenSession["method"], string>> = {
  password: "by password",
  passkey: "by passkey",
  oidc: "by company sign-in",
  link: "by link",
};

/** The user's sessions, each with a button that ends it. */
export function Sessions() {
  const sessions = useApi("GET /me/sessions", {});
  const end = useChange("DELETE /me/sessions/{id}", ["GET /me/sessions"]);
  return (
    <Card
      title="Sessions"
      description="Where you are signed in. End sessions you do not recognize, and change your password."
      flush
    >
      <Loaded query={sessions}>
        {({ data }) => (
          <ul className="divide-y divide-line border-t border-line">
            {data.map((session) => (
              <li key={session.id} className="flex flex-wrap items-center gap-x-4 gap-y-1 px-4 py-3 sm:px-5">
                <div className="min-w-0 flex-1">
                  <p className="flex items-center gap-2 font-medium" data-hint={session.user_agent ?? undefined}>
                    {describeBrowser(session.user_agent)}
                    {session.current && <Badge tone="accent">this one</Badge>}
                  </p>
                  <p className="text-[0.88rem] text-ink-soft">
                    {session.address !== null && `${session.address}, `}
                    {METHODS[session.method]} <Time at={session.created_at} />, last seen{" "}
                    <Time at={session.last_seen_at} />
                  </p>
                </div>
                {!session.current && (
                  <Button
                    size="small"
                    busy={end.isPending && end.variables.path.id === session.id}
                    onClick={() =>
                      end.mutate(
                        { path: { id: session.id } },
                        { onSuccess: () => toast("Session ended"), onError: toastError },
                      )
                    }
                  >
                    End
                  </Button>
                )}
              </li>
            ))}
          </ul>
        )}
      </Loaded>
    </Card>
  );
}
