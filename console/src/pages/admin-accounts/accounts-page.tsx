import { PendingPage } from "../pending-page.tsx";

export function AccountsPage() {
  return <PendingPage title="Accounts" icon="accounts" />;
}
