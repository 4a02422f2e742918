import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { messageOf } from "../../api/api-error.ts";
import { sessionQuery, useUser } from "../../api/session.ts";
import { apiQuery, useChange } from "../../api/use-api.ts";
import { Badge } from "../../kit/badge.tsx";
import { Button } from "../../kit/button.tsx";
import { Card } from "../../kit/card.tsx";
import { ConfirmDialog } from "../../kit/dialog.tsx";
import { Notice } from "../../kit/states.tsx";
import { useUrlState } from "../../kit/url-state.ts";
import { failureText } from "../sign-in/oidc-failures.ts";

/** The providers that the user can sign in with; empty where the gateway has no provider. */
export function Identities() {
  const user = useUser();
  const [{ error }] = useUrlState("error");
  const methods = useQuery(apiQuery("GET /session/methods", {}));
  const queries = useQueryClient();
  const connect = useChange("POST /me/identities/{provider}");
  const disconnect = useChange("DELETE /me/identities/{provider}");
  const [leaving, setLeaving] = useState<string | null>(null);
  const providers = methods.data?.oidc ?? [];
  if (providers.length === 0) return null;
  return (
    <Card title="Company sign-in" flush>
      {(error !== undefined || connect.error) && (
        <div className="px-4 pb-3 sm:px-5">
          <Notice tone="danger">{connect.error ? messageOf(connect.error) : failureText(error ?? "")}</Notice>
        </div>
      )}
      <ul className="divide-y divide-line border-t border-line">
        {providers.map(({ id, name }) => (
          <li key={id} className="flex items-center justify-between gap-4 px-4 py-3 sm:px-5">
            <span className="font-medium">{name}</span>
            {user.identities.includes(id) ? (
              <span className="flex items-center gap-3">
                <Badge tone="good">connected</Badge>
                <Button size="small" onClick={() => setLeaving(id)}>
                  Disconnect
                </Button>
              </span>
            ) : (
              <Button
                size="small"
                busy={connect.isPending}
                onClick={() =>
                  connect.mutate(
                    { path: { provider: id }, query: { return: "/console/settings" } },
                    { onSuccess: ({ location: address }) => location.assign(address) },
                  )
                }
              >
                Connect
              </Button>
            )}
          </li>
        ))}
      </ul>
      <ConfirmDialog
        open={leaving !== null}
        onClose={() => setLeaving(null)}
        title={`Disconnect ${providers.find(({ id }) => id === leaving)?.name ?? ""}?`}
        action="Disconnect"
        danger
        onConfirm={async () => {
          await disconnect.mutateAsync({ path: { provider: leaving ?? "" } });
          await queries.invalidateQueries({ queryKey: sessionQuery.queryKey });
        }}
      >
        You can no longer sign in with it, until you connect it again.
      </ConfirmDialog>
    </Card>
  );
}
