import { PendingPage } from "../pending-page.tsx";

export function AccountPage() {
  return <PendingPage title="Account" icon="accounts" />;
}
